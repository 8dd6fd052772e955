/** Models that do not translate: language models continue a text, others label it. */

import {ablate, rankHeads} from "./ablation";
import {endReplay, pendingReplay} from "./address";
import type {Completion, FlowReply, InspectReply, ModelReply} from "./api";
import {startHistoryEntry} from "./history";
import {setInspection} from "./inspection";
import {NUM_ALTERNATIVES} from "./request-fields";
import {emptySentence, isSymbol, joinTokens, type Edit, type Sentence, type Token} from "./sentence";
import {fetchJson, inspect} from "./server";
import {chosenModel, chosenSentence, isInspectionStale, NO_OUTPUT, state, translates, update} from "./state";
import {sentenceOfInspection} from "./stored-page";
import {runLatest} from "./tasks";
import {keepFocus, translateAndReplay} from "./translation";

/** Choices for the limit of a continuation, in tokens. */
export const TOKEN_LIMITS = [20, 50, 100, 200];

/** A prompt and its continuation; every token has its alternatives. */
async function complete(
  prompt: string,
  decoding: object,
  signal: AbortSignal,
): Promise<{text: string; tokens: Token[]; ids: number[]; numGiven: number}> {
  const fields = {model: chosenModel()!.name, prompt, ...decoding, logprobs: NUM_ALTERNATIVES, echo: true};
  const {choices, usage} = await fetchJson<Completion>("v1/completions", fields, signal);
  const {text, logprobs} = choices[0]!;
  if (!logprobs) throw new Error("The server must send the log-probabilities that were asked for.");
  const tokens = logprobs.tokens.map((token, position) => ({
    token: token.replaceAll(" ", "▁"),
    log_prob: logprobs.token_logprobs[position] ?? null,
    alternatives: Object.entries(logprobs.top_logprobs[position] ?? {}).sort((a, b) => b[1] - a[1]),
  }));
  return {text, ids: logprobs.token_ids, tokens, numGiven: usage.prompt_tokens};
}

/** The number of tokens at the beginning that are those that were given, and not the reader's own or the model's. */
function numStillGiven({ids: before, numGiven}: Sentence, ids: number[]): number {
  const changed = before.findIndex((id, position) => position >= numGiven || id !== ids[position]);
  return changed < 0 ? numGiven : changed;
}

/** The number of tokens that may follow a text, so that the model can still read all of it. */
async function remainingTokens(prompt: string, signal: AbortSignal): Promise<number> {
  const {name, max_tokens: maxTokens} = chosenModel()!;
  const limit = maxTokens ?? Infinity;
  if (!prompt.trim()) return limit - 1;
  const {tokens} = await fetchJson<InspectReply>("inspect", {model: name, text: prompt}, signal);
  return limit - Object.values(tokens)[0]!.keys.spelled.length;
}

/** Continue the text, or a prefix that the reader chose. */
async function continueText(edit: (Edit & {kind: "prefix"}) | null = null): Promise<void> {
  const {text: sourceText} = state.request;
  const prompt = edit?.prefix ?? sourceText;
  const original = edit && (chosenSentence()?.original ?? chosenSentence() ?? null);
  await runLatest(
    "translate",
    "Writing",
    async signal => {
      const {name: model, max_tokens: limit} = chosenModel()!;
      const {temperature, seed, maxTokens: limitOfReader} = state.request;
      const maxTokens = Math.min(limitOfReader, await remainingTokens(prompt, signal));
      if (maxTokens < 1) throw new Error(`The text has as many tokens as the model can read: ${limit}.`);
      const decoding = {max_tokens: maxTokens, temperature, seed};
      const {text, tokens, ids: all, numGiven} = await complete(prompt, decoding, signal);
      const ids = all.slice(0, limit ?? all.length); // the last token may be one more than the model can read
      const inspection = await inspect({model, text, ids}, signal);
      const inspected = sentenceOfInspection(inspection).tokens;
      const sentence: Sentence = {
        ...emptySentence(),
        source: prompt,
        text,
        ids,
        decoding,
        original,
        edit,
        isDone: true,
        numGiven: original ? numStillGiven(original, ids) : Math.min(numGiven, ids.length),
        tokens: inspected.map((each, position) => ({...each, alternatives: tokens[position]?.alternatives ?? []})),
      };
      const outputPosition = Math.max(0, Math.min(edit?.position ?? 0, inspected.length - 1));
      update({
        output: {
          sentences: [sentence],
          sourceText,
          attribution: null,
          options: {temperature, seed, maxTokens: limitOfReader},
        },
        view: {sentenceIndex: 0, outputPosition, hoveredToken: null},
        search: {trace: null},
      });
      setInspection(inspection, sentence);
    },
    () => continueText(edit),
  );
  if (state.heads.disabled.length && !isInspectionStale()) await ablate();
}

/** Continue from a prefix: the tokens of the continuation up to a position, and another token there. */
export async function continuePrefix(position: number, token: string): Promise<void> {
  const kept = chosenSentence()!.tokens.slice(0, position);
  const prefix = joinTokens([...kept.map(each => each.token).filter(each => !isSymbol(each)), token]);
  startHistoryEntry();
  await keepFocus(() => continueText({kind: "prefix", position, token, prefix}));
}

/** Predict the labels of the text, and the shares of its tokens in them. */
async function predictLabels(): Promise<void> {
  const {text} = state.request;
  await runLatest(
    "translate",
    "Reading",
    async signal => {
      const inspection = await inspect({model: chosenModel()!.name, text}, signal);
      const sentence = sentenceOfInspection(inspection);
      const flow = inspection.predicted?.length
        ? await fetchJson<FlowReply>(`inspect/${inspection.id}/flow/gradient`, undefined, signal)
        : null;
      update({
        output: {sentences: [sentence], sourceText: text, options: null, attribution: flow && {...flow, inspection}},
        view: {sentenceIndex: 0, outputPosition: 0},
        search: {trace: null},
      });
      setInspection(inspection, sentence);
    },
    predictLabels,
  );
  if (state.heads.disabled.length && !isInspectionStale()) await ablate();
}

/** Translate, continue or label the text with the chosen model. */
export async function runModel(): Promise<void> {
  endReplay();
  startHistoryEntry();
  await runAndReplay();
}

/** Run the chosen model, and replay the edits of the address. */
export async function runAndReplay(): Promise<void> {
  if (translates()) return await translateAndReplay();
  const replay = pendingReplay();
  const {outputPosition} = state.view;
  const isGenerator = chosenModel()?.arch === "decoder";
  const isCurrent = (): boolean => replay !== null && pendingReplay() === replay && !state.status.error;
  await (isGenerator ? continueText() : predictLabels());
  for (const {edit} of replay?.edits ?? []) {
    if (isCurrent() && edit.kind === "prefix" && isGenerator) await continueText(edit);
  }
  if (replay?.ranksHeads && isCurrent()) await rankHeads();
  if (isCurrent()) {
    endReplay();
    const last = (chosenSentence()?.tokens.length ?? 1) - 1;
    update({view: {outputPosition: Math.max(0, Math.min(outputPosition, last))}});
  }
}

/** If there is no text, take the first of the model's own data. */
export function openExample(): void {
  const [example] = chosenModel()?.examples ?? [];
  if (example && !state.request.text) update({request: {text: example}, output: {isExample: true}});
}

/** Choose another model. The output of a model of the same kind stays until the new one has answered. */
export function changeModel(modelName: string): void {
  const before = chosenModel();
  update({
    request: {modelName},
    heads: {disabled: []},
    view: {head: "", outputPosition: 0, inputPosition: null, keyPosition: null},
    tokenCounts: {total: null},
    ...(state.output.isExample ? {request: {modelName, text: ""}, output: {isExample: false}} : {}),
  });
  openExample();
  clearUnlikeOutput(before);
  if (state.request.text.trim()) void runModel();
}

/** Empty the output if the model before was of another kind, or there is no text. "Undo" knows its heads no more. */
export function clearUnlikeOutput(before: ModelReply | undefined): void {
  const model = chosenModel();
  if (before !== model) update({heads: {undoStack: []}});
  const isAlike = before?.arch === model?.arch && before?.task === model?.task;
  const translatedBefore = Boolean(before?.direction);
  if (!isAlike || translatedBefore !== translates() || !state.request.text.trim()) update(...NO_OUTPUT);
}
