/** Heads that are disabled, and the importance of each. */

import type {AblateReply} from "./api";
import {layerOf} from "./head-navigation";
import {redecodingFields, targetFields} from "./request-fields";
import {fetchJson} from "./server";
import {canAblate, isInspectionStale, state, translates, update} from "./state";
import {cancel, relabel, runLatest} from "./tasks";

const MAX_UNDO = 50;

/** Enable heads if all of them are disabled; otherwise disable them. */
export async function toggleHeads(names: string[]): Promise<void> {
  const {disabled} = state.heads;
  const areDisabled = names.every(name => disabled.includes(name));
  await disableHeads(
    areDisabled ? disabled.filter(name => !names.includes(name)) : [...new Set([...disabled, ...names])],
  );
}

/** Disable these heads and no others. */
export async function disableHeads(names: string[]): Promise<void> {
  const {undoStack, disabled} = state.heads;
  update({heads: {disabled: names, undoStack: [...undoStack, disabled].slice(-MAX_UNDO)}});
  await ablate();
}

export async function undoDisabling(): Promise<void> {
  const {undoStack} = state.heads;
  update({heads: {disabled: undoStack.at(-1) ?? [], undoStack: undoStack.slice(0, -1)}});
  await ablate();
}

/** Run the model without the disabled heads. */
export async function ablate(): Promise<void> {
  const {sentence} = state.inspection;
  if (!state.heads.disabled.length) {
    cancel("ablate");
    return update({heads: {ablation: null, ablatedSentence: null}});
  }
  if (!sentence?.isDone || !canAblate() || isInspectionStale()) return; // an inspection that is under way ends with it
  await runLatest(
    "ablate",
    "Running without heads",
    async signal => {
      const decoding = translates() ? redecodingFields(sentence) : {prompt: sentence.source, ...sentence.decoding};
      const fields = {...targetFields(sentence), heads: state.heads.disabled, together: true, ...decoding};
      const {ablations = [], predicted} = await fetchJson<AblateReply>("ablate", fields, signal);
      const [first] = ablations;
      update({heads: {ablation: first ? {...first, predicted} : null, ablatedSentence: sentence}});
    },
    ablate,
  );
}

/** Measure the importance of each head for the inspected sentence, layer by layer. */
export async function rankHeads(): Promise<void> {
  const {result: inspection, sentence} = state.inspection;
  if (!sentence?.isDone || !inspection || isInspectionStale()) return;
  const names = [...inspection.weights.keys()];
  const layers = [...new Set(names.map(layerOf))];
  const progress = (done: number): string => `Taking each head away: ${done} of ${names.length}`;
  await runLatest(
    "rank",
    progress(0),
    async signal => {
      let importance: Record<string, number> = {};
      let importanceByToken: Record<string, number[]> = {};
      for (const layer of layers) {
        const heads = names.filter(name => layerOf(name) === layer);
        const sweep = await fetchJson<AblateReply>("ablate", {...targetFields(sentence), sweep: true, heads}, signal);
        if (state.inspection.result !== inspection) return; // another text is shown by now
        importance = {...importance, ...sweep.worth};
        importanceByToken = {...importanceByToken, ...sweep.by_token};
        update({heads: {importance, importanceByToken}});
        relabel("rank", progress(Object.keys(importance).length));
      }
      update({heads: {sortBy: "worth"}});
    },
    rankHeads,
  );
  if (state.status.error && state.inspection.result === inspection) {
    update({heads: {importance: null, importanceByToken: {}}});
  }
}
