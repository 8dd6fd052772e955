/** A mask that the reader paints, and the weights under it. */

import {choice, element, frame} from "./dom";
import {contexts, filled, maskedWeights, MASKS} from "./maths/masked";

export const WORDS = ["the", "cat", "sat", "on", "mats"];
export const SCORES = [
  [1.0, 0.2, -0.5, 0.3, 0.1],
  [0.4, 1.2, 0.8, -0.3, 0.5],
  [-0.2, 1.5, 0.6, 0.1, 0.9],
  [0.3, -0.4, 0.7, 0.9, 1.1],
  [0.8, 0.6, 0.2, 1.3, 0.4],
];
export const VALUES = [1, 2, 3, 4, 5];

export function maskWidget(place: HTMLElement): void {
  const {controls, picture, said} = frame(place, "A mask to paint: choose a cell to allow or hide a key");
  let allowed = filled(WORDS.length, MASKS.causal!);
  let at = [0, 0];
  const cells = WORDS.map((query, row) =>
    WORDS.map((key, column) => {
      const cell = element("button", {type: "button", class: "widget-cell", "data-names": `${query}, ${key}`});
      cell.addEventListener("click", () => {
        allowed[row]![column] = !allowed[row]![column];
        at = [row, column];
        masks.set("your own");
        draw();
      });
      cell.addEventListener("keydown", event => move(event, row, column));
      return cell;
    }),
  );
  const outputs = WORDS.map(() => element("td"));
  const corner = element("td", {}, "query \\ key");
  const head = element("tr", {}, corner, ...[...WORDS, "context"].map(name => element("th", {scope: "col"}, name)));
  const body = WORDS.map((name, row) =>
    element(
      "tr",
      {},
      element("th", {scope: "row"}, name),
      ...cells[row]!.map(cell => element("td", {}, cell)),
      outputs[row]!,
    ),
  );

  /** Arrow keys move in the grid, of which one cell can be reached by Tab. */
  function move(event: KeyboardEvent, row: number, column: number): void {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    const next = step && cells[row + step[0]!]?.[column + step[1]!];
    if (!next) return;
    event.preventDefault();
    at = [row + step[0]!, column + step[1]!];
    draw();
    next.focus();
  }

  function draw(): void {
    const weights = maskedWeights(SCORES, allowed);
    const means = contexts(weights, VALUES);
    cells.forEach((row, query) =>
      row.forEach((cell, key) => {
        const isAllowed = allowed[query]![key]!;
        const weight = weights[query]![key]!;
        cell.textContent = isAllowed ? weight.toFixed(2) : "–";
        cell.style.setProperty("--weight", String(weight));
        cell.setAttribute("aria-pressed", String(isAllowed));
        cell.setAttribute("aria-label", `query ${cell.dataset.names!.replace(", ", ", key ")}: ${cell.textContent}`);
        cell.tabIndex = query === at[0] && key === at[1] ? 0 : -1;
      }),
    );
    means.forEach((mean, query) => {
      const isEmpty = !allowed[query]!.some(Boolean);
      outputs[query]!.textContent = mean.toFixed(2);
      outputs[query]!.className = isEmpty ? "is-empty" : "";
    });
    const empty = WORDS.filter((_, query) => !allowed[query]!.some(Boolean));
    said.textContent = empty.length
      ? `Nothing is allowed for ${empty.join(", ")}. Without care the softmax would be 0/0, which is NaN. ` +
        "Here the weights and the context are 0."
      : "Each row of weights sums to 1.";
  }

  const masks = choice("mask", [...Object.keys(MASKS), "your own"], () => {
    const rule = MASKS[masks.value()];
    if (rule) allowed = filled(WORDS.length, rule);
    draw();
  });
  masks.set("causal");
  controls.append(masks.field);
  const caption = element("caption", {}, `The values of the keys are ${VALUES.join(", ")}.`);
  picture.append(
    element("table", {class: "widget-mask"}, caption, element("thead", {}, head), element("tbody", {}, ...body)),
  );
  draw();
}
