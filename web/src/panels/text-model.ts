/** The first panel of models that do not translate: a text is continued or labelled. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import type {PredictedLabel} from "../api";
import {inRuns, textLevels, tokenDirection, type Boxed} from "../bidi";
import {translucent} from "../colours";
import {colourRamp} from "../colour-ramp";
import {isSubmission, valueOf} from "../events";
import {saveMenu, type Row} from "../save-menu";
import type {Sentence} from "../sentence";
import {displayToken, textDirection} from "../spelling";
import {chosenModel, chosenSentence, isOutputStale, state, update} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";
import {continuePrefix, runModel, TOKEN_LIMITS} from "../text-models";
import {drawAgainButton, modelChooser, numberChooser, stopButton, TEMPERATURES} from "./controls";
import {nextToken} from "./next-token";
import {alternatives, alternativesPopup, doubtLegend, sentenceOutput, tokenTable} from "./tokens";

const MAX_SHADE = 0.6;

const isGenerator = (): boolean => chosenModel()?.arch === "decoder";

const predictionBar = ({label, prob}: PredictedLabel): TemplateResult =>
  html`<div class="change" role="listitem">
    <bdi>${displayToken(label)}</bdi>
    <span class="track"><span ${styleProperties({width: `${100 * prob}%`})}></span></span
    ><span class="number">${(100 * prob).toFixed(0)} %</span>
  </div>`;

/** The probabilities of the labels. */
function predictions(): TemplateResult | typeof nothing {
  const predicted = state.inspection.result?.predicted;
  const {attribution} = state.output;
  if (!predicted?.length) return nothing;
  const target = chosenModel()?.task === "classify" ? "the likeliest class" : "the chosen token";
  const legend = html`<p class="legend">
      <span>${help("moved", "moved it")} little ${colourRamp("heat", MAX_SHADE)} much</span>
    </p>
    <p class="hint">The tokens that moved ${target}: the stronger the colour, the more. ${attribution?.caveat}</p>`;
  return html`<div id="predicted" role="list">${predicted.map(predictionBar)}</div> ${attribution ? legend : nothing}`;
}

/** The text, coloured by the shares of its tokens in the prediction. */
function attributedText(): TemplateResult | typeof nothing {
  const sentence = chosenSentence();
  if (!sentence || !state.inspection.result) return nothing;
  const {outputPosition} = state.view;
  const rows = state.output.attribution?.shares;
  const shares = rows?.length === 1 ? rows[0] : rows?.[Math.min(outputPosition, rows.length - 1)];
  const direction = textDirection(sentence.text);
  const spelled = sentence.tokens.map(each => each.token);
  const levels = textLevels(spelled, direction);
  const token = (each: string, position: number): Boxed => {
    const share = shares?.[position] ?? 0;
    const box = html`<button
      class="token"
      dir=${tokenDirection(each, levels[position]!)}
      aria-pressed=${outputPosition === position}
      data-place=${position}
      data-share=${share.toFixed(3)}
      ${styleProperties({background: shares ? translucent("heat", MAX_SHADE * share) : ""})}
      @click=${() => update({view: {outputPosition: position}})}
      >${displayToken(each)}</button
    >`;
    return {space: nothing, box};
  };
  return html`<p class="output" id="moved" dir=${direction}>${inRuns(spelled.map(token), levels, direction)}</p>`;
}

function controls(): TemplateResult {
  const {text, maxTokens, temperature} = state.request;
  const length = numberChooser(
    "length",
    TOKEN_LIMITS,
    maxTokens,
    value => update({request: {maxTokens: value}}),
    "Tokens",
  );
  const sampling = numberChooser(
    "temperature",
    TEMPERATURES,
    temperature,
    value => update({request: {temperature: value}}),
    "Temperature",
  );
  const options = html`<label>Tokens ${length}</label> <label>Temperature ${sampling}</label>`;
  return html`<div class="controls">
    <button class="primary" @click=${() => void runModel()} ?disabled=${!text.trim() && !isGenerator()}
      >${isGenerator() ? "Continue" : "Read"}</button
    >
    ${stopButton("translate")} ${isGenerator() ? html`${drawAgainButton(() => void runModel())} ${options}` : nothing}
  </div>`;
}

function saveOutput(sentence: Sentence): TemplateResult {
  const selectors = ["#output", "#doubts", ".alternatives"];
  if (isGenerator()) return saveMenu("continuation", selectors, tokenTable, () => state.output.sentences);
  const predicted = state.inspection.result?.predicted ?? [];
  const table = (): Row[] => [["label", "probability"], ...predicted.map(({label, prob}) => [label, prob])];
  const tokens = sentence.tokens.map(each => each.token);
  return saveMenu("predicted", selectors, table, () => ({
    predicted: state.inspection.result?.predicted,
    tokens,
    moved: state.output.attribution?.shares,
  }));
}

function output(sentence: Sentence | undefined): TemplateResult {
  if (!isGenerator()) return html`${predictions()} ${attributedText()}`;
  if (sentence) return sentenceOutput(sentence, 0);
  return html`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`;
}

export function panel(): TemplateResult {
  const sentence = chosenSentence();
  const isWritten = isGenerator() && sentence !== undefined;
  const isRunning = Boolean(state.status.busy.translate);
  const onKey = (event: KeyboardEvent): void => {
    if (isSubmission(event)) void runModel();
  };
  return html`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${modelChooser()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${isGenerator() ? "Text to continue" : "Text to read"}
          placeholder=${isGenerator() ? "Write how it begins." : "Write or paste a text."}
          .value=${live(state.request.text)}
          @input=${(event: Event) => update({request: {text: valueOf(event)}})}
          @keydown=${onKey}
        ></textarea>
        ${controls()}
      </div>
      <div>
        <div class="head">
          <h2>${isGenerator() ? "Continuation" : "What the model says"}</h2>
          ${sentence?.isDone && state.inspection.result ? saveOutput(sentence) : nothing}
        </div>
        <div class=${isOutputStale() || isRunning ? "stale" : ""} aria-busy=${isRunning}>
          <div id="output" aria-live="polite">${output(sentence)}</div>
          ${isWritten ? html`${doubtLegend()} ${alternatives(continuePrefix)} ${nextToken()}` : nothing}
        </div>
        ${isWritten ? alternativesPopup(continuePrefix) : nothing}
      </div>
    </div>
  </section>`;
}
