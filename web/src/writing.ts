/** What the page asks of models that do not translate: language models continue a text, others label it. */

import {ablate, keepFocus, rank, resume, show} from "./actions";
import {only} from "./asking";
import {ask, inspect, type Flow, type Model, type Sentence, type Token} from "./server";
import {isBehind, mark, model, NOTHING_SEEN, sentence, settle, state, translates, update, wanted} from "./state";
import {sentenceOf} from "./stored";

const NUM_ALTERNATIVES = 5;
/** How many tokens may be written at once. */
export const LENGTHS = [20, 50, 100, 200];

interface Completion {
  choices: [
    {
      text: string;
      logprobs: {
        tokens: string[];
        token_ids: number[];
        token_logprobs: (number | null)[];
        text_offset: number[];
        top_logprobs: (Record<string, number> | null)[];
      };
    },
  ];
}

/** Continue a text; the tokens of all of it have their alternatives. */
async function written(
  prompt: string,
  how: object,
  signal: AbortSignal,
): Promise<{text: string; tokens: Token[]; ids: number[]}> {
  const fields = {model: model()!.name, prompt, ...how, logprobs: NUM_ALTERNATIVES, echo: true};
  const {
    choices: [{text, logprobs}],
  } = await ask<Completion>("v1/completions", fields, signal);
  return {
    text,
    ids: logprobs.token_ids,
    tokens: logprobs.tokens.map((token, place) => ({
      token: token.replaceAll(" ", "▁"),
      log_prob: logprobs.token_logprobs[place] ?? null,
      alternatives: Object.entries(logprobs.top_logprobs[place] ?? {}).sort((a, b) => b[1] - a[1]),
    })),
  };
}

/** How many tokens may follow a text, so that the model can still read all of it. */
async function room(prompt: string, signal: AbortSignal): Promise<number> {
  const {name, max_tokens: most = Infinity} = model()!;
  if (!prompt.trim()) return most - 1;
  const {tokens} = await ask<{tokens: Record<string, {keys: {spelled: string[]}}>}>(
    "inspect",
    {model: name, text: prompt},
    signal,
  );
  return most - Object.values(tokens)[0]!.keys.spelled.length;
}

/** Continue the text with a language model; or another text, which the state's text and a forced token begin. */
export async function write(prompt = state.text, forced: number | null = null, token = ""): Promise<void> {
  const original = forced === null ? null : (sentence()?.original ?? sentence() ?? null);
  const asked = state.text;
  await only("translate", "Writing", async signal => {
    const count = Math.min(state.length, await room(prompt, signal));
    if (count < 1) throw new Error(`The text has as many tokens as the model can read: ${model()!.max_tokens}.`);
    const how = {max_tokens: count, temperature: state.temperature, seed: state.seed};
    const {text, tokens, ids: all} = await written(prompt, how, signal);
    const ids = all.slice(0, model()!.max_tokens ?? all.length); // the last token may be one more than the model can read
    const inspection = await inspect({model: model()!.name, text, ids}, signal);
    const rows = sentenceOf(inspection).tokens;
    const one: Sentence = {
      source: prompt,
      text,
      ids,
      score: 0,
      nBest: [],
      how,
      index: 0,
      prefix: "",
      original,
      isDone: true,
      edit: forced === null ? null : {forced, token, text: prompt, ids: []},
      tokens: rows.map((row, place) => ({...row, alternatives: tokens[place]?.alternatives ?? []})),
    };
    update({
      sentences: [one],
      textOf: asked,
      at: 0,
      step: Math.max(0, Math.min(forced ?? 0, rows.length - 1)),
      traced: null,
      moved: null,
      peek: null,
    });
    show(inspection, one);
  });
  if (state.off.length && !isBehind()) await ablate();
}

/** Write another token in the place of one of a continuation, and continue from there. */
export async function forceWritten(place: number, token: string): Promise<void> {
  const tokens = sentence()!
    .tokens.slice(0, place)
    .map(each => each.token);
  const isSymbol = (each: string): boolean => /^<[^<>]+>$/.test(each); // such as the one that begins a text
  mark();
  await keepFocus(() =>
    write([...tokens.filter(each => !isSymbol(each)), token].join("").replaceAll("▁", " ").trimStart(), place, token),
  );
}

/** What a classifier, tagger or masked language model says of the text, and which tokens moved it. */
export async function label(): Promise<void> {
  const {text} = state;
  await only("translate", "Reading", async signal => {
    const inspection = await inspect({model: model()!.name, text}, signal);
    const one = sentenceOf(inspection);
    const moved = inspection.predicted?.length
      ? {...(await ask<Flow>(`inspect/${inspection.id}/flow/gradient`, undefined, signal)), seen: inspection}
      : null;
    update({sentences: [one], textOf: text, at: 0, step: 0, traced: null, moved});
    show(inspection, one);
  });
  if (state.off.length && !isBehind()) await ablate();
}

/** Do what the chosen model does with the text. */
export async function begin(): Promise<void> {
  settle();
  mark();
  await beginAgain();
}

/** The same, and again what the address says was done then. */
export async function beginAgain(): Promise<void> {
  if (translates()) return await resume();
  const again = wanted();
  const {step} = state;
  await (model()?.arch === "decoder" ? write() : label());
  for (const {forced, text, token} of again?.edits ?? [])
    if (wanted() === again && forced !== null && model()?.arch === "decoder") await write(text, forced, token);
  if (again?.ranked && wanted() === again) await rank();
  if (again && wanted() === again) {
    settle();
    update({step: Math.max(0, Math.min(step, (sentence()?.tokens.length ?? 1) - 1))});
  }
}

/** Choose another model. What the one before has done stays until there is something of the new one, if that does the same. */
export function changeModel(key: string): void {
  const before = model();
  update({direction: key, off: [], head: "mean", step: 0, source: null, numTokens: null});
  dropUnlike(before);
  if (state.text.trim()) void begin();
}

/** Forget what another kind of model has made. */
export function dropUnlike(before: Model | undefined): void {
  const now = model();
  const isAlike =
    before?.arch === now?.arch && before?.task === now?.task && Boolean(before?.direction) === translates();
  if (!isAlike || !state.text.trim()) update({sentences: [], textOf: "", translatedHtml: "", ...NOTHING_SEEN});
}
