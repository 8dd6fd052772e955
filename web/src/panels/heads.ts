/** All heads small, with what is measured of each; heads can be switched off. */

import {html, nothing, type TemplateResult} from "lit-html";
import {ref} from "lit-html/directives/ref.js";
import {rank, setOff, toggle} from "../actions";
import {drawThumbnail} from "../drawing";
import {saveCsv, saveJson} from "../saving";
import type {HeadStatistics} from "../server";
import {state, update} from "../state";

const SIZE = 36;
const ORDERS: Record<string, (head: HeadStatistics) => number> = {
  place: () => 0,
  worth: head => -(state.worth?.[head.head] ?? 0),
  entropy: head => head.entropy,
  sharpness: head => -head.confidence,
  offset: head => Math.abs(head.offset ?? 0),
};

const siteOf = (name: string): string => name.split(".").slice(0, 2).join(".");

function onKey(event: KeyboardEvent, name: string): void {
  const all = state.inspection!.heads.map(each => each.head), layer = all.filter(each => siteOf(each) === siteOf(name));
  const buttons = [...document.querySelectorAll<HTMLButtonElement>(".heads button.cell")], at = buttons.indexOf(event.currentTarget as HTMLButtonElement);
  const moves: Record<string, number> = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -layer.length, ArrowDown: layer.length};
  if (event.key === " ") void toggle(event.shiftKey ? layer : [name]);
  else if (event.key === "s") void setOff(state.off.length === all.length - 1 && !state.off.includes(name) ? [] : all.filter(each => each !== name), [...state.undo, state.off]);
  else if (event.key in moves) buttons[Math.max(0, Math.min(at + moves[event.key]!, buttons.length - 1))]?.focus();
  else return;
  event.preventDefault();
}

function cell(head: HeadStatistics): TemplateResult {
  const weights = state.inspection!.weights.get(head.head)!, isOff = state.off.includes(head.head), worth = state.worth?.[head.head];
  const kind = head.head.split(".")[0]!, said = `${head.head}: ${head.label}, entropy ${head.entropy.toFixed(2)} nats, highest weight ${head.confidence.toFixed(2)}${
    head.offset === null ? "" : `, offset ${head.offset.toFixed(1)}`}${worth === undefined ? "" : `, worth ${worth.toFixed(3)} nats per token`}`;
  return html`<button class="cell ${isOff ? "off" : ""}" aria-pressed=${state.head === head.head} aria-label="${said}${isOff ? ", off" : ""}" title=${said} data-head=${head.head}
    @click=${(event: MouseEvent) => (event.altKey ? void toggle([head.head]) : update({head: head.head}))} @keydown=${(event: KeyboardEvent) => onKey(event, head.head)}>
    <canvas ${ref(canvas => { if (canvas) drawThumbnail(canvas as HTMLCanvasElement, weights, kind, SIZE); })}></canvas>
    ${state.sortBy === "place" ? nothing : html`<span class="tag">${head.head.replace(/^(\w)\w+/, "$1")}</span>`}
    ${worth === undefined ? nothing : html`<span class="tag number">${worth.toFixed(2)}</span>`}
  </button>`;
}

export function panel(): TemplateResult {
  const seen = state.inspection;
  if (!seen) {
    return html`<section class="panel heads" aria-labelledby="heads-title"><div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.</p></section>`;
  }
  const chosen = seen.heads.find(each => each.head === state.head), sites = [...new Set(seen.heads.map(each => siteOf(each.head)))];
  const order = ORDERS[state.sortBy]!, isSorted = state.sortBy !== "place";
  const rows: [string, HeadStatistics[]][] = isSorted ? [["", [...seen.heads].sort((a, b) => order(a) - order(b))]]
    : sites.map(site => [site, seen.heads.filter(each => siteOf(each.head) === site)]);
  const listed = (): void => saveCsv("heads.csv", [["head", "label", "entropy", "highest_weight", "offset", "worth"], ...seen.heads.map(each =>
    [each.head, each.label, each.entropy, each.confidence, each.offset ?? "", state.worth?.[each.head] ?? ""])]);
  return html`<section class="panel heads" aria-labelledby="heads-title">
    <div class="head"><h2 id="heads-title">Heads</h2>
      <label>Order <select id="order" @change=${(event: Event) => update({sortBy: (event.target as HTMLSelectElement).value})}>
        ${Object.keys(ORDERS).filter(name => name !== "worth" || state.worth).map(name => html`<option value=${name} ?selected=${name === state.sortBy}>${name}</option>`)}</select></label>
      <button id="rank" @click=${() => rank()}>Rank all heads</button>
      <span class="save"><button @click=${listed}>CSV</button><button ?disabled=${!state.off.length} title="For regard heads --prune" @click=${() => saveJson("heads-off.json", state.off)}>List of heads that are off</button></span>
    </div>
    ${rows.map(([site, heads]) => html`<div class="layer" role="group" aria-label=${site || "all heads"}>
      ${site ? html`<button class="site" title="Switch the whole layer off or on" @click=${() => toggle(heads.map(each => each.head))}>${site}</button>` : nothing}
      <div class="cells">${heads.map(cell)}</div></div>`)}
    ${chosen ? html`<p class="chosen"><span class="strong">${chosen.head}</span>: ${chosen.label}; entropy ${chosen.entropy.toFixed(2)} nats, highest weight ${chosen.confidence.toFixed(2)}, mean over rows.
      <button id="toggle" @click=${() => toggle([chosen.head])}>${state.off.includes(chosen.head) ? "Switch on" : "Switch off"}</button>
      <button @click=${() => setOff(seen.heads.map(each => each.head).filter(name => siteOf(name) === siteOf(chosen.head) && name !== chosen.head), [...state.undo, state.off])}>Solo in its layer</button></p>` : nothing}
    <p class="hint">Click: look at a head. Space: switch it off or on. Shift and space: its layer. S: solo. Arrows: the next one.</p>
  </section>`;
}
