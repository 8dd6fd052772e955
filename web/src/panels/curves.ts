/** The attention between two texts, drawn: a curve from each word that looks to each word that it looks at. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import {chooseCell} from "../attention";
import type {AttentionView, Side} from "../attention-view";
import {textLevels, tokenDirection, visualOrder} from "../bidi";
import {givenClass, givenNote} from "../given";
import {displayToken} from "../spelling";
import {state} from "../state";
import {heaviestKeys, rowWeights, type Weights} from "../weights";

const MAX_CURVES = 1000;
/** The most of a row's weight that is drawn of a row that is not chosen. */
export const MAX_OTHER_SHARE = 0.5;
const OTHER_OPACITY = 0.7;
const MIN_OPACITY = 0.05;

const FONT = "20px system-ui, sans-serif";
const WORD_GAP = 16;
const PIECE_GAP = 3;
/** The most that gaps grow where there is room. */
const MAX_SPREAD = 3;
const LINE_HEIGHT = 30;
/** The room for frames at both ends of a line. */
const MARGIN = 14;
/** The height between two lines of text. */
const SPAN = 140;
/** Below this width, the texts stand beside each other, a token in each line. */
const MIN_ROW_WIDTH = 640;
/** The least size of a text that is reduced to the width of the panel; a longer one is scrolled. */
const MIN_SCALE = 0.7;
const MAX_SCALE = 1.4;
const MAX_COLUMN = 0.4;

interface Edge {
  row: number;
  key: number;
  weight: number;
}

let cachedEdges: {weights: Weights; share: number; edges: Edge[]} | null = null;

/** Edges of every row, as many as can be drawn. */
function allEdges(weights: Weights): Edge[] {
  const share = Math.min(state.view.rowShare, MAX_OTHER_SHARE);
  if (cachedEdges?.weights === weights && cachedEdges.share === share) return cachedEdges.edges;
  const perRow = Math.max(1, Math.floor(MAX_CURVES / weights.rows));
  const edges = Array.from({length: weights.rows}, (_, row) => edgesOf(weights, row, share).slice(0, perRow)).flat();
  cachedEdges = {weights, share, edges};
  return edges;
}

function edgesOf(weights: Weights, row: number, share: number): Edge[] {
  const values = rowWeights(weights, row);
  return [...heaviestKeys(values, share)].map(key => ({row, key, weight: values[key]!}));
}

const pen = new OffscreenCanvas(1, 1).getContext("2d")!;

function textWidth(text: string): number {
  pen.font = FONT;
  return pen.measureText(text).width;
}

/** A token in its place. */
interface Word {
  text: string;
  /** The centre. */
  x: number;
  y: number;
  width: number;
  direction: ReturnType<typeof tokenDirection>;
}

/** The marks that begin a part of a text with a direction of its own. */
const ISOLATES = {auto: "\u2068", ltr: "\u2066", rtl: "\u2067"};

interface Drawing {
  width: number;
  height: number;
  rows: Word[];
  keys: Word[];
  path: (row: Word, key: Word) => string;
}

/** A text in a line: its width with gaps of some size, and its words where a reader of the text looks for them. */
function line({labels, pieces, direction}: Side, spread: number): {width: number; words: Word[]} {
  const isPiece = (index: number): boolean => pieces[index] !== "" && !/^\s|^▁/u.test(pieces[index]! + labels[index]!);
  const levels = textLevels(pieces, direction);
  const words: Word[] = [];
  let end = 0;
  let neighbour: number | undefined;
  for (const index of visualOrder(levels)) {
    const text = displayToken(labels[index]!);
    const width = Math.max(24, textWidth(text));
    if (neighbour !== undefined) {
      const isJoined = Math.abs(index - neighbour) === 1 && isPiece(Math.max(index, neighbour));
      end += isJoined ? PIECE_GAP : spread * WORD_GAP;
    }
    end += width;
    words[index] = {text, x: end - width / 2, y: 0, width, direction: tokenDirection(text, levels[index]!)};
    neighbour = index;
  }
  return {width: end, words};
}

/** The texts as two lines, one above the other. */
function drawLines({rows, keys}: AttentionView, room: number): Drawing {
  const widest = (spread: number): number => Math.max(line(rows, spread).width, line(keys, spread).width);
  const [tight, slope] = [widest(1), widest(2) - widest(1)];
  const spread = Math.max(1, Math.min(MAX_SPREAD, 1 + (room - MARGIN - tight) / Math.max(slope, 1)));
  const lines = {rows: line(rows, spread), keys: line(keys, spread)};
  const width = Math.max(lines.rows.width, lines.keys.width) + MARGIN;
  const place = (side: {width: number; words: Word[]}, y: number): Word[] =>
    side.words.map(word => ({...word, x: word.x + (width - side.width) / 2, y}));
  const top = LINE_HEIGHT;
  const bottom = top + SPAN;
  return {
    width,
    height: bottom + LINE_HEIGHT,
    keys: place(lines.keys, LINE_HEIGHT / 2),
    rows: place(lines.rows, bottom + LINE_HEIGHT / 2),
    path: (row, key) =>
      `M ${row.x} ${bottom} C ${row.x} ${bottom - SPAN / 2}, ${key.x} ${top + SPAN / 2}, ${key.x} ${top}`,
  };
}

/** A text that is no wider than a column. */
function fitText(text: string, maxWidth: number): string {
  const letters = [...text];
  if (textWidth(text) <= maxWidth) return text;
  while (letters.length > 1 && textWidth(`${letters.join("")}…`) > maxWidth) letters.pop();
  return `${letters.join("")}…`;
}

/** The texts as two columns: what is looked at to the left. */
function drawColumns({rows, keys}: AttentionView, room: number): Drawing {
  const column = (side: Side, isRight: boolean): Word[] => {
    const levels = textLevels(side.pieces, side.direction);
    const words = side.labels.map(token => fitText(displayToken(token), MAX_COLUMN * room));
    return words.map((text, index) => {
      const width = Math.max(24, textWidth(text));
      const x = isRight ? room - 4 - width / 2 : 4 + width / 2;
      return {text, width, x, y: LINE_HEIGHT * (index + 0.5), direction: tokenDirection(text, levels[index]!)};
    });
  };
  const [left, right] = [column(keys, false), column(rows, true)];
  const begin = 10 + Math.max(...left.map(each => each.width));
  const end = room - 10 - Math.max(...right.map(each => each.width));
  const middle = (begin + end) / 2;
  return {
    width: room,
    height: LINE_HEIGHT * Math.max(left.length, right.length),
    keys: left,
    rows: right,
    path: (row, key) => {
      const bend = `C ${middle} ${row.y}, ${middle} ${key.y}, ${begin} ${key.y}`;
      return `M ${room - 8 - row.width} ${row.y} L ${end} ${row.y} ${bend} L ${8 + key.width} ${key.y}`;
    },
  };
}

/** Whether the texts stand beside each other, and not one above the other. */
export const hasColumns = (): boolean => panelWidth() < MIN_ROW_WIDTH;

/** The width that the panel has for a drawing. */
function panelWidth(): number {
  const panel = document.querySelector<HTMLElement>(".panel.alignment");
  if (!panel) return innerWidth - 66;
  const {paddingLeft, paddingRight} = getComputedStyle(panel);
  return panel.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
}

/** Light the curves of a word, and dim the others; null: none is lit. */
function light(event: Event, side: "row" | "key", index: number | null): void {
  const drawing = (event.currentTarget as SVGElement).ownerSVGElement!;
  drawing.classList.toggle("hovering", index !== null);
  for (const each of drawing.querySelectorAll(".lit")) each.classList.remove("lit");
  if (index === null) return;
  const other = side === "row" ? "key" : "row";
  for (const edge of drawing.querySelectorAll<SVGElement>(`.edge[data-${side}="${index}"]`)) {
    edge.classList.add("lit");
    drawing.querySelector(`.word[data-${other}="${edge.dataset[other]}"]`)?.classList.add("lit");
  }
  drawing.querySelector(`.word[data-${side}="${index}"]`)?.classList.add("lit");
}

function word(
  {text, x, y, direction}: Word,
  side: "row" | "key",
  index: number,
  numGiven: number,
  choose: () => void,
): TemplateResult {
  return svg`<text class="word ${givenClass(index, numGiven)}" x=${x} y=${y} dy="0.35em"
    data-row=${side === "row" ? index : -1}
    data-key=${side === "key" ? index : -1} @click=${choose}
    @pointerenter=${(event: Event) => light(event, side, index)}
    @pointerleave=${(event: Event) => light(event, side, null)}>${ISOLATES[direction]}${text}\u2069</text>`;
}

/** A frame about the chosen word. */
const frame = (placed: Word | undefined): TemplateResult | typeof nothing =>
  placed
    ? svg`<rect class="frame-of-word" x=${placed.x - placed.width / 2 - 4} y=${placed.y - LINE_HEIGHT / 2 + 1}
        width=${placed.width + 8} height=${LINE_HEIGHT - 2} rx="4"></rect>`
    : nothing;

/** A line between the tokens that were given and those that were written. */
function boundary(placed: Word[], {numGiven}: Side): TemplateResult | typeof nothing {
  const [last, first] = [placed[numGiven - 1], placed[numGiven]];
  if (!last || !first) return nothing;
  const half = LINE_HEIGHT / 2;
  if (last.y !== first.y) {
    const left = Math.min(last.x - last.width / 2, first.x - first.width / 2);
    const right = Math.max(last.x + last.width / 2, first.x + first.width / 2);
    return svg`<path class="boundary" d="M ${left} ${(last.y + first.y) / 2} H ${right}"></path>`;
  }
  const sign = Math.sign(first.x - last.x);
  const middle = (last.x + (sign * last.width) / 2 + first.x - (sign * first.width) / 2) / 2;
  return svg`<path class="boundary" d="M ${middle} ${last.y - half} V ${last.y + half}"></path>`;
}

/** Curves between the texts of a view: those of the chosen token strong, the others pale. */
export function curves(view: AttentionView): TemplateResult {
  const {weights, rows, keys, row, key} = view;
  const room = panelWidth();
  const isNarrow = hasColumns();
  const drawing = isNarrow ? drawColumns(view, room) : drawLines(view, room);
  const scale = isNarrow ? 1 : Math.max(MIN_SCALE, Math.min(MAX_SCALE, room / drawing.width));
  const others = state.view.hidesOtherRows ? [] : allEdges(weights).filter(edge => edge.row !== row);
  const edges = [...others, ...edgesOf(weights, row, state.view.rowShare)]; // later ones are drawn above earlier ones
  const curve = (edge: Edge): TemplateResult => {
    const isChosen = edge.row === row;
    const opacity = Math.max(MIN_OPACITY, isChosen ? edge.weight : OTHER_OPACITY * edge.weight);
    return svg`<path class=${isChosen ? "edge here" : "edge"} data-row=${edge.row} data-key=${edge.key}
      data-weight=${edge.weight.toFixed(3)} opacity=${opacity} stroke-width=${1 + 4 * edge.weight}
      d=${drawing.path(drawing.rows[edge.row]!, drawing.keys[edge.key]!)}></path>`;
  };
  const words = (side: "row" | "key", placed: Word[], choose: (index: number) => void): TemplateResult[] =>
    placed.map((each, index) => word(each, side, index, view[`${side}s`].numGiven, () => choose(index)));
  const [numRows, numKeys] = [rows.labels.length, keys.labels.length];
  const given = givenNote(rows.numGiven, numRows);
  const label = `Curves from each of ${numRows} tokens to those of ${numKeys} that it looks at.${given}`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(scale * drawing.width)}
      height=${Math.round(scale * drawing.height)}
      viewBox="0 0 ${drawing.width} ${drawing.height}"
      role="img"
      aria-label=${label}
    >
      ${edges.map(curve)} ${boundary(drawing.keys, keys)} ${boundary(drawing.rows, rows)} ${frame(drawing.keys[key])}
      ${frame(drawing.rows[row])} ${words("key", drawing.keys, each => chooseCell(view, row, each))}
      ${words("row", drawing.rows, each => chooseCell(view, each, key))}
    </svg>
  </div>`;
}
