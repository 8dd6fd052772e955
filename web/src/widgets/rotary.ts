/** Rotary positions as hands of clocks: one for each pair of dimensions. */

import {drawing, drawn, frame, slider, word} from "./dom";
import {frequencies, rotated, score} from "./maths/rotary";

export const QUERY = [1, 0.6, 0.8, 0.9, 0, 0.8, -0.6, 0.4];
export const KEY = [0.8, 1, 0.7, 0.6, 0.6, 0, 0.7, 0.8];
export const BASE = 100;

export function rotaryWidget(place: HTMLElement): void {
  const {controls, picture, said} = frame(place, "Rotary positions: a hand for each pair of dimensions");
  const half = QUERY.length / 2;
  const hand = (vector: number[], pair: number, middle: number, name: string): SVGElement => {
    const [x, y] = [vector[pair]!, vector[pair + half]!];
    const long = 34 / Math.hypot(x, y);
    return drawn("path", {d: `M${middle} 45L${middle + long * x} ${45 - long * y}`, class: `${name}-line`});
  };
  const draw = (): void => {
    const [m, n] = [first.value(), second.value()];
    const [query, key] = [rotated(QUERY, m, BASE), rotated(KEY, n, BASE)];
    const dials = frequencies(QUERY.length, BASE).flatMap((frequency, pair) => {
      const middle = 43 + 85 * pair;
      return [
        drawn("circle", {cx: middle, cy: 45, r: 38, class: "ground"}),
        hand(query, pair, middle, "query"),
        hand(key, pair, middle, "key"),
        word(middle, 100, `${frequency.toFixed(3)} a step`, {"text-anchor": "middle"}),
      ];
    });
    const product = score(QUERY, KEY, [m, n], BASE);
    picture.replaceChildren(
      drawing(340, 108, `Hands of the query at ${m} and of the key at ${n}, for four pairs of dimensions`, ...dials),
    );
    said.textContent =
      `Query (blue) at ${m}, key (orange) at ${n}: the distance is ${m - n}, the score ${product.toFixed(3)}. ` +
      "Move both by the same number of places: the hands turn, the score stays.";
  };
  const first = slider("query at", {min: 0, max: 40, step: 1, value: 5}, String, () => draw());
  const second = slider("key at", {min: 0, max: 40, step: 1, value: 2}, String, () => draw());
  const both = slider("both from", {min: 0, max: 35, step: 1, value: 2}, String, () => {
    const distance = first.value() - second.value();
    const begin = Math.max(0, Math.min(both.value() + Math.max(0, -distance), 40 - Math.max(0, distance)));
    second.set(begin);
    first.set(begin + distance);
    draw();
  });
  controls.append(first.field, second.field, both.field);
  draw();
}
