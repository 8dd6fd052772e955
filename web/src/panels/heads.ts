/** All heads small, with what is measured of each; heads can be switched off. */

import {html, nothing, type TemplateResult} from "lit-html";
import {ref} from "lit-html/directives/ref.js";
import {rank, setOff, toggle} from "../actions";
import {colour, drawNumbers, drawThumbnail, readable} from "../drawing";
import {goToHead, goToLayer, siteOf} from "../heads";
import {saves, saveText, type Row} from "../saving";
import type {HeadStatistics} from "../server";
import {styled} from "../styled";
import {help} from "../terms";
import {ramp} from "../legend";
import {canAblate, changedTokens, isBehind, state, translates, update, writes} from "../state";

const SIZE = 36;
const ORDERS: Record<string, (head: HeadStatistics) => number> = {
  place: () => 0,
  worth: head => -(state.worth?.[head.head] ?? 0),
  entropy: head => head.entropy,
  sharpness: head => -head.confidence,
  offset: head => (head.offset === null ? Infinity : Math.abs(head.offset)),
  label: () => 0,
};

/** The heads as they are shown, line by line, with the name of each line's layer. */
function lines(): [string, HeadStatistics[]][] {
  const {heads} = state.inspection!;
  const order = Object.hasOwn(ORDERS, state.sortBy) ? ORDERS[state.sortBy] : undefined;
  if (state.sortBy === "label")
    return [["", [...heads].sort((a, b) => (a.label < b.label ? -1 : Number(a.label > b.label)))]];
  if (state.sortBy !== "place" && order) return [["", [...heads].sort((a, b) => order(a) - order(b))]];
  return [...new Set(heads.map(each => siteOf(each.head)))].map(site => [
    site,
    heads.filter(each => siteOf(each.head) === site),
  ]);
}

/** Keep one head of all, or bring the others back. */
function solo(name: string): void {
  const others = state.inspection!.heads.map(each => each.head).filter(each => each !== name);
  const isSolo = state.off.length === others.length && !state.off.includes(name);
  void setOff(isSolo ? [] : others, [...state.undo, state.off]);
}

function onKey(event: KeyboardEvent, name: string): void {
  const all = lines().map(([, heads]) => heads.map(each => each.head));
  const line = all.findIndex(of => of.includes(name));
  const place = all[line]!.indexOf(name);
  const flat = all.flat();
  const at = flat.indexOf(name);
  const bounded = <Item>(of: Item[], to: number): Item => of[Math.max(0, Math.min(to, of.length - 1))]!;
  const moves: Record<string, () => string> = {
    ArrowLeft: () => bounded(flat, at - 1),
    ArrowRight: () => bounded(flat, at + 1),
    ArrowUp: () => bounded(bounded(all, line - 1), place),
    ArrowDown: () => bounded(bounded(all, line + 1), place),
    Home: () => all[line]![0]!,
    End: () => all[line]!.at(-1)!,
  };
  const others: Record<string, () => void> = {
    n: () => goToHead(1),
    p: () => goToHead(-1),
    PageDown: () => goToLayer(1),
    PageUp: () => goToLayer(-1),
  };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in moves) update({head: moves[event.key]!()});
  else if (event.key in others) others[event.key]!();
  else if (event.key === " " && canAblate())
    void toggle(
      event.shiftKey ? all.find(of => of.includes(name))!.filter(each => siteOf(each) === siteOf(name)) : [name],
    );
  else if (event.key === "s" && canAblate()) solo(name);
  else return;
  event.preventDefault();
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-head="${state.head}"]`)?.focus());
}

/** The colour of what a head is worth: of those that help, the most valuable is the strongest. */
function ofWorth(worth: number): Record<string, string> {
  const most = Math.max(...Object.values(state.worth ?? {}), 1e-9);
  const [red, green, blue] = colour("more");
  return {background: `rgba(${red}, ${green}, ${blue}, ${((0.4 * Math.max(0, worth)) / most).toFixed(3)})`};
}

function cell(head: HeadStatistics, isStop: boolean): TemplateResult {
  const weights = state.inspection!.weights.get(head.head)!;
  const isOff = state.off.includes(head.head);
  const worth = state.worth?.[head.head];
  const said = `${head.head}: ${head.label}, entropy ${head.entropy.toFixed(2)} nats, highest weight ${head.confidence.toFixed(2)}${
    head.offset === null ? "" : `, offset ${head.offset.toFixed(1)}`
  }${worth === undefined ? "" : `, worth ${worth.toFixed(3)} nats per token`}`;
  return html`<button
    class="cell ${isOff ? "off" : ""}"
    aria-pressed=${state.head === head.head}
    aria-label="${said}${isOff ? ", off" : ""}"
    title=${said}
    data-head=${head.head}
    tabindex=${isStop ? 0 : -1}
    @click=${() => update({head: head.head})}
    @keydown=${(event: KeyboardEvent) => onKey(event, head.head)}
  >
    <canvas
      ${ref(canvas => {
        if (canvas) drawThumbnail(canvas as HTMLCanvasElement, weights, SIZE);
      })}
    ></canvas>
    ${state.sortBy === "place" || !Object.hasOwn(ORDERS, state.sortBy) ? nothing : html`<span class="tag" aria-hidden="true">${head.head.replace(/^(\w)\w+/, "$1")}</span>`}
    ${worth === undefined ? nothing : html`<span class="tag number" aria-hidden="true" ${styled(ofWorth(worth))}>${worth.toFixed(2).replace("-0.00", "0.00")}</span>`}
  </button>`;
}

/** What is known of the chosen head, and what can be done with it. */
function chosen(head: HeadStatistics): TemplateResult {
  const layer = state.inspection!.heads.map(each => each.head).filter(name => siteOf(name) === siteOf(head.head));
  const worth = state.worth?.[head.head];
  return html`<p class="chosen">
    <span class="strong" id="head-title">${head.head}</span>:
    <span id="statistics"
      >${head.label}${help("label")}; entropy ${head.entropy.toFixed(2)} nats${help("entropy")}, highest weight
      ${head.confidence.toFixed(2)}${help("highest")}${head.offset === null ? nothing : html`, offset ${head.offset.toFixed(1)}${help("offset")}`},
      mean over rows.${worth === undefined ? nothing : html` Worth ${worth.toFixed(3)} nats per token.`}</span
    >
    ${
      !canAblate()
        ? nothing
        : html`<button id="toggle" data-unsaved @click=${() => toggle([head.head])}>
              ${state.off.includes(head.head) ? "Switch on" : "Switch off"}
            </button>
            <button id="solo" data-unsaved @click=${() => solo(head.head)}>Solo</button>
            <button
              data-unsaved
              @click=${() =>
                setOff(
                  layer.filter(name => name !== head.head),
                  [...state.undo, state.off],
                )}
            >
              Solo in its layer
            </button>`
    }
  </p>`;
}

/** What each head is worth for each token: a row for each head, in the order in which they are shown. */
function byToken(): TemplateResult | typeof nothing {
  const shown = lines().flatMap(([, heads]) => heads.map(each => each.head));
  const rows = shown.map(head => state.worthByToken[head] ?? []);
  const one = state.looked;
  const count = Math.max(...rows.map(row => row.length));
  const shift = translates() ? 0 : 1; // the first token of a text is not predicted
  if (!state.worth || !one || !count) return nothing;
  const tokens = changedTokens();
  const column = Math.max(0, Math.min(state.step - shift, count - 1));
  const row = shown.findIndex((head, place) => head === state.head && rows[place]!.length);
  const take = (event: PointerEvent): void => {
    const box = (event.target as HTMLElement).getBoundingClientRect();
    const place = (at: number, size: number, of: number): number =>
      Math.max(0, Math.min(of - 1, Math.floor((at / size) * of)));
    const step = place(event.clientX - box.left, box.width, count);
    update({
      head: shown[place(event.clientY - box.top, box.height, shown.length)]!,
      step: Math.min(step + shift, one.tokens.length - 1),
    });
  };
  const said =
    row < 0
      ? ""
      : `${shown[row]} is worth ${rows[row]![column]!.toFixed(3)} nats for ${readable(tokens[column] ?? "")}.`;
  return html`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${said}"
      ${ref(canvas => {
        if (canvas) drawNumbers(canvas as HTMLCanvasElement, rows, count);
      })}
      ${styled({height: `${Math.min(5 * shown.length, 480)}px`})}
      @pointerdown=${take}
    ></canvas>
    <p id="sweep-cell" role="status">${said || "Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${ramp("less")}</span> <span>less likely ${ramp("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${translates() ? ", the end included" : " after the first"}.
    </p>
  </details>`;
}

export function panel(): TemplateResult {
  const seen = state.inspection;
  if (!seen) {
    return html`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;
  }
  const head = seen.heads.find(each => each.head === state.head);
  const shown = lines();
  const stop = head?.head ?? shown[0]?.[1][0]?.head;
  const table = (): Row[] => [
    ["head", "label", "entropy", "highest_weight", "offset", "worth", ...(state.worth ? changedTokens() : [])],
    ...seen.heads.map(each => [
      each.head,
      each.label,
      each.entropy,
      each.confidence,
      each.offset,
      state.worth?.[each.head] ?? null,
      ...(state.worth ? (state.worthByToken[each.head] ?? []) : []),
    ]),
  ];
  return html`<section class="panel heads ${isBehind() ? "stale" : ""}" aria-labelledby="heads-title">
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      <label
        >Order
        <select id="order" @change=${(event: Event) => update({sortBy: (event.target as HTMLSelectElement).value})}>
          ${Object.keys(ORDERS)
            .filter(name => name !== "worth" || state.worth)
            .map(name => html`<option value=${name} ?selected=${name === state.sortBy}>${name}</option>`)}
        </select></label
      >
      ${!writes() || !canAblate() ? nothing : html`<button id="rank" @click=${() => rank()}>Rank all heads</button>${help("worth")}`}
      ${state.off.length ? html`<button @click=${() => saveText("heads-off.txt", `${state.off.join("\n")}\n`)}>List of heads that are off</button>` : nothing}
      ${saves("heads", ["#heads", "#sweep", ".chosen"], table, () =>
        seen.heads.map(each => ({
          ...each,
          is_off: state.off.includes(each.head),
          worth: state.worth?.[each.head] ?? null,
          worth_by_token: state.worthByToken[each.head] ?? null,
        })),
      )}
    </div>
    <div id="heads">
      ${shown.map(
        ([site, heads]) =>
          html`<div class="layer" role="group" aria-label=${site || "all heads"}>
            ${
              !site
                ? nothing
                : !canAblate()
                  ? html`<span class="site">${site}</span>`
                  : html`<button
                      class="site"
                      title="Switch the whole layer off or on"
                      @click=${() => toggle(heads.map(each => each.head))}
                    >
                      ${site}
                    </button>`
            }
            <div class="cells ${site ? "" : "sorted"}" ${styled({"--count": String(heads.length)})}>
              ${heads.map(each => cell(each, each.head === stop))}
            </div>
          </div>`,
      )}
    </div>
    ${byToken()} ${head ? chosen(head) : nothing}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one.
      ${!canAblate() ? "" : "Space: switch it off or on. Shift and space: its layer. S: only this one."}
    </p>
  </section>`;
}
