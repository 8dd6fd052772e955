/** Inspections of a sentence: the attention of all heads, flows through all layers, the computation of a weight. */

import {ablate} from "./ablation";
import type {Experiment, FlowReply, LookupReply, NextTokens, PatchReply, StreamReply, WritesReply} from "./api";
import type {AttentionView} from "./attention-view";
import {searchKey, traceSearch} from "./beam-search";
import {firstHead, layerOf} from "./head-navigation";
import {redecodingFields, targetFields} from "./request-fields";
import type {Sentence} from "./sentence";
import {fetchOfInspection, fetchSlowly, inspect} from "./server";
import {
  assign,
  chosenModel,
  chosenSentence,
  FLOW_METHODS,
  FLOW_PREFIX,
  isInspectionStale,
  MEAN_PREFIX,
  state,
  translates,
  update,
  type State,
} from "./state";
import {isRunning, relabel, runLatest} from "./tasks";
import type {Inspection} from "./weights";

/** Whether a model has a head, a mean of heads or a flow. */
function hasView(head: string, {weights}: Inspection): boolean {
  if (head === "mean" || weights.has(head)) return true;
  if (FLOW_METHODS.some(method => head === `${FLOW_PREFIX}${method}`)) return true;
  return [...weights.keys()].some(name => head === `${MEAN_PREFIX}${layerOf(name)}`);
}

/** Set the inspection of a sentence; the choices of the reader stay as far as the model has them. */
export function setInspection(inspection: Inspection, sentence: Sentence, snapshot: number | null = null): void {
  const {head, outputPosition} = state.view;
  const disabled = state.heads.disabled.filter(name => inspection.weights.has(name));
  assign({inspection: {result: inspection}, trial: {otherText: null, patched: null}});
  update(
    {
      inspection: {result: inspection, sentence, snapshot, modelName: state.request.modelName},
      heads: {disabled, importance: null, importanceByToken: {}},
      view: {
        head: hasView(head, inspection) ? head : firstHead(),
        outputPosition: Math.max(0, Math.min(outputPosition, sentence.tokens.length - 1)),
      },
    },
    disabled.length ? {} : {heads: {ablation: null, ablatedSentence: null}},
  );
  if (state.view.head.startsWith(FLOW_PREFIX)) void chooseHead(state.view.head);
}

/** Inspect the chosen sentence; then ablate and search again, if that was done for it before. */
export async function inspectChosen(): Promise<void> {
  const sentence = chosenSentence();
  if (!sentence?.isDone || !translates()) return;
  await runLatest(
    "inspect",
    "Looking inside",
    async signal => {
      setInspection(await inspect(targetFields(sentence), signal), sentence);
    },
    inspectChosen,
  );
  if (isInspectionStale()) return;
  if (state.heads.disabled.length) await ablate();
  const {trace} = state.search;
  if (trace?.source === sentence.source && trace.requestKey !== searchKey(sentence)) await traceSearch();
}

/** Inspect the chosen sentence with the model of a step of training. */
export async function inspectSnapshot(snapshot: number): Promise<void> {
  const sentence = chosenSentence();
  if (!sentence?.isDone) return;
  update({inspection: {snapshot}});
  await runLatest(
    "inspect",
    "Loading a snapshot",
    async signal => {
      const fields = {...targetFields(sentence), snapshot, ...redecodingFields(sentence)};
      setInspection(await inspect(fields, signal), sentence, snapshot);
    },
    () => inspectSnapshot(snapshot),
  );
}

/** Show a head, a mean of heads, or a flow through all layers. */
export async function chooseHead(head: string): Promise<void> {
  const inspection = state.inspection.result;
  if (!head.startsWith(FLOW_PREFIX) || !inspection) return update({view: {head}, inspection: {flow: null}});
  const {head: before} = state.view;
  const isWanted = (): boolean => state.inspection.result === inspection && state.view.head === before;
  await runLatest(
    "flow",
    "Following the layers",
    async signal => {
      const flow = await fetchOfInspection<FlowReply>(inspection, `flow/${head.slice(FLOW_PREFIX.length)}`, signal);
      if (isWanted()) update({view: {head}, inspection: {flow: {...flow, inspection}}});
    },
    async () => (isWanted() ? await chooseHead(head) : undefined),
  );
}

let requestedCell = "";

/** Look up the computation of the chosen weight, if it is shown and not known yet. */
export function lookUpWeight(view: AttentionView): void {
  const {result: inspection, lookup} = state.inspection;
  const {head, showsComputation} = state.view;
  if (!inspection?.weights.has(head) || !showsComputation || isInspectionStale()) return;
  const cell = cellKey(view);
  const isRequested = requestedCell === cell && (isRunning("lookup") || state.status.error !== "");
  if (lookup?.cell === cell || isRequested) return;
  requestedCell = cell;
  void runLatest(
    "lookup",
    "",
    async signal => {
      const result = await fetchOfInspection<LookupReply>(inspection, `lookup/${head}/${view.row}/${view.key}`, signal);
      update({inspection: {lookup: {result, view, cell}}});
    },
    null,
  );
}

/** The reason why states are not sums of what the model's parts add; empty: they are. */
export const reasonAgainstParts = (): string => chosenModel()?.no_parts ?? "";

type Part = "writes" | "stream" | "next";

const requestedParts: Record<Part, string> = {writes: "", stream: "", next: ""};

/** Ask once for a part of an inspection, if it is not known yet. */
function lookUpPart<Reply>(name: Part, cell: string, path: string, show: (result: Reply) => void): void {
  const {result: inspection} = state.inspection;
  if (!inspection || isInspectionStale()) return;
  const isRequested = requestedParts[name] === cell && (isRunning(name) || state.status.error !== "");
  if (state.inspection[name]?.cell === cell || isRequested) return;
  requestedParts[name] = cell;
  void runLatest(
    name,
    "",
    async signal => {
      show(await fetchOfInspection<Reply>(inspection, path, signal));
    },
    null,
  );
}

/** Look up what the shown head adds to the state of the chosen token. */
export function lookUpWrites(view: AttentionView): void {
  const {head} = state.view;
  if (!state.inspection.result?.weights.has(head) || reasonAgainstParts()) return;
  const cell = rowKey(view.row, head);
  lookUpPart<WritesReply>("writes", cell, `writes/${head}/${view.row}`, result => {
    update({inspection: {writes: {result, view, cell}}});
  });
}

/** Look up the sublayers that make the state of a token of the output. */
export function lookUpStream(row: number): void {
  const cell = rowKey(row);
  if (reasonAgainstParts()) return;
  lookUpPart<StreamReply>("stream", cell, `stream/${row}`, result => {
    update({inspection: {stream: {result, cell}}});
  });
}

/** Look up the tokens that may be written at a row, and how they are drawn. */
export function lookUpNext(row: number): string {
  const {temperature, topK, topP} = state.trial.sampling;
  const query = `temperature=${temperature}&top_k=${topK}&top_p=${topP}`;
  const cell = rowKey(row, query);
  lookUpPart<NextTokens>("next", cell, `next/${row}?${query}`, result => {
    update({inspection: {next: {result, cell}}});
  });
  return cell;
}

/** Compare the log-probabilities of the tokens with those after a change. */
export async function tryChange(change: string, seed: number): Promise<void> {
  const {result: inspection} = state.inspection;
  if (!inspection || isInspectionStale()) return;
  await runLatest(
    "experiment",
    "Trying",
    async signal => {
      const path = `experiment/${change}?seed=${seed}`;
      const result = await fetchOfInspection<Experiment>(inspection, path, signal);
      update({inspection: {experiment: {result, inspection}}});
    },
    () => tryChange(change, seed),
  );
}

/** What the reader made the translation begin with: both texts of patching are translated so. */
export const prefixOfBoth = (): string => (translates() ? (state.inspection.sentence?.prefix ?? "") : "");

/** The effect of each state of another text, put into the run on this one. */
export async function patchFrom(other: string): Promise<void> {
  const {result: inspection} = state.inspection;
  if (!inspection || isInspectionStale()) return;
  await runLatest(
    "patching",
    "Patching",
    async signal => {
      const prefix = prefixOfBoth();
      const begun = prefix ? `&prefix=${encodeURIComponent(prefix)}` : "";
      const path = `patch?other=${encodeURIComponent(other)}${begun}&stream=true`;
      const result = await fetchSlowly<PatchReply>(inspection, path, signal, (done, total) =>
        relabel("patching", `Patching: ${done} of ${total} runs of the model`),
      );
      update({inspection: {patching: {result, other, inspection}}, trial: {patched: strongest(result)}});
    },
    () => patchFrom(other),
  );
}

/** The state of the first stack with the largest effect; of equal ones, that of the lowest layer. */
function strongest({effects}: PatchReply): State["trial"]["patched"] {
  const [stack, layers] = Object.entries(effects)[0]!;
  const all = layers.flatMap((row, layer) => row.map((effect, position) => ({stack, layer, position, effect})));
  const [best] = all.sort((a, b) => Number(b.effect.toFixed(2)) - Number(a.effect.toFixed(2)) || a.layer - b.layer);
  return best ?? null;
}

let numInspections = 0;
const inspectionNumbers = new WeakMap<Inspection, number>();

/** A key of a row that no other row has, in this inspection or another. */
export function rowKey(row: number, head = ""): string {
  const inspection = state.inspection.result!;
  const number = inspectionNumbers.get(inspection) ?? ++numInspections;
  inspectionNumbers.set(inspection, number);
  return `${number}/${head}/${row}`;
}

/** The same of the chosen cell. */
export const cellKey = ({row, key}: AttentionView): string => `${rowKey(row, state.view.head)}/${key}`;
