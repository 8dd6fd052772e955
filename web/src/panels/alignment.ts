/** Which tokens a head looks at: as curves between two lines, as a matrix, and along the texts. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import {ref} from "lit-html/directives/ref.js";
import {colour, directionOf, drawMatrix, joins, readable, type Layout} from "../drawing";
import {ramp} from "../legend";
import {chooseHead} from "../actions";
import {alignmentHead, goToHead, goToLayer, siteOf} from "../heads";
import {saves, type Row} from "../saving";
import type {Flow} from "../server";
import {FLOW, isBehind, isOfOutput, MEAN, METHODS, sentence, state, update} from "../state";
import {styled} from "../styled";
import {help} from "../terms";
import {
  byWords,
  groupsOf,
  heaviest,
  isForbidden,
  mean,
  ofShares,
  rowOf,
  weightAt,
  type Tokens,
  type Weights,
} from "../weights";

const MOST_EDGES = 1000;
const WINDOW = 5;

/** One side of the matrix: its tokens, or words. */
interface Side {
  labels: string[];
  groups: number[][]; // the tokens of each
  pieces: string[]; // what each covers of its text, space in front included; "" for symbols
  direction: "rtl" | "ltr";
}

/** What is shown, and the chosen cell. */
export interface Shown {
  kind: string;
  weights: Weights;
  rows: Side;
  keys: Side;
  row: number;
  key: number;
  best: number;
}

/** What each token covers of its text: together they are the text, up to its last word. */
function piecesOf({spelled, offsets}: Tokens, text: string): string[] {
  const letters = [...text]; // offsets count characters, and not UTF-16 units
  let done = 0;
  return spelled.map((token, place) => {
    let end = Math.max(done, offsets[place]?.[1] ?? 0);
    const rest = offsets[place] ? "" : letters.slice(done).join("");
    if (token.trim() && rest.trimStart().startsWith(token)) {
      // a symbol that was typed: <mask>
      end = done + [...rest.slice(0, rest.indexOf(token) + token.length)].length;
    }
    if (!token.replaceAll("▁", "")) end = done + /^\s*/u.exec(letters.slice(done, end).join(""))![0].length; // a space alone, and no letter after it
    const piece = letters.slice(done, end).join("");
    done = end;
    return piece;
  });
}

const UNKNOWN = /^▁?(<unk>|\[UNK\])$/;

function sideOf(tokens: Tokens, text: string): Side {
  const groups = state.words ? groupsOf(tokens) : tokens.spelled.map((_, place) => [place]);
  const pieces = piecesOf(tokens, text);
  const label = (place: number): string => {
    const token = tokens.spelled[place]!;
    const piece = pieces[place]!.trim();
    return UNKNOWN.test(token) && piece && !UNKNOWN.test(piece) ? `<unk: ${piece}>` : token; // which letter it was
  };
  return {
    groups,
    labels: groups.map(group => group.map(label).join("")),
    pieces: groups.map(group => group.map(place => pieces[place]!).join("")),
    direction: directionOf(text),
  };
}

/** The place of the group that a token is in; of a token after all groups, the last one. */
const holding = (side: Side, token: number): number => {
  const place = side.groups.findIndex(group => group.at(-1)! >= token);
  return place < 0 ? side.groups.length - 1 : place;
};

/** What affects what, through all layers. */
function flowing({rows: of, keys: from, shares, seen}: Flow): Shown {
  const {text, target, token_log_probs: logProbs} = seen;
  const rows = sideOf(of, target ?? text);
  const keys = sideOf(from, text);
  const whole = ofShares(shares);
  const weights = state.words ? byWords(whole, rows.groups, keys.groups) : whole;
  if (target === null && logProbs.length) rows.groups = rows.groups.map(group => group.map(token => token + 1)); // the first token is not predicted
  const row = holding(rows, state.step);
  const values = rowOf(weights, row);
  const best = values.indexOf(Math.max(...values));
  return {
    kind: "flow",
    weights,
    rows,
    keys,
    row,
    best,
    key: state.source !== null && state.source < from.spelled.length ? holding(keys, state.source) : best,
  };
}

/** The heads of which the mean is shown: of one layer, or all that look at the source, or that there are. */
function meant(): string[] {
  const {tokens, weights} = state.inspection!;
  const kinds = Object.keys(tokens);
  const site = state.head.startsWith(MEAN) ? state.head.slice(MEAN.length) : "";
  const ofLayer = [...weights.keys()].filter(name => siteOf(name) === site);
  const kind = kinds.includes("cross") ? "cross" : kinds.at(-1)!;
  return ofLayer.length ? ofLayer : [...weights.keys()].filter(name => name.startsWith(`${kind}.`));
}

let meanKnown: {of: Weights[]; mean: Weights} | null = null;

/** The mean of some heads, which is computed once. */
function meanOf(of: Weights[]): Weights {
  if (meanKnown?.of.length !== of.length || of.some((each, place) => each !== meanKnown!.of[place]))
    meanKnown = {of, mean: mean(of)};
  return meanKnown.mean;
}

/** The weights of a head, or a mean over heads, with the chosen cell. */
export function shown(): Shown | null {
  const seen = state.inspection;
  if (!seen) return null;
  if (state.head.startsWith(FLOW)) return state.flow ? flowing(state.flow) : null;
  const names = seen.weights.has(state.head) ? [state.head] : meant();
  const kind = names[0]!.split(".")[0]!;
  const tokens = seen.tokens[kind]!;
  const whole = names.length > 1 ? meanOf(names.map(name => seen.weights.get(name)!)) : seen.weights.get(names[0]!)!;
  const isPair = seen.target !== null;
  const rows = sideOf(tokens.rows, isPair && kind !== "encoder" ? seen.target! : seen.text);
  const keys = sideOf(tokens.keys, isPair && kind === "decoder" ? seen.target! : seen.text);
  const weights = state.words ? byWords(whole, rows.groups, keys.groups) : whole;
  const row = holding(
    rows,
    Math.min(isOfOutput(kind) ? state.step : (state.source ?? 0), tokens.rows.spelled.length - 1),
  );
  const values = rowOf(weights, row);
  const best = values.indexOf(Math.max(...values));
  const chosen = isOfOutput(kind) ? state.source : state.key;
  return {
    kind,
    weights,
    rows,
    keys,
    row,
    best,
    key: chosen !== null && chosen < tokens.keys.spelled.length ? holding(keys, chosen) : best,
  };
}

/** Choose a cell. */
function choose({kind, rows, keys}: Shown, row: number, key: number): void {
  const token = (side: Side, place: number): number =>
    side.groups[Math.max(0, Math.min(place, side.groups.length - 1))]![0]!;
  const to = {row: token(rows, row), key: token(keys, key)};
  update(isOfOutput(kind) ? {step: to.row, source: to.key} : {source: to.row, key: to.key});
}

let layout: Layout | null = null;

/** Where the cells of the matrix are, in pixels. */
export const matrixLayout = (): Layout | null => layout;

interface Edge {
  row: number;
  key: number;
  weight: number;
}

let edgesKnown: {weights: Weights; share: number; edges: Edge[]} | null = null;

/** The curves of the rows that are not chosen: few of each, computed once. */
function others(weights: Weights): Edge[] {
  const share = Math.min(state.share, 0.5);
  const most = Math.max(1, Math.floor(MOST_EDGES / weights.rows));
  if (edgesKnown?.weights !== weights || edgesKnown.share !== share) {
    const edges = Array.from({length: weights.rows}, (_, row) => {
      const values = rowOf(weights, row);
      return [...heaviest(values, share)].slice(0, most).map(key => ({row, key, weight: values[key]!}));
    }).flat();
    edgesKnown = {weights, share, edges};
  }
  return edgesKnown.edges;
}

function curves(found: Shown): TemplateResult {
  const {weights, rows, keys, row} = found;
  const widths = (side: Side): number[] => side.labels.map(token => Math.max(22, 9 * [...readable(token)].length + 10));
  const sum = (of: number[]): number => of.reduce((total, each) => total + each, 0);
  const above = widths(keys);
  const below = widths(rows);
  const width = Math.max(sum(above), sum(below)) + 4;
  const places = (of: number[], {direction}: Side): number[] => {
    // as the text runs
    let x = 0;
    return of.map(each => (x += each) - each / 2).map(at => (direction === "rtl" ? width - at : at));
  };
  const aboveAt = places(above, keys);
  const belowAt = places(below, rows);
  const values = rowOf(weights, row);
  const chosen = [...heaviest(values, state.share)].map(key => ({row, key, weight: values[key]!}));
  const edges = [...(state.alone ? [] : others(weights).filter(edge => edge.row !== row)), ...chosen]; // the chosen ones above the others
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${width}
      height="170"
      role="img"
      aria-label="Curves from each token below to the tokens above that it looks at"
    >
      ${edges.map(
        edge => svg`<path class=${edge.row === row ? "edge here" : "edge"} data-row=${edge.row} data-key=${edge.key} data-weight=${edge.weight.toFixed(3)}
      opacity=${Math.max(0.05, edge.row === row ? edge.weight : 0.35 * edge.weight)} stroke-width=${1 + 3 * edge.weight}
      d="M ${belowAt[edge.row]!} 142 C ${belowAt[edge.row]!} 85, ${aboveAt[edge.key]!} 85, ${aboveAt[edge.key]!} 28"></path>`,
      )}
      ${keys.labels.map((token, key) => svg`<text x=${aboveAt[key]!} y="18" class=${key === found.key ? "here" : ""} @click=${() => choose(found, row, key)}>\u2068${readable(token)}\u2069</text>`)}
      ${rows.labels.map((token, place) => svg`<text x=${belowAt[place]!} y="160" class=${place === row ? "here" : ""} @click=${() => choose(found, place, found.key)}>\u2068${readable(token)}\u2069</text>`)}
    </svg>
  </div>`;
}

/** The cells about the chosen one, for screen readers. */
function grid({weights, rows, keys, row, key}: Shown): TemplateResult {
  const about = (at: number, count: number): number[] => {
    const begin = Math.max(0, Math.min(at - 2, count - WINDOW));
    return Array.from({length: Math.min(WINDOW, count)}, (_, place) => begin + place);
  };
  return html`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${about(row, weights.rows).map(
        each =>
          html`<tr>
            ${about(key, weights.keys).map(
              other =>
                html`<td
                  role="gridcell"
                  aria-label="${readable(rows.labels[each]!)} → ${readable(keys.labels[other]!)} ${
                    isForbidden(weights, each, other) ? "forbidden" : weightAt(weights, each, other).toFixed(2)
                  }"
                ></td>`,
            )}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A text token by token. Each is what it covers of the text, so that what is copied is the text; symbols are not copied. */
function line(
  id: string,
  said: string,
  side: Side,
  here: number,
  share: (place: number) => number,
  take: (place: number) => void,
): TemplateResult {
  const [red, green, blue] = colour("heat");
  const {direction} = side;
  const tokens = side.pieces.map(piece => ({token: piece}));
  // prettier-ignore -- white space is shown here
  return html`<p id=${id} class="tokens" dir=${direction} role="group" aria-label=${said}>
    ${side.pieces.map((piece, place) => {
      const part = share(place);
      const isNeutral = piece !== "" && !/\p{Letter}/u.test(piece); // such as a bracket: as the text runs
      const colours = styled({
        background: part ? `rgba(${red}, ${green}, ${blue}, ${(0.85 * part).toFixed(3)})` : "",
        color: part > 0.6 ? "var(--paper)" : "",
      });
      const name = `part ${place === here ? "here" : ""}`;
      const [, space, rest] = /^(\s*)([^]*)$/u.exec(piece)!;
      if (joins(tokens, place))
        return html`${space}<span class=${name} @click=${() => take(place)} ${colours}>${rest}</span>`; // letters join only where nothing is isolated
      return html`<bdi class=${piece ? "" : "symbol"} dir=${isNeutral ? direction : "auto"} @click=${() => take(place)}
        >${rest ? space : nothing}<span class=${name} ${colours}
          >${rest || piece || readable(side.labels[place]!)}</span
        ></bdi
      >`;
    })}
  </p>`;
}

/** What rows and columns are. */
function axes(kind: string): string {
  const isPair = state.inspection?.target !== null;
  if (kind === "flow")
    return `Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${state.flow?.caveat}`;
  if (kind === "cross")
    return "Each row is a token of the output, as it is predicted; each column is a token of the input.";
  if (kind === "decoder" && isPair)
    return "Each row is a token of the output, as it is predicted; each column is a token before it.";
  if (kind === "decoder")
    return "Each row is a token of the text; each column is a token that it looks at: itself, or one before it.";
  return `Each row is a token of the ${isPair ? "input" : "text"}; each column is a token of the same text that it looks at.`;
}

function moved(found: Shown, event: KeyboardEvent): boolean {
  const {row, key, weights} = found;
  const right = found.keys.direction === "rtl" ? -1 : 1;
  const moves: Record<string, () => void> = {
    ArrowUp: () => choose(found, row - 1, key),
    ArrowDown: () => choose(found, row + 1, key),
    ArrowLeft: () => choose(found, row, key - right),
    ArrowRight: () => choose(found, row, key + right),
    Home: () => choose(found, row, 0),
    End: () => choose(found, row, weights.keys - 1),
    n: () => goToHead(1),
    p: () => goToHead(-1),
    PageDown: () => goToLayer(1),
    PageUp: () => goToLayer(-1),
  };
  if (event.ctrlKey || event.metaKey || event.altKey || !moves[event.key]) return false;
  moves[event.key]!();
  return true;
}

function matrix(found: Shown): TemplateResult {
  const {weights, rows, keys, row, key} = found;
  const onPointer = (event: PointerEvent): void => {
    if (!layout) return;
    const box = (event.target as HTMLElement).getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - layout.left) / layout.size);
    const newKey = keys.direction === "rtl" ? weights.keys - 1 - column : column;
    const newRow = Math.floor((event.clientY - box.top - layout.top) / layout.size);
    if (newRow >= 0 && newKey >= 0 && newRow < weights.rows && newKey < weights.keys) choose(found, newRow, newKey);
  };
  const draw = (canvas: Element | undefined): void => {
    if (canvas)
      queueMicrotask(() => {
        // when it is in the document, and has a width
        if (canvas.parentElement)
          layout = drawMatrix(
            canvas as HTMLCanvasElement,
            weights,
            rows.labels,
            keys.labels,
            {row, key},
            canvas.parentElement.clientWidth,
            keys.direction === "rtl",
          );
      });
  };
  return html`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${state.head}: ${weights.rows} rows, ${weights.keys} columns. Arrow keys choose a cell."
        ${ref(draw)}
        @pointerdown=${onPointer}
        @keydown=${(event: KeyboardEvent) => {
          if (moved(found, event)) event.preventDefault();
        }}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>weight 0 ${ramp("heat")} 1</span> <span><i class="forbidden"></i> forbidden by a mask</span>
      <span><i class="stroke here"></i> the chosen token</span> ${
        state.alone ? nothing : html`<span><i class="stroke"></i> the others</span>`
      }
      ${help("weight")}
    </p>`;
}

function cell({kind, weights, rows, keys, row, key, best}: Shown): TemplateResult {
  const digits = weights.values instanceof Uint16Array ? 3 : 2;
  if (kind === "flow" && !isForbidden(weights, row, key)) {
    return html`<p id="cell" role="status">
      <bdi class="strong">${readable(keys.labels[key]!)}</bdi> has a share of
      <span class="strong number">${weightAt(weights, row, key).toFixed(digits)}</span> in
      <bdi class="strong">${readable(rows.labels[row]!)}</bdi>.
    </p>`;
  }
  return html`<p id="cell" role="status">
    <bdi class="strong">${readable(rows.labels[row]!)}</bdi> ${
      isForbidden(weights, row, key)
        ? "may not look at"
        : html`looks with <span class="strong number">${weightAt(weights, row, key).toFixed(digits)}</span> at`
    } <bdi class="strong">${readable(keys.labels[key]!)}</bdi>.
    ${key === best ? nothing : html`Most, ${weightAt(weights, row, best).toFixed(digits)}, goes to <bdi>${readable(keys.labels[best]!)}</bdi>.`}
  </p>`;
}

/** Heads, and what follows them through all layers. */
function chooser(): TemplateResult {
  const option = (value: string, said: string): TemplateResult =>
    html`<option value=${value} ?selected=${value === state.head}>${said}</option>`;
  const names = [...state.inspection!.weights.keys()];
  const sites = [...new Set(names.map(siteOf))];
  const aligns = alignmentHead();
  return html`<label
      >Head
      <select id="head" @change=${(event: Event) => void chooseHead((event.target as HTMLSelectElement).value)}>
        ${option("mean", "mean")}
        ${sites.map(
          site =>
            html`<optgroup label=${site}>
              ${names.filter(name => siteOf(name) === site).map(name => option(name, name))}${option(
                `${MEAN}${site}`,
                `mean of ${site}`,
              )}
            </optgroup>`,
        )}
        ${state.stored ? nothing : html`<optgroup label="Through all layers">${METHODS.map(method => option(`${FLOW}${method}`, method))}</optgroup>`}
      </select></label
    >${help("head")}
    ${
      aligns
        ? html`<span class="together"
            ><button
              id="aligns"
              aria-pressed=${state.head === aligns.head}
              @click=${() => void chooseHead(aligns.head)}
            >
              ${aligns.isOfModel ? "Alignment head" : "Alignment layer of this sentence"}</button
            >${help("alignment")}</span
          >`
        : nothing
    }`;
}

export function panel(): TemplateResult {
  const found = shown();
  const seen = state.inspection;
  if (!found || !seen) {
    return html`<section class="panel alignment" aria-labelledby="alignment-title">
      <div class="head"><h2 id="alignment-title">Alignment</h2></div>
      ${state.inspection ? chooser() : nothing}
      <p class="hint">
        ${sentence() ? "…" : "After a translation, this shows which words of the text each word was written from."}
      </p>
    </section>`;
  }
  const {kind, weights, rows, keys, row, key} = found;
  const values = rowOf(weights, row);
  const heavy = heaviest(values, state.share);
  const table = (): Row[] => [
    ["row", "key", "row_token", "key_token", "weight"],
    ...rows.labels.flatMap((token, place) =>
      keys.labels.flatMap((other, at) =>
        isForbidden(weights, place, at) ? [] : [[place, at, token, other, weightAt(weights, place, at).toFixed(4)]],
      ),
    ),
  ];
  const content = (): unknown => ({
    head: state.head,
    rows: rows.labels,
    keys: keys.labels,
    weights: rows.labels.map((_, place) =>
      keys.labels.map((_, at) =>
        isForbidden(weights, place, at) ? null : Number(weightAt(weights, place, at).toFixed(4)),
      ),
    ),
  });
  return html`<section
    class="panel alignment ${isBehind() || (kind === "flow" && state.flow?.seen !== seen) ? "stale" : ""}"
    aria-labelledby="alignment-title"
  >
    <div class="head">
      <h2 id="alignment-title">Alignment</h2>
      ${chooser()}
      <label
        >Share of a row
        <input
          id="share"
          type="range"
          min="0.1"
          max="1"
          step="0.05"
          .value=${String(state.share)}
          aria-valuetext="${Math.round(100 * state.share)} %"
          @input=${(event: Event) => update({share: Number((event.target as HTMLInputElement).value)})}
        />
        <span class="number">${Math.round(100 * state.share)} %</span></label
      >${help("share")}
      <label
        ><input
          id="words"
          type="checkbox"
          .checked=${state.words}
          @change=${(event: Event) => update({words: (event.target as HTMLInputElement).checked})}
        />
        words</label
      >${help("words")}
      <label
        ><input
          id="alone"
          type="checkbox"
          .checked=${state.alone}
          @change=${(event: Event) => update({alone: (event.target as HTMLInputElement).checked})}
        />
        only the chosen token</label
      >
      ${saves("alignment", ["#curves", "#cell", "#matrix", "#legend"], table, content)}
    </div>
    ${curves(found)} ${cell(found)} ${matrix(found)} ${grid(found)}
    <div class="sides">
      ${line(
        "row-tokens",
        "tokens that look",
        rows,
        row,
        () => 0,
        place => choose(found, place, key),
      )}
      ${line(
        "key-tokens",
        "tokens that are looked at",
        keys,
        key,
        place => (heavy.has(place) ? values[place]! : 0),
        place => choose(found, row, place),
      )}
    </div>
    <p class="hint" id="reading">
      ${axes(kind)} ${keys.direction === "rtl" ? "Its columns run from right to left, as the text does." : nothing}
      ${
        kind === "flow"
          ? nothing
          : `The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1.
      A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written.`
      }
    </p>
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`;
}
