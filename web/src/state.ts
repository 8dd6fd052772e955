/** What the page shows: one state that all panels share. The part that a link should carry is in the address. */

import type {Ablation, Inspection, Model, Sentence, Traced} from "./server";

export interface State {
  models: Model[];
  direction: string;
  text: string;
  beam: number;
  temperature: number;  // 0: beam search
  live: boolean;
  numTokens: number | null;
  maxTokens: number;
  sentences: Sentence[];
  at: number;  // the sentence that the other panels show
  step: number;  // the token of the output
  source: number | null;  // the token of the input
  head: string;  // "mean", or a head such as cross.1.2
  share: number;  // of a row's weight, that is shown
  inspection: Inspection | null;
  off: string[];
  undo: string[][];
  ablation: Ablation | null;
  worth: Record<string, number> | null;
  sortBy: string;
  traced: Traced | null;
  isPlaying: boolean;
  busy: string;  // what is under way
  error: string;
  needsKey: boolean;
}

export const state: State = {
  models: [], direction: "", text: "", beam: 5, temperature: 0, live: true, numTokens: null, maxTokens: 0, sentences: [], at: 0,
  step: 0, source: null, head: "mean", share: 0.9, inspection: null, off: [], undo: [], ablation: null, worth: null,
  sortBy: "place", traced: null, isPlaying: false, busy: "", error: "", needsKey: false,
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

const KEPT = {
  direction: String, text: String, beam: Number, temperature: Number, at: Number, step: Number, head: String, share: Number,
} as const;
const DEFAULTS = {beam: 5, temperature: 0, at: 0, step: 0, head: "mean", share: 0.9} as Record<string, unknown>;

function remember(): void {
  const kept = new URLSearchParams();
  for (const name of Object.keys(KEPT) as (keyof typeof KEPT)[]) {
    if (state[name] && state[name] !== DEFAULTS[name]) kept.set(name, String(state[name]));
  }
  if (state.off.length) kept.set("off", state.off.join(","));
  const address = `#${kept}`;
  if (address !== location.hash) history.replaceState(null, "", address);
}

/** The state that the address carries. */
export function recall(): Partial<State> {
  const kept = new URLSearchParams(location.hash.slice(1)), found: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(KEPT)) {
    const value = kept.get(name);
    if (value !== null && !(read === Number && !Number.isFinite(Number(value)))) found[name] = read(value);
  }
  const off = kept.get("off");
  if (off) found.off = off.split(",");
  return found as Partial<State>;
}

/** The model that is chosen. */
export function model(): Model | undefined {
  return state.models.find(each => each.direction === state.direction);
}

/** The sentence that is chosen. */
export function sentence(): Sentence | undefined {
  return state.sentences[state.at];
}
