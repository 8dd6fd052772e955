/** What each layer would say at a step, and a way to go from step to step. */

import {html, nothing, type TemplateResult} from "lit-html";
import {readable} from "../drawing";
import {styled} from "../styled";
import {sentence, state, update} from "../state";

const SECONDS = 0.9;
let timer = 0;

function play(): void {
  update({isPlaying: !state.isPlaying});
  clearInterval(timer);
  if (!state.isPlaying) return;
  timer = window.setInterval(() => {
    const last = (sentence()?.tokens.length ?? 1) - 1;
    if (state.step >= last) { clearInterval(timer); update({isPlaying: false}); } else update({step: state.step + 1});
  }, 1000 * SECONDS);
}

export function panel(): TemplateResult | typeof nothing {
  const one = sentence(), seen = state.inspection;
  if (!seen || !one) return nothing;
  const last = one.tokens.length - 1, step = Math.min(state.step, last), names = (layer: number): string => layer ? `layer ${layer - 1}` : "embeddings";
  return html`<section class="panel layers" aria-labelledby="layers-title">
    <div class="head"><h2 id="layers-title">Through the layers</h2></div>
    <div class="controls"><button id="play" @click=${play} aria-label=${state.isPlaying ? "Pause" : "Play"}>${state.isPlaying ? "❚❚" : "▶"}</button>
      <input id="step" type="range" min="0" max=${last} step="1" .value=${String(step)} aria-label="Token of the translation" aria-valuetext=${readable(one.tokens[step]?.token ?? "")}
        @input=${(event: Event) => update({step: Number((event.target as HTMLInputElement).value)})}>
      <span>token ${step + 1} of ${last + 1}: <bdi class="strong">${readable(one.tokens[step]?.token ?? "")}</bdi></span></div>
    ${seen.lens.length ? html`<div class="lens" role="list">${seen.lens.map((layer, place) => {
      const [token, prob] = layer[step] ?? ["", 0];
      return html`<div class="change" role="listitem"><span>${names(place)}</span><span class="track"><span ${styled({width: `${100 * prob}%`})}></span></span>
        <bdi class=${token === one.tokens[step]?.token ? "strong" : ""}>${readable(token)}</bdi><span class="number">${(100 * prob).toFixed(0)} %</span></div>`;
    })}</div><p class="hint">What the output layer makes of each layer's state (the logit lens). Early layers were not trained for this: read it as a hint.</p>`
    : html`<p class="hint">This model's layers cannot be read through its output layer.</p>`}
  </section>`;
}
