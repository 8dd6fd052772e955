/** The text, its translation token by token, what could stand in the place of each, and the best translations. */

import {html, nothing, type TemplateResult} from "lit-html";
import {canBeForced, compare, count, force, isSame, look, spelled, takeBack, take_rank, translate} from "../actions";
import {stop} from "../asking";
import {copy} from "../copying";
import {colour, directionOf, joins, readable} from "../drawing";
import {translateFile} from "../files";
import {ramp} from "../legend";
import {marked, newTokens} from "../marked";
import {saves, type Row} from "../saving";
import {styled} from "../styled";
import {isOtherText, keyOf, mark, model, sentence, state, update} from "../state";
import {help} from "../terms";
import {changeModel} from "../writing";
import type {Sentence, Token} from "../server";

const REST = 300; // milliseconds without typing, before a translation begins
let timer = 0;

function typed(text: string): void {
  update({text, isHtml: state.isHtml && /<\/?[a-z][^>]*>/i.test(text)});
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    void count();
    if (state.live) void translate();
  }, REST);
}

export const percent = (logProb: number): string =>
  `${(100 * Math.exp(logProb)).toFixed(logProb > Math.log(0.1) ? 0 : 1)} %`;

/** The colour of a token: the less probable, the stronger. */
function doubt(logProb: number | null): Record<string, string> {
  if (logProb === null) return {background: ""};
  const [red, green, blue] = colour("doubt");
  const share = Math.min(1, -logProb / 3);
  return {background: `rgba(${red}, ${green}, ${blue}, ${(0.55 * share).toFixed(3)})`};
}

/** Choose a token; in another sentence, the panels follow. */
function choose(at: number, place: number): void {
  const isOther = state.at !== at;
  update({at, step: place, compared: isOther ? null : state.compared});
  if (isOther) void look();
}

/** The arrows go from token to token: all tokens of a sentence are one stop of the tabulator. */
function onKey(event: KeyboardEvent, at: number, place: number): void {
  const count = state.sentences[at]!.tokens.length;
  const isTurned = getComputedStyle(event.target as Element).direction === "rtl";
  const to: Record<string, number> = {
    ArrowLeft: place + (isTurned ? 1 : -1),
    ArrowRight: place + (isTurned ? -1 : 1),
    Home: 0,
    End: count - 1,
  };
  const next = to[event.key];
  if (next === undefined || next < 0 || next >= count || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  choose(at, next);
  document.querySelector<HTMLElement>(`[data-sentence="${at}"] [data-place="${next}"]`)?.focus();
}

function chip(one: Sentence, place: number, at: number, isNew: boolean): TemplateResult {
  const each = one.tokens[place]!;
  const isChosen = state.at === at && state.step === place;
  const isForced = one.edit?.forced === place && one.edit.token === each.token;
  const isStop = state.at === at ? isChosen || (place === 0 && state.step >= one.tokens.length) : place === 0;
  const joined = joins(one.tokens, place);
  return html`<button
    class="token ${isNew ? "new" : ""} ${isForced ? "forced" : ""} ${joined}"
    ${styled(doubt(each.log_prob))}
    aria-pressed=${isChosen}
    tabindex=${isStop ? 0 : -1}
    data-place=${place}
    aria-description=${each.log_prob === null ? "" : percent(each.log_prob)}
    title=${isForced ? "written by you" : nothing}
    @click=${() => choose(at, place)}
    @keydown=${(event: KeyboardEvent) => onKey(event, at, place)}
    @pointerenter=${(event: PointerEvent) => {
      if (event.pointerType !== "touch") peekAt(event, at, place);
    }}
    @pointerleave=${leave}
    dir="auto"
  >
    ${readable(each.token)}
  </button>`;
}

const TRAVEL = 200; // milliseconds in which the pointer may go from a token to its alternatives
let leaving = 0;

function peekAt(event: Event, at: number, place: number): void {
  const {left, bottom} = (event.target as HTMLElement).getBoundingClientRect();
  clearTimeout(leaving);
  if (state.sentences[at]?.tokens[place]?.alternatives.length) update({peek: {at, place, left, top: bottom}});
}

function leave(): void {
  clearTimeout(leaving);
  leaving = window.setTimeout(() => {
    if (state.peek) update({peek: null});
  }, TRAVEL);
}

const PEEK_WIDTH = 280;

/** The alternatives of the token under the pointer. Whoever has no pointer chooses the token: they are in the panel, then. */
export function peeked(take: (place: number, token: string) => Promise<void>): TemplateResult | typeof nothing {
  const {peek} = state;
  const one = peek && state.sentences[peek.at];
  const token = one?.tokens[peek!.place];
  if (!peek || !one || !token || (peek.at === state.at && peek.place === state.step)) return nothing;
  const force = (other: string): void => {
    update({at: peek.at, step: peek.place, peek: null});
    void take(peek.place, other);
  };
  return html`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${() => clearTimeout(leaving)}
    @pointerleave=${leave}
    ${styled({left: `${Math.max(8, Math.min(peek.left, innerWidth - PEEK_WIDTH - 8))}px`, top: `${peek.top}px`})}
  >
    ${bars(one, token, force, -1)}
  </div>`;
}

function bars(one: Sentence, chosen: Token, take: (token: string) => void, stop: number): TemplateResult[] {
  return chosen.alternatives.map(
    ([token, logProb]) =>
      html` <button
        class="bar ${token === chosen.token ? "own" : ""}"
        tabindex=${stop}
        ?disabled=${token === chosen.token || !one.isDone || !canBeForced(token)}
        @click=${() => take(token)}
      >
        <bdi>${readable(token)}</bdi
        ><span class="track"><span ${styled({width: `${100 * Math.exp(logProb)}%`})}></span></span>
        <span class="number">${percent(logProb)}</span>
      </button>`,
  );
}

/** What could have been written in the place of the chosen token. */
export function alternatives(take: (place: number, token: string) => Promise<void>): TemplateResult | typeof nothing {
  const one = sentence();
  const chosen = one?.tokens[state.step];
  if (!one || !chosen?.alternatives.length) return nothing;
  return html`<div
    class="alternatives"
    role="group"
    aria-label="Other tokens in the place of ${readable(chosen.token)}"
  >
    <p class="hint">
      In the place of <bdi class="strong">${readable(chosen.token)}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${bars(one, chosen, token => void take(state.step, token), 0)}
  </div>`;
}

export function output(one: Sentence, at: number): TemplateResult {
  const marks = newTokens(one);
  const {original} = one;
  return html`<p
      class="output"
      dir=${directionOf(spelled(one.tokens.map(each => each.token)))}
      data-sentence=${at}
      role="group"
      aria-label="Sentence ${at + 1}"
    >
      ${one.tokens.map((each, place) => html`${place && each.token.startsWith("▁") ? " " : nothing}${chip(one, place, at, marks[place]!)}`)}${
        one.isDone || !state.busy.translate ? nothing : html`<span class="caret"></span>`
      }
    </p>
    ${
      original && one.isDone
        ? html`<p class="before hint">
            before: <bdi>${marked(original.text, one.text, true)}</bdi> ${
              at === state.at
                ? html`<button id="take-back" data-unsaved @click=${() => void takeBack()}>Take it back</button>`
                : nothing
            }
          </p>`
        : nothing
    }`;
}

function nBest(): TemplateResult | typeof nothing {
  const one = sentence();
  const others = (one?.nBest ?? []).filter(
    (each, place, all) => all.findIndex(other => other.text === each.text) === place,
  ); // one text may be written with several sequences of tokens
  if (!one?.isDone || others.length < 2) return nothing;
  return html`<div class="nbest">
    <p class="hint">The best translations${help("best")}</p>
    <ol>
      ${others.map(each =>
        !each.text
          ? html`<li><span class="hint">nothing</span> <span class="number">${each.score.toFixed(3)}</span></li>`
          : html`<li>
              <button
                class="link"
                aria-pressed=${each.text === one.text}
                @click=${() => {
                  mark();
                  void take_rank(each);
                }}
              >
                <bdi>${each.text}</bdi>
              </button>
              <span class="number">${each.score.toFixed(3)}</span>
              ${each.text === one.text ? nothing : html`<button class="compare" aria-pressed=${state.compared !== null && isSame(each, state.compared)} @click=${() => compare(each)}>compare</button>`}
            </li>`,
      )}
    </ol>
  </div>`;
}

/** Another translation beside the chosen one: its tokens, and how likely each is. */
function compared(): TemplateResult | typeof nothing {
  const one = sentence();
  const other = state.compared;
  if (!one?.isDone || !other) return nothing;
  const sum = (of: Sentence): number => of.tokens.reduce((total, each) => total + (each.log_prob ?? 0), 0);
  return html`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${sum(other).toFixed(2)}</span> in place of
      <span class="strong number">${sum(one).toFixed(2)}</span> (the end not counted). Marked words are not in the one
      above.
    </p>
    <p class="output" dir=${directionOf(other.text)}>
      ${other.tokens.map(
        (each, place) =>
          html`${place && each.token.startsWith("▁") ? " " : nothing}<span
              class="token ${joins(other.tokens, place)}"
              dir="auto"
              title=${percent(each.log_prob!)}
              ${styled(doubt(each.log_prob))}
              >${readable(each.token)}</span
            >`,
      )}
    </p>
    <p dir="auto">${marked(other.text, one.text)}</p>
  </div>`;
}

/** What the colour of a token says. */
export const doubts = (): TemplateResult =>
  html`<p class="legend" id="doubts">
    <span>the model was sure ${ramp("doubt", 0.55)} unsure</span> ${
      isAnyNew() ? html`<span><u class="new">underlined</u>: other than before</span>` : nothing
    }
    ${sentence()?.edit?.forced != null ? html`<span><span class="token forced">framed</span>: written by you</span>` : nothing}
    ${help("probability")}
  </p>`;

const isAnyNew = (): boolean => state.sentences.some(one => newTokens(one).some(Boolean));

/** Every token with its probability and those in its place. */
export function tokenTable(): Row[] {
  return [
    ["sentence", "place", "token", "log_prob", "alternative", "its_log_prob"],
    ...state.sentences.flatMap((one, at) =>
      one.tokens.flatMap((each, place): Row[] =>
        (each.alternatives.length ? each.alternatives : [["", null] as const]).map(([other, value]): Row => [
          at,
          place,
          each.token,
          each.log_prob,
          other,
          value,
        ]),
      ),
    ),
  ];
}

/** Which model, where there are several. */
export function models(): TemplateResult {
  if (state.models.length < 2)
    return html`<span class="hint">${/^und-und(-x-|$)/.test(state.direction) ? nothing : state.direction}</span>`;
  return html`<select
    id="model"
    aria-label="Model"
    @change=${(event: Event) => {
      changeModel((event.target as HTMLSelectElement).value);
    }}
  >
    ${state.models.map(each => html`<option value=${keyOf(each)} ?selected=${keyOf(each) === state.direction}>${keyOf(each)}</option>`)}
  </select>`;
}

/** Translate a file, line by line or as HTML, and give the translation as a file. */
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

export function panel(): TemplateResult {
  const examples = model()?.examples ?? [];
  const isUnder = Boolean(state.busy.translate);
  const isOld = isOtherText() || (isUnder && state.sentences.every(each => each.isDone));
  const isAll =
    state.translatedHtml !== "" || (state.sentences.length > 0 && state.sentences.every(each => each.isDone));
  return html`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head">
          <h2 id="translate-title">Text</h2>
          ${models()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${state.text}
          @input=${(event: Event) => typed((event.target as HTMLTextAreaElement).value)}
          @keydown=${(event: KeyboardEvent) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              mark();
              void translate();
            }
          }}
        ></textarea>
        <div class="controls">
          <button
            class="primary"
            @click=${() => {
              mark();
              void translate();
            }}
            ?disabled=${!state.text.trim()}
          >
            Translate
          </button>
          ${state.busy.translate ? html`<button @click=${() => stop("translate")}>Stop</button>` : nothing}
          <label
            ><input
              type="checkbox"
              .checked=${state.live}
              @change=${(event: Event) => update({live: (event.target as HTMLInputElement).checked})}
            />
            while typing</label
          >
          <label
            >Beam
            <select
              id="beam"
              @change=${(event: Event) => {
                update({beam: Number((event.target as HTMLSelectElement).value), temperature: 0});
                void translate();
              }}
            >
              ${[...new Set([1, 2, 3, 5, 8, 12, state.beam])].sort((a, b) => a - b).map(size => html`<option value=${size} ?selected=${!state.temperature && size === state.beam}>${size}</option>`)}
            </select></label
          >${help("beam")}
          <label
            >Sampling
            <select
              id="temperature"
              @change=${(event: Event) => {
                update({temperature: Number((event.target as HTMLSelectElement).value)});
                void translate();
              }}
            >
              ${[...new Set([0, 0.5, 0.8, 1, 1.3, state.temperature])].sort((a, b) => a - b).map(value => html`<option value=${value} ?selected=${value === state.temperature}>${value || "off"}</option>`)}
            </select></label
          >${help("sampling")}
          ${
            state.temperature && state.text.trim()
              ? html`<button
                  id="again"
                  @click=${() => {
                    update({seed: state.seed + 1});
                    void translate();
                  }}
                >
                  Draw again
                </button>`
              : nothing
          }
          ${
            /<\/?[a-z][^>]*>/i.test(state.text)
              ? html`<label
                  ><input
                    id="html"
                    type="checkbox"
                    .checked=${state.isHtml}
                    @change=${(event: Event) => {
                      update({isHtml: (event.target as HTMLInputElement).checked});
                      void translate();
                    }}
                  />
                  as HTML</label
                >`
              : nothing
          }
          ${
            state.numTokens === null
              ? nothing
              : html`<span id="count" class="hint ${state.numCut ? "warning" : ""}"
                    >${state.numTokens}
                    tokens${
                      state.numCut
                        ? `; ${state.numCut === 1 ? "1 sentence is" : `${state.numCut} sentences are`} cut`
                        : ""
                    };
                    a sentence may have ${state.maxTokens}, the longest has ${state.longest}</span
                  >${help("tokens")}`
          }
          ${fileButton()}
        </div>
        ${
          state.text || !examples.length
            ? nothing
            : html`<p class="hint">
                For example:
                ${examples.map(
                  text =>
                    html`<button
                      class="link"
                      @click=${() => {
                        mark();
                        update({text});
                        void count();
                        void translate();
                      }}
                    >
                      ${text}
                    </button> `,
                )}
              </p>`
        }
      </div>
      <div>
        <div class="head">
          <h2>Translation</h2>
          ${isAll ? html`<button id="copy" @click=${() => void copy(state.translatedHtml || state.sentences.map(({gap, text}) => `${gap ?? ""}${text}`).join(""))}>Copy</button>` : nothing}
          ${state.sentences.some(each => each.isDone) ? saves("translation", ["#output", "#doubts", ".alternatives"], tokenTable, () => state.sentences) : nothing}
        </div>
        <div class=${isOld ? "stale" : ""} aria-busy=${isUnder}>
          <div id="output" aria-live="polite">
            ${
              state.translatedHtml
                ? html`<pre class="html">${state.translatedHtml}</pre>`
                : state.sentences.length
                  ? state.sentences.map(output)
                  : html`<p class="hint">
                      The translation appears here, token by token. The stronger a token is coloured, the less sure the
                      model was of it.
                    </p>`
            }
          </div>
          ${isOtherText() && !isUnder ? html`<p class="hint" id="other-text">This is the translation of another text than the one that stands there now.</p>` : nothing}
          ${state.sentences.length ? doubts() : nothing}
          <div class="beside">${alternatives(force)} ${nBest()}</div>
          ${compared()}
        </div>
        ${peeked(force)}
      </div>
    </div>
  </section>`;
}
