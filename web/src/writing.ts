/** What the page asks of models that do not translate: language models continue a text, others label it. */

import {ablate, only, rank, resume} from "./actions";
import {ask, inspect, type Flow, type Sentence, type Token} from "./server";
import {model, NOTHING_SEEN, sentence, settle, state, translates, update, wanted} from "./state";
import {sentenceOf} from "./stored";

const NUM_ALTERNATIVES = 5;
/** How many tokens may be written at once. */
export const LENGTHS = [20, 50, 100, 200];

interface Completion {
  choices: [{text: string; logprobs: {
    tokens: string[]; token_logprobs: (number | null)[]; text_offset: number[]; top_logprobs: (Record<string, number> | null)[];
  }}];
}

/** Continue a text; the tokens of all of it have their alternatives. */
async function written(prompt: string, count: number, signal: AbortSignal): Promise<{text: string; tokens: Token[]}> {
  const fields = {model: model()!.name, prompt, max_tokens: count, temperature: state.temperature, logprobs: NUM_ALTERNATIVES, echo: true};
  const {choices: [{text, logprobs}]} = await ask<Completion>("v1/completions", fields, signal);
  return {text, tokens: logprobs.tokens.map((token, place) => ({
    token: token.replaceAll(" ", "▁"), log_prob: logprobs.token_logprobs[place] ?? null,
    alternatives: Object.entries(logprobs.top_logprobs[place] ?? {}).sort((a, b) => b[1] - a[1]),
  }))};
}

/** How many tokens may follow a text, so that the model can still read all of it. */
async function room(prompt: string, signal: AbortSignal): Promise<number> {
  const {name, max_tokens: most = Infinity} = model()!;
  if (!prompt.trim()) return most - 1;
  const {tokens} = await ask<{tokens: Record<string, {keys: {spelled: string[]}}>}>("inspect", {model: name, text: prompt}, signal);
  return most - Object.values(tokens)[0]!.keys.spelled.length;
}

/** Continue the text with a language model; or another text, which the state's text and a forced token begin. */
export async function write(prompt = state.text, forced: number | null = null): Promise<void> {
  const before = forced === null ? null : sentence()?.before ?? sentence()?.text ?? null;
  await only("translate", "Writing", async signal => {
    update({sentences: [], ...NOTHING_SEEN});
    const count = Math.min(state.length, await room(prompt, signal));
    if (count < 1) throw new Error(`The text has as many tokens as the model can read: ${model()!.max_tokens}.`);
    const {text, tokens} = await written(prompt, count, signal);
    const edit = forced === null ? null : {forced, text: prompt};
    const one: Sentence = {source: prompt, text, tokens, score: 0, nBest: [], before, edit, isDone: true};
    update({sentences: [one], at: 0, step: Math.min(forced ?? 0, tokens.length - 1)});
    const inspection = await inspect({model: model()!.name, text}, signal);
    const rows = sentenceOf(inspection).tokens;  // what is read; the end symbol, which may be written, is not
    update({inspection, sentences: [{...one, tokens: rows.map((row, place) => ({...row, alternatives: tokens[place]?.alternatives ?? []}))}]});
  });
  if (state.inspection && state.off.length) await ablate();
}

/** Write another token in the place of one of a continuation, and continue from there. */
export async function forceWritten(place: number, token: string): Promise<void> {
  const tokens = sentence()!.tokens.slice(0, place).map(each => each.token);
  const isSymbol = (each: string): boolean => /^<[^<>]+>$/.test(each);  // such as the one that begins a text
  await write([...tokens.filter(each => !isSymbol(each)), token].join("").replaceAll("▁", " ").trimStart(), place);
}

/** What a classifier, tagger or masked language model says of the text, and which tokens moved it. */
export async function label(): Promise<void> {
  await only("translate", "Reading", async signal => {
    update({...NOTHING_SEEN});
    const inspection = await inspect({model: model()!.name, text: state.text}, signal);
    update({inspection, sentences: [sentenceOf(inspection)], at: 0, step: 0});
    if (inspection.predicted?.length) update({moved: await ask<Flow>(`inspect/${inspection.id}/flow/gradient`, undefined, signal)});
  });
  if (state.inspection && state.off.length) await ablate();
}

/** Do what the chosen model does with the text. */
export async function begin(): Promise<void> {
  settle();
  await beginAgain();
}

/** The same, and again what the address says was done then. */
export async function beginAgain(): Promise<void> {
  if (translates()) return await resume();
  const again = wanted(), {step} = state;
  await (model()?.arch === "decoder" ? write() : label());
  for (const {forced, text} of again?.edits ?? []) if (wanted() === again && forced !== null && model()?.arch === "decoder") await write(text, forced);
  if (again?.ranked && wanted() === again) await rank();
  if (again && wanted() === again) {
    settle();
    update({step: Math.max(0, Math.min(step, (sentence()?.tokens.length ?? 1) - 1))});
  }
}

/** Choose another model. */
export function changeModel(key: string): void {
  update({direction: key, sentences: [], ...NOTHING_SEEN, off: [], head: "mean", step: 0, source: null, numTokens: null});
  if (state.text.trim()) void begin();
}
