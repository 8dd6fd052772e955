/** The choice of the next token: what greedy search, a beam, and sampling do with the model's distribution. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import type {NextTokens} from "../api";
import {valueOf} from "../events";
import {lookUpNext} from "../inspection";
import {displayToken} from "../spelling";
import {chosenSentence, generatesText, state, translates, update, type SamplingSettings} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";
import {numberChooser} from "./controls";

const TOP_K = [0, 1, 2, 5, 10, 50];
const DIGITS = 1;

const change = (sampling: Partial<SamplingSettings>): void =>
  update({trial: {sampling: {...state.trial.sampling, ...sampling}}});

const percentOf = (share: number): string => `${(100 * share).toFixed(DIGITS)} %`;

/** A slider, and the number that it is at. */
function slider(id: "next-temperature" | "next-top-p", label: unknown, value: number, max: number): TemplateResult {
  const set = (event: Event): void => {
    const number = Number(valueOf(event));
    change(id === "next-temperature" ? {temperature: number} : {topP: number});
  };
  return html`<label
    >${label}
    <input
      id=${id}
      type="range"
      min=${id === "next-temperature" ? 0 : 0.05}
      max=${max}
      step="0.05"
      .value=${live(String(value))}
      aria-valuetext=${value.toFixed(2)}
      @input=${set}
    />
    <span class="number">${value.toFixed(2)}</span></label
  >`;
}

function table({tokens, num_others: numOthers, others, others_drawn: othersDrawn}: NextTokens): TemplateResult {
  const row = (label: unknown, prob: number, drawn: number): TemplateResult =>
    html`<tr>
      <td>${label}</td>
      <td class="number">${percentOf(prob)}</td>
      <td class="number">${percentOf(drawn)}</td>
      <td class="fill">
        <span class="track"><span ${styleProperties({width: `${100 * drawn}%`})}></span></span>
      </td>
    </tr>`;
  const rest = html`<span class="hint">${numOthers.toLocaleString("en")} others</span>`;
  return html`<table id="next">
    <thead>
      <tr>
        <th>token</th>
        <th>the model's</th>
        <th>drawn</th>
        <th><span class="unseen">drawn, as a bar</span></th>
      </tr>
    </thead>
    <tbody>
      ${tokens.map(({token, prob, drawn}) => row(html`<bdi>${displayToken(token)}</bdi>`, prob, drawn))}
      ${numOthers ? row(rest, others, othersDrawn) : nothing}
    </tbody>
  </table>`;
}

function content(found: NextTokens): TemplateResult {
  const {temperature, topK, topP} = state.trial.sampling;
  const {beamSize} = state.request;
  const [best] = found.tokens;
  const beam = html`A ${help("beam-search", `beam of ${beamSize}`)} tries no more than the first ${beamSize} after this
  beginning, and goes on with the best of all its beginnings.`;
  const count = found.num_drawable.toLocaleString("en");
  return html`<p>
      Greedy search takes <bdi class="strong">${displayToken(best?.token ?? "")}</bdi>.
      ${translates() && beamSize > 1 ? beam : nothing} Sampling draws one of
      <span class="strong number" id="drawable">${count}</span> tokens:
    </p>
    <div class="controls" data-unsaved>
      ${slider("next-temperature", "temperature", temperature, 2)}
      <label
        >top k
        ${numberChooser(
          "next-top-k",
          TOP_K,
          topK,
          value => change({topK: value}),
          "Top k",
          k => k || "all",
        )}</label
      >
      ${slider("next-top-p", "top p", topP, 1)}
    </div>
    ${table(found)}
    <p class="hint">
      Temperature divides the logits: below 1, the likeliest are drawn more often. Top k draws from the k likeliest
      alone; top p from the likeliest that together have the probability p. Nothing is written by this: “Options” has
      the sampling of the translation.
    </p>`;
}

/** The row where the chosen token is predicted; below 0: nowhere. */
const rowOfToken = (): number => (translates() ? state.view.outputPosition : state.view.outputPosition - 1);

export function nextToken(): TemplateResult | typeof nothing {
  const {sentence, result, next} = state.inspection;
  const row = rowOfToken();
  if (!generatesText() || !result || !sentence || sentence !== chosenSentence() || row < 0) return nothing;
  const {isOpen} = state.trial.sampling;
  const cell = isOpen ? lookUpNext(row) : "";
  const isStale = isOpen && next?.cell !== cell;
  return html`<details
    id="next-token"
    ?open=${isOpen}
    @toggle=${(event: Event) => change({isOpen: (event.target as HTMLDetailsElement).open})}
  >
    <summary>How the next token is chosen</summary>
    <div class=${isStale ? "stale" : ""}>${next && isOpen ? content(next.result) : nothing}</div>
  </details>`;
}
