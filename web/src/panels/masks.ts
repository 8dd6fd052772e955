/** The cells of a matrix that may not be looked at, in words. */

import {html, nothing, type TemplateResult} from "lit-html";
import type {AttentionView} from "../attention-view";
import {placeOf, placeWords, rowsOf} from "../places";
import {displayToken} from "../spelling";
import {isForbidden} from "../weights";

const NUM_LISTED = 4;

/** The key at the position of a row of self-attention. */
const ownKey = ({weights}: AttentionView, row: number): number => weights.keys - weights.rows + row;

function hiddenKeys(view: AttentionView, row: number): number[] {
  return view.keys.labels.map((_, key) => key).filter(key => isForbidden(view.weights, row, key));
}

/** The number of positions that a window has, on a side; null: there is none. */
function windowWidth(view: AttentionView): number | null {
  const distances = view.rows.labels.flatMap((_, row) => {
    const own = ownKey(view, row);
    const isWindow = (key: number): boolean => key < own || view.kind === "encoder";
    return hiddenKeys(view, row)
      .filter(isWindow)
      .map(key => Math.abs(own - key));
  });
  return distances.length ? Math.min(...distances) : null;
}

/** Some tokens, and the number of the others. */
function tokenList(view: AttentionView, keys: number[]): TemplateResult {
  const listed = keys.slice(0, NUM_LISTED + Number(keys.length === NUM_LISTED + 1));
  const tokens = listed.map(
    (key, index) => html`${index ? ", " : nothing}<bdi>${displayToken(view.keys.labels[key]!)}</bdi>`,
  );
  const numOthers = keys.length - listed.length;
  return html`${tokens}${numOthers ? ` and ${numOthers} more` : nothing}`;
}

/** The tokens that the chosen row may not look at. */
function ofChosenRow(view: AttentionView): TemplateResult {
  const hidden = hiddenKeys(view, view.row);
  const place = placeOf(view, view.row);
  const row = place
    ? html`${placeWords(place, "About")}: it may`
    : html`<bdi class="strong">${displayToken(view.rows.labels[view.row]!)}</bdi> may`;
  const allowed = view.keys.labels.map((_, key) => key).filter(key => !hidden.includes(key));
  return hidden.length
    ? html`${row} look at ${tokenList(view, allowed)}, and not at ${tokenList(view, hidden)}.`
    : html`${row} look at all of them.`;
}

/** The reason that no cell is hidden. */
const ALL_ALLOWED: Record<string, string> = {
  cross:
    "No cell is hatched: the text is there from the start, so every place may look at all of it. Heads that read " +
    "what is written have hatched cells: a place may not look at tokens that are not written yet.",
  encoder: "No cell is hatched: the text is there from the start, so each token may look at those before and after it.",
};

/** A sentence that says which tokens may not be looked at, and why. */
export function maskStatement(view: AttentionView): TemplateResult | typeof nothing {
  const {kind} = view;
  if (kind === "flow") return nothing;
  const hasHidden = view.rows.labels.some((_, row) => hiddenKeys(view, row).length);
  if (!hasHidden) return ALL_ALLOWED[kind] ? html`<p id="mask">${ALL_ALLOWED[kind]}</p>` : nothing;
  const isTranslation = rowsOf(kind) === "translation";
  const verb = isTranslation ? "translates" : "writes";
  const later =
    kind === "decoder"
      ? `a place may not look at tokens that are not written yet. While the model ${verb}, there are none. To show ` +
        `this, the whole ${isTranslation ? "translation" : "text"} is read at once, so a mask hides them.`
      : "";
  const width = windowWidth(view);
  const side = kind === "encoder" ? "to each side" : "back";
  const window =
    width === null
      ? ""
      : `this layer looks through a window: at its own position, and ${width - 1} ${side}; the rest is hidden.`;
  const reasons = [later, window].filter(Boolean).join(" Also, ");
  return html`<p id="mask"> Hatched: ${reasons} ${ofChosenRow(view)} </p>`;
}
