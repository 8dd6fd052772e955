/** The first panel of models that do not translate: a text is continued, or labelled. */

import {html, nothing, type TemplateResult} from "lit-html";
import {stop} from "../asking";
import {colour, directionOf, readable} from "../drawing";
import {isOtherText, model, sentence, state, update} from "../state";
import {ramp} from "../legend";
import {saves, type Row} from "../saving";
import {styled} from "../styled";
import {help} from "../terms";
import {begin, forceWritten, LENGTHS} from "../writing";
import {alternatives, doubts, models, output, peeked, tokenTable} from "./translate";

/** What a model says of the text. */
function predicted(): TemplateResult | typeof nothing {
  const found = state.inspection?.predicted;
  if (!found?.length) return nothing;
  const isClass = model()?.task === "classify";
  return html`<div id="predicted" role="list">
      ${found.map(
        each =>
          html`<div class="change" role="listitem">
            <bdi>${readable(each.label)}</bdi>
            <span class="track"><span ${styled({width: `${100 * each.prob}%`})}></span></span
            ><span class="number">${(100 * each.prob).toFixed(0)} %</span>
          </div>`,
      )}
    </div>
    ${
      state.moved
        ? html`<p class="legend"><span>moved it little ${ramp("heat", 0.6)} much</span> ${help("moved")}</p>
            <p class="hint">
              The tokens that moved ${isClass ? "the likeliest class" : "the chosen token"}: the stronger the colour,
              the more. ${state.moved.caveat}
            </p>`
        : nothing
    }`;
}

/** The text of a model that labels it, coloured by what moved the prediction. */
function moved(): TemplateResult | typeof nothing {
  const one = sentence();
  const row =
    state.moved?.shares[state.moved.shares.length === 1 ? 0 : Math.min(state.step, state.moved.shares.length - 1)];
  if (!one || !state.inspection) return nothing;
  const [red, green, blue] = colour("heat");
  return html`<p class="output" id="moved" dir=${directionOf(one.text)}>
    ${one.tokens.map(
      (each, place) =>
        html`<button
          class="token"
          dir="auto"
          aria-pressed=${state.step === place}
          data-place=${place}
          data-share=${(row?.[place] ?? 0).toFixed(3)}
          ${styled({background: row ? `rgba(${red}, ${green}, ${blue}, ${(0.6 * (row[place] ?? 0)).toFixed(3)})` : ""})}
          @click=${() => update({step: place})}
        >
          ${readable(each.token)}
        </button>`,
    )}
  </p>`;
}

export function panel(): TemplateResult {
  const chosen = model()!;
  const isWriter = chosen.arch === "decoder";
  const one = sentence();
  const table = (): Row[] => [
    ["label", "probability"],
    ...(state.inspection?.predicted ?? []).map(({label, prob}): Row => [label, prob]),
  ];
  return html`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${models()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${isWriter ? "Text to continue" : "Text to read"}
          placeholder=${isWriter ? "Write how it begins." : "Write or paste a text."}
          .value=${state.text}
          @input=${(event: Event) => update({text: (event.target as HTMLTextAreaElement).value})}
          @keydown=${(event: KeyboardEvent) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) begin();
          }}
        ></textarea>
        <div class="controls">
          <button class="primary" @click=${begin} ?disabled=${!state.text.trim() && !isWriter}>
            ${isWriter ? "Continue" : "Read"}
          </button>
          ${state.busy.translate ? html`<button @click=${() => stop("translate")}>Stop</button>` : nothing}
          ${
            isWriter
              ? html`<label
                    >Tokens
                    <select
                      id="length"
                      @change=${(event: Event) => update({length: Number((event.target as HTMLSelectElement).value)})}
                    >
                      ${[...new Set([...LENGTHS, state.length])].sort((a, b) => a - b).map(count => html`<option value=${count} ?selected=${count === state.length}>${count}</option>`)}
                    </select></label
                  >
                  <label
                    >Temperature
                    <select
                      id="temperature"
                      @change=${(event: Event) => update({temperature: Number((event.target as HTMLSelectElement).value)})}
                    >
                      ${[...new Set([0, 0.5, 0.8, 1, 1.3, state.temperature])].sort((a, b) => a - b).map(value => html`<option value=${value} ?selected=${value === state.temperature}>${value}</option>`)}
                    </select></label
                  >`
              : nothing
          }
        </div>
      </div>
      <div>
        <div class="head">
          <h2>${isWriter ? "Continuation" : "What the model says"}</h2>
          ${
            one?.isDone && state.inspection
              ? saves(
                  isWriter ? "continuation" : "predicted",
                  ["#output", "#doubts", ".alternatives"],
                  isWriter ? tokenTable : table,
                  () =>
                    isWriter
                      ? state.sentences
                      : {
                          predicted: state.inspection!.predicted,
                          tokens: one.tokens.map(each => each.token),
                          moved: state.moved?.shares,
                        },
                )
              : nothing
          }
        </div>
        <div class=${isOtherText() || state.busy.translate ? "stale" : ""} aria-busy=${Boolean(state.busy.translate)}>
          <div id="output" aria-live="polite">
            ${
              isWriter
                ? one
                  ? output(one, 0)
                  : html`<p class="hint">
                      The text with its continuation appears here. The stronger a token is coloured, the less the model
                      expected it.
                    </p>`
                : html`${predicted()} ${moved()}`
            }
          </div>
          ${isWriter && one ? html`${doubts()} ${alternatives(forceWritten)}` : nothing}
        </div>
        ${isWriter && one ? peeked(forceWritten) : nothing}
      </div>
    </div>
  </section>`;
}
