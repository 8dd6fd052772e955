/** The first panel of models that translate: the text, its translation, and others of the best translations. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import type {CandidateReply} from "../api";
import {inWords, textLevels, tokenDirection} from "../bidi";
import {COPIED, copyText} from "../clipboard";
import {isChecked, isSubmission, valueOf} from "../events";
import {translateFile} from "../file-translation";
import {settleText, startHistoryEntry} from "../history";
import {markDifferences} from "../marks";
import {countTokens} from "../models";
import {saveMenu} from "../save-menu";
import {hasSameTokens, type Sentence} from "../sentence";
import {displayToken, joinClasses, textDirection} from "../spelling";
import {chosenModel, chosenSentence, isOutputStale, state, update, type Changes} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";
import {choosePrefix, chooseTranslation, toggleComparison, translate} from "../translation";
import {drawAgainButton, modelChooser, numberChooser, stopButton, TEMPERATURES} from "./controls";
import {nextToken} from "./next-token";
import {
  alternatives,
  alternativesPopup,
  doubtColour,
  doubtLegend,
  percent,
  sentenceOutput,
  tokenTable,
  wordSpace,
} from "./tokens";

/** The time without typing before a translation begins. */
const TYPING_PAUSE_MS = 300;
const BEAM_SIZES = [1, 2, 3, 5, 8, 12];
const HTML_TAG = /<\/?[a-z][^>]*>/i;

let typingTimer = 0;

function onInput(event: Event): void {
  const text = valueOf(event);
  update({request: {text, isHtml: state.request.isHtml && HTML_TAG.test(text)}, output: {isExample: false}});
  clearTimeout(typingTimer);
  typingTimer = window.setTimeout(() => {
    if (state.request.text !== text) return; // the browser has gone back to another
    void countTokens();
    if (state.request.translatesWhileTyping) void translate();
  }, TYPING_PAUSE_MS);
}

/** Translate again with another option. */
function change(request: NonNullable<Changes["request"]>): void {
  update({request});
  void translate();
}

function submit(): void {
  startHistoryEntry();
  void translate();
}

function nBestItem(hypothesis: CandidateReply, sentence: Sentence): TemplateResult {
  const {text, score} = hypothesis;
  const number = html`<span class="number">${score.toFixed(3)}</span>`;
  if (!text) return html`<li><span class="hint">nothing</span> ${number}</li>`;
  const {compared} = state.output;
  const isCompared = compared !== null && hasSameTokens(hypothesis, compared);
  const choose = (): void => {
    startHistoryEntry();
    void chooseTranslation(hypothesis);
  };
  const compare = html`<button
    class="compare"
    aria-pressed=${isCompared}
    @click=${() => void toggleComparison(hypothesis)}
    >compare</button
  >`;
  return html`<li>
    <button class="link" aria-pressed=${text === sentence.text} @click=${choose}><bdi>${text}</bdi></button>
    ${number} ${text === sentence.text ? nothing : compare}
  </li>`;
}

/** Whether the reader has opened the other translations; they stay open for the next text. */
let areOthersOpen = false;

/** The best translations, each text once: a text may be written with several sequences of tokens. */
function nBestList(): TemplateResult | typeof nothing {
  const sentence = chosenSentence();
  if (!sentence?.isDone) return nothing;
  const {nBest} = sentence;
  const hypotheses = nBest.filter(({text}, index) => nBest.findIndex(other => other.text === text) === index);
  if (hypotheses.length < 2) return nothing;
  const number = hypotheses.length - 1;
  const keep = (event: Event): void => {
    areOthersOpen = (event.target as HTMLDetailsElement).open;
  };
  return html`<details class="nbest" ?open=${areOthersOpen} @toggle=${keep}>
    <summary>${number} other ${number === 1 ? "translation" : "translations"}</summary>
    <p class="hint">${help("best", "The best translations")}, best first:</p>
    <ol>
      ${hypotheses.map(each => nBestItem(each, sentence))}
    </ol>
  </details>`;
}

/** Another translation beside the chosen one, with the probabilities of its tokens. */
function comparison(): TemplateResult | typeof nothing {
  const sentence = chosenSentence();
  const {compared} = state.output;
  if (!sentence?.isDone || !compared) return nothing;
  const sum = ({tokens}: Sentence): string =>
    tokens.reduce((total, each) => total + (each.log_prob ?? 0), 0).toFixed(2);
  const spelled = compared.tokens.map(each => each.token);
  const direction = textDirection(compared.text);
  const levels = textLevels(spelled, direction);
  const tokens = compared.tokens.map(({token, log_prob: logProb}, position) => ({
    space: wordSpace(token, position),
    box: html`<span
      class="token ${joinClasses(spelled, position)}"
      dir=${tokenDirection(token, levels[position]!)}
      title=${percent(logProb!)}
      ${styleProperties(doubtColour(logProb))}
      >${displayToken(token)}</span
    >`,
  }));
  return html`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${sum(compared)}</span> in place of
      <span class="strong number">${sum(sentence)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${direction}>${inWords(tokens, spelled, levels, direction)}</p>
    <p dir="auto">${markDifferences(compared.text, sentence.text)}</p>
  </div>`;
}

function fileButton(): TemplateResult {
  const read = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    if (file) void translateFile(file);
    input.value = "";
  };
  return html`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${read}
  /></label>`;
}

function tokenCount(): TemplateResult | typeof nothing {
  const {total, longestSentence, sentenceLimit, truncatedSentences} = state.tokenCounts;
  if (total === null) return nothing;
  const truncated = truncatedSentences === 1 ? "1 sentence is" : `${truncatedSentences} sentences are`;
  return html`<span id="count" class="hint ${truncatedSentences ? "warning" : ""}"
    >${total} ${help("tokens", "tokens")}${truncatedSentences ? `; ${truncated} cut` : ""}; a sentence may have
    ${sentenceLimit}, the longest has ${longestSentence}</span
  >`;
}

/** Controls that some texts need: another sample, tags of HTML. */
function optionalControls(): TemplateResult {
  const {text, isHtml} = state.request;
  const htmlBox = html`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${live(isHtml)}
      @change=${(event: Event) => change({isHtml: isChecked(event)})}
    />
    as HTML</label
  >`;
  return html`${drawAgainButton(() => void translate())} ${HTML_TAG.test(text) ? htmlBox : nothing}`;
}

function controls(): TemplateResult {
  const {text, translatesWhileTyping, beamSize, temperature} = state.request;
  const beam = numberChooser("beam", BEAM_SIZES, beamSize, size => change({beamSize: size, temperature: 0}), "Beam");
  const sampling = numberChooser(
    "temperature",
    TEMPERATURES,
    temperature,
    value => change({temperature: value}),
    "Sampling",
    value => value || "off",
  );
  return html`<div class="controls">
    <button class="primary" @click=${submit} ?disabled=${!text.trim()}>Translate</button>
    ${stopButton("translate")} ${optionalControls()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${live(translatesWhileTyping)}
            @change=${(event: Event) => update({request: {translatesWhileTyping: isChecked(event)}})}
          />
          while typing</label
        >
        <span class="together">${help("beam", "Beam")} ${beam}</span>
        <span class="together">${help("sampling", "Sampling")} ${sampling}</span>
        ${fileButton()} ${stopButton("file")} ${tokenCount()}
      </div>
    </details>
  </div>`;
}

/** Texts of the model's own data, until there is a text. */
function examples(): TemplateResult | typeof nothing {
  const texts = chosenModel()?.examples ?? [];
  const isUnused = state.output.isExample || !state.request.text;
  if (!isUnused || !texts.length) return nothing;
  const choose = (text: string): void => {
    startHistoryEntry();
    update({request: {text}, output: {isExample: false}});
    void countTokens();
    void translate();
  };
  const hasOthers = texts.some(text => text !== state.request.text);
  const ofExample = hasOthers ? "An example. Write over it, or take another:" : "An example. Write over it.";
  return html`<p class="hint">
    ${state.output.isExample ? ofExample : hasOthers ? "For example:" : nothing}
    ${texts.map((text, index) => {
      if (text === state.request.text) return nothing;
      return html`<button class="link" title=${text} @click=${() => choose(text)}
        ><span class="whole">${text}</span><span class="short" aria-hidden="true">${index + 1}</span></button
      > `;
    })}
  </p>`;
}

function output(): TemplateResult | TemplateResult[] {
  const {html: translated, sentences} = state.output;
  if (translated) return html`<pre class="html">${translated}</pre>`;
  if (sentences.length) return sentences.map(sentenceOutput);
  return html`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`;
}

/** Buttons that copy and save the translation, once there is one. */
function outputButtons(): TemplateResult {
  const {html: translated, sentences} = state.output;
  const isDone = translated !== "" || (sentences.length > 0 && sentences.every(each => each.isDone));
  const whole = (): string => translated || sentences.map(({separator, text}) => `${separator ?? ""}${text}`).join("");
  const save = (): TemplateResult =>
    saveMenu("translation", ["#output", "#doubts", ".alternatives"], tokenTable, () => sentences);
  const copy = html`<button id="copy" @click=${() => void copyText(whole())}
    >${state.status.notice === COPIED ? "Copied" : "Copy"}</button
  >`;
  return html`${isDone ? copy : nothing} ${sentences.some(each => each.isDone) ? save() : nothing}`;
}

function translation(): TemplateResult {
  const {sentences} = state.output;
  const isRunning = Boolean(state.status.busy.translate);
  const isStale = isOutputStale() || (isRunning && state.output.isEarlier);
  const staleHint = html`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;
  return html`<div>
    <div class="head">
      <h2>Translation</h2>
      ${outputButtons()}
    </div>
    <div class=${isStale ? "stale" : ""} aria-busy=${isRunning}>
      <div id="output" aria-live="polite">${output()}</div>
      ${isOutputStale() && !isRunning ? staleHint : nothing} ${sentences.length ? doubtLegend() : nothing}
      ${alternatives(choosePrefix)} ${nextToken()} ${nBestList()} ${comparison()}
    </div>
    ${alternativesPopup(choosePrefix)}
  </div>`;
}

export function panel(): TemplateResult {
  const onKey = (event: KeyboardEvent): void => {
    if (isSubmission(event)) submit();
  };
  return html`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${modelChooser()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="2"
          class=${state.output.isExample ? "example" : ""}
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${live(state.request.text)}
          @focus=${(event: Event) => {
            if (state.output.isExample) (event.target as HTMLTextAreaElement).select();
          }}
          @input=${onInput}
          @change=${settleText}
          @keydown=${onKey}
        ></textarea>
        ${controls()} ${examples()}
      </div>
      ${translation()}
    </div>
  </section>`;
}
