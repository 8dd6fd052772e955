/** What a head adds to the state of a token: values by their weights, their sum, the tokens that it makes likelier. */

import {html, nothing, type TemplateResult} from "lit-html";
import type {WritesReply} from "../api";
import type {AttentionView} from "../attention-view";
import {lookUpWrites, reasonAgainstParts, rowKey} from "../inspection";
import {displayToken} from "../spelling";
import {state} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";
import {numberStrip} from "./strips";

/** Keys with less weight are not listed one by one. */
const MIN_WEIGHT = 0.01;
/** A strip of little weight can still be seen. */
const MIN_OPACITY = 0.12;

/** Two lengths as bars of one scale. */
function lengthBars({length, residual}: WritesReply): TemplateResult {
  const max = Math.max(length, residual);
  const bar = (name: string, id: string, value: number): TemplateResult =>
    html`<div class="change">
      <span>${name}</span
      ><span class="track"><span ${styleProperties({width: `${(100 * value) / max}%`})}></span></span>
      <span class="number" id=${id}>${value.toFixed(2)}</span>
    </div>`;
  return html`${bar("what it adds", "added-length", length)} ${bar("the state before", "residual-length", residual)}`;
}

function likelierTokens({likelier, said}: WritesReply): TemplateResult | typeof nothing {
  if (!likelier.length && !said) return nothing;
  const own = (): TemplateResult =>
    html`It adds <span class="strong number" id="said">${said![1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${displayToken(said![0])}</bdi>, which is about to be written.`;
  const most = (): TemplateResult =>
    html`Read by the output layer, it makes these more likely than any others:
      ${likelier.map(
        ([token, value]) =>
          html`<span class="likelier"><bdi class="strong">${displayToken(token)}</bdi> +${value.toFixed(2)}</span> `,
      )} <span class="likelier">(${help("logit", "logits")}).</span>`;
  return html`<p>${likelier.length ? most() : nothing} ${said ? own() : nothing}</p>`;
}

function content({keys, labels}: {keys: number[]; labels: string[]}, result: WritesReply): TemplateResult {
  const max = Math.max(...result.values.flat().map(Math.abs), 1e-9);
  const listed = keys.filter((key, index) => index === 0 || result.weights[key]! >= MIN_WEIGHT);
  const hasOthers = result.weights.length > listed.length;
  const rest = Math.max(0, 1 - listed.reduce((total, key) => total + result.weights[key]!, 0));
  const strips = listed.map((key, index) => {
    const weight = result.weights[key]!;
    const label = html`<bdi>${displayToken(labels[key] ?? "")}</bdi>
      <span class="number">× ${weight.toFixed(2)}</span>`;
    const opacity = Math.max(MIN_OPACITY, weight);
    return numberStrip(`value ${index}`, label, result.values[index]!, {max, opacity});
  });
  return html`<p>
      Each of these tokens has a ${help("value", "value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${strips} ${hasOthers ? html`<p class="hint">and all other keys, together × ${rest.toFixed(2)}.</p>` : nothing}
    ${numberStrip("sum", html`<span class="strong">their sum</span>`, result.total, {max, opacity: 1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${lengthBars(result)}</div>
    ${likelierTokens(result)}`;
}

/** The part of the panel of a weight that comes after softmax. */
export function writes(view: AttentionView): TemplateResult {
  lookUpWrites(view);
  const {writes: found} = state.inspection;
  const reason = reasonAgainstParts();
  const isStale = found !== null && found.cell !== rowKey(view.row, state.view.head);
  const body = (): TemplateResult => {
    if (reason) return html`<p class="hint" id="no-writes">This cannot be shown for this model: ${reason}</p>`;
    if (!found) return html`<p class="hint">…</p>`;
    return content({keys: found.result.keys, labels: found.view.keys.labels}, found.result);
  };
  return html`<div id="writes" class=${isStale ? "stale" : ""} ?data-unsaved=${reason !== ""}>
    <h3>What it takes from them, and adds</h3>
    ${body()}
  </div>`;
}
