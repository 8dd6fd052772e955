/** Which tokens a head looks at: as curves between two lines, and as a matrix. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import {ref} from "lit-html/directives/ref.js";
import {drawMatrix, heaviest, isForbidden, mean, readable, rowOf, type Layout} from "../drawing";
import {saveCsv, savePng, saveSvg} from "../saving";
import type {Weights} from "../server";
import {sentence, state, update} from "../state";

const MOST_EDGES = 2000, WINDOW = 5;

/** The weights that are shown: those of a head, or the mean over the heads that look at the source. */
export function shown(): {kind: string; weights: Weights; rows: string[]; keys: string[]} | null {
  const seen = state.inspection;
  if (!seen) return null;
  const kinds = Object.keys(seen.tokens), kind = state.head === "mean" ? (kinds.includes("cross") ? "cross" : kinds.at(-1)!) : state.head.split(".")[0]!;
  const of = state.head === "mean" ? [...seen.weights].filter(([name]) => name.startsWith(`${kind}.`)).map(([, each]) => each) : [seen.weights.get(state.head)];
  const found = of.filter(each => each !== undefined), tokens = seen.tokens[kind];
  if (!found.length || !tokens) return null;
  return {kind, weights: found.length === 1 ? found[0]! : mean(found), rows: tokens.rows.spelled, keys: tokens.keys.spelled};
}

const isOfOutput = (kind: string): boolean => kind !== "encoder";

let layout: Layout | null = null;

function curves(kind: string, weights: Weights, rows: string[], keys: string[], row: number): TemplateResult {
  const widths = (tokens: string[]): number[] => tokens.map(token => Math.max(22, 9 * [...readable(token)].length + 10));
  const places = (of: number[]): number[] => { let x = 0; return of.map(width => (x += width) - width / 2); };
  const above = widths(keys), below = widths(rows), aboveAt = places(above), belowAt = places(below);
  const width = Math.max(aboveAt.at(-1)! + above.at(-1)! / 2, belowAt.at(-1)! + below.at(-1)! / 2) + 4;
  const edges: {row: number; key: number; weight: number}[] = [];
  for (let place = 0; place < rows.length && edges.length < MOST_EDGES; place++) {
    const values = rowOf(weights, place);
    for (const key of heaviest(values, place === row ? state.share : Math.min(state.share, 0.5))) edges.push({row: place, key, weight: values[key]! / 255});
  }
  edges.sort((a, b) => Number(a.row === row) - Number(b.row === row));
  const step = isOfOutput(kind) ? (place: number) => update({step: place}) : (place: number) => update({source: place});
  return html`<div class="scroll"><svg id="curves" class="curves" width=${width} height="170" role="img"
    aria-label="Curves from each token below to the tokens above that it looks at">
    ${edges.map(edge => svg`<path class=${edge.row === row ? "edge here" : "edge"} data-row=${edge.row} data-key=${edge.key} data-weight=${edge.weight.toFixed(3)}
      opacity=${Math.max(0.05, edge.row === row ? edge.weight : 0.35 * edge.weight)} stroke-width=${1 + 3 * edge.weight}
      d="M ${belowAt[edge.row]!} 142 C ${belowAt[edge.row]!} 85, ${aboveAt[edge.key]!} 85, ${aboveAt[edge.key]!} 28"></path>`)}
    ${keys.map((token, key) => svg`<text x=${aboveAt[key]!} y="18" class=${key === state.source ? "here" : ""} @click=${() => update({source: key})}>\u2068${readable(token)}\u2069</text>`)}
    ${rows.map((token, place) => svg`<text x=${belowAt[place]!} y="160" class=${place === row ? "here" : ""} @click=${() => step(place)}>\u2068${readable(token)}\u2069</text>`)}
  </svg></div>`;
}

/** The cells about the chosen one, for screen readers. */
function grid(kind: string, weights: Weights, rows: string[], keys: string[], row: number, key: number): TemplateResult {
  const about = (at: number, count: number): number[] => {
    const begin = Math.max(0, Math.min(at - 2, count - WINDOW));
    return Array.from({length: Math.min(WINDOW, count)}, (_, place) => begin + place);
  };
  return html`<table class="unseen" role="grid" aria-label="Weights about the chosen cell"><tbody>${about(row, rows.length).map(each => html`<tr>
    ${about(key, keys.length).map(other => html`<td role="gridcell" aria-label="${readable(rows[each]!)} → ${readable(keys[other]!)} ${
      isForbidden(kind, each, other) ? "forbidden" : (rowOf(weights, each)[other]! / 255).toFixed(2)}"></td>`)}</tr>`)}</tbody></table>`;
}

export function panel(): TemplateResult {
  const found = shown(), seen = state.inspection;
  if (!found || !seen) {
    return html`<section class="panel alignment" aria-labelledby="alignment-title"><div class="head"><h2 id="alignment-title">Alignment</h2></div>
      <p class="hint">${sentence() ? "…" : "After a translation, this shows which words of the text each word was written from."}</p></section>`;
  }
  const {kind, weights, rows, keys} = found;
  const row = Math.min(isOfOutput(kind) ? state.step : state.source ?? 0, rows.length - 1), values = rowOf(weights, row);
  const best = values.indexOf(Math.max(...values)), key = isOfOutput(kind) && state.source !== null && state.source < keys.length ? state.source : best;
  const choose = (newRow: number, newKey: number): void => {
    const bounded = (place: number, count: number): number => Math.max(0, Math.min(place, count - 1));
    const to = {row: bounded(newRow, rows.length), key: bounded(newKey, keys.length)};
    update(isOfOutput(kind) ? {step: to.row, source: to.key} : {source: to.row});
  };
  const onKey = (event: KeyboardEvent): void => {
    const moves: Record<string, [number, number]> = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    choose(row + move[0], key + move[1]);
  };
  const onPointer = (event: PointerEvent): void => {
    if (!layout) return;
    const box = (event.target as HTMLElement).getBoundingClientRect();
    const newKey = Math.floor((event.clientX - box.left - layout.left) / layout.size), newRow = Math.floor((event.clientY - box.top - layout.top) / layout.size);
    if (newRow >= 0 && newKey >= 0 && newRow < rows.length && newKey < keys.length) choose(newRow, newKey);
  };
  const draw = (canvas: Element | undefined): void => {
    if (canvas) layout = drawMatrix(canvas as HTMLCanvasElement, weights, kind, rows, keys, {row, key}, canvas.parentElement!.clientWidth);
  };
  const csv = (): void => saveCsv(`${state.head}.csv`, [["row", "key", "row_token", "key_token", "weight"],
    ...rows.flatMap((token, place) => keys.map((other, at) => [place, at, token, other, (rowOf(weights, place)[at]! / 255).toFixed(4)]))]);
  return html`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">Alignment</h2>
      <label>Head <select id="head" @change=${(event: Event) => update({head: (event.target as HTMLSelectElement).value})}>
        <option value="mean" ?selected=${state.head === "mean"}>mean</option>
        ${[...seen.weights.keys()].map(name => html`<option value=${name} ?selected=${name === state.head}>${name}</option>`)}</select></label>
      <label>Share of a row <input id="share" type="range" min="0.1" max="1" step="0.05" .value=${String(state.share)} aria-valuetext="${Math.round(100 * state.share)} %"
        @input=${(event: Event) => update({share: Number((event.target as HTMLInputElement).value)})}> <span class="number">${Math.round(100 * state.share)} %</span></label>
      <span class="save"><button @click=${() => saveSvg("alignment.svg", document.querySelector("#curves")!)}>SVG</button>
        <button @click=${() => savePng("matrix.png", document.querySelector("#matrix")!)}>PNG</button><button @click=${csv}>CSV</button></span>
    </div>
    ${curves(kind, weights, rows, keys, row)}
    <p id="cell" role="status"><bdi class="strong">${readable(rows[row]!)}</bdi> ${isForbidden(kind, row, key) ? "may not look at" : html`looks with
      <span class="strong number">${(values[key]! / 255).toFixed(2)}</span> at`} <bdi class="strong">${readable(keys[key]!)}</bdi>.
      ${key === best ? nothing : html`Most, ${(values[best]! / 255).toFixed(2)}, goes to <bdi>${readable(keys[best]!)}</bdi>.`}</p>
    <div class="frame"><canvas id="matrix" tabindex="0" role="img" aria-label="Weights of ${state.head}: ${rows.length} rows, ${keys.length} columns. Arrow keys choose a cell."
      ${ref(draw)} @pointerdown=${onPointer} @keydown=${onKey}></canvas></div>
    ${grid(kind, weights, rows, keys, row, key)}
    <p class="hint">Each row is a token ${isOfOutput(kind) ? "of the translation, as it is predicted" : "of the text"}; each column is a token that it looks at. The weights of a row sum to 1.
      A weight says where a head looks, not what the translation depends on: for that, switch heads off.</p>
  </section>`;
}
