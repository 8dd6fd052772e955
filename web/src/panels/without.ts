/** What changes when heads are off: the same translation under the weaker model, and what it writes then. */

import {html, nothing, type TemplateResult} from "lit-html";
import {setOff, toggle} from "../actions";
import {readable} from "../drawing";
import {styled} from "../styled";
import {saveCsv} from "../saving";
import {sentence, state, translates} from "../state";

function words(text: string, other: string): TemplateResult {
  const known = new Set(other.split(/\s+/));
  return html`${text.split(/(\s+)/).map(word => word.trim() && !known.has(word) ? html`<mark>${word}</mark>` : word)}`;
}

/** What was stored of ablations. */
function stored(): TemplateResult | typeof nothing {
  const {ablations} = state.inspection!;
  if (!ablations.length) return nothing;
  return html`<section class="panel without" aria-labelledby="without-title"><div class="head"><h2 id="without-title">Without heads</h2></div>
    <table id="ablations"><thead><tr><th>heads</th><th>change, nats per token</th><th>what the model writes then</th></tr></thead>
      <tbody>${ablations.map(each => html`<tr><td>${each.heads.join(", ")}</td><td class="number">${each.log_prob_change.toFixed(4)}</td><td dir="auto">${each.text}</td></tr>`)}</tbody></table>
  </section>`;
}

export function panel(): TemplateResult | typeof nothing {
  const one = sentence(), found = state.ablation;
  if (!state.inspection || !one) return nothing;
  if (state.stored) return stored();
  if (!translates()) return nothing;
  const tokens = [...one.tokens.map(each => each.token), "end"];
  const most = Math.max(0.5, ...(found?.token_changes ?? []).map(Math.abs));
  const undo = (): void => { void setOff(state.undo.at(-1) ?? [], state.undo.slice(0, -1)); };
  return html`<section class="panel without" aria-labelledby="without-title">
    <div class="head"><h2 id="without-title">Without them</h2>
      ${state.off.length ? html`<button id="all-on" @click=${() => setOff([], [...state.undo, state.off])}>Switch all on</button>` : nothing}
      ${state.undo.length ? html`<button id="undo" @click=${undo}>Undo</button>` : nothing}
      ${found ? html`<span class="save"><button @click=${() => saveCsv("without.csv", [["token", "change"], ...found.token_changes.map((change, place) => [tokens[place] ?? "", change])])}>CSV</button></span>` : nothing}
    </div>
    ${state.off.length === 0 ? html`<p class="hint">Switch a head off: this shows how much less likely each token becomes, and what the model writes instead.</p>`
      : html`<p class="chips">${state.off.length > 24 ? `${state.off.length} heads are off.` : state.off.map(name => html`<button class="chip" title="Switch on" @click=${() => toggle([name])}>${name} ✕</button>`)}</p>`}
    ${found ? html`
      <p>Written then: <bdi class="strong" id="written-then">${words(found.text, one.text)}</bdi></p>
      <p>The translation above changes by <span class="strong number" id="change">${found.log_prob_change.toFixed(3)}</span> nats per token, each token after the right ones:</p>
      <div class="changes" role="list" tabindex="0" aria-label="Change of each token">${found.token_changes.map((change, place) => html`<div class="change" role="listitem" aria-label="${readable(tokens[place] ?? "")} ${change.toFixed(2)} nats">
        <bdi>${readable(tokens[place] ?? "")}</bdi>
        <span class="track two"><span class=${change < 0 ? "less" : "more"} ${styled({width: `${50 * Math.abs(change) / most}%`, [change < 0 ? "right" : "left"]: "50%"})}></span></span>
        <span class="number">${change > 0 ? "+" : ""}${change.toFixed(2)}</span></div>`)}</div>
      <p class="hint">Left: less likely without the heads. A model was not trained without them, so this is what they are worth here, not what another model could do.</p>` : nothing}
  </section>`;
}
