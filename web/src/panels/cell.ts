/** How the chosen weight is computed, in numbers: query and key, their product, the scores of the row, softmax. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import {cellOf, explainCell} from "../actions";
import {readable} from "../drawing";
import {ramp} from "../legend";
import type {Lookup} from "../server";
import {isBehind, state, update} from "../state";
import {styled} from "../styled";
import {saves, type Row} from "../saving";
import {help} from "../terms";
import {shown, type Shown} from "./alignment";

const MOST_KEYS = 6;
const WIDTH = 320;
const HEIGHT = 18;

/** Numbers as a strip of colours: the stronger, the further from 0. */
function strip(name: string, said: unknown, numbers: number[]): TemplateResult {
  const most = Math.max(...numbers.map(Math.abs), 1e-9);
  const size = WIDTH / numbers.length;
  return html`<div class="strip">
    <span>${said}</span
    ><svg
      data-strip=${name}
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${name}: ${numbers.length} numbers, from ${Math.min(...numbers).toFixed(
        2,
      )} to ${Math.max(...numbers).toFixed(2)}"
    >
      ${numbers.map((value, place) => svg`<rect x=${place * size} width=${size} height=${HEIGHT} class=${value < 0 ? "less" : "more"} opacity=${(Math.abs(value) / most).toFixed(3)}><title>${value.toFixed(3)}</title></rect>`)}
    </svg>
  </div>`;
}

/** The keys of the row with the most weight, and the chosen one. */
function softmax(found: Shown, of: Lookup): TemplateResult {
  const sum = (key: number): number => of.scores[key]! + of.bias[key]!;
  const order = of.weights
    .map((_, key) => key)
    .filter(key => of.allowed[key])
    .sort((a, b) => sum(b) - sum(a));
  const listed = order.slice(0, MOST_KEYS);
  if (!listed.includes(found.key) && of.allowed[found.key]) listed.push(found.key);
  const highest = Math.max(...order.map(sum));
  const total = order.reduce((part, key) => part + Math.exp(sum(key) - highest), 0);
  return html`<table id="softmax">
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(score − ${highest.toFixed(2)})</th>
          <th>÷ ${total.toFixed(2)} = weight</th>
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody>
        ${listed.map(
          key =>
            html`<tr class=${key === found.key ? "strong" : ""}>
              <td><bdi>${readable(found.keys.labels[key]!)}</bdi></td>
              <td class="number">${sum(key).toFixed(2)}</td>
              <td class="number">${Math.exp(sum(key) - highest).toFixed(3)}</td>
              <td class="number">${of.weights[key]!.toFixed(3)}</td>
              <td class="fill">
                <span class="track"><span ${styled({width: `${100 * of.weights[key]!}%`})}></span></span>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${order.length > listed.length ? html`<p class="hint">and ${order.length - listed.length} more keys.</p>` : nothing}`;
}

function computed(found: Shown, of: Lookup): TemplateResult {
  const row = html`<bdi class="strong">${readable(found.rows.labels[found.row]!)}</bdi>`;
  const key = html`<bdi class="strong">${readable(found.keys.labels[found.key]!)}</bdi>`;
  const sum = of.terms.reduce((part, value) => part + value, 0);
  const bias = of.bias[found.key]!;
  const score = of.scores[found.key]!;
  const kind = state.head.split(".")[0]!;
  const read =
    state.inspection!.target !== null && kind !== "encoder"
      ? state.inspection!.tokens.decoder?.keys.spelled[found.row]
      : undefined;
  return html`${read === undefined ? nothing : html`<p class="hint" id="place">The query is made where the model has read <bdi class="strong">${readable(read)}</bdi> and is about to write ${row}.</p>`}
    ${strip("query", read === undefined ? html`query of ${row}` : html`query before ${row}`, of.query)}
    ${strip("key", html`key of ${key}`, of.key)}
    ${strip("terms", of.is_additive ? "v · tanh(query + key)" : "their product, number by number", of.terms)}
    ${
      of.allowed[found.key]
        ? html`<p id="score">
            The sum, <span class="number">${sum.toFixed(3)}</span>${
              of.factor === 1
                ? nothing
                : html`, times <span class="number">${of.factor.toFixed(3)}</span> (1 ÷ √${of.query.length})`
            }${bias ? html`, plus <span class="number">${bias.toFixed(3)}</span> for the positions` : nothing},
            is the score <span class="strong number">${(score + bias).toFixed(3)}</span>. Softmax makes weights of the
            scores of a row:
          </p>`
        : html`<p id="score">
            A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
          </p>`
    }
    ${softmax(found, of)}
    <p class="legend"><span>below 0 ${ramp("less")}</span> <span>above 0 ${ramp("more")}</span></p>`;
}

export function panel(): TemplateResult | typeof nothing {
  const found = shown();
  const seen = state.inspection;
  if (!seen || !found || state.stored) return nothing;
  const isHead = seen.weights.has(state.head);
  if (state.isExplained && !state.words) explainCell(found);
  const {lookup} = state;
  const isShown = state.isExplained && isHead && !state.words && lookup !== null;
  const isOld = isBehind() || (isShown && lookup.cell !== cellOf(found));
  const table = (): Row[] => [
    ["key", "score", "position", "allowed", "weight"],
    ...lookup!.found.keys.labels.map((label, key) => {
      const {scores, bias, allowed, weights} = lookup!.of;
      return [label, scores[key]!, bias[key]!, Number(allowed[key]), weights[key]!];
    }),
  ];
  return html`<section class="panel computed ${isOld ? "stale" : ""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">How this weight is computed</h2>
      ${help("lookup")}
      <button id="explain" aria-expanded=${state.isExplained} @click=${() => update({isExplained: !state.isExplained})}>
        ${state.isExplained ? "Hide" : "Show"}
      </button>
      ${isShown ? saves("computed", [".strip", "#score", "#softmax"], table, () => ({head: state.head, row: lookup.found.rows.labels[lookup.found.row], key_token: lookup.found.keys.labels[lookup.found.key], ...lookup.of})) : nothing}
    </div>
    ${
      !state.isExplained
        ? html`<p class="hint">
            A token asks with its query, the other tokens answer with their keys: this shows the numbers.
          </p>`
        : !isHead
          ? html`<p class="hint">What is shown is not one head. Choose a head in the grid.</p>`
          : state.words
            ? html`<p class="hint">Heads look at tokens, and not at words. Switch “words” off.</p>`
            : isShown
              ? computed(lookup.found, lookup.of)
              : html`<p class="hint">…</p>`
    }
  </section>`;
}
