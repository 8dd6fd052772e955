/** What changes when heads are off: the same translation under the weaker model, and what it writes then. */

import {html, nothing, type TemplateResult} from "lit-html";
import {setOff, toggle} from "../actions";
import {readable} from "../drawing";
import {marked} from "../marked";
import {styled} from "../styled";
import {saves} from "../saving";
import type {Ablation} from "../server";
import {canAblate, changedTokens, isBehind, state, translates, writes} from "../state";
import {help} from "../terms";

/** What was stored of ablations. */
function stored(): TemplateResult | typeof nothing {
  const {ablations} = state.inspection!;
  if (!ablations.length) return nothing;
  const table = (): (string | number)[][] => [
    ["heads", "change", "text"],
    ...ablations.map(each => [each.heads.join(" "), each.log_prob_change, each.text]),
  ];
  return html`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${help("nats")} ${saves("without", ["#ablations"], table, () => ablations)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, nats per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody>
        ${ablations.map(
          each =>
            html`<tr>
              <td>${each.heads.join(", ")}</td>
              <td class="number">${each.log_prob_change.toFixed(4)}</td>
              <td dir="auto">${each.text}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

const signed = (value: number, digits: number): string => `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;

/** A bar to the left where a token is less likely without the heads, to the right where it is more likely. */
function bars(labels: string[], values: number[], unit: string): TemplateResult {
  const most = Math.max(unit ? 0.5 : 0.1, ...values.map(Math.abs));
  return html`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${unit ? "token" : "label"}">
    ${values.map(
      (change, place) =>
        html`<div
          class="change"
          role="listitem"
          aria-label="${readable(labels[place] ?? "")} ${change.toFixed(2)} ${unit}"
        >
          <bdi>${readable(labels[place] ?? "")}</bdi>
          <span class="track two"
            ><span
              class=${change < 0 ? "less" : "more"}
              ${styled({width: `${(50 * Math.abs(change)) / most}%`, [change < 0 ? "right" : "left"]: "50%"})}
            ></span
          ></span>
          <span class="number">${signed(change, 2)}</span>
        </div>`,
    )}
  </div>`;
}

/** Of a model that writes: each token after the right ones, and what it writes by itself. */
function written(found: Ablation): TemplateResult {
  const sum = found.token_changes.reduce((part, each) => part + each, 0);
  const kind = translates() ? "translation" : "text";
  const of = state.ablated!;
  const isChosen = of.edit !== null && of.edit.forced === null;
  return html`<p>
      Written then: <bdi class="strong" id="written-then">${marked(found.text, state.ablated!.text)}</bdi>
    </p>
    ${of.prefix ? html`<p class="hint" id="same-prefix">It begins with what you wrote, as the one above does.</p>` : isChosen ? html`<p class="hint" id="same-prefix">You chose the one above; this is the best that was found.</p>` : nothing}
    <p>
      The log-probability of the ${kind} above changes by
      <span class="strong number" id="sum">${signed(sum, 3)}</span> nats${help("nats")},
      <span class="strong number" id="change">${found.log_prob_change.toFixed(3)}</span> per token, each token after the
      right ones:
    </p>
    ${bars(changedTokens(state.ablated), found.token_changes, "nats")}`;
}

/** Of one that labels: how probable each label is then. */
function labelled({predicted}: Ablation): TemplateResult {
  const whole = state.inspection!.predicted ?? [];
  const labels = whole.map(each => each.label);
  const isClass =
    new Set(labels).size === labels.length && labels.every(label => predicted?.some(each => each.label === label));
  if (!predicted || !isClass)
    return html`<p>
      Said then:
      <bdi class="strong" id="written-then"
        >${marked((predicted ?? []).map(each => each.label).join(" "), labels.join(" "))}</bdi
      >
    </p>`;
  const then = (label: string): number => predicted.find(each => each.label === label)!.prob;
  return html`<p>
      Said then: <bdi class="strong" id="written-then">${predicted[0]!.label}</bdi>. The probability of each label
      changes by:
    </p>
    ${bars(
      labels,
      whole.map(({label, prob}) => then(label) - prob),
      "",
    )}`;
}

export function panel(): TemplateResult | typeof nothing {
  const one = state.looked;
  const found = state.ablation;
  const isOld = isBehind() || (found !== null && state.ablated !== one);
  if (!state.inspection || !one) return nothing;
  if (state.stored) return stored();
  if (!canAblate()) return nothing;
  const undo = (): void => {
    void setOff(state.undo.at(-1) ?? [], state.undo.slice(0, -1));
  };
  const table = (): (string | number)[][] =>
    found!.predicted?.length
      ? [["label", "probability"], ...found!.predicted.map(({label, prob}) => [label, prob])]
      : [
          ["token", "change"],
          ...found!.token_changes.map((change, place) => [changedTokens(state.ablated)[place] ?? "", change]),
        ];
  return html`<section class="panel without ${isOld ? "stale" : ""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without them</h2>
      ${state.off.length ? html`<button id="all-on" @click=${() => setOff([], [...state.undo, state.off])}>Switch all on</button>` : nothing}
      ${state.undo.length ? html`<button id="undo" @click=${undo}>Undo</button>` : nothing}
      ${found ? saves("without", ["#written-then", ".without .changes"], table, () => found) : nothing}
    </div>
    ${
      state.off.length === 0
        ? html`<p class="hint">
            Switch a head off: this shows how much less likely each token becomes, and what the model
            ${writes() ? "writes" : "says"} instead.
          </p>`
        : html`<p class="chips">
            ${state.off.length > 24 ? `${state.off.length} heads are off.` : state.off.map(name => html`<button class="chip" title="Switch on" aria-label="Switch ${name} on" @click=${() => toggle([name])}>${name} ✕</button>`)}
          </p>`
    }
    ${
      found
        ? html`${writes() ? written(found) : labelled(found)}
            <p class="legend">
              <span><i class="less"></i> less likely without the heads</span>
              <span><i class="more"></i> more likely</span>
            </p>
            <p class="hint">
              A model was not trained without them, so this is what they are worth here, not what another model could
              do.
            </p>`
        : nothing
    }
  </section>`;
}
