/** What the page shows: one state that all panels share. The part that a link should carry is in the address. */

import type {Ablation, Flow, Inspection, Lookup, Model, Sentence, Traced} from "./server";

export interface State {
  models: Model[];
  direction: string;  // of the chosen model, or the name of one that does not translate
  text: string;
  beam: number;
  temperature: number;  // 0: beam search
  seed: number;  // of sampling
  length: number;  // tokens that a language model writes
  moved: Flow | null;  // which tokens moved what was predicted
  live: boolean;
  numTokens: number | null;
  maxTokens: number;
  numCut: number;  // sentences that are too long
  sentences: Sentence[];
  at: number;  // the sentence that the other panels show
  step: number;  // the token of the output
  source: number | null;  // the token of the input
  key: number | null;  // in self-attention of the input, the token that is looked at
  head: string;  // "mean", "mean.cross.1" or a head such as cross.1.2
  share: number;  // of a row's weight, that is shown
  words: boolean;  // tokens of a word together
  alone: boolean;  // curves of the chosen token only
  inspection: Inspection | null;
  off: string[];
  undo: string[][];
  ablation: Ablation | null;
  worth: Record<string, number> | null;
  worthByToken: Record<string, number[]>;
  compared: Sentence | null;  // another translation, beside the chosen one
  isHtml: boolean;
  translatedHtml: string;
  sortBy: string;
  traced: Traced | null;
  node: string | null;  // of the search: the chosen candidate, such as 3.0
  flow: Flow | null;
  isExplained: boolean;  // whether the chosen weight is computed before the reader's eyes
  lookup: Lookup | null;
  snapshot: number | null;  // the step of training whose model is looked into; null: the model itself
  stop: number | null;  // of the tour
  peek: Peek | null;
  isPlaying: boolean;
  busy: Record<string, string>;  // what is under way, by kind
  error: string;
  needsKey: boolean;
  stored: {note: string; says: string} | null;  // null: there is a server
}

/** The token under the pointer, and where it is on the screen. */
export interface Peek { at: number; place: number; left: number; top: number }

export const state: State = {
  models: [], direction: "", text: "", beam: 5, temperature: 0, seed: 0, length: 50, moved: null, live: true, numTokens: null, maxTokens: 0, numCut: 0, sentences: [], at: 0,
  step: 0, source: null, key: null, head: "mean", share: 0.9, words: false, alone: false, inspection: null, off: [], undo: [], ablation: null, worth: null, worthByToken: {},
  compared: null, isHtml: false, translatedHtml: "", sortBy: "place", traced: null, node: null, flow: null, isExplained: false, lookup: null, snapshot: null, stop: null,
  peek: null, isPlaying: false, busy: {}, error: "", needsKey: false, stored: null,
};

const listeners: (() => void)[] = [];
let isWaiting = false;

/** Have something called when the state has changed, once per frame. */
export function onChange(listener: () => void): void {
  listeners.push(listener);
}

/** Change the state. */
export function update(changes: Partial<State>): void {
  Object.assign(state, changes);
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    for (const listener of listeners) listener();
    remember();
  });
}

/** What is forced in a sentence, or which other translation of it was chosen. */
export interface Edit {
  at: number;
  forced: number | null;  // the token; null: another translation was chosen
  text: string;  // up to the forced token; or the other translation
}

/** What is done again after a text from the address is translated. */
export interface Again { edits: Edit[]; snapshot: number | null; compared: string; searched: boolean; ranked: boolean }

const NOTHING_AGAIN: Again = {edits: [], snapshot: null, compared: "", searched: false, ranked: false};
let again: Again | null = null;  // while it is under way, it stays in the address

/** What the address asks for, once a text is translated. */
export const wanted = (): Again | null => again;

/** It is done, or another text is written. */
export function settle(): void {
  again = null;
}

/** What was done to the text. */
const done = (): Again => ({
  edits: state.sentences.flatMap(({edit}, at) => edit ? [{at, ...edit}] : []), snapshot: state.snapshot, compared: state.compared?.text ?? "",
  searched: state.traced !== null, ranked: state.worth !== null,
});

const LIVE = ["direction", "text", "beam", "temperature", "seed", "length", "at", "off", "isHtml"];  // a stored page has none of these
const isTrue = (value: string): boolean => value === "true";
const KEPT = {
  direction: String, text: String, beam: Number, temperature: Number, seed: Number, length: Number, at: Number, step: Number, source: Number, key: Number, head: String, share: Number,
  words: isTrue, alone: isTrue, isExplained: isTrue, isHtml: isTrue, sortBy: String, off: (value: string) => value.split(","),
} as const;
const DEFAULTS: Partial<State> = {text: "", source: null, key: null, off: [], beam: 5, temperature: 0, seed: 0, length: 50, at: 0, step: 0, head: "mean", share: 0.9, words: false, alone: false, isExplained: false, isHtml: false, sortBy: "place"};

function remember(): void {
  const kept = new URLSearchParams();
  for (const name of Object.keys(KEPT) as (keyof typeof KEPT)[]) {
    const value = state[name];
    if (state.stored && LIVE.includes(name)) continue;
    if (value !== null && value !== DEFAULTS[name] && String(value)) kept.set(name, String(value));
  }
  if (!state.stored) {
    const {edits, snapshot, compared, searched, ranked} = again ?? done();
    if (edits.length) kept.set("edits", JSON.stringify(edits.map(({at, forced, text}) => [at, forced, text])));
    for (const [name, value] of Object.entries({snapshot, compared, searched, ranked})) if (value || value === 0) kept.set(name, String(value));
  }
  const address = `#${kept}`;
  if (address === (location.hash || "#") || location.protocol === "about:") return;  // in a notebook there is no address
  history.replaceState(null, "", address);
}

function editsOf(value: string | null): Edit[] {
  try {
    const rows: unknown = JSON.parse(value ?? "[]");
    if (!Array.isArray(rows)) return [];
    const isEdit = ([at, forced, text]: unknown[]): boolean => Number.isInteger(at) && (forced === null || Number.isInteger(forced)) && typeof text === "string";
    return rows.filter(row => Array.isArray(row) && isEdit(row)).map(([at, forced, text]) => ({at, forced, text}));
  } catch { return []; }
}

/** The state that the address carries; what it does not say is as at first. */
export function recall(): Partial<State> {
  const kept = new URLSearchParams(location.hash.slice(1)), found: Record<string, unknown> = {...DEFAULTS}, snapshot = Number(kept.get("snapshot") ?? NaN);
  for (const [name, read] of Object.entries(KEPT)) {
    const value = kept.get(name);
    if (value && !(read === Number && !(Number(value) >= 0))) found[name] = read(value);
  }
  again = {
    ...NOTHING_AGAIN, edits: editsOf(kept.get("edits")), snapshot: snapshot >= 0 ? snapshot : null, compared: kept.get("compared") ?? "",
    searched: kept.has("searched"), ranked: kept.has("ranked"),
  };
  return found as Partial<State>;
}

/** What a model is chosen by. */
export const keyOf = (model: Model): string => model.direction ?? model.name ?? "";

/** The model that is chosen. */
export const model = (): Model | undefined => state.models.find(each => keyOf(each) === state.direction);

/** Whether the chosen model translates, so that its search can be shown. */
export const translates = (): boolean => !state.stored && model()?.direction !== undefined;

/** Whether the chosen model writes: its heads can be ranked by what they are worth for each token. */
export const writes = (): boolean => translates() || (!state.stored && model()?.arch === "decoder");

/** Whether heads can be switched off: a server has the model, as it is now. */
export const canAblate = (): boolean => !state.stored && state.snapshot === null && model() !== undefined && model()!.arch !== "rnn";

/** What is known of a text, forgotten. */
export const NOTHING_SEEN = {compared: null, inspection: null, ablation: null, traced: null, node: null, worth: null, flow: null, lookup: null, snapshot: null, moved: null, peek: null};

/** The sentence that is chosen. */
export function sentence(): Sentence | undefined {
  return state.sentences[state.at];
}

/** The tokens of the chosen sentence whose log-probabilities change without heads: all and the end, or all after the first. */
export function changedTokens(): string[] {
  const tokens = (sentence()?.tokens ?? []).map(each => each.token);
  return translates() ? [...tokens, "end"] : tokens.slice(1);
}

/** Where a model looks while it writes, or reads where it writes nothing, so that `step` chooses the row; elsewhere `source` does. */
export const isOfOutput = (kind: string): boolean => kind !== "encoder" || state.inspection?.target === null;
