/** What the page asks of the server. A newer request of a kind ends the one before. */

import {ask, Failure, inspect, stream, type Ablation, type Model, type Sentence, type Token, type Traced} from "./server";
import {model, sentence, state, update} from "./state";

const running = new Map<string, AbortController>();

/** Do something, unless the same is asked for anew meanwhile; errors are shown. */
async function only(kind: string, busy: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  running.get(kind)?.abort();
  const controller = new AbortController();
  running.set(kind, controller);
  if (busy) update({busy, error: ""});
  try {
    await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) return;
    update({error: error instanceof Error ? error.message : String(error), needsKey: error instanceof Failure && error.status === 403});
  } finally {
    if (running.get(kind) === controller) {
      running.delete(kind);
      if (busy && state.busy === busy) update({busy: ""});
    }
  }
}

/** End what is under way. */
export function stop(kind: string): void {
  running.get(kind)?.abort();
  running.delete(kind);
  update({busy: ""});
}

const direction = (): object => {
  const chosen = model();
  return chosen ? {source: chosen.source, target: chosen.target} : {};
};

const options = (): object =>
  state.temperature ? {method: "sample", temperature: state.temperature} : {beam_size: state.beam};

export async function loadModels(): Promise<void> {
  await only("models", "", async signal => {
    const models = (await ask<{models: Model[]}>("models", undefined, signal)).models.filter(each => each.direction);
    const known = models.some(each => each.direction === state.direction);
    update({models, direction: known ? state.direction : models[0]?.direction ?? "", error: "", needsKey: false});
  });
}

export async function count(): Promise<void> {
  await only("count", "", async signal => {
    if (!state.text.trim()) return update({numTokens: null});
    const found = await ask<{sentences: {tokens: string[]}[]; max_tokens: number}>("tokenize", {...direction(), text: state.text}, signal);
    update({numTokens: found.sentences.reduce((sum, each) => sum + each.tokens.length, 0), maxTokens: found.max_tokens});
  });
}

interface Done { sentences: {text: string; score: number; source: string; n_best?: {text: string; score: number}[]}[] }

/** Translate the text; its tokens come while they are written. */
export async function translate(): Promise<void> {
  running.get("inspect")?.abort();
  if (!state.text.trim()) {
    stop("translate");
    return update({sentences: [], inspection: null, ablation: null, traced: null, worth: null});
  }
  await only("translate", "Translating", async signal => {
    const sentences: Sentence[] = [];
    const fields = {...direction(), ...options(), text: state.text, alternatives: 5};
    update({sentences, at: Math.max(state.at, 0), inspection: null, ablation: null, traced: null, worth: null});
    await follow(fields, signal, sentences, 0);
    update({at: Math.min(state.at, Math.max(sentences.length - 1, 0))});
  });
  if (sentence()?.isDone) await look();
}

/** Read a stream into sentences from the place `first` on. */
async function follow(fields: object, signal: AbortSignal, sentences: Sentence[], first: number): Promise<void> {
  const wanted = state.temperature ? fields : {...fields, n_best: Math.min(state.beam, 5)};
  for await (const {name, data} of stream(wanted, signal)) {
    if (signal.aborted) return;
    if (name === "meta") {
      for (let place = 0; place < data.sentences; place++) sentences[first + place] ??= empty();
    } else if (name === "token") {
      const one = sentences[first + data.sentence]!;
      one.text = data.text;
      one.tokens.push(...(data.tokens as Token[] ?? []));
    } else if (name === "done") {
      (data as Done).sentences.forEach((found, place) => {
        const one = sentences[first + place]!;
        const {text, score, source} = found;
        Object.assign(one, {text, score, source, isDone: true, nBest: found.n_best ?? []});
        take(one, found as unknown as Finished);
      });
    } else if (name === "error") {
      throw new Failure(data.status, data.message);
    }
    update({sentences});
  }
}

interface Finished { tokens: string[]; token_log_probs: number[]; alternatives?: [string, number][][] }

/** The tokens as they are in the end: those that a stream told, and the last ones, which it tells with the translation. */
function take(one: Sentence, found: Finished): void {
  one.tokens = found.tokens.map((token, place) => ({
    token, log_prob: found.token_log_probs[place]!, alternatives: found.alternatives?.[place] ?? one.tokens[place]?.alternatives ?? [],
  }));
}

const empty = (): Sentence =>
  ({source: "", text: "", tokens: [], score: 0, nBest: [], before: null, forced: null, isDone: false});

/** Write another token in the place of one, and decode the rest of the sentence again. */
export async function force(place: number, token: string): Promise<void> {
  const one = sentence();
  if (!one?.isDone) return;
  const prefix = spelled([...one.tokens.slice(0, place).map(each => each.token), token]);
  await only("translate", "Decoding again", async signal => {
    const made = {...empty(), source: one.source, before: one.before ?? one.text, forced: place};
    const sentences = [...state.sentences];
    sentences[state.at] = made;
    update({sentences, step: place, inspection: null, ablation: null, traced: null, worth: null});
    await follow({...direction(), ...options(), text: one.source, prefix, split: false, alternatives: 5}, signal, sentences, state.at);
  });
  if (sentence()?.isDone) await look();
}

/** The text of some tokens. */
export const spelled = (tokens: string[]): string => tokens.join("").replaceAll("▁", " ").trimStart();

/** Show another of the best translations. */
export async function take_rank(text: string): Promise<void> {
  const one = sentence();
  if (!one) return;
  await only("translate", "Reading", async signal => {
    const found = await ask<Finished & {log_prob: number}>("score", {...direction(), text: one.source, target_text: text}, signal);
    const made = {...one, text, before: one.before ?? one.text, forced: null, score: found.log_prob};
    take(made, {...found, tokens: found.tokens.slice(0, -1)});
    const sentences = [...state.sentences];
    sentences[state.at] = made;
    update({sentences, inspection: null, ablation: null, worth: null});
  });
  await look();
}

/** What the heads look at while the chosen sentence is translated; and what changes without those that are off. */
export async function look(): Promise<void> {
  const one = sentence();
  if (!one?.isDone || !one.text) return;
  await only("inspect", "Looking inside", async signal => {
    const inspection = await inspect(direction(), one.source, one.text, signal);
    const known = state.head === "mean" || inspection.weights.has(state.head);
    const off = state.off.filter(name => inspection.weights.has(name));
    update({inspection, off, head: known ? state.head : "mean", step: Math.min(state.step, one.tokens.length - 1)});
  });
  if (state.inspection && state.off.length) await ablate();
}

/** Switch heads off or on. */
export async function toggle(names: string[], keeps: boolean | null = null): Promise<void> {
  const undo = [...state.undo, state.off].slice(-50), isOff = names.every(name => state.off.includes(name));
  const off = keeps ?? isOff ? state.off.filter(name => !names.includes(name)) : [...new Set([...state.off, ...names])];
  update({off, undo});
  await ablate();
}

export async function setOff(off: string[], undo: string[][]): Promise<void> {
  update({off, undo});
  await ablate();
}

async function ablate(): Promise<void> {
  const one = sentence();
  if (!state.off.length) {
    stop("ablate");
    return update({ablation: null});
  }
  if (!one?.isDone) return;
  await only("ablate", "Translating without heads", async signal => {
    const fields = {...direction(), text: one.source, target_text: one.text, heads: state.off, beam_size: state.beam};
    const found = await ask<{ablations: Ablation[]}>("ablate", fields, signal);
    update({ablation: found.ablations.at(-1) ?? null});
  });
}

/** What each head is worth for the chosen sentence. */
export async function rank(): Promise<void> {
  const one = sentence();
  if (!one?.isDone) return;
  await only("rank", "Taking each head away", async signal => {
    const found = await ask<{worth: Record<string, number>}>(
      "ablate", {...direction(), text: one.source, target_text: one.text, sweep: true}, signal);
    update({worth: found.worth, sortBy: "worth"});
  });
}

/** Every candidate of the search for the chosen sentence. */
export async function search(): Promise<void> {
  const one = sentence();
  if (!one?.isDone) return;
  await only("search", "Searching", async signal => {
    const fields = {...direction(), text: one.source, beam_size: state.beam, trace: true, split: false};
    update({traced: await ask<Traced>("translate", fields, signal)});
  });
}
