/** The prediction of each layer at a position, and controls that go from token to token. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import {valueOf} from "../events";
import {chooseHead} from "../inspection";
import {placeAfter, placeBefore, placeWords} from "../places";
import {saveMenu, type Row} from "../save-menu";
import {scrollToPanel} from "../scrolling";
import type {Sentence} from "../sentence";
import {displayToken} from "../spelling";
import {FLOW_METHODS, FLOW_PREFIX, isViewOfOther, state, update} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";
import type {Inspection} from "../weights";
import {stream} from "./stream";
import {percent} from "./tokens";

const STEP_MS = 900;
let playTimer = 0;

function togglePlaying(): void {
  update({view: {isPlaying: !state.view.isPlaying}});
  clearInterval(playTimer);
  if (state.view.isPlaying) playTimer = window.setInterval(playStep, STEP_MS);
}

function playStep(): void {
  const last = (state.inspection.sentence?.tokens.length ?? 1) - 1;
  if (state.view.outputPosition >= last) togglePlaying();
  else update({view: {outputPosition: state.view.outputPosition + 1}});
}

const layerLabel = (index: number): string => (index ? `layer ${index - 1}` : "embeddings");

/** The likeliest token of each layer at a position; the expected token is strong. */
function lens(layers: Inspection["lens"], position: number, expected: string | undefined): TemplateResult {
  const bar = (index: number, [token, prob]: [string, number]): TemplateResult =>
    html`<div class="change" role="listitem">
      <span>${layerLabel(index)}</span
      ><span class="track"><span ${styleProperties({width: `${100 * prob}%`})}></span></span>
      <bdi class=${token === expected ? "strong" : ""}>${displayToken(token)}</bdi
      ><span class="number">${(100 * prob).toFixed(0)} %</span>
    </div>`;
  return html`<div class="lens" role="list">
      ${layers.map((layer, index) => bar(index, layer[position] ?? ["", 0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${help("lens", "logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`;
}

function saveLens(sentence: Sentence, layers: Inspection["lens"]): TemplateResult {
  const table = (): Row[] => [
    ["step", "layer", "token", "probability"],
    ...layers.flatMap((layer, index) =>
      layer.map(([token, prob], position): Row => [position, index ? index - 1 : "embeddings", token, prob]),
    ),
  ];
  return saveMenu("layers", [".lens", ".stream"], table, () => ({
    tokens: sentence.tokens.map(each => each.token),
    layers,
    stream: state.inspection.stream?.result.sublayers ?? null,
  }));
}

function positionControls(sentence: Sentence, position: number, predictsNext: boolean): TemplateResult {
  const last = Math.max(0, sentence.tokens.length - 1);
  const {token = "", log_prob: logProb} = sentence.tokens[position] ?? {};
  const {isPlaying} = state.view;
  const probability =
    typeof logProb === "number" ? html` (<span id="probability">${percent(logProb)}</span>)` : nothing;
  const tokens = sentence.tokens.map(each => each.token);
  const own = html`<bdi class="strong">${displayToken(token)}</bdi>${probability}`;
  const isWritten = !predictsNext && state.inspection.result!.target !== null;
  const placed = (): TemplateResult => placeWords(placeBefore(tokens, position), "about", probability);
  const after = html`${own}; this place is ${placeWords(placeAfter(tokens, position))}`;
  const words = isWritten ? placed() : predictsNext ? after : own;
  const counted = `in the ${isWritten ? "translation" : "text"}, counted from 1`;
  return html`<div class="controls">
    <button id="play" @click=${togglePlaying} aria-label=${isPlaying ? "Pause" : "Play"}
      >${isPlaying ? "❚❚" : "▶"}</button
    >
    <input
      id="step"
      type="range"
      min="0"
      max=${last}
      step="1"
      .value=${live(String(position))}
      aria-label="Token"
      aria-valuetext=${displayToken(token)}
      @input=${(event: Event) => update({view: {outputPosition: Number(valueOf(event))}})}
    />
    <span>token ${position + 1} of ${last + 1} ${counted}: ${words}</span>
  </div>`;
}

function flowButtons(): TemplateResult {
  const button = (method: string): TemplateResult => {
    const head = `${FLOW_PREFIX}${method}`;
    const choose = (): void => {
      void chooseHead(head);
      scrollToPanel(".alignment");
    };
    return html`<button aria-pressed=${state.view.head === head} @click=${choose}>${method.replace("-", " ")}</button>`;
  };
  return html`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${help("flow", "through all layers")}:</span>
    ${FLOW_METHODS.map(button)}
  </p>`;
}

export function panel(): TemplateResult | typeof nothing {
  const {sentence, result: inspection, flow} = state.inspection;
  if (!inspection || !sentence) return nothing;
  const {storedPage} = state.server;
  const {lens: layers, target, token_log_probs: logProbs} = inspection;
  const hasLens = layers.length > 0;
  const position = Math.max(0, Math.min(state.view.outputPosition, sentence.tokens.length - 1));
  const predictsNext = target === null && logProbs.length > 0; // layers of a language model predict the next token
  const expected = sentence.tokens[predictsNext ? position + 1 : position]?.token;
  const remedy = storedPage?.canLens ? "; regard inspect --lens stores it." : ".";
  const reason = storedPage
    ? `This page was stored without what each layer would say${remedy}`
    : "This model's layers cannot be read through its output layer.";
  const isFlow = flow !== null && state.view.head.startsWith(FLOW_PREFIX);
  return html`<section class="panel layers ${isViewOfOther() ? "stale" : ""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${hasLens ? saveLens(sentence, layers) : nothing}
    </div>
    ${positionControls(sentence, position, predictsNext)}
    ${stream(position, expected) ?? (hasLens ? lens(layers, position, expected) : html`<p class="hint">${reason}</p>`)}
    ${storedPage ? nothing : flowButtons()}
    ${isFlow ? html`<p class="hint" id="caveat">The alignment shows it. ${flow.caveat}</p>` : nothing}
  </section>`;
}
