/** The server's answers, as docs/serving.md has them. */

import type {Tokens, Weights} from "./weights";

export interface Model {
  direction?: string;
  name?: string;
  source?: string;
  target?: string;
  arch: string;
  parameters: number;
  task?: string;
  max_tokens?: number;
  snapshots?: number[]; // steps of training after which the model was kept
  examples?: string[]; // texts of its validation data
}

/** How a weight of a head is computed. */
export interface Lookup {
  query: number[];
  key: number[];
  terms: number[];
  factor: number;
  is_additive: boolean;
  scores: number[];
  bias: number[];
  allowed: boolean[];
  weights: number[];
}

/** What affects what, through all layers. */
export interface Flow {
  method: string;
  caveat: string;
  rows: Tokens;
  keys: Tokens;
  shares: (number | null)[][];
  seen: Inspection; // what it is of
}

export interface Token {
  token: string;
  log_prob: number | null; // null: the model does not write it
  alternatives: [string, number][];
}

export interface Candidate {
  text: string;
  score: number;
  ids: number[];
}

export interface Sentence {
  source: string;
  text: string;
  tokens: Token[];
  ids: number[]; // of the tokens: what is asked about them is asked by these, as a text may be cut into others
  score: number;
  nBest: Candidate[];
  how: object; // the options with which it was written
  index: number; // its place among the sentences that were written with it: samples depend on it
  prefix: string; // what it had to begin with
  original: Sentence | null; // its translation before a token was forced, or another was chosen
  edit: Edit | null;
  isDone: boolean;
  gap?: string; // what stands before it in the translation of the whole text: a space, or line breaks
}

/** What was done to a translation: a token was forced, and the text up to it; or another translation was chosen, and its tokens. */
export interface Edit {
  forced: number | null;
  token: string;
  text: string;
  ids: number[];
}

export interface HeadStatistics {
  head: string;
  label: string;
  entropy: number;
  confidence: number;
  offset: number | null;
  scores?: Record<string, number>; // how well each label fits
}

export interface Inspection {
  id: string;
  text: string;
  target: string | null; // null: the model reads one text
  arch: string;
  tokens: Record<string, {rows: Tokens; keys: Tokens}>;
  token_log_probs: number[];
  heads: HeadStatistics[];
  lens: [string, number][][];
  ablations: Ablation[];
  predicted?: {label: string; prob: number}[]; // of classifiers, taggers and masked language models
  written?: string; // by a snapshot
  alignment?: string; // where alignments are read: the model's head, or a layer, which was chosen for this sentence
  asked: object; // by which request it can be had again
  weights: Map<string, Weights>;
}

export interface Ablation {
  heads: string[];
  log_prob_change: number;
  token_changes: number[];
  text: string;
  predicted?: {label: string; prob: number}[] | undefined; // of models that do not write
}

export interface TracedCandidate {
  parent: number | null;
  id: number;
  token: string;
  log_prob: number;
  score: number;
  fate: "active" | "finished" | "dropped";
}

export interface Traced {
  text: string;
  sentences: {ids: number[]}[];
  trace: TracedCandidate[][];
  of: string; // what was searched for: the text, and what its translation had to begin with
  source: string;
}

/** An answer that is an error. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The status of an answer that never came; of an inspection that the server has forgotten. */
export const AWAY = 0;
export const GONE = 410;

const KEY = "regard-key";

/** Whether the server answers. */
export async function isBack(): Promise<boolean> {
  try {
    return (await fetch("health")).ok;
  } catch {
    return false;
  }
}

export const keepKey = (key: string): void => sessionStorage.setItem(KEY, key);

async function fetched(path: string, fields: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = {};
  const key = sessionStorage.getItem(KEY);
  if (key) headers.Authorization = `Bearer ${key}`;
  if (fields !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    answer = await fetch(path.startsWith("v1/") ? path : `api/v1/${path}`, {
      method: fields === undefined ? "GET" : "POST",
      headers,
      signal: signal ?? null,
      body: fields === undefined ? null : JSON.stringify(fields),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(AWAY, "The server does not answer. Is it still running?");
  }
  if (!answer.ok) {
    const content = await answer.json().catch(() => ({}));
    throw new Failure(answer.status, content.error?.message ?? `The server answered ${answer.status}.`);
  }
  return answer;
}

/** The answer to a request, as JSON. */
export async function ask<Answer>(path: string, fields?: unknown, signal?: AbortSignal): Promise<Answer> {
  return (await (await fetched(path, fields, signal)).json()) as Answer;
}

/** The server-sent events of a translation. */
export async function* stream(fields: unknown, signal: AbortSignal): AsyncGenerator<{name: string; data: any}> {
  const answer = await fetched("stream", fields, signal);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const {value, done} = await reader.read().catch(error => {
      if (signal.aborted) throw error;
      throw new Failure(AWAY, "The server went away while it was answering. Is it still running?");
    });
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [name, data] = part.split("\n");
      yield {name: name!.slice("event: ".length), data: JSON.parse(data!.slice("data: ".length))};
    }
  }
}

/** Something about an inspection. Where the server has forgotten it, as after a restart, it is asked to look again. */
export async function askOf<Answer>(seen: Inspection, path: string, signal: AbortSignal): Promise<Answer> {
  try {
    return await ask<Answer>(`inspect/${seen.id}/${path}`, undefined, signal);
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== GONE) throw error;
    seen.id = (await ask<Inspection>("inspect", seen.asked, signal)).id;
    return await ask<Answer>(`inspect/${seen.id}/${path}`, undefined, signal);
  }
}

/** What all heads look at. */
export async function inspect(fields: object, signal: AbortSignal): Promise<Inspection> {
  const seen = await ask<Inspection>("inspect", {...fields, lens: true}, signal);
  seen.asked = fields;
  seen.weights = new Map();
  await Promise.all(
    Object.keys(seen.tokens).map(async kind => {
      const answer = await fetched(`inspect/${seen.id}/attention/${kind}`, undefined, signal);
      const [, rows, keys] = answer.headers.get("X-Shape")!.split(",").map(Number) as [number, number, number];
      const values = new Uint8Array(await answer.arrayBuffer());
      const scale = Number(answer.headers.get("X-Scale"));
      answer.headers
        .get("X-Heads")!
        .split(",")
        .forEach((name, index) => {
          const part = values.subarray(index * rows * keys, (index + 1) * rows * keys);
          seen.weights.set(name, {rows, keys, values: part, scale, forbidden: 255});
        });
    }),
  );
  return seen;
}
