/** What each layer would say at a step, and a way to go from step to step. */

import {html, nothing, type TemplateResult} from "lit-html";
import {readable} from "../drawing";
import {styled} from "../styled";
import {FLOW, isBehind, METHODS, state, update} from "../state";
import {saves, type Row} from "../saving";
import {bringUp} from "../scrolling";
import {help} from "../terms";
import {chooseHead} from "../actions";
import {percent} from "./translate";

const SECONDS = 0.9;
let timer = 0;

function play(): void {
  update({isPlaying: !state.isPlaying});
  clearInterval(timer);
  if (!state.isPlaying) return;
  timer = window.setInterval(() => {
    const last = (state.looked?.tokens.length ?? 1) - 1;
    if (state.step >= last) {
      clearInterval(timer);
      update({isPlaying: false});
    } else update({step: state.step + 1});
  }, 1000 * SECONDS);
}

/** The layers at a step. */
function lens(layers: [string, number][][], step: number, expected: string | undefined): TemplateResult {
  return html`<div class="lens" role="list">
      ${layers.map((layer, place) => {
        const [token, prob] = layer[step] ?? ["", 0];
        return html`<div class="change" role="listitem">
          <span>${place ? `layer ${place - 1}` : "embeddings"}</span
          ><span class="track"><span ${styled({width: `${100 * prob}%`})}></span></span>
          <bdi class=${token === expected ? "strong" : ""}>${readable(token)}</bdi
          ><span class="number">${(100 * prob).toFixed(0)} %</span>
        </div>`;
      })}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the logit lens). Early layers were not trained for this: read
      it as a hint.
    </p>`;
}

export function panel(): TemplateResult | typeof nothing {
  const one = state.looked;
  const seen = state.inspection;
  if (!seen || !one) return nothing;
  const last = Math.max(0, one.tokens.length - 1);
  const step = Math.min(state.step, last);
  const chosen = one.tokens[step];
  const table = (): Row[] => [
    ["step", "layer", "token", "probability"],
    ...seen.lens.flatMap((layer, place) =>
      layer.map(([token, prob], at): Row => [at, place ? place - 1 : "embeddings", token, prob]),
    ),
  ];
  const isNext = seen.target === null && seen.token_log_probs.length > 0; // a language model: the layers speak of the next token
  return html`<section class="panel layers ${isBehind() ? "stale" : ""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${seen.lens.length ? help("lens") : nothing}
      ${seen.lens.length ? saves("layers", [".lens"], table, () => ({tokens: one.tokens.map(each => each.token), layers: seen.lens})) : nothing}
    </div>
    <div class="controls">
      <button id="play" @click=${play} aria-label=${state.isPlaying ? "Pause" : "Play"}>
        ${state.isPlaying ? "❚❚" : "▶"}
      </button>
      <input
        id="step"
        type="range"
        min="0"
        max=${last}
        step="1"
        .value=${String(step)}
        aria-label="Token"
        aria-valuetext=${readable(chosen?.token ?? "")}
        @input=${(event: Event) => update({step: Number((event.target as HTMLInputElement).value)})}
      />
      <span
        >token ${step + 1} of ${last + 1}:
        <bdi class="strong">${readable(chosen?.token ?? "")}</bdi>
        ${typeof chosen?.log_prob === "number" ? html`<span id="probability">${percent(chosen.log_prob)}</span>` : nothing}</span
      >
    </div>
    ${isNext && seen.lens.length ? html`<p class="hint">After this token, each layer would write:</p>` : nothing}
    ${
      seen.lens.length
        ? lens(seen.lens, step, one.tokens[isNext ? step + 1 : step]?.token)
        : html`<p class="hint">
            ${state.stored ? "This page was stored without what each layer would say; regard inspect --lens stores it." : "This model's layers cannot be read through its output layer."}
          </p>`
    }
    ${
      state.stored
        ? nothing
        : html`<p class="flows">
            <span class="hint">What reached the output through all layers:</span> ${METHODS.map(
              method =>
                html`<button
                  aria-pressed=${state.head === `${FLOW}${method}`}
                  @click=${() => {
                    void chooseHead(`${FLOW}${method}`);
                    bringUp(".alignment");
                  }}
                >
                  ${method.replace("-", " ")}
                </button>`,
            )}${help("flow")}
          </p>`
    }
    ${state.flow && state.head.startsWith(FLOW) ? html`<p class="hint" id="caveat">The alignment shows it. ${state.flow.caveat}</p>` : nothing}
  </section>`;
}
