/** What temperature and the width of queries and keys do to weights. */

import {bars, checkbox, frame, slider} from "./dom";
import {largestGradient, perplexity, weightsOf} from "./maths/softmax";

/** Six draws of a standard normal number. */
export const STANDARD = [1.4, 0.7, 0.3, -0.2, -0.8, -1.4];

export function softmaxWidget(place: HTMLElement): void {
  const {controls, picture, said} = frame(place, "Softmax: temperature, and the root of the width");
  const draw = (): void => {
    const weights = weightsOf(STANDARD, 2 ** width.value(), isDivided.value(), 10 ** temperature.value());
    const rows = weights.map((weight, key) => ({name: `key ${key}`, share: weight, text: weight.toFixed(3)}));
    picture.replaceChildren(bars("Weights of the six keys", rows, "key"));
    said.textContent =
      `The largest weight is ${Math.max(...weights).toFixed(3)}. ` +
      `About ${perplexity(weights).toFixed(1)} of 6 keys take part. ` +
      `The largest gradient w(1 − w) is ${largestGradient(weights).toFixed(3)}.`;
  };
  const width = slider(
    "width d",
    {min: 0, max: 10, step: 1, value: 6},
    value => String(2 ** value),
    () => draw(),
  );
  const temperature = slider(
    "temperature",
    {min: -1, max: 1, step: 0.05, value: 0},
    value => (10 ** value).toFixed(2),
    () => draw(),
  );
  const isDivided = checkbox("divide scores by √d", false, () => draw());
  controls.append(width.field, temperature.field, isDivided.field);
  draw();
}
