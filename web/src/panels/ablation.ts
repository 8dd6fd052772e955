/** The model without the disabled heads: the changes of its probabilities, and its output then. */

import {html, nothing, type TemplateResult} from "lit-html";
import {disableHeads, toggleHeads, undoDisabling} from "../ablation";
import {givenClass, numGivenScored} from "../given";
import {markDifferences} from "../marks";
import {saveMenu, type Row} from "../save-menu";
import {scrollToPanel} from "../scrolling";
import {displayToken} from "../spelling";
import {
  canAblate,
  generatesText,
  isAblationStale,
  isViewOfOther,
  scoredTokens,
  state,
  translates,
  type AblationResult,
} from "../state";
import {styleProperties} from "../style-properties";
import {help, NATS} from "../terms";

const MAX_CHIPS = 24;
/** The least changes that fill a bar. */
const MIN_NATS = 0.5;
const MIN_PROBABILITY = 0.1;

/** The ablations of a stored page. */
function storedAblations(): TemplateResult | typeof nothing {
  const {ablations = []} = state.inspection.result!;
  if (!ablations.length) return nothing;
  const table = (): Row[] => [
    ["heads", "change", "text"],
    ...ablations.map(each => [each.heads.join(" "), each.log_prob_change, each.text]),
  ];
  const rows = ablations.map(
    each =>
      html`<tr>
        <td>${each.heads.join(", ")}</td>
        <td class="number">${each.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${each.text}</td>
      </tr>`,
  );
  return html`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${saveMenu("without", ["#ablations"], table, () => ablations)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, ${help("nats", "nats")} per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${rows} </tbody>
    </table>
  </section>`;
}

export const sumOf = (numbers: number[]): number => numbers.reduce((sum, each) => sum + each, 0);

/** A change with its sign; one that rounds to 0 has none. */
export function signed(value: number, digits: number): string {
  const shown = value.toFixed(digits);
  return Number(shown) === 0 ? shown.replace("-", "") : `${value > 0 ? "+" : ""}${shown}`;
}

/** The colours and the unit of bars of changes. */
export const changeLegend = (when: string, unit: "nats" | ""): TemplateResult =>
  html`<p class="legend">
    <span><i class="less"></i> less likely ${when}</span>
    <span><i class="more"></i> more likely</span>
    ${unit ? html`<span class="unit">${NATS}</span>` : nothing}
  </p>`;

/** Bars to the left for what is less likely without the heads, to the right for what is more likely. */
export function changeBars(labels: string[], changes: number[], unit: "nats" | "", numGiven = 0): TemplateResult {
  const max = Math.max(unit ? MIN_NATS : MIN_PROBABILITY, ...changes.map(Math.abs));
  const bar = (change: number, index: number): TemplateResult => {
    const label = displayToken(labels[index] ?? "");
    const shown = signed(change, 2);
    const width = Number(shown) === 0 ? 0 : (50 * Math.abs(change)) / max; // a bar says no more than its number
    const place = {width: `${width}%`, [change < 0 ? "right" : "left"]: "50%"};
    const given = index < numGiven ? ", given" : "";
    return html`<div
      class="change ${givenClass(index, numGiven)}"
      role="listitem"
      aria-label="${label}${given} ${change.toFixed(2)} ${unit}"
    >
      <bdi>${label}</bdi>
      <span class="track two"><span class=${change < 0 ? "less" : "more"} ${styleProperties(place)}></span></span>
      <span class="number">${shown}</span>
    </div>`;
  };
  return html`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${unit ? "token" : "label"}">
    ${changes.map(bar)}
  </div>`;
}

/** The changes of a model that generates text: of each token after the right ones, and of its own output. */
function textChanges({token_changes: changes, log_prob_change: mean, text}: AblationResult): TemplateResult {
  const sentence = state.heads.ablatedSentence!;
  const sum = sumOf(changes);
  const kind = translates() ? "translation" : "text";
  const hint = sentence.prefix
    ? "It begins with what you wrote, as the one above does."
    : "You chose the one above; this is the best that was found.";
  const hasHint = sentence.prefix !== "" || sentence.edit?.kind === "translation";
  const isSame = text === sentence.text;
  return html`<p>
      Written then${isSame ? ", the same as with all heads" : ""}:
      <bdi class="strong" id="written-then">${markDifferences(text, sentence.text)}</bdi>
    </p>
    ${hasHint ? html`<p class="hint" id="same-prefix">${hint}</p>` : nothing}
    <p>
      The log-probability of the ${kind} above changes by
      <span class="strong number" id="sum">${signed(sum, 3)}</span> ${help("nats", "nats")},
      <span class="strong number" id="change">${mean.toFixed(3)}</span> per token, where each token follows the same
      words as above:
    </p>
    ${changeLegend("without the heads", "nats")}
    ${changeBars(scoredTokens(sentence), changes, "nats", numGivenScored(sentence))}
    <p class="hint"
      >The larger the change, the more the ${kind} depends on what these heads look at. Weights alone do not tell. The
      other panels show the model with all its heads.</p
    >`;
}

/** The changes of a model that labels texts: the probability of each class, or the labels of the tokens. */
function labelChanges({predicted = []}: AblationResult): TemplateResult {
  const before = state.inspection.result!.predicted ?? [];
  const labels = before.map(each => each.label);
  const probabilities = new Map(predicted.map(({label, prob}) => [label, prob]));
  const areClasses = new Set(labels).size === labels.length && labels.every(label => probabilities.has(label));
  if (!predicted.length || !areClasses) {
    const then = predicted.map(each => each.label).join(" ");
    return html`<p>
      Said then: <bdi class="strong" id="written-then">${markDifferences(then, labels.join(" "))}</bdi>
    </p>`;
  }
  const changes = before.map(({label, prob}) => probabilities.get(label)! - prob);
  return html`<p>
      Said then: <bdi class="strong" id="written-then">${predicted[0]!.label}</bdi>. The probability of each label
      changes by:
    </p>
    ${changeLegend("without the heads", "")} ${changeBars(labels, changes, "")}`;
}

function disabledHeads(): TemplateResult {
  const {disabled} = state.heads;
  if (!disabled.length) {
    return html`<p class="hint">
      Switch a head off: this shows how the probability of each token changes, and what the model
      ${generatesText() ? "writes" : "says"} instead.
    </p>`;
  }
  const chip = (name: string): TemplateResult =>
    html`<button class="chip" title="Switch on" aria-label="Switch ${name} on" @click=${() => void toggleHeads([name])}
      >${name} ✕</button
    >`;
  return html`<p class="chips"
    >${disabled.length > MAX_CHIPS ? `${disabled.length} heads are off.` : disabled.map(chip)}</p
  >`;
}

/** The change in a line that leads to the panel. Narrow screens show it beside what switches a head off. */
export function changeLink(): TemplateResult | typeof nothing {
  const {ablation, ablatedSentence, disabled} = state.heads;
  if (!ablation || !disabled.length) return nothing;
  const {heads} = ablation;
  const which = heads.length === 1 ? heads[0]! : `these ${heads.length} heads`;
  const kind = translates() ? "translation" : "text";
  const isSame = ablation.text === ablatedSentence?.text;
  const sum = sumOf(ablation.token_changes);
  const effect = generatesText() ? `${isSame ? "the same" : "another"} ${kind}, ${signed(sum, 2)} nats` : "the change";
  return html`<button
    class="link short ${isAblationStale() ? "stale" : ""}"
    id="to-change"
    data-unsaved
    @click=${() => scrollToPanel(".panel.without")}
    >Without ${which}: ${effect}</button
  >`;
}

function saveAblation(ablation: AblationResult): TemplateResult {
  const {predicted, token_changes: changes} = ablation;
  const tokens = scoredTokens(state.heads.ablatedSentence);
  const table = (): Row[] =>
    predicted?.length
      ? [["label", "probability"], ...predicted.map(({label, prob}) => [label, prob])]
      : [["token", "change"], ...changes.map((change, index) => [tokens[index] ?? "", change])];
  return saveMenu("without", ["#written-then", ".without .changes"], table, () => ablation);
}

export function panel(): TemplateResult | typeof nothing {
  const {result: inspection, sentence} = state.inspection;
  const {ablation, disabled, undoStack} = state.heads;
  if (!inspection || !sentence) return nothing;
  if (state.server.storedPage) return storedAblations();
  if (!canAblate()) return nothing;
  const isStale = isViewOfOther() || isAblationStale();
  const changes = (result: AblationResult): TemplateResult =>
    html`${generatesText() ? textChanges(result) : labelChanges(result)}
      <p class="hint">
        The model was never trained without them: this is what they are worth here, not what another model could do.
      </p>`;
  const enableAll = html`<button id="all-on" @click=${() => void disableHeads([])}>Switch all on</button>`;
  const undo = html`<button id="undo" @click=${() => void undoDisabling()}>Undo</button>`;
  return html`<section class="panel without ${isStale ? "stale" : ""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${disabled.length ? enableAll : nothing} ${undoStack.length ? undo : nothing}
      ${ablation ? saveAblation(ablation) : nothing}
    </div>
    ${disabledHeads()} ${ablation ? changes(ablation) : nothing}
  </section>`;
}
