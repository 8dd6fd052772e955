/** Experiments with the sentence: its words in another order, no positions, no mask; before and after. */

import {html, nothing, type TemplateResult} from "lit-html";
import type {Experiment} from "../api";
import {numGivenScored} from "../given";
import {tryChange} from "../inspection";
import {saveMenu, type Row} from "../save-menu";
import {chosenModel, generatesText, isViewOfOther, state} from "../state";
import {help} from "../terms";
import {changeBars, changeLegend, signed, sumOf} from "./ablation";

interface Change {
  button: string;
  /** What is tried, in words. */
  says: string;
  /** The reason that it cannot be tried with this model. */
  reason: () => string | undefined;
}

const isRecurrent = (): boolean => chosenModel()?.arch === "rnn";
const hasMask = (): boolean =>
  [...(state.inspection.result?.weights.keys() ?? [])].some(name => name.startsWith("decoder."));

const CHANGES: Record<string, Change> = {
  shuffle: {
    button: "Shuffle the words",
    says: "The model reads the words of the text in another order.",
    reason: () => (state.inspection.result?.target === null ? "reads no other text than its own" : undefined),
  },
  "no-positions": {
    button: "Take positions away",
    says:
      "Nothing tells the model any more where a token stands: no position is added to an embedding, and attention " +
      "neither rotates queries and keys by positions nor adds numbers for distances. It sees a set of tokens; the " +
      "mask is left.",
    reason: () => (isRecurrent() ? "reads token by token: it has no positions to take away" : undefined),
  },
  future: {
    button: "Let it see the future",
    says:
      "No mask: a place may look at the tokens after it, and at the one that it is about to write. The model was " +
      "trained with the mask, so it has not learnt what to do with them.",
    reason: () => (hasMask() ? undefined : "reads token by token: it has no mask to take away"),
  },
};

let seed = 0;

function buttons(): TemplateResult {
  const button = (name: string): TemplateResult => {
    const {button: label, reason: reasonOf} = CHANGES[name]!;
    const reason = reasonOf();
    const isShown = state.inspection.experiment?.result.change === name;
    const act = (): void => {
      if (name === "shuffle") seed += 1;
      void tryChange(name, seed);
    };
    return html`<button
      data-change=${name}
      aria-pressed=${isShown}
      ?disabled=${reason !== undefined}
      title=${reason ? `This model ${reason}.` : nothing}
      @click=${act}
      >${label}</button
    >`;
  };
  return html`<p class="together" data-unsaved>${Object.keys(CHANGES).map(button)}</p>`;
}

function outcome({change, source, tokens, before, after}: Experiment): TemplateResult {
  const changes = after.map((value, index) => value - before[index]!);
  const [sumBefore, sumAfter] = [sumOf(before), sumOf(after)];
  const number = (value: number, id: string): TemplateResult =>
    html`<span class="strong number" id=${id}>${value.toFixed(2)}</span>`;
  const read = html`<p>It reads: <bdi class="strong" id="shuffled">${source}</bdi></p>`;
  return html`<p>${CHANGES[change]?.says}</p>
    ${change === "shuffle" ? read : nothing}
    <p>
      The same ${chosenModel()?.direction ? "translation" : "text"} then has a log-probability of
      ${number(sumAfter, "sum-after")} in place of ${number(sumBefore, "sum-before")} (<span class="number"
        >${signed(sumAfter - sumBefore, 2)}</span
      >
      ${help("log-probability", "nats")}). Of each token:
    </p>
    ${changeLegend("then", "nats")} ${changeBars(tokens, changes, "nats", numGivenScored(state.inspection.sentence))}`;
}

function saveExperiment(result: Experiment): TemplateResult {
  const {tokens, before, after} = result;
  const table = (): Row[] => [
    ["token", "before", "after"],
    ...tokens.map((token, index): Row => [token, before[index]!, after[index]!]),
  ];
  return saveMenu("experiment", [".experiments .changes"], table, () => result);
}

export function panel(): TemplateResult | typeof nothing {
  const {result, experiment, snapshot} = state.inspection;
  if (!generatesText() || !result || snapshot !== null) return nothing;
  const found = experiment?.inspection === result ? experiment.result : null;
  const hint = html`<p class="hint">
    What does the model need to know? Take something away, and see how much less likely each token becomes.
  </p>`;
  return html`<section class="panel experiments ${isViewOfOther() ? "stale" : ""}" aria-labelledby="experiments-title">
    <div class="head">
      <h2 id="experiments-title">Experiments</h2>
      ${found ? saveExperiment(found) : nothing}
    </div>
    ${buttons()} ${found ? outcome(found) : hint}
  </section>`;
}
