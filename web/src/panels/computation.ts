/** The computation of the chosen weight: query and key, their product, the scores of the row, softmax. */

import {html, nothing, type TemplateResult} from "lit-html";
import type {LookupReply} from "../api";
import {attentionView} from "../attention";
import type {AttentionView} from "../attention-view";
import {colourRamp} from "../colour-ramp";
import {cellKey, lookUpWeight} from "../inspection";
import {placeOf, placeWords} from "../places";
import {saveMenu, type Row} from "../save-menu";
import {displayToken} from "../spelling";
import {isViewOfOther, state, update} from "../state";
import {help} from "../terms";
import {softmaxControls, softmaxTable} from "./softmax";
import {numberStrip} from "./strips";
import {writes} from "./writes";

const QUERIES_AND_KEYS =
  "The place that is about to write a token asks with its query; the tokens that it may look at answer with their " +
  "keys, and give their values.";

const ROTATED =
  "Query and keys have been rotated by angles that grow with their positions, so the score depends on how far apart " +
  "the two tokens are.";

function scoreStatement({key}: AttentionView, lookup: LookupReply): TemplateResult {
  const {query, terms, factor, cap, scores, bias, allowed} = lookup;
  if (!allowed[key]) {
    return html`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;
  }
  const sum = terms.reduce((total, term) => total + term, 0);
  const number = (value: number, digits = 3): TemplateResult =>
    html`<span class="number">${value.toFixed(digits)}</span>`;
  const scaling = html`, times ${number(factor, 5)} (1 ÷ √${query.length})`;
  const bound = cap === null ? nothing : html`, bounded by ${number(cap, 0)} (${cap} · tanh(it ÷ ${cap}))`;
  const position = html`, plus ${number(bias[key]!)} for the positions`;
  return html`<p id="score">
    The sum, ${number(sum)}${factor === 1 ? nothing : scaling}${bound}${bias[key] ? position : nothing}, is the score
    <span class="strong number">${(scores[key]! + bias[key]!).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`;
}

function computation(view: AttentionView, lookup: LookupReply): TemplateResult {
  const row = html`<bdi class="strong">${displayToken(view.rows.labels[view.row]!)}</bdi>`;
  const key = html`<bdi class="strong">${displayToken(view.keys.labels[view.key]!)}</bdi>`;
  const place = placeOf(view, view.row);
  const owner = place ? html`the place that is ${placeWords(place)}` : html`the token ${row}`;
  const termsLabel = lookup.is_additive ? "v · tanh(query + key)" : "their product, number by number";
  const queryLabel = place?.writes ? html`query, about to write <bdi>${displayToken(place.writes)}</bdi>` : "query";
  return html`<p class="hint">${QUERIES_AND_KEYS}</p>
    <p class="hint" id="place">The query belongs to ${owner}. ${lookup.is_rotated ? ROTATED : nothing}</p>
    <p class="legend">
      Each square is a number: <span>below 0 ${colourRamp("less")}</span> <span>above 0 ${colourRamp("more")}</span>
    </p>
    ${numberStrip("query", queryLabel, lookup.query)} ${numberStrip("key", html`key of ${key}`, lookup.key)}
    ${numberStrip("terms", termsLabel, lookup.terms)} ${scoreStatement(view, lookup)} ${softmaxControls(lookup)}
    ${softmaxTable(view, lookup)} ${writes(view)}`;
}

function saveComputation(view: AttentionView, lookup: LookupReply): TemplateResult {
  const {scores, bias, allowed, weights} = lookup;
  const {labels} = view.keys;
  const table = (): Row[] => [
    ["key", "score", "position", "allowed", "weight"],
    ...labels.map((label, key) => [label, scores[key]!, bias[key]!, Number(allowed[key]), weights[key]!]),
  ];
  const content = (): unknown => ({
    head: state.view.head,
    row: view.rows.labels[view.row],
    key_token: labels[view.key],
    ...lookup,
    writes: state.inspection.writes?.result ?? null,
  });
  return saveMenu("computed", [".computed > .strip", "#score", "#softmax", "#writes"], table, content);
}

export function panel(): TemplateResult | typeof nothing {
  const view = attentionView();
  const inspection = state.inspection.result;
  if (!inspection || !view || state.server.storedPage) return nothing;
  const {showsComputation, groupsWords, head} = state.view;
  const isHead = inspection.weights.has(head);
  if (showsComputation && !groupsWords) lookUpWeight(view);
  const lookup = showsComputation && isHead && !groupsWords ? state.inspection.lookup : null;
  const isStale = isViewOfOther() || (lookup !== null && lookup.cell !== cellKey(view));
  const content = (): TemplateResult | string => {
    if (!showsComputation) {
      return `${QUERIES_AND_KEYS} This shows the numbers.`;
    }
    if (!isHead) {
      return html`<p class="hint">${QUERIES_AND_KEYS}</p>
        <p class="hint">What is shown is not one head. Choose a head in the grid.</p>`;
    }
    if (groupsWords) return "Heads look at tokens, and not at words. Switch “words” off.";
    return lookup ? computation(lookup.view, lookup.result) : "…";
  };
  const shown = content();
  return html`<section class="panel computed ${isStale ? "stale" : ""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${help("lookup", "How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${showsComputation}
        @click=${() => update({view: {showsComputation: !showsComputation}})}
        >${showsComputation ? "Hide" : "Show"}</button
      >
      ${lookup ? saveComputation(lookup.view, lookup.result) : nothing}
    </div>
    ${typeof shown === "string" ? html`<p class="hint">${shown}</p>` : shown}
  </section>`;
}
