/** A map of encoder and decoder: where the shown head stands, what its query is made of, and its keys and values. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import {attentionView} from "../attention";
import type {AttentionView} from "../attention-view";
import {layerOf} from "../head-navigation";
import {placeOf, placeWords} from "../places";
import {displayToken} from "../spelling";
import {FLOW_PREFIX, isViewOfOther, MEAN_PREFIX, state} from "../state";

const WIDTH = 332;
const STACK_WIDTH = 120;
/** The width of the numbers of layers beside a stack. */
const NUMBER_WIDTH = 16;
const BAND_HEIGHT = 17;
const LAYER_GAP = 6;
const LINE_HEIGHT = 14;
/** The most lines of text at the top of a stack, and at its bottom. */
const TOP_HEIGHT = 3 * LINE_HEIGHT + 4;
const BOTTOM_HEIGHT = 2 * LINE_HEIGHT + 4;
const MAX_LETTERS = 12;

interface Band {
  /** The attention, such as cross.1; of a feed-forward layer, no attention of the model. */
  site: string;
  label: string;
}

interface Stack {
  name: string;
  x: number;
  /** From the lowest layer up, each from the bottom up. */
  layers: Band[][];
}

/** The number of layers that have a kind of attention. */
function layerCount(kind: string): number {
  const names = [...state.inspection.result!.weights.keys()];
  return new Set(names.filter(name => name.startsWith(`${kind}.`)).map(layerOf)).size;
}

function stacks(): Stack[] {
  const isPair = state.inspection.result!.target !== null;
  const layersOf = (stack: string, kinds: [kind: string, label: string][]): Band[][] => {
    const found = kinds.filter(([kind]) => layerCount(kind));
    const count = Math.max(0, ...found.map(([kind]) => layerCount(kind)));
    return Array.from({length: count}, (_, layer) => [
      ...found.map(([kind, label]) => ({site: `${kind}.${layer}`, label})),
      {site: `${stack}.${layer}.feed_forward`, label: "feed-forward"},
    ]);
  };
  if (!isPair) {
    const kind = layerCount("decoder") ? "decoder" : "encoder";
    return [{name: kind, x: (WIDTH - STACK_WIDTH) / 2, layers: layersOf(kind, [[kind, "reads the text"]])}];
  }
  const written = layersOf("decoder", [
    ["decoder", "reads what is written"],
    ["cross", "reads the text"],
  ]);
  return [
    {name: "encoder", x: NUMBER_WIDTH, layers: layersOf("encoder", [["encoder", "reads itself"]])},
    {name: "decoder", x: WIDTH - STACK_WIDTH - NUMBER_WIDTH, layers: written},
  ];
}

/** Whether the shown head, or mean of heads, is in an attention. */
function isShown(site: string): boolean {
  const {head} = state.view;
  if (state.inspection.result!.weights.has(head)) return layerOf(head) === site;
  if (head.startsWith(FLOW_PREFIX)) return false;
  if (head.startsWith(MEAN_PREFIX)) return head === `${MEAN_PREFIX}${site}`;
  return site.startsWith(`${attentionView()!.kind}.`) && site.split(".").length === 2;
}

const shorten = (text: string): string =>
  text.length > MAX_LETTERS ? `${[...text].slice(0, MAX_LETTERS - 1).join("")}…` : text;

interface Placed extends Band {
  x: number;
  y: number;
}

/** The bands of a stack, from the bottom of the drawing up. */
function placeBands({x, layers}: Stack, bottom: number): Placed[] {
  let y = bottom;
  return layers.flatMap(bands => {
    const placed = bands.map(band => ({...band, x, y: (y -= BAND_HEIGHT)}));
    y -= LAYER_GAP;
    return placed;
  });
}

function band({site, label, x, y}: Placed): TemplateResult {
  return svg`<g class=${isShown(site) ? "band here" : "band"} data-site=${site}>
    <rect x=${x} y=${y} width=${STACK_WIDTH} height=${BAND_HEIGHT - 2} rx="3"></rect>
    <text x=${x + STACK_WIDTH / 2} y=${y + BAND_HEIGHT / 2 - 1} dy="0.35em">${label}</text>
  </g>`;
}

/** The numbers of the layers of a stack, at its outer side. */
function numbers({name, x, layers}: Stack, bands: Placed[], isRight: boolean): TemplateResult[] {
  const middle = isRight ? x + STACK_WIDTH + NUMBER_WIDTH / 2 : x - NUMBER_WIDTH / 2;
  let begin = 0;
  return layers.map((layer, number) => {
    const own = bands.slice(begin, (begin += layer.length));
    const y = (own[0]!.y + own.at(-1)!.y + BAND_HEIGHT) / 2 - 1;
    const classes = own.some(({site}) => isShown(site)) ? "number here" : "number";
    return svg`<text class=${classes} data-layer="${name}.${number}" transform="translate(${middle} ${y}) rotate(-90)"
      dy="0.35em">layer ${number}</text>`;
  });
}

/** Lines of text at an end of a stack. */
const label = (lines: string[], x: number, y: number): TemplateResult[] =>
  lines.map(
    (text, index) =>
      svg`<text class="side" x=${x + STACK_WIDTH / 2} y=${y + (index + 0.5) * LINE_HEIGHT} dy="0.35em">${text}</text>`,
  );

/** An arrow from the encoder's last layer to an attention that reads it. */
function arrow(top: Placed, {site, x, y}: Placed): TemplateResult {
  const [fromX, fromY] = [top.x + STACK_WIDTH, top.y + BAND_HEIGHT / 2];
  const middle = (fromX + x) / 2;
  const to = y + BAND_HEIGHT / 2 - 1;
  return svg`<path class=${isShown(site) ? "reads here" : "reads"}
    d="M ${fromX} ${fromY} C ${middle} ${fromY}, ${middle} ${to}, ${x - 6} ${to}"></path>
    <path class=${isShown(site) ? "tip here" : "tip"} d="M ${x - 7} ${to - 4} l 7 4 l -7 4 Z"></path>`;
}

function drawing(view: AttentionView): TemplateResult {
  const found = stacks();
  const heights = found.map(
    ({layers}) => layers.flat().length * BAND_HEIGHT + Math.max(0, layers.length - 1) * LAYER_GAP,
  );
  const bottom = TOP_HEIGHT + Math.max(...heights);
  const [first, second] = found.map(each => placeBands(each, bottom)) as [Placed[], Placed[] | undefined];
  const place = placeOf(view, view.row);
  const top = first.at(-1);
  const ends = ({name, x}: Stack, bands: Placed[]): TemplateResult => {
    const placed = name === "decoder" ? place : null;
    const isPair = second !== undefined;
    const own = isPair && name === "decoder" ? "what is written" : "the text";
    const read = placed?.read == null ? [own] : ["has read up to", shorten(displayToken(placed.read))];
    const writes = placed ? [name, "about to write", shorten(displayToken(placed.writes ?? "…"))] : [name];
    const highest = bands.at(-1)?.y ?? bottom;
    return svg`${label(read, x, bottom + 2)} ${label(writes, x, highest - 4 - writes.length * LINE_HEIGHT)}`;
  };
  const across = second?.filter(each => each.site.startsWith("cross.")) ?? [];
  return html`<svg
    id="map"
    viewBox="0 0 ${WIDTH} ${bottom + BOTTOM_HEIGHT}"
    role="img"
    aria-label="The stacks of the model. Lit: ${state.view.head}"
  >
    ${first.map(band)} ${second?.map(band)} ${top ? across.map(each => arrow(top, each)) : nothing}
    ${found.map((stack, index) => ends(stack, index ? second! : first))}
    ${found.map((stack, index) => numbers(stack, index ? second! : first, index > 0))}
  </svg>`;
}

/** The origin of the query, and that of keys and values. */
function origins(view: AttentionView): TemplateResult {
  const place = placeOf(view, view.row);
  const layer = Number(layerOf(state.view.head).split(".").at(-1));
  const below = layer ? `layer ${layer - 1}` : "the embeddings";
  const query = place
    ? html`the state of the place that is ${placeWords(place)}`
    : html`the state of <bdi class="strong">${displayToken(view.rows.labels[view.row]!)}</bdi>`;
  const across = "Its keys and values come from the encoder: its last layer has a state for each token of the text.";
  const own = `Its keys and values come from the same layer: the states of ${
    view.kind === "decoder" ? "all tokens that were read up to there" : "all tokens"
  }, as they are after ${below}.`;
  return html`<p id="origins">
    The query of this head comes from ${query}. ${view.kind === "cross" ? across : own}
  </p>`;
}

/** The place of the shown head in the model. */
export function panel(): TemplateResult | typeof nothing {
  const {result} = state.inspection;
  const view = attentionView();
  if (!result || !view || result.arch === "rnn") return nothing;
  const flow = html`<p id="origins">
    What is shown now is no head: it goes through all layers, from the text to what is written.
  </p>`;
  const isHead = result.weights.has(state.view.head);
  return html`<section class="panel map ${isViewOfOther() ? "stale" : ""}" aria-labelledby="map-title">
    <div class="head"><h2 id="map-title">Where it stands</h2></div>
    ${drawing(view)} ${isHead ? origins(view) : view.kind === "flow" ? flow : nothing}
  </section>`;
}
