/** The importance of each head for each token: a row for each head, a column for each token. */

import {html, nothing, type TemplateResult} from "lit-html";
import {ref} from "lit-html/directives/ref.js";
import {colourRamp} from "../colour-ramp";
import {drawNumbers} from "../drawing";
import {displayToken} from "../spelling";
import {scoredTokens, state, translates, update} from "../state";
import {NATS} from "../terms";
import {styleProperties} from "../style-properties";

const ROW_HEIGHT = 5;
const MAX_HEIGHT = 480;
/** The most columns that are wide enough for a name. */
const MAX_NAMED = 40;

/** The index of the cell under a point. */
const cellAt = (offset: number, size: number, count: number): number =>
  Math.max(0, Math.min(count - 1, Math.floor((offset / size) * count)));

/** The tokens of the columns, below them. */
function columnNames(columns: number, chosen: number): TemplateResult | typeof nothing {
  if (columns > MAX_NAMED) return nothing;
  const names = scoredTokens().slice(0, columns);
  return html`<div class="sweep-names" aria-hidden="true" ${styleProperties({"--columns": String(columns)})}>
    ${names.map((name, column) => html`<bdi class=${column === chosen ? "here" : ""}>${displayToken(name)}</bdi>`)}
  </div>`;
}

/** A map of some heads, in their order. */
export function importanceMap(heads: string[]): TemplateResult | typeof nothing {
  const {importance, importanceByToken} = state.heads;
  const {sentence} = state.inspection;
  const rows = heads.map(head => importanceByToken[head] ?? []);
  const columns = Math.max(...rows.map(row => row.length));
  if (!importance || !sentence || !columns) return nothing;
  const shift = translates() ? 0 : 1; // the first token of a text is not predicted
  const column = Math.max(0, Math.min(state.view.outputPosition - shift, columns - 1));
  const row = heads.findIndex((head, index) => head === state.view.head && rows[index]!.length);
  const token = displayToken(scoredTokens()[column] ?? "");
  const statement = row < 0 ? "" : `${heads[row]} is worth ${rows[row]![column]!.toFixed(3)} nats for ${token}.`;
  const changes = rows.map(row => row.map(worth => -worth)); // colours are those of changes, as elsewhere
  const draw = (canvas: Element | undefined): void => {
    if (canvas) drawNumbers(canvas as HTMLCanvasElement, changes, columns);
  };
  const choose = (event: PointerEvent): void => {
    const box = (event.target as HTMLElement).getBoundingClientRect();
    const head = heads[cellAt(event.clientY - box.top, box.height, heads.length)]!;
    const position = cellAt(event.clientX - box.left, box.width, columns) + shift;
    update({view: {head, outputPosition: Math.min(position, sentence.tokens.length - 1)}});
  };
  return html`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${statement}"
      ${ref(draw)}
      ${styleProperties({height: `${Math.min(ROW_HEIGHT * heads.length, MAX_HEIGHT)}px`})}
      @pointerdown=${choose}
    ></canvas>
    ${columnNames(columns, column)}
    <p id="sweep-cell" role="status">${statement || "Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is less likely ${colourRamp("less")}</span>
      <span>more likely ${colourRamp("more")}</span>
      <span>${NATS}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above, from left to right and then down; a column for each
      token${translates() ? ", the end included" : " after the first"}.
    </p>
  </details>`;
}
