/** Label smoothing: the label, and the loss of a prediction. */

import {drawing, drawn, frame, slider, word} from "./dom";
import {loss, lowest, smoothed} from "./maths/smoothing";

const HIGHEST = 6;
const left = (probability: number): number => 34 + 296 * probability;
const top = (nats: number): number => 150 - (140 * Math.min(nats, HIGHEST)) / HIGHEST;

export function smoothingWidget(place: HTMLElement): void {
  const {controls, picture, said} = frame(place, "Label smoothing: how sure a prediction should be");
  const draw = (): void => {
    const [alpha, size, right] = [share.value(), classes.value(), prediction.value()];
    const label = smoothed(size, alpha);
    const steps = Array.from({length: 199}, (_, step) => (step + 1) / 200);
    const line = (of: number): string =>
      `M${steps.map(step => `${left(step).toFixed(1)} ${top(loss(size, of, step)).toFixed(1)}`).join("L")}`;
    const found = loss(size, alpha, right);
    picture.replaceChildren(
      drawing(
        340,
        185,
        `Loss over the probability of the right token: ${found.toFixed(3)} at ${right.toFixed(3)}`,
        drawn("path", {d: `M34 10V150H330`, class: "line", fill: "none"}),
        word(330, 166, "probability of the right token", {"text-anchor": "end"}),
        word(30, 16, String(HIGHEST), {"text-anchor": "end"}),
        word(30, 152, "0", {"text-anchor": "end"}),
        word(40, 16, "loss, nats"),
        drawn("path", {d: line(0), class: "line dashed", fill: "none"}),
        drawn("path", {d: line(alpha), class: "curve"}),
        drawn("path", {d: `M${left(label.right)} 20V150`, class: "key-line"}),
        drawn("circle", {cx: left(right), cy: top(found), r: 5, class: "query"}),
        word(34, 181, "dashed: no smoothing; orange: the lowest loss"),
      ),
    );
    said.textContent =
      `The label is ${label.right.toFixed(3)} for the right token and ${label.other.toFixed(4)} for each other. ` +
      `A prediction of ${right.toFixed(3)} has a loss of ${found.toFixed(3)} nats. ` +
      `The lowest, ${lowest(size, alpha).toFixed(3)}, is at ${label.right.toFixed(3)}.`;
  };
  const share = slider(
    "smoothing α",
    {min: 0, max: 0.5, step: 0.01, value: 0.1},
    value => value.toFixed(2),
    () => draw(),
  );
  const classes = slider("tokens K", {min: 2, max: 100, step: 1, value: 50}, String, () => draw());
  const prediction = slider(
    "prediction",
    {min: 0.005, max: 0.995, step: 0.005, value: 0.7},
    value => value.toFixed(3),
    () => draw(),
  );
  controls.append(share.field, classes.field, prediction.field);
  draw();
}
