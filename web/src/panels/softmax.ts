/** Softmax over the scores of a row, as a table, and controls that change it. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import type {LookupReply} from "../api";
import type {AttentionView} from "../attention-view";
import {isChecked, valueOf} from "../events";
import {isNeutral, NEUTRAL, softmaxRow, type SoftmaxRow, type SoftmaxSettings} from "../softmax";
import {displayToken} from "../spelling";
import {state, update} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";

const NUM_LISTED_KEYS = 6;
/** The slider has the logarithm of the temperature, to base 10. */
const MAX_EXPONENT = 1;

const change = (softmax: Partial<SoftmaxSettings>): void =>
  update({trial: {softmax: {...state.trial.softmax, ...softmax}}});

function checkbox(id: "scaled" | "masked", isOn: boolean, label: string): TemplateResult {
  const set = (event: Event): void =>
    change(id === "scaled" ? {isScaled: isChecked(event)} : {isMasked: isChecked(event)});
  return html`<label><input id=${id} type="checkbox" .checked=${live(isOn)} @change=${set} /> ${label}</label>`;
}

/** What the model would have with another softmax; it stays as it is. */
export function softmaxControls({factor, cap, query, allowed}: LookupReply): TemplateResult {
  const {softmax} = state.trial;
  const {temperature, isScaled, isMasked} = softmax;
  const set = (event: Event): void => change({temperature: 10 ** Number(valueOf(event))});
  const reset = html`<button id="own-softmax" @click=${() => change(NEUTRAL)}>As the model has it</button>`;
  return html`<div class="controls together" data-unsaved>
      <label
        >${help("temperature", "temperature")}
        <input
          id="softmax-temperature"
          type="range"
          min=${-MAX_EXPONENT}
          max=${MAX_EXPONENT}
          step="0.05"
          .value=${live(String(Math.log10(temperature)))}
          aria-label="Temperature of this row"
          aria-valuetext=${temperature.toFixed(2)}
          @input=${set}
        />
        <span class="number">${temperature.toFixed(2)}</span></label
      >
      ${factor === 1 || cap !== null ? nothing : checkbox("scaled", isScaled, `1 ÷ √${query.length}`)}
      ${allowed.every(Boolean) ? nothing : checkbox("masked", isMasked, "mask")} ${isNeutral(softmax) ? nothing : reset}
    </div>
    <p class="hint" data-unsaved> The model does not change: only this table is computed again, from the scores. </p>`;
}

/** The spread of the row, beside that of the model's own. */
function spread(row: SoftmaxRow, lookup: LookupReply): TemplateResult {
  const own = softmaxRow(lookup, NEUTRAL).entropy.toFixed(2);
  const beside = html`, in place of <span class="number">${own}</span>`;
  return html`<p class="hint" id="row-spread">
    The weights are spread by
    <span class="strong number">${row.entropy.toFixed(2)}</span> nats
    (entropy)${isNeutral(state.trial.softmax) ? nothing : beside}. ${row.total.toFixed(2)} is the sum of the column
    before it, over all keys.
  </p>`;
}

/** The keys with the highest scores of the row, and the chosen one. */
export function softmaxTable(view: AttentionView, lookup: LookupReply): TemplateResult {
  const {softmax} = state.trial;
  const found = softmaxRow(lookup, softmax);
  const {keys, scores, exponentials, highest, total, weights} = found;
  const best = keys.slice(0, NUM_LISTED_KEYS);
  const listed = best.includes(view.key) || !keys.includes(view.key) ? best : [...best, view.key];
  const isOwn = isNeutral(softmax);
  const hidden = html` <span class="hint">(hidden)</span>`;
  const row = (key: number): TemplateResult =>
    html`<tr class=${key === view.key ? "strong" : ""}>
      <td><bdi>${displayToken(view.keys.labels[key]!)}</bdi>${lookup.allowed[key] ? nothing : hidden}</td>
      <td class="number">${scores[key]!.toFixed(2)}</td>
      <td class="number">${exponentials[key]!.toFixed(3)}</td>
      <td class="number">${weights[key]!.toFixed(3)}</td>
      ${isOwn ? nothing : html`<td class="number">${lookup.weights[key]!.toFixed(3)}</td>`}
      <td class="fill">
        <span class="track"><span ${styleProperties({width: `${100 * weights[key]!}%`})}></span></span>
      </td>
    </tr>`;
  const numOthers = keys.length - listed.length;
  const divisor = softmax.temperature === 1 ? "" : ` ÷ ${softmax.temperature.toFixed(2)}`;
  const shifted = `score − ${highest.toFixed(2)}`;
  return html`<table id="softmax" class=${isOwn ? "" : "compared"}>
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(${divisor ? `(${shifted})${divisor}` : shifted})</th>
          <th>÷ ${total.toFixed(2)} = weight</th>
          ${isOwn ? nothing : html`<th>the model's</th>`}
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${listed.map(row)} </tbody>
    </table>
    ${numOthers > 0 ? html`<p class="hint">and ${numOthers} more keys.</p>` : nothing} ${spread(found, lookup)}`;
}
