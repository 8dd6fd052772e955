/** Kernel regression: the bandwidth, and what a query looks at. */

import {drawing, drawn, frame, slider, word} from "./dom";
import {estimate, kernelWeights} from "./maths/kernel";

export const KEYS = [0.2, 0.5, 0.7, 1.1, 1.3, 1.8, 2.0, 2.4, 2.9, 3.1, 3.5, 3.8, 4.2, 4.6, 4.9];
export const VALUES = [0.5, 0.6, 0.9, 0.8, 1.2, 0.8, 1.1, 0.5, 0.3, 0.0, -0.3, -0.8, -0.6, -1.1, -0.8];

const left = (key: number): number => 30 + 60 * key;
const top = (value: number): number => 95 - 55 * value;

export function bandwidthWidget(place: HTMLElement): void {
  const {controls, picture, said} = frame(place, "Kernel regression: the bandwidth");
  const draw = (): void => {
    const [asked, wide] = [query.value(), 10 ** bandwidth.value()];
    const weights = kernelWeights(asked, KEYS, wide);
    const answer = estimate(asked, KEYS, VALUES, wide);
    const heaviest = Math.max(...weights);
    const steps = Array.from({length: 101}, (_, step) => step / 20);
    const path = steps.map(step => `${left(step).toFixed(1)} ${top(estimate(step, KEYS, VALUES, wide)).toFixed(1)}`);
    picture.replaceChildren(
      drawing(
        340,
        190,
        `The estimate at ${asked.toFixed(2)} is ${answer.toFixed(3)}`,
        drawn("path", {d: "M30 95H330", class: "line"}),
        word(330, 110, "key", {"text-anchor": "end"}),
        drawn("path", {d: `M${left(asked)} 10V180`, class: "query-line"}),
        drawn("path", {d: `M${path.join("L")}`, class: "curve"}),
        ...KEYS.map((key, index) =>
          drawn("circle", {
            cx: left(key),
            cy: top(VALUES[index]!),
            r: 3 + (6 * weights[index]!) / heaviest,
            class: "key",
            "fill-opacity": 0.35 + (0.65 * weights[index]!) / heaviest,
          }),
        ),
        drawn("circle", {cx: left(asked), cy: top(answer), r: 5, class: "query"}),
      ),
    );
    const counted = weights.filter(weight => weight >= 0.01).length;
    said.textContent =
      `The estimate at ${asked.toFixed(2)} is ${answer.toFixed(3)}. ` +
      `${counted} of ${KEYS.length} keys weigh 0.01 or more; the largest weight is ${heaviest.toFixed(3)}.`;
  };
  const bandwidth = slider(
    "bandwidth",
    {min: -1.3, max: 1, step: 0.05, value: -0.5},
    value => (10 ** value).toFixed(2),
    () => draw(),
  );
  const query = slider(
    "query",
    {min: 0, max: 5, step: 0.05, value: 2.2},
    value => value.toFixed(2),
    () => draw(),
  );
  controls.append(bandwidth.field, query.field);
  draw();
}
