/** What the page shows: one state that all panels share. The part that a link should carry is in the address. */

import type {Ablation, Flow, Inspection, Lookup, Model, Sentence, Traced} from "./server";

export interface State {
  models: Model[];
  direction: string;  // of the chosen model, or the name of one that does not translate
  text: string;
  beam: number;
  temperature: number;  // 0: beam search
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
  head: string;  // "mean", or a head such as cross.1.2
  share: number;  // of a row's weight, that is shown
  words: boolean;  // tokens of a word together
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
  flow: Flow | null;
  isExplained: boolean;  // whether the chosen weight is computed before the reader's eyes
  lookup: Lookup | null;
  snapshot: number | null;  // the step of training whose model is looked into; null: the model itself
  stop: number | null;  // of the tour
  isPlaying: boolean;
  busy: Record<string, string>;  // what is under way, by kind
  error: string;
  needsKey: boolean;
  stored: {note: string; says: string} | null;  // null: there is a server
}

export const state: State = {
  models: [], direction: "", text: "", beam: 5, temperature: 0, length: 50, moved: null, live: true, numTokens: null, maxTokens: 0, numCut: 0, sentences: [], at: 0,
  step: 0, source: null, key: null, head: "mean", share: 0.9, words: false, inspection: null, off: [], undo: [], ablation: null, worth: null, worthByToken: {}, compared: null, isHtml: false, translatedHtml: "",
  sortBy: "place", traced: null, flow: null, isExplained: false, lookup: null, snapshot: null, stop: null, isPlaying: false, busy: {}, error: "", needsKey: false, stored: null,
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

const LIVE = ["direction", "text", "beam", "temperature", "length", "at", "off"];  // a stored page has none of these
const KEPT = {
  direction: String, text: String, beam: Number, temperature: Number, length: Number, at: Number, step: Number, source: Number, head: String, share: Number,
  words: (value: string) => value === "true", isExplained: (value: string) => value === "true", off: (value: string) => value.split(","),
} as const;
const DEFAULTS: Partial<State> = {text: "", source: null, off: [], beam: 5, temperature: 0, length: 50, at: 0, step: 0, head: "mean", share: 0.9, words: false, isExplained: false};

function remember(): void {
  const kept = new URLSearchParams();
  for (const name of Object.keys(KEPT) as (keyof typeof KEPT)[]) {
    const value = state[name];
    if (state.stored && LIVE.includes(name)) continue;
    if (value !== null && value !== DEFAULTS[name] && String(value)) kept.set(name, String(value));
  }
  const address = `#${kept}`;
  if (address === (location.hash || "#") || location.protocol === "about:") return;  // in a notebook there is no address
  history.replaceState(null, "", address);
}

/** The state that the address carries; what it does not say is as at first. */
export function recall(): Partial<State> {
  const kept = new URLSearchParams(location.hash.slice(1)), found: Record<string, unknown> = {...DEFAULTS};
  for (const [name, read] of Object.entries(KEPT)) {
    const value = kept.get(name);
    if (value && !(read === Number && !(Number(value) >= 0))) found[name] = read(value);
  }
  return found as Partial<State>;
}

/** What a model is chosen by. */
export const keyOf = (model: Model): string => model.direction ?? model.name ?? "";

/** The model that is chosen. */
export const model = (): Model | undefined => state.models.find(each => keyOf(each) === state.direction);

/** Whether the chosen model translates, so that its heads can be switched off and its search be shown. */
export const translates = (): boolean => !state.stored && model()?.direction !== undefined;

/** What is known of a text, forgotten. */
export const NOTHING_SEEN = {compared: null, inspection: null, ablation: null, traced: null, worth: null, flow: null, lookup: null, snapshot: null, moved: null};

/** The sentence that is chosen. */
export function sentence(): Sentence | undefined {
  return state.sentences[state.at];
}

/** Where a model looks while it writes, or reads where it writes nothing, so that `step` chooses the row; elsewhere `source` does. */
export const isOfOutput = (kind: string): boolean => kind !== "encoder" || state.inspection?.target === null;
