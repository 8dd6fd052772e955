/** The model during its training: a slider over its snapshots. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import {valueOf} from "../events";
import {inspectChosen, inspectSnapshot} from "../inspection";
import {chosenModel, chosenSentence, isViewOfOther, state, translates} from "../state";
import {help} from "../terms";

export function panel(): TemplateResult | typeof nothing {
  const steps = chosenModel()?.snapshots ?? [];
  if (!steps.length || !translates() || !chosenSentence()?.isDone) return nothing;
  const {snapshot, result: inspection} = state.inspection;
  const index = snapshot === null ? steps.length : steps.indexOf(snapshot); // the model itself comes last
  const choose = (event: Event): void => {
    const step = steps[Number(valueOf(event))];
    void (step === undefined ? inspectChosen() : inspectSnapshot(step));
  };
  const label =
    snapshot === null
      ? "the model itself"
      : html`after <span class="strong number">${snapshot.toLocaleString("en")}</span> steps`;
  const written = html`<p>
    Written then: <bdi id="snapshot-written" class="strong">${inspection?.written || "nothing"}</bdi>
  </p>`;
  return html`<section class="panel snapshots ${isViewOfOther() ? "stale" : ""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">${help("snapshot", "While it was trained")}</h2>
    </div>
    <div class="controls">
      <input
        id="snapshot"
        type="range"
        min="0"
        max=${steps.length}
        step="1"
        .value=${live(String(index))}
        aria-label="Step of training"
        aria-valuetext=${snapshot === null ? "the model itself" : `step ${snapshot}`}
        @input=${choose}
      />
      <span>${label}</span>
    </div>
    ${snapshot !== null && inspection?.written !== undefined ? written : nothing}
    <p class="hint">The panels above show what the model looked at then, while the same translation was written.</p>
  </section>`;
}
