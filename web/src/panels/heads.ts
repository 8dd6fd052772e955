/** All heads as small pictures, with their statistics; each can be disabled. */

import {html, nothing, type TemplateResult} from "lit-html";
import {ref} from "lit-html/directives/ref.js";
import {disableHeads, rankHeads, toggleHeads} from "../ablation";
import type {HeadReply} from "../api";
import {isMirrored} from "../attention";
import {translucent} from "../colours";
import {drawThumbnail} from "../drawing";
import {hasModifier, valueOf} from "../events";
import {goToHead, goToLayer, headTitle, layerOf} from "../head-navigation";
import {downloadText, saveMenu, type Row} from "../save-menu";
import {canAblate, generatesText, isViewOfOther, scoredTokens, state, update} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";
import {changeLink} from "./ablation";
import {option} from "./controls";
import {importanceMap} from "./importance-map";

const THUMBNAIL_SIZE = 44;
const MAX_SHADE = 0.35;

/** Orders by the names that an address has; in the order "place", each layer has a line. */
const ORDERS: Record<string, (head: HeadReply) => number | string> = {
  place: () => 0,
  worth: ({head}) => -(state.heads.importance?.[head] ?? 0),
  entropy: ({entropy}) => entropy,
  sharpness: ({confidence}) => -confidence,
  offset: ({offset}) => (offset === null ? Infinity : Math.abs(offset)),
  label: ({label}) => label,
};

/** The order that is in force: the chosen one, as far as what it needs is measured. */
function order(): string {
  const {sortBy, importance} = state.heads;
  return Object.hasOwn(ORDERS, sortBy) && (sortBy !== "worth" || importance) ? sortBy : "place";
}

const isSorted = (): boolean => order() !== "place";

interface Line {
  /** The layer; empty: heads of all layers. */
  layer: string;
  heads: HeadReply[];
}

function headLines(): Line[] {
  const {heads} = state.inspection.result!;
  if (isSorted()) {
    const rank = ORDERS[order()]!;
    const compare = (a: HeadReply, b: HeadReply): number => (rank(a) < rank(b) ? -1 : Number(rank(a) > rank(b)));
    return [{layer: "", heads: [...heads].sort(compare)}];
  }
  const layers = [...new Set(heads.map(each => layerOf(each.head)))];
  return layers.map(layer => ({layer, heads: heads.filter(each => layerOf(each.head) === layer)}));
}

const headNames = (): string[] => state.inspection.result!.heads.map(each => each.head);

const namesInLayer = (name: string): string[] => headNames().filter(each => layerOf(each) === layerOf(name));

/** Disable all heads but one, or enable them again. */
function toggleSolo(name: string): void {
  const others = headNames().filter(each => each !== name);
  const {disabled} = state.heads;
  const isSolo = disabled.length === others.length && !disabled.includes(name);
  void disableHeads(isSolo ? [] : others);
}

/** The head that an arrow key leads to. */
function neighbour(name: string, key: string): string | undefined {
  const lines = headLines().map(({heads}) => heads.map(each => each.head));
  const line = lines.findIndex(each => each.includes(name));
  const column = lines[line]!.indexOf(name);
  const flat = lines.flat();
  const index = flat.indexOf(name);
  const itemAt = <Item>(items: Item[], at: number): Item => items[Math.max(0, Math.min(at, items.length - 1))]!;
  const targets: Record<string, string> = {
    ArrowLeft: itemAt(flat, index - 1),
    ArrowRight: itemAt(flat, index + 1),
    ArrowUp: itemAt(itemAt(lines, line - 1), column),
    ArrowDown: itemAt(itemAt(lines, line + 1), column),
    Home: lines[line]![0]!,
    End: lines[line]!.at(-1)!,
  };
  return targets[key];
}

const JUMPS: Record<string, () => void> = {
  n: () => goToHead(1),
  p: () => goToHead(-1),
  PageDown: () => goToLayer(1),
  PageUp: () => goToLayer(-1),
};

function onKey(event: KeyboardEvent, name: string): void {
  if (hasModifier(event)) return;
  const head = neighbour(name, event.key);
  if (head !== undefined) update({view: {head}});
  else if (Object.hasOwn(JUMPS, event.key)) JUMPS[event.key]!();
  else if (event.key === " " && canAblate()) void toggleHeads(event.shiftKey ? namesInLayer(name) : [name]);
  else if (event.key === "s" && canAblate()) toggleSolo(name);
  else return;
  event.preventDefault();
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-head="${state.view.head}"]`)?.focus());
}

/** A tag with the importance of a head: the more important, the stronger its colour. */
function importanceTag(importance: number): TemplateResult {
  const max = Math.max(...Object.values(state.heads.importance ?? {}), 1e-9);
  const background = translucent("heat", (MAX_SHADE * Math.max(0, importance)) / max);
  const number = importance.toFixed(2).replace("-0.00", "0.00");
  return html`<span class="tag number" aria-hidden="true" ${styleProperties({background})}>${number}</span>`;
}

function describe({head, label, entropy, confidence, offset}: HeadReply): string {
  const importance = state.heads.importance?.[head];
  return [
    `${head}: ${label}`,
    `entropy ${entropy.toFixed(2)} nats`,
    `highest weight ${confidence.toFixed(2)}`,
    ...(offset === null ? [] : [`offset ${offset.toFixed(1)}`]),
    ...(importance === undefined ? [] : [`worth ${importance.toFixed(3)} nats per token`]),
  ].join(", ");
}

function headButton(statistics: HeadReply, isTabStop: boolean): TemplateResult {
  const {head} = statistics;
  const weights = state.inspection.result!.weights.get(head)!;
  const isDisabled = state.heads.disabled.includes(head);
  const importance = state.heads.importance?.[head];
  const description = describe(statistics);
  const draw = (canvas: Element | undefined): void => {
    if (canvas) drawThumbnail(canvas as HTMLCanvasElement, weights, THUMBNAIL_SIZE, isMirrored(head));
  };
  const shortName = head.replace(/^(\w)\w+/, "$1");
  return html`<button
    class="cell ${isDisabled ? "off" : ""}"
    aria-pressed=${state.view.head === head}
    aria-label="${description}${isDisabled ? ", off" : ""}"
    title=${description}
    data-head=${head}
    tabindex=${isTabStop ? 0 : -1}
    @click=${() => update({view: {head}})}
    @keydown=${(event: KeyboardEvent) => onKey(event, head)}
    ><canvas ${ref(draw)}></canvas>
    ${isSorted() ? html`<span class="tag" aria-hidden="true">${shortName}</span>` : nothing}
    ${importance === undefined ? nothing : importanceTag(importance)}</button
  >`;
}

function headActions(head: string): TemplateResult {
  const isDisabled = state.heads.disabled.includes(head);
  const othersInLayer = namesInLayer(head).filter(name => name !== head);
  return html`<button id="toggle" data-unsaved @click=${() => void toggleHeads([head])}
      >${isDisabled ? "Switch on" : "Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${() => toggleSolo(head)}>Solo</button>
    <button data-unsaved @click=${() => void disableHeads(othersInLayer)}>Solo in its layer</button>`;
}

/** The statistics of the chosen head, and its buttons. */
function headDetails({head, label, entropy, confidence, offset}: HeadReply): TemplateResult {
  const importance = state.heads.importance?.[head];
  const words = html`, ${help("offset", "offset")} ${offset?.toFixed(1)}`;
  return html`<div class="chosen">
    <p class="strong" id="head-words">${headTitle(head)}</p>
    ${canAblate() ? html`<p class="together">${headActions(head)} ${changeLink()}</p>` : nothing}
    <p class="hint" id="statistics">
      <span id="head-title">${head}</span>: ${help("label", label)}; ${help("entropy", "spread (entropy)")}
      ${entropy.toFixed(2)} nats, ${help("highest", "highest weight")}
      ${confidence.toFixed(2)}${offset === null ? nothing : words}, mean over
      rows.${importance === undefined ? nothing : html` Worth ${importance.toFixed(3)} nats per token.`}
    </p>
  </div>`;
}

const ORDER_WORDS: Record<string, string> = {entropy: "spread (entropy)", sharpness: "highest weight"};

function orderChooser(): TemplateResult {
  const {importance} = state.heads;
  const names = Object.keys(ORDERS).filter(name => name !== "worth" || importance);
  return html`<label
    >Order
    <select id="order" @change=${(event: Event) => update({heads: {sortBy: valueOf(event)}})}>
      ${names.map(name => option(name, ORDER_WORDS[name] ?? name, name === order()))}
    </select></label
  >`;
}

function layerName(layer: string, names: string[]): TemplateResult | typeof nothing {
  if (!layer) return nothing;
  const name = `Layer ${layer.split(".")[1]}`;
  if (!canAblate()) return html`<span class="site">${name}</span>`;
  return html`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${name} (${layer})"
    @click=${() => void toggleHeads(names)}
    >${name}</button
  >`;
}

/** What the heads of each kind read. */
function kindTitle(kind: string): string {
  const isOfPair = state.inspection.result?.target != null;
  if (!isOfPair) return "The text reads itself";
  if (kind === "encoder") return "Encoder: the text reads itself";
  return kind === "cross"
    ? "Cross: the translation reads the text"
    : "Decoder: the translation reads what is written (grey area: not written yet)";
}

/** Lines of one kind of attention together. */
function groupsOf(lines: Line[]): Line[][] {
  const kinds = lines.map(({layer}) => layer.split(".")[0]);
  return [...new Set(kinds)].map(kind => lines.filter((_, index) => kinds[index] === kind));
}

function headGroup(lines: Line[], tabStop: string | undefined): TemplateResult {
  const [kind] = lines[0]!.layer.split(".") as [string];
  return html`<div class="group">
    ${kind ? html`<p class="kind hint">${kindTitle(kind)}</p>` : nothing} ${lines.map(line => headLine(line, tabStop))}
  </div>`;
}

function headLine({layer, heads}: Line, tabStop: string | undefined): TemplateResult {
  const names = heads.map(each => each.head);
  return html`<div class="layer" role="group" aria-label=${layer || "all heads"}>
    ${layerName(layer, names)}
    <div class="cells ${layer ? "" : "sorted"}" ${styleProperties({"--count": String(heads.length)})}>
      ${heads.map(each => headButton(each, each.head === tabStop))}
    </div>
  </div>`;
}

function saveHeads(): TemplateResult {
  const {heads} = state.inspection.result!;
  const {importance, importanceByToken, disabled} = state.heads;
  const importanceOf = (head: string): number | null => importance?.[head] ?? null;
  const columns = ["head", "label", "entropy", "highest_weight", "offset", "worth"];
  const table = (): Row[] => [
    [...columns, ...(importance ? scoredTokens() : [])],
    ...heads.map(({head, label, entropy, confidence, offset}) => {
      const byToken = importance ? (importanceByToken[head] ?? []) : [];
      return [head, label, entropy, confidence, offset, importanceOf(head), ...byToken];
    }),
  ];
  const content = (): unknown =>
    heads.map(each => ({
      ...each,
      is_off: disabled.includes(each.head),
      worth: importanceOf(each.head),
      worth_by_token: importanceByToken[each.head] ?? null,
    }));
  return saveMenu("heads", ["#heads", "#sweep", ".chosen"], table, content);
}

export function panel(): TemplateResult {
  const inspection = state.inspection.result;
  if (!inspection) {
    return html`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;
  }
  const {disabled} = state.heads;
  const chosen = inspection.heads.find(each => each.head === state.view.head);
  const lines = headLines();
  const tabStop = chosen?.head ?? lines[0]?.heads[0]?.head;
  const rankButton = html`<button id="rank" @click=${() => void rankHeads()}>Rank all heads</button>
    <span class="hint">by ${help("worth", "worth")}: ${inspection.heads.length} runs of the model</span>`;
  const saveDisabled = (): void => downloadText("heads-off.txt", `${disabled.join("\n")}\n`);
  const keys = "Space: switch it off or on. Shift and space: its layer. S: only this one.";
  return html`<section
    class="panel heads ${isViewOfOther() ? "stale" : ""}"
    aria-labelledby="heads-title"
    ${styleProperties({"--widest": String(Math.max(...lines.map(({heads}) => heads.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${orderChooser()} ${generatesText() && canAblate() ? rankButton : nothing}
      ${disabled.length ? html`<button @click=${saveDisabled}>List of heads that are off</button>` : nothing}
      ${saveHeads()}
    </div>
    ${chosen ? headDetails(chosen) : nothing}
    <div id="heads">${groupsOf(lines).map(group => headGroup(group, tabStop))}</div>
    ${importanceMap(lines.flatMap(({heads}) => heads.map(each => each.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${canAblate() ? keys : nothing}
    </p>
  </section>`;
}
