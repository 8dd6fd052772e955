/** Sentences token by token, with the alternatives of each token. */

import {html, nothing, type TemplateResult} from "lit-html";
import {inWords, textLevels, tokenDirection, type Boxed} from "../bidi";
import {translucent} from "../colours";
import {colourRamp} from "../colour-ramp";
import {hasModifier} from "../events";
import {inspectChosen} from "../inspection";
import {markDifferences, newTokens} from "../marks";
import type {Row} from "../save-menu";
import {joinTokens, type Sentence, type Token} from "../sentence";
import {displayToken, joinClasses, textDirection} from "../spelling";
import {chosenSentence, state, update} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";
import {canEndPrefix, undoEdit} from "../translation";

/** Decode again from a prefix that ends with a token at a position. */
type ChoosePrefix = (position: number, token: string) => Promise<void>;

const MAX_DOUBT = 0.55;
/** A log-probability of the strongest colour. */
const LOWEST_LOG_PROB = -3;

/** A probability in percent; a small one with a digit after the point. */
export const percent = (logProb: number): string =>
  `${(100 * Math.exp(logProb)).toFixed(logProb > Math.log(0.1) ? 0 : 1)} %`;

/** The colour of a token: the less probable, the stronger. */
export const doubtColour = (logProb: number | null): Record<string, string> => ({
  background: logProb === null ? "" : translucent("doubt", MAX_DOUBT * Math.min(1, logProb / LOWEST_LOG_PROB)),
});

/** Choose a token; if it is of another sentence, that is inspected. */
function chooseToken(sentenceIndex: number, outputPosition: number): void {
  const isOther = state.view.sentenceIndex !== sentenceIndex;
  update({view: {sentenceIndex, outputPosition}}, isOther ? {output: {compared: null}} : {});
  if (isOther) void inspectChosen();
}

/** Go from token to token with the arrow keys: all tokens of a sentence are one stop of the tabulator. */
function onKey(event: KeyboardEvent, sentenceIndex: number, position: number): void {
  const count = state.output.sentences[sentenceIndex]!.tokens.length;
  const right = getComputedStyle(event.target as Element).direction === "rtl" ? -1 : 1;
  const targets: Record<string, number> = {
    ArrowLeft: position - right,
    ArrowRight: position + right,
    Home: 0,
    End: count - 1,
  };
  const next = targets[event.key];
  if (next === undefined || next < 0 || next >= count || hasModifier(event)) return;
  event.preventDefault();
  chooseToken(sentenceIndex, next);
  document.querySelector<HTMLElement>(`[data-sentence="${sentenceIndex}"] [data-place="${next}"]`)?.focus();
}

function isPrefixEnd({edit}: Sentence, token: Token, position: number): boolean {
  return edit?.kind === "prefix" && edit.position === position && edit.token === token.token;
}

function tokenButton(
  sentence: Sentence,
  position: number,
  sentenceIndex: number,
  isNew: boolean,
  joined: string,
  level: number,
): TemplateResult {
  const token = sentence.tokens[position]!;
  const {outputPosition} = state.view;
  const isChosenSentence = state.view.sentenceIndex === sentenceIndex;
  const isChosen = isChosenSentence && outputPosition === position;
  const isFirstStop = position === 0 && (!isChosenSentence || outputPosition >= sentence.tokens.length);
  const isEnd = isPrefixEnd(sentence, token, position);
  return html`<button
    class="token ${isNew ? "new" : ""} ${isEnd ? "prefix-end" : ""} ${joined}"
    ${styleProperties(doubtColour(token.log_prob))}
    aria-pressed=${isChosen}
    tabindex=${isChosen || isFirstStop ? 0 : -1}
    data-place=${position}
    aria-description=${token.log_prob === null ? "" : percent(token.log_prob)}
    title=${isEnd ? "written by you" : nothing}
    @click=${() => chooseToken(sentenceIndex, position)}
    @keydown=${(event: KeyboardEvent) => onKey(event, sentenceIndex, position)}
    @pointerenter=${(event: PointerEvent) => onPointerEnter(event, sentenceIndex, position)}
    @pointerleave=${hidePopup}
    dir=${tokenDirection(token.token, level)}
    >${displayToken(token.token)}</button
  >`;
}

/** The time in which the pointer may go from a token to its alternatives. */
const POPUP_DELAY_MS = 200;
const POPUP_WIDTH = 280;
const POPUP_MARGIN = 8;
let popupTimer = 0;

function onPointerEnter(event: PointerEvent, sentenceIndex: number, position: number): void {
  if (event.pointerType === "touch") return;
  clearTimeout(popupTimer);
  if (!state.output.sentences[sentenceIndex]?.tokens[position]?.alternatives.length) return;
  const {left, bottom} = (event.target as HTMLElement).getBoundingClientRect();
  update({view: {hoveredToken: {sentenceIndex, position, left, bottom}}});
}

function hidePopup(): void {
  clearTimeout(popupTimer);
  popupTimer = window.setTimeout(() => {
    if (state.view.hoveredToken) update({view: {hoveredToken: null}});
  }, POPUP_DELAY_MS);
}

/** The alternatives of the token under the pointer. Readers without a pointer find them in the panel. */
export function alternativesPopup(choosePrefix: ChoosePrefix): TemplateResult | typeof nothing {
  const {hoveredToken, sentenceIndex: chosenIndex, outputPosition} = state.view;
  if (!hoveredToken) return nothing;
  const {sentenceIndex, position, left, bottom} = hoveredToken;
  const sentence = state.output.sentences[sentenceIndex];
  const token = sentence?.tokens[position];
  if (!token || (sentenceIndex === chosenIndex && position === outputPosition)) return nothing;
  const choose = (other: string): void => {
    update({view: {sentenceIndex, outputPosition: position, hoveredToken: null}});
    void choosePrefix(position, other);
  };
  const maxLeft = innerWidth - POPUP_WIDTH - POPUP_MARGIN;
  const place = {left: `${Math.max(POPUP_MARGIN, Math.min(left, maxLeft))}px`, top: `${bottom}px`};
  return html`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${() => clearTimeout(popupTimer)}
    @pointerleave=${hidePopup}
    ${styleProperties(place)}
  >
    ${alternativeButtons(sentence, token, choose, -1)}
  </div>`;
}

function alternativeButtons(
  sentence: Sentence,
  chosen: Token,
  choose: (token: string) => void,
  tabIndex: number,
): TemplateResult[] {
  const button = (token: string, logProb: number): TemplateResult => {
    const isChosen = token === chosen.token;
    return html`<button
      class="bar ${isChosen ? "own" : ""}"
      tabindex=${tabIndex}
      ?disabled=${isChosen || !sentence.isDone || !canEndPrefix(token)}
      @click=${() => choose(token)}
      ><bdi>${displayToken(token)}</bdi
      ><span class="track"><span ${styleProperties({width: `${100 * Math.exp(logProb)}%`})}></span></span>
      <span class="number">${percent(logProb)}</span></button
    >`;
  };
  return chosen.alternatives.map(([token, logProb]) => button(token, logProb));
}

/** The alternatives of the chosen token. */
export function alternatives(choosePrefix: ChoosePrefix): TemplateResult | typeof nothing {
  const sentence = chosenSentence();
  const {outputPosition} = state.view;
  const chosen = sentence?.tokens[outputPosition];
  if (!sentence || !chosen?.alternatives.length) return nothing;
  const spelled = displayToken(chosen.token);
  return html`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${spelled}">
    <p class="hint">
      In the place of <bdi class="strong">${spelled}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${alternativeButtons(sentence, chosen, token => void choosePrefix(outputPosition, token), 0)}
  </div>`;
}

/** A button behind a token that the reader wrote: it brings back the sentence as it was. */
const unpinButton = (token: string): TemplateResult =>
  html`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${displayToken(token)} back"
    @click=${() => void undoEdit()}
    >✕</button
  >`;

/** A space between words. */
export const wordSpace = (token: string, position: number): string | typeof nothing =>
  position && token.startsWith("▁") ? " " : nothing;

/** A sentence as it was before the edits of the reader. */
function originalOutput(sentence: Sentence, sentenceIndex: number): TemplateResult | typeof nothing {
  const {original} = sentence;
  if (!original || !sentence.isDone) return nothing;
  const button = html`<button id="take-back" data-unsaved @click=${() => void undoEdit()}>Take it back</button>`;
  return html`<p class="before hint">
    before: <bdi>${markDifferences(original.text, sentence.text, "deleted")}</bdi> ${
      sentenceIndex === state.view.sentenceIndex ? button : nothing
    }
  </p>`;
}

/** The part of a language model's text that was given, or that it has written. */
function run(name: "Given" | "Written", tokens: unknown[], direction: "rtl" | "ltr"): TemplateResult | typeof nothing {
  if (!tokens.length) return nothing;
  const title = name === "Given" ? name : "Written by the model";
  return html`<div class="run ${name.toLowerCase()}" role="group" aria-label=${title}>
    <span class="run-name" aria-hidden="true">${title}</span>
    <p class="output" dir=${direction}>${tokens}</p>
  </div>`;
}

export function sentenceOutput(sentence: Sentence, sentenceIndex: number): TemplateResult {
  const areNew = newTokens(sentence);
  const spelled = sentence.tokens.map(each => each.token);
  const isWriting = !sentence.isDone && state.status.busy.translate;
  const direction = textDirection(joinTokens(spelled));
  const levels = textLevels(spelled, direction);
  const tokens = spelled.map((token, position): Boxed => {
    const joined = joinClasses(spelled, position);
    const button = tokenButton(sentence, position, sentenceIndex, areNew[position]!, joined, levels[position]!);
    const isEnd = sentence.isDone && isPrefixEnd(sentence, sentence.tokens[position]!, position);
    const canUnpin = isEnd && sentenceIndex === state.view.sentenceIndex;
    const box = canUnpin ? html`${button}${unpinButton(token)}` : button;
    return {space: wordSpace(token, position), box};
  });
  const drawn = (begin: number, end?: number): unknown[] =>
    inWords(tokens.slice(begin, end), spelled.slice(begin, end), levels.slice(begin, end), direction);
  const label = `Sentence ${sentenceIndex + 1}`;
  const {numGiven} = sentence;
  if (numGiven) {
    const parts = [run("Given", drawn(0, numGiven), direction), run("Written", drawn(numGiven), direction)];
    return html`<div data-sentence=${sentenceIndex}>${parts}</div> ${originalOutput(sentence, sentenceIndex)}`;
  }
  return html`<p class="output" dir=${direction} data-sentence=${sentenceIndex} role="group" aria-label=${label}>
      ${drawn(0)}${isWriting ? html`<span class="caret"></span>` : nothing}
    </p>
    ${originalOutput(sentence, sentenceIndex)}`;
}

/** The meaning of a token's colour and marks. */
export function doubtLegend(): TemplateResult {
  const hasNew = state.output.sentences.some(sentence => newTokens(sentence).some(Boolean));
  const hasPrefix = chosenSentence()?.edit?.kind === "prefix";
  const newMark = html`<span><u class="new">underlined</u>: other than before</span>`;
  const prefixMark = html`<span><span class="token prefix-end">framed</span>: written by you</span>`;
  return html`<p class="legend" id="doubts">
    <span>${help("probability", "the model was sure")} ${colourRamp("doubt", MAX_DOUBT)} unsure</span>
    ${hasNew ? newMark : nothing} ${hasPrefix ? prefixMark : nothing}
  </p>`;
}

/** All tokens with their log-probabilities and alternatives. */
export function tokenTable(): Row[] {
  const rows = state.output.sentences.flatMap((sentence, sentenceIndex) =>
    sentence.tokens.flatMap(({token, log_prob: logProb, alternatives}, position) => {
      const begin = [sentenceIndex, position, token, logProb];
      return alternatives.length ? alternatives.map(each => [...begin, ...each]) : [[...begin, "", null]];
    }),
  );
  return [["sentence", "place", "token", "log_prob", "alternative", "its_log_prob"], ...rows];
}
