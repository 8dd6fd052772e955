/** Translations: of the text, from a prefix whose last word the reader forces, and others of the same sentence. */

import {endReplay, pendingReplay, type Replay, type SentenceEdit} from "./address";
import {rankHeads} from "./ablation";
import type {PairScore, TextReply} from "./api";
import {traceSearch} from "./beam-search";
import {startHistoryEntry} from "./history";
import {inspectChosen, inspectSnapshot} from "./inspection";
import {decodingFields, modelFields, NUM_ALTERNATIVES} from "./request-fields";
import {
  emptySentence,
  hasSameTokens,
  isSymbol,
  joinTokens,
  setTokens,
  type Sentence,
  type TokenizedText,
} from "./sentence";
import {fetchJson, ServerError, streamTranslation} from "./server";
import {chosenModel, chosenSentence, NO_OUTPUT, NO_RESULTS, state, translates, update} from "./state";
import {afterDrawing, cancel, runLatest} from "./tasks";

const MAX_N_BEST = 5;

/** Translate the text; its tokens are shown while they are written. */
export async function translate(): Promise<void> {
  endReplay();
  await translateText();
}

/** Translate the text, and replay the edits of the address. */
export async function translateAndReplay(): Promise<void> {
  const {text} = state.request;
  const replay = pendingReplay();
  const isCurrent = (): boolean =>
    replay !== null && pendingReplay() === replay && state.request.text === text && !state.status.error;
  await translateText();
  for (const edit of replay?.edits ?? []) if (isCurrent()) await replayEdit(edit);
  if (replay && isCurrent()) await replayPanels(replay, isCurrent);
  if (pendingReplay() === replay && !state.status.error) endReplay(); // after an error, the replay is tried again
  update({});
}

async function replayEdit({sentenceIndex, edit}: SentenceEdit): Promise<void> {
  if (!state.output.sentences[sentenceIndex]?.isDone) return;
  const {sentenceIndex: chosenIndex, outputPosition} = state.view;
  update({view: {sentenceIndex}});
  await (edit.kind === "prefix" ? decodePrefix(edit.position, edit.token, edit.prefix) : chooseTranslation(edit));
  update({view: {sentenceIndex: chosenIndex, outputPosition}});
  if (sentenceIndex !== chosenIndex) await inspectChosen();
}

async function replayPanels(replay: Replay, isCurrent: () => boolean): Promise<void> {
  const {snapshot, compared, tracesSearch, ranksHeads} = replay;
  const {sortBy} = state.heads;
  if (tracesSearch && isCurrent()) await traceSearch();
  if (ranksHeads && isCurrent()) await rankHeads();
  update({heads: {sortBy}});
  if (compared && isCurrent()) await toggleComparison(compared);
  if (snapshot !== null && chosenModel()?.snapshots?.includes(snapshot) && isCurrent()) await inspectSnapshot(snapshot);
}

async function translateText(): Promise<void> {
  const {text, isHtml} = state.request;
  cancel("inspect");
  if (!translates()) return;
  if (!text.trim()) {
    cancel("translate");
    return update(...NO_OUTPUT);
  }
  if (isHtml) return await translateHtml(text);
  const isDone = await runLatest(
    "translate",
    "Translating",
    async signal => {
      const decoding = decodingFields();
      const fields = {...modelFields(), ...decoding, text, alternatives: NUM_ALTERNATIVES};
      await readStream(fields, signal, {decoding}, sentences => {
        const sentenceIndex = Math.max(0, Math.min(state.view.sentenceIndex, sentences.length - 1));
        update({
          output: {sentences, sourceText: text, html: "", compared: null, options: null},
          view: {hoveredToken: null, sentenceIndex},
        });
      });
    },
    translateText,
  );
  if (isDone && chosenSentence()?.isDone) await inspectChosen();
}

async function translateHtml(text: string): Promise<void> {
  await runLatest(
    "translate",
    "Translating",
    async signal => {
      const fields = {...modelFields(), ...decodingFields(), text, format: "html"};
      const {text: html} = await fetchJson<{text: string}>("translate", fields, signal);
      update({output: {html, sourceText: text, sentences: []}}, NO_RESULTS);
    },
    translateText,
  );
}

/** Read a stream into sentences that begin with some fields. The output stays as it is until the first token comes. */
async function readStream(
  fields: object,
  signal: AbortSignal,
  initial: Partial<Sentence>,
  show: (sentences: Sentence[]) => void,
): Promise<void> {
  const nBest = state.request.temperature ? {} : {n_best: Math.min(state.request.beamSize, MAX_N_BEST)};
  const sentences: Sentence[] = [];
  for await (const {name, data} of streamTranslation({...fields, ...nBest}, signal)) {
    if (signal.aborted) return;
    if (name === "meta") {
      for (let index = 0; index < data.sentences; index++) sentences.push({...emptySentence(), index, ...initial});
      continue;
    }
    if (name === "error") throw new ServerError(data.status, data.message);
    if (name === "token") {
      const sentence = sentences[data.sentence]!;
      sentence.text = data.text;
      sentence.tokens.push(...(data.tokens ?? []));
    } else if (name === "done") {
      finishSentences(sentences, data, initial.separator);
    }
    update({output: {isEarlier: false}});
    show(sentences);
  }
}

function finishSentences(sentences: Sentence[], {text: whole, sentences: found}: TextReply, separator?: string): void {
  let end = 0;
  found.forEach((answer, index) => {
    const {text, score, source, ids, n_best: nBest = []} = answer;
    const begin = Math.max(whole.indexOf(text, end), end);
    const fields = {text, score, source, ids, nBest, isDone: true, separator: separator ?? whole.slice(end, begin)};
    setTokens(Object.assign(sentences[index]!, fields), answer);
    end = begin + text.length;
  });
}

/** The symbol that ends a text, if the inspection shows it. */
function endSymbol(): string | undefined {
  const rows = Object.values(state.inspection.result?.tokens ?? {}).at(-1)?.rows;
  return rows?.offsets.at(-1) === null ? rows.spelled.at(-1) : undefined;
}

/** Whether a prefix can end with a token: any but a symbol, and the symbol that ends a translation. */
export const canEndPrefix = (token: string): boolean => !isSymbol(token) || (translates() && token === endSymbol());

/** Decode the chosen sentence again from a prefix: its tokens up to a position, and another token there. */
export async function choosePrefix(position: number, token: string): Promise<void> {
  const sentence = chosenSentence();
  if (!sentence?.isDone) return;
  const kept = sentence.tokens.slice(0, position).map(each => each.token);
  startHistoryEntry();
  await keepFocus(async () => {
    if (token === endSymbol()) {
      await chooseTranslation({text: joinTokens(kept), ids: sentence.ids.slice(0, position)});
    } else {
      await decodePrefix(position, token, joinTokens([...kept, token]));
    }
  });
}

/** Act; if the button that had the focus is gone then, the chosen token has it. */
export async function keepFocus(act: () => Promise<void>): Promise<void> {
  const focused = document.activeElement?.closest(".alternatives, .before, .nbest");
  await act();
  afterDrawing(() => {
    const {activeElement} = document;
    const isLost = !activeElement || activeElement === document.body || (activeElement as HTMLButtonElement).disabled;
    if (!focused || !isLost) return;
    const chosen = document.querySelector<HTMLElement>('#output .token[aria-pressed="true"]');
    (chosen ?? document.querySelector<HTMLElement>("#output .token"))?.focus();
  });
}

async function decodePrefix(position: number, token: string, prefix: string): Promise<void> {
  const sentence = chosenSentence();
  const {sentences: before} = state.output;
  const {sentenceIndex} = state.view;
  if (!sentence?.isDone) return;
  const {source, separator} = sentence;
  const decoding = decodingFields();
  const fields = {...modelFields(), ...decoding, text: source, prefix, split: false, alternatives: NUM_ALTERNATIVES};
  const edit = {kind: "prefix", position, token, prefix} as const;
  const initial = {source, separator, decoding, prefix, original: sentence.original ?? sentence, edit};
  let current = before;
  const isDone = await runLatest(
    "translate",
    "Decoding again",
    async signal => {
      await readStream(fields, signal, initial, ([decoded]) => {
        current = before.with(sentenceIndex, decoded!);
        update({output: {sentences: current, compared: null}, view: {outputPosition: position}});
      });
    },
    () => decodePrefix(position, token, prefix),
  );
  const isCancelled = current !== before && state.output.sentences === current && !current[sentenceIndex]!.isDone;
  if (isCancelled) update({output: {sentences: before}});
  if (isDone && chosenSentence()?.isDone) await inspectChosen();
}

/** Bring back the chosen sentence as it was before all edits. */
export async function undoEdit(): Promise<void> {
  const {original} = chosenSentence() ?? {};
  if (!original) return;
  startHistoryEntry();
  await keepFocus(async () => {
    const {sentenceIndex, outputPosition} = state.view;
    update({
      output: {sentences: state.output.sentences.with(sentenceIndex, original), compared: null},
      view: {outputPosition: Math.min(outputPosition, original.tokens.length - 1)},
    });
    await inspectChosen();
  });
}

/** The chosen sentence with another translation, and the log-probabilities of its tokens. */
async function scoreTranslation(
  sentence: Sentence,
  {text, ids}: TokenizedText,
  signal: AbortSignal,
): Promise<Sentence> {
  const target = ids.length ? {target_ids: ids} : {target_text: text};
  const fields = {...modelFields(), text: sentence.source, ...target, alternatives: NUM_ALTERNATIVES};
  const score = await fetchJson<PairScore>("score", fields, signal);
  const scored: Sentence = {
    ...sentence,
    text,
    ids: score.ids,
    original: sentence.original ?? sentence,
    edit: {kind: "translation", text, ids: score.ids},
    score: score.log_prob,
    tokens: [],
  };
  setTokens(scored, {...score, tokens: score.tokens.slice(0, -1)});
  return scored;
}

/** Show another translation beside the chosen one, or no longer. */
export async function toggleComparison(other: TokenizedText): Promise<void> {
  const sentence = chosenSentence();
  const {compared} = state.output;
  if (!sentence || (compared && hasSameTokens(compared, other))) return update({output: {compared: null}});
  await runLatest(
    "compare",
    "Reading",
    async signal => {
      update({output: {compared: await scoreTranslation(sentence, other, signal)}});
    },
    async () => (chosenSentence() === sentence ? await toggleComparison(other) : undefined),
  );
}

/** Put another translation in the place of the chosen one. */
export async function chooseTranslation(other: TokenizedText): Promise<void> {
  const sentence = chosenSentence();
  const {sentenceIndex} = state.view;
  if (!sentence) return;
  const isDone = await runLatest(
    "translate",
    "Reading",
    async signal => {
      const scored = await scoreTranslation(sentence, other, signal);
      const outputPosition = Math.max(0, Math.min(state.view.outputPosition, scored.tokens.length - 1));
      update({
        output: {sentences: state.output.sentences.with(sentenceIndex, scored), compared: null},
        view: {outputPosition, hoveredToken: null},
      });
    },
    () => chooseTranslation(other),
  );
  if (isDone) await inspectChosen();
}
