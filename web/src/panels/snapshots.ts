/** The model as it was while it was trained: a slider over its snapshots. */

import {html, nothing, type TemplateResult} from "lit-html";
import {look, lookBack} from "../actions";
import {help} from "../terms";
import {isBehind, model, sentence, state, translates} from "../state";

export function panel(): TemplateResult | typeof nothing {
  const steps = model()?.snapshots ?? [];
  if (!steps.length || !translates() || !sentence()?.isDone) return nothing;
  const place = state.snapshot === null ? steps.length : steps.indexOf(state.snapshot);
  const go = (to: number): void => {
    void (to < steps.length ? lookBack(steps[to]!) : look());
  };
  return html`<section class="panel snapshots ${isBehind() ? "stale" : ""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">While it was trained</h2>
      ${help("snapshot")}
    </div>
    <div class="controls">
      <input
        id="snapshot"
        type="range"
        min="0"
        max=${steps.length}
        step="1"
        .value=${String(place)}
        aria-label="Step of training"
        aria-valuetext=${state.snapshot === null ? "the model itself" : `step ${state.snapshot}`}
        @input=${(event: Event) => go(Number((event.target as HTMLInputElement).value))}
      />
      <span
        >${state.snapshot === null ? "the model itself" : html`after <span class="strong number">${state.snapshot.toLocaleString("en")}</span> steps`}</span
      >
    </div>
    ${state.snapshot !== null && state.inspection?.written !== undefined ? html`<p>Written then: <bdi id="snapshot-written" class="strong">${state.inspection.written || "nothing"}</bdi></p>` : nothing}
    <p class="hint">The panels below show what the model looked at then, while the same translation was written.</p>
  </section>`;
}
