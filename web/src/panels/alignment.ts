/** The attention of a head: as curves between two lines, as a matrix, and along the texts. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import {ref} from "lit-html/directives/ref.js";
import {attentionView, chooseCell} from "../attention";
import type {AttentionView, Side} from "../attention-view";
import {inRuns, textLevels, tokenDirection, type Boxed} from "../bidi";
import {translucent} from "../colours";
import {colourRamp} from "../colour-ramp";
import {drawMatrix, type Layout} from "../drawing";
import {option} from "./controls";
import {curves, hasColumns, MAX_OTHER_SHARE} from "./curves";
import {hasModifier, isChecked, valueOf} from "../events";
import {alignmentHead, goToHead, goToLayer, headPlace, headTitle, layerOf, layerTitle} from "../head-navigation";
import {givenClass, givenLegend, givenNote} from "../given";
import {chooseHead} from "../inspection";
import {placeOf, placeWords, rowsOf} from "../places";
import {saveMenu, type Row} from "../save-menu";
import {displayToken, joinClasses} from "../spelling";
import {chosenSentence, FLOW_METHODS, FLOW_PREFIX, isViewOfOther, MEAN_PREFIX, state, update} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";
import {generatesText, translates} from "../state";
import {heaviestKeys, isForbidden, rowWeights, weightAt} from "../weights";
import {maskStatement} from "./masks";

const GRID_SIZE = 5;
const MAX_SHADE = 0.85;
/** From this share of a row on, a token is written in the colour of the paper. */
const DARK_SHARE = 0.6;

/** The cells around the chosen one, for screen readers. */
function cellGrid({weights, rows, keys, row, key}: AttentionView): TemplateResult {
  const around = (chosen: number, count: number): number[] => {
    const begin = Math.max(0, Math.min(chosen - 2, count - GRID_SIZE));
    return Array.from({length: Math.min(GRID_SIZE, count)}, (_, index) => begin + index);
  };
  const cell = (cellRow: number, cellKey: number): TemplateResult => {
    const weight = isForbidden(weights, cellRow, cellKey)
      ? "forbidden"
      : weightAt(weights, cellRow, cellKey).toFixed(2);
    const label = `${displayToken(rows.labels[cellRow]!)} → ${displayToken(keys.labels[cellKey]!)} ${weight}`;
    return html`<td role="gridcell" aria-label=${label}></td>`;
  };
  return html`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${around(row, weights.rows).map(
        cellRow => html`<tr> ${around(key, weights.keys).map(cellKey => cell(cellRow, cellKey))} </tr>`,
      )}
    </tbody>
  </table>`;
}

interface LineOptions {
  id: string;
  label: string;
  chosen: number;
  shareOf: (index: number) => number;
  choose: (index: number) => void;
}

/** A text token by token. Each token is the part of the text that it covers, so that a copy of all is the text. */
function tokenLine({pieces, labels, direction, numGiven}: Side, options: LineOptions): TemplateResult {
  const {id, label, chosen, shareOf, choose} = options;
  const levels = textLevels(pieces, direction);
  const token = (piece: string, index: number): Boxed => {
    const share = shareOf(index);
    const colours = styleProperties({
      background: share ? translucent("heat", MAX_SHADE * share) : "",
      color: share > DARK_SHARE ? "var(--paper)" : "",
    });
    const written = share ? "" : givenClass(index, numGiven); // on a dark ground, letters stay dark or light
    const classes = `part ${index === chosen ? "here" : ""} ${written}`;
    const [, space, letters] = /^(\s*)([^]*)$/u.exec(piece)!;
    if (joinClasses(pieces, index)) {
      // letters are joined only where none is isolated
      const box = html`<span class=${classes} @click=${() => choose(index)} ${colours}>${letters}</span>`;
      return {space, box};
    }
    const content = letters || piece || displayToken(labels[index]!);
    const ownDirection = piece ? tokenDirection(piece, levels[index]!) : "auto";
    const box = html`<bdi class=${piece ? "" : "symbol"} dir=${ownDirection} @click=${() => choose(index)}
      ><span class=${classes} ${colours}>${content}</span></bdi
    >`;
    return {space: letters ? space : nothing, box};
  };
  const tokens = inRuns(pieces.map(token), levels, direction);
  return html`<p id=${id} class="tokens" dir=${direction} role="group" aria-label=${label}>${tokens}</p>`;
}

/** What a token that looks stands for. */
const LOOKING = {
  translation: "the place where it is about to be written: all tokens before it have been read there",
  text: "the place where it has been read, and the next token is about to be written",
  read: "itself",
};

/** The meaning of rows and columns. */
function axesHint(kind: string): string {
  if (kind === "flow") {
    return (
      "Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger " +
      `its share. ${state.inspection.flow?.caveat}`
    );
  }
  const columns = kind === "cross" ? "the tokens of the text, which it looks at" : "the tokens that it looks at";
  return `Rows: each token stands for ${LOOKING[rowsOf(kind)]}. Columns: ${columns}.`;
}

/** The meaning of both lines or columns of curves. */
function sidesHint({kind}: AttentionView): TemplateResult | typeof nothing {
  if (kind === "flow") return nothing;
  const [keys, rows] = hasColumns() ? ["Left", "Right"] : ["Above", "Below"];
  return html`<p class="hint" id="sides">
    ${keys}: the tokens that are looked at. ${rows}: each token stands for ${LOOKING[rowsOf(kind)]}.
  </p>`;
}

function onMatrixKey(event: KeyboardEvent, view: AttentionView): void {
  const {row, key, weights, keys} = view;
  const right = keys.direction === "rtl" ? -1 : 1;
  const actions: Record<string, () => void> = {
    ArrowUp: () => chooseCell(view, row - 1, key),
    ArrowDown: () => chooseCell(view, row + 1, key),
    ArrowLeft: () => chooseCell(view, row, key - right),
    ArrowRight: () => chooseCell(view, row, key + right),
    Home: () => chooseCell(view, row, 0),
    End: () => chooseCell(view, row, weights.keys - 1),
    n: () => goToHead(1),
    p: () => goToHead(-1),
    PageDown: () => goToLayer(1),
    PageUp: () => goToLayer(-1),
  };
  const act = actions[event.key];
  if (hasModifier(event) || !act) return;
  act();
  event.preventDefault();
}

let layout: Layout | null = null;

/** The place of the matrix's cells, in pixels. */
export const matrixLayout = (): Layout | null => layout;

function onMatrixPointer(event: PointerEvent, view: AttentionView): void {
  if (!layout) return;
  const {weights, keys} = view;
  const box = (event.target as HTMLElement).getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - layout.left) / layout.size);
  const row = Math.floor((event.clientY - box.top - layout.top) / layout.size);
  const key = keys.direction === "rtl" ? weights.keys - 1 - column : column;
  if (row >= 0 && key >= 0 && row < weights.rows && key < weights.keys) chooseCell(view, row, key);
}

function matrix(view: AttentionView): TemplateResult {
  const {weights, rows, keys, row, key} = view;
  const isMirrored = keys.direction === "rtl";
  const content = {
    weights,
    rows: rows.labels,
    keys: keys.labels,
    numGiven: {rows: rows.numGiven, keys: keys.numGiven},
    chosen: {row, key},
    isMirrored,
  };
  const draw = (canvas: Element | undefined): void => {
    // lit calls this before the canvas is in the document, where it has a width
    queueMicrotask(() => {
      const frame = canvas?.parentElement;
      if (frame) layout = drawMatrix(canvas as HTMLCanvasElement, content, frame.clientWidth);
    });
  };
  const size = `${weights.rows} rows, ${weights.keys} columns`;
  const others = html`<span><i class="stroke"></i> the others</span>`;
  const hasForbidden = weights.values.includes(weights.forbidden);
  const forbidden = html`<span><i class="forbidden"></i> forbidden by a mask</span>`;
  const given = givenNote(rows.numGiven, rows.labels.length);
  const label = `Weights of ${state.view.head}: ${size}. Arrow keys choose a cell.${given}`;
  return html`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label=${label}
        ${ref(draw)}
        @pointerdown=${(event: PointerEvent) => onMatrixPointer(event, view)}
        @keydown=${(event: KeyboardEvent) => onMatrixKey(event, view)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${help("weight", "weight")} 0 ${colourRamp("heat")} 1</span>
      ${hasForbidden ? forbidden : nothing}
      <span><i class="stroke here"></i> the chosen token</span> ${state.view.hidesOtherRows ? nothing : others}
      ${givenLegend(rows.numGiven)}
    </p>`;
}

/** The chosen cell as a sentence. */
function cellStatement(view: AttentionView): TemplateResult {
  const {kind, weights, rows, keys, row, key, bestKey} = view;
  const digits = weights.values instanceof Uint16Array ? 3 : 2;
  const weightOf = (each: number): string => weightAt(weights, row, each).toFixed(digits);
  const rowToken = html`<bdi class="strong">${displayToken(rows.labels[row]!)}</bdi>`;
  const keyToken = html`<bdi class="strong">${displayToken(keys.labels[key]!)}</bdi>`;
  const weight = html`<span class="strong number">${weightOf(key)}</span>`;
  const isAllowed = !isForbidden(weights, row, key);
  if (kind === "flow" && isAllowed) {
    return html`<p id="cell" role="status">${keyToken} has a share of ${weight} in ${rowToken}.</p>`;
  }
  const best = html`Most, ${weightOf(bestKey)}, goes to <bdi>${displayToken(keys.labels[bestKey]!)}</bdi>.`;
  const place = placeOf(view, row);
  return html`<p id="cell" role="status">
    ${place ? html`${placeWords(place, "About")}:` : rowToken}
    ${isAllowed ? html`looks with ${weight} at` : "may not look at"} ${keyToken}. ${key === bestKey ? nothing : best}
  </p>`;
}

/** A list of the heads, their means and the flows. */
function headChooser(): TemplateResult {
  const entry = (value: string, label: string): TemplateResult => option(value, label, value === state.view.head);
  const names = [...state.inspection.result!.weights.keys()];
  const layers = [...new Set(names.map(layerOf))];
  const layerGroup = (layer: string): TemplateResult =>
    html`<optgroup label="${layerTitle(layer)} (${layer})">
      ${names.filter(name => layerOf(name) === layer).map(name => entry(name, headPlace(name)))}
      ${entry(`${MEAN_PREFIX}${layer}`, `mean of ${layer}`)}
    </optgroup>`;
  const flowGroup = (): TemplateResult =>
    html`<optgroup label="Through all layers">
      ${FLOW_METHODS.map(method => entry(`${FLOW_PREFIX}${method}`, method))}
    </optgroup>`;
  return html`${help("head", "Head")}
    <select id="head" aria-label="Head" @change=${(event: Event) => void chooseHead(valueOf(event))}>
      ${layers.map(layerGroup)} ${entry("mean", "mean")} ${state.server.storedPage ? nothing : flowGroup()}
    </select>
    ${alignmentButton()}`;
}

function alignmentButton(): TemplateResult | typeof nothing {
  const alignment = alignmentHead();
  if (!alignment) return nothing;
  const {head, isOfModel} = alignment;
  return html`<button id="aligns" aria-pressed=${state.view.head === head} @click=${() => void chooseHead(head)}
    >${isOfModel ? "Show the alignment head" : "Show the alignment layer of this sentence"}</button
  >`;
}

function viewControls(): TemplateResult {
  const {rowShare, groupsWords, hidesOtherRows} = state.view;
  const percent = `${Math.round(100 * rowShare)} %`;
  return html`${help("share", "Share of a row")}
    <label
      ><input
        id="share"
        type="range"
        min="0.1"
        max="1"
        step="0.05"
        .value=${live(String(rowShare))}
        aria-label="Share of a row"
        aria-valuetext=${percent}
        @input=${(event: Event) => update({view: {rowShare: Number(valueOf(event))}})}
      />
      <span class="number">${percent}</span></label
    >
    <span
      ><input
        id="words"
        type="checkbox"
        aria-label="words"
        .checked=${live(groupsWords)}
        @change=${(event: Event) => update({view: {groupsWords: isChecked(event)}})}
      />
      ${help("words", "words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${live(hidesOtherRows)}
        @change=${(event: Event) => update({view: {hidesOtherRows: isChecked(event)}})}
      />
      only the chosen token</label
    >`;
}

function saveAlignment({weights, rows, keys}: AttentionView): TemplateResult {
  const allowed = (row: number, key: number): string | null =>
    isForbidden(weights, row, key) ? null : weightAt(weights, row, key).toFixed(4);
  const table = (): Row[] => [
    ["row", "key", "row_token", "key_token", "weight"],
    ...rows.labels.flatMap((rowToken, row) =>
      keys.labels.flatMap((keyToken, key) => {
        const weight = allowed(row, key);
        return weight === null ? [] : [[row, key, rowToken, keyToken, weight]];
      }),
    ),
  ];
  const numberAt = (row: number, key: number): number | null => {
    const weight = allowed(row, key);
    return weight === null ? null : Number(weight);
  };
  const content = (): unknown => ({
    head: state.view.head,
    rows: rows.labels,
    keys: keys.labels,
    weights: rows.labels.map((_, row) => keys.labels.map((__, key) => numberAt(row, key))),
  });
  return saveMenu("alignment", ["#curves", "#cell", "#matrix", "#legend"], table, content);
}

const SYMBOLS_HINT = "<s> is the symbol that begins a text, </s> the one that ends it.";

function readingHint({kind, keys}: AttentionView): TemplateResult {
  const directionHint = "Its columns run from right to left, as the text does.";
  const weightHint =
    "The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a " +
    "head looks. It does not say how important a token is: a head may look at tokens that change nothing in what " +
    "is written.";
  return html`<p class="hint" id="reading">
    ${keys.direction === "rtl" ? directionHint : nothing} ${kind === "flow" ? nothing : weightHint} ${SYMBOLS_HINT}
  </p>`;
}

/** The alignment of two texts, or attention within one. */
function panelTitle(kind?: string): string {
  const isOfTwo = translates() || state.server.storedPage;
  return isOfTwo && kind !== "encoder" && kind !== "decoder" ? "Alignment" : "Attention";
}

function emptyPanel(): TemplateResult {
  const hint = generatesText()
    ? "After a translation, this shows which words of the text each word was written from."
    : "This shows which tokens of the text each token looks at.";
  return html`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${panelTitle()}</h2></div>
    ${state.inspection.result ? headChooser() : nothing}
    <p class="hint">${chosenSentence() ? "…" : hint}</p>
  </section>`;
}

/** The name of the head that is shown, in words. */
function shownTitle(): string {
  const {head} = state.view;
  const {result} = state.inspection;
  if (result?.weights.has(head)) return headTitle(head);
  if (head.startsWith(FLOW_PREFIX)) return `Through all layers: ${head.slice(FLOW_PREFIX.length).replace("-", " ")}`;
  return head.startsWith(MEAN_PREFIX)
    ? `Mean of ${layerTitle(head.slice(MEAN_PREFIX.length))}`
    : "Mean of the last kind of heads";
}

/** The attention as curves between the texts. */
export function panel(): TemplateResult {
  const view = attentionView();
  if (!view || !state.inspection.result) return emptyPanel();
  return html`<section class="panel alignment ${isViewStale(view) ? "stale" : ""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title"
        >${alignmentHead() ? help("alignment", panelTitle(view.kind)) : panelTitle(view.kind)}</h2
      >
      <span id="shown-head" class="strong">${shownTitle()}</span>
      ${saveAlignment(view)}
    </div>
    <div class="together chooser" data-unsaved>${headChooser()}</div>
    ${curves(view)} ${view.rows.numGiven ? html`<p class="legend">${givenLegend(view.rows.numGiven)}</p>` : nothing}
    ${sidesHint(view)} ${cellStatement(view)} ${linesHint(view)}
  </section>`;
}

const NO_DICTIONARY =
  "They are no dictionary: they show where one head looks, and it may look at another word than the one that is " +
  "translated.";

/** The meaning of a line. */
function linesHint({kind}: AttentionView): TemplateResult {
  return html`<p class="hint">
    Lines lead to the largest weights: of the chosen token, to those that are ${Math.round(100 * state.view.rowShare)} %
    of its row; of each other token, to those that are
    ${Math.round(100 * Math.min(state.view.rowShare, MAX_OTHER_SHARE))} %. ${kind === "cross" ? NO_DICTIONARY : nothing}
  </p>`;
}

/** Whether what is shown is of another sentence than the chosen one. */
function isViewStale({kind}: AttentionView): boolean {
  const {result: inspection, flow} = state.inspection;
  return isViewOfOther() || (kind === "flow" && flow?.inspection !== inspection);
}

/** All weights of the head, as a matrix and along the texts. */
export function matrixPanel(): TemplateResult | typeof nothing {
  const view = attentionView();
  if (!view || !state.inspection.result) return nothing;
  const {rows, keys, row, key, weights} = view;
  const values = rowWeights(weights, row);
  const heaviest = heaviestKeys(values, state.view.rowShare);
  const rowLine = tokenLine(rows, {
    id: "row-tokens",
    label: "tokens that stand for the places that look",
    chosen: row,
    shareOf: () => 0,
    choose: each => chooseCell(view, each, key),
  });
  const keyLine = tokenLine(keys, {
    id: "key-tokens",
    label: "tokens that are looked at",
    chosen: key,
    shareOf: each => (heaviest.has(each) ? values[each]! : 0),
    choose: each => chooseCell(view, row, each),
  });
  return html`<section class="panel matrix ${isViewStale(view) ? "stale" : ""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${viewControls()}
    </div>
    <p class="hint" id="axes">${axesHint(view.kind)}</p>
    ${maskStatement(view)} ${matrix(view)} ${cellGrid(view)}
    <div class="sides">${rowLine} ${keyLine}</div>
    ${readingHint(view)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`;
}
