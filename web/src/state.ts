/** What the page shows: one state that all panels share. The part that a link should carry is in the address. */

import type {Shown} from "./panels/alignment";
import type {Ablation, Edit, Flow, Inspection, Lookup, Model, Sentence, Traced} from "./server";

export interface State {
  models: Model[];
  direction: string; // of the chosen model, or the name of one that does not translate
  text: string;
  beam: number;
  temperature: number; // 0: beam search
  seed: number; // of sampling
  length: number; // tokens that a language model writes
  moved: Flow | null; // which tokens moved what was predicted
  live: boolean;
  numTokens: number | null;
  maxTokens: number;
  longest: number; // tokens of the longest sentence
  numCut: number; // sentences that are too long
  sentences: Sentence[];
  textOf: string; // what the sentences were made of; the text may be another by now
  looked: Sentence | null; // the sentence that the inspection is of; the chosen one may be another by now
  ablated: Sentence | null; // the sentence that was tried without heads
  at: number; // the sentence that the other panels show
  step: number; // the token of the output
  source: number | null; // the token of the input
  key: number | null; // in self-attention of the input, the token that is looked at
  head: string; // "mean", "mean.cross.1" or a head such as cross.1.2
  share: number; // of a row's weight, that is shown
  words: boolean; // tokens of a word together
  alone: boolean; // curves of the chosen token only
  inspection: Inspection | null;
  off: string[];
  undo: string[][];
  ablation: Ablation | null;
  worth: Record<string, number> | null;
  worthByToken: Record<string, number[]>;
  compared: Sentence | null; // another translation, beside the chosen one
  isHtml: boolean;
  translatedHtml: string;
  sortBy: string;
  traced: Traced | null;
  node: string | null; // of the search: the chosen candidate, such as 3.0
  flow: Flow | null;
  isExplained: boolean; // whether the chosen weight is computed before the reader's eyes
  lookup: {of: Lookup; found: Shown; cell: string} | null; // the cell may be another by now
  snapshot: number | null; // the step of training whose model is looked into; null: the model itself
  stop: number | null; // of the tour
  peek: Peek | null;
  isPlaying: boolean;
  busy: Record<string, string>; // what is under way, by kind
  error: string;
  needsKey: boolean;
  said: string; // what was done, for a moment
  stored: {note: string; says: string} | null; // null: there is a server
}

/** The token under the pointer, and where it is on the screen. */
export interface Peek {
  at: number;
  place: number;
  left: number;
  top: number;
}

export const state: State = {
  models: [],
  direction: "",
  text: "",
  beam: 5,
  temperature: 0,
  seed: 0,
  length: 50,
  moved: null,
  live: true,
  numTokens: null,
  maxTokens: 0,
  longest: 0,
  numCut: 0,
  sentences: [],
  textOf: "",
  looked: null,
  ablated: null,
  at: 0,
  step: 0,
  source: null,
  key: null,
  head: "mean",
  share: 0.9,
  words: false,
  alone: false,
  inspection: null,
  off: [],
  undo: [],
  ablation: null,
  worth: null,
  worthByToken: {},
  compared: null,
  isHtml: false,
  translatedHtml: "",
  sortBy: "place",
  traced: null,
  node: null,
  flow: null,
  isExplained: false,
  lookup: null,
  snapshot: null,
  stop: null,
  peek: null,
  isPlaying: false,
  busy: {},
  error: "",
  needsKey: false,
  said: "",
  stored: null,
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

/** What was done to a sentence, by its place. */
export type Done = Edit & {at: number};

/** What is done again after a text from the address is translated. */
export interface Again {
  edits: Done[];
  snapshot: number | null;
  compared: Chosen | null;
  searched: boolean;
  ranked: boolean;
}

/** Another translation: its text and tokens; none where an older address says only the text. */
export interface Chosen {
  text: string;
  ids: number[];
}

const NOTHING_AGAIN: Again = {edits: [], snapshot: null, compared: null, searched: false, ranked: false};
let again: Again | null = null; // while it is under way, it stays in the address

/** What the address asks for, once a text is translated. */
export const wanted = (): Again | null => again;

/** It is done, or another text is written. */
export function settle(): void {
  again = null;
}

/** What was done to the text. */
const done = (): Again => ({
  edits: state.sentences.flatMap(({edit}, at) => (edit ? [{at, ...edit}] : [])),
  snapshot: state.snapshot,
  compared: state.compared && {text: state.compared.text, ids: state.compared.ids},
  searched: state.traced !== null && state.traced.source === sentence()?.source,
  ranked: state.worth !== null,
});

const LIVE = ["direction", "text", "beam", "temperature", "seed", "length", "at", "off", "isHtml"]; // a stored page has none of these
const MOST_BEAMS = 16;
const MOST_WRITTEN = 1000;
const HOTTEST = 5;
export const FLOW = "flow.";
export const MEAN = "mean.";
export const METHODS = ["rollout", "gradient", "integrated-gradients"];

type Read = (value: string) => unknown; // undefined: nothing that can be meant

const isTrue: Read = value => value === "true";
const among =
  (least: number, most: number, isWhole = true): Read =>
  value => {
    const number = Number(value);
    return value.trim() && number >= least && number <= most && (!isWhole || Number.isInteger(number))
      ? number
      : undefined;
  };
const count = among(0, 1e9);
const head: Read = value =>
  isHead(value) ||
  value === "mean" ||
  /^mean\.[a-z]+\.\d{1,9}$/.test(value) ||
  METHODS.some(method => value === `${FLOW}${method}`)
    ? value
    : undefined;
const isHead = (value: string): boolean => /^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(value);

/** How each part of the state is read from the address. What cannot be meant is as if it were not there. */
const KEPT: Record<string, Read> = {
  direction: String,
  text: String,
  beam: among(1, MOST_BEAMS),
  temperature: among(0, HOTTEST, false),
  seed: among(0, Number.MAX_SAFE_INTEGER),
  length: among(1, MOST_WRITTEN),
  at: count,
  step: count,
  source: count,
  key: count,
  head,
  share: among(0.1, 1, false),
  words: isTrue,
  alone: isTrue,
  isExplained: isTrue,
  isHtml: isTrue,
  sortBy: String,
  off: value => value.split(",").filter(isHead),
};
const DEFAULTS: Partial<State> = {
  text: "",
  source: null,
  key: null,
  off: [],
  beam: 5,
  temperature: 0,
  seed: 0,
  length: 50,
  at: 0,
  step: 0,
  head: "mean",
  share: 0.9,
  words: false,
  alone: false,
  isExplained: false,
  isHtml: false,
  sortBy: "place",
};

let isMarked = false;

/** What comes now is another page: "back" leads to the one before. */
export function mark(): void {
  isMarked = true;
}

/** Whether what is shown was made of another text than the one that stands there. */
export const isOtherText = (): boolean => state.textOf !== "" && state.textOf !== state.text;

function remember(): void {
  const kept = new URLSearchParams();
  for (const name of Object.keys(KEPT)) {
    const isShown = name === "text" && isOtherText() && !state.live && !state.busy.translate && !state.error; // a link is of what is shown
    const value = isShown ? state.textOf : state[name as keyof State];
    if (state.stored && LIVE.includes(name)) continue;
    if (value !== null && value !== DEFAULTS[name as keyof State] && String(value)) kept.set(name, String(value));
  }
  if (!state.stored) {
    const {edits, snapshot, compared, searched, ranked} = again ?? done();
    if (edits.length)
      kept.set("edits", JSON.stringify(edits.map(({at, forced, text, token, ids}) => [at, forced, text, token, ids])));
    if (compared) kept.set("compared", JSON.stringify([compared.text, compared.ids]));
    for (const [name, value] of Object.entries({snapshot, searched, ranked}))
      if (value || value === 0) kept.set(name, String(value));
  }
  const address = `#${kept}`;
  const title = [...state.text.trim().split("\n")[0]!].slice(0, 60).join("");
  if (!state.stored) document.title = title ? `${title} · Regard` : "Regard";
  if (address === (location.hash || "#") || location.protocol === "about:") return; // in a notebook there is no address
  if (isMarked) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  isMarked = false;
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const idsOf = (value: unknown): number[] => (Array.isArray(value) ? value.filter(isWhole) : []);

function parsed(value: string | null): unknown {
  try {
    return JSON.parse(value ?? "null");
  } catch {
    return null;
  }
}

function editsOf(value: string | null): Done[] {
  const rows = parsed(value);
  if (!Array.isArray(rows)) return [];
  const isEdit = ([at, forced, text]: unknown[]): boolean =>
    isWhole(at) && (forced === null || isWhole(forced)) && typeof text === "string";
  return rows
    .filter(row => Array.isArray(row) && isEdit(row))
    .map(([at, forced, text, token, ids]) => ({
      at,
      forced,
      text,
      token: typeof token === "string" ? token : "",
      ids: idsOf(ids),
    }));
}

function comparedOf(value: string | null): Chosen | null {
  const row = parsed(value);
  if (Array.isArray(row) && typeof row[0] === "string") return {text: row[0], ids: idsOf(row[1])};
  return value ? {text: value, ids: []} : null;
}

/** The state that the address carries; what it does not say is as at first. */
export function recall(): Partial<State> {
  const kept = new URLSearchParams(location.hash.slice(1));
  const found: Record<string, unknown> = {...DEFAULTS};
  const snapshot = Number(kept.get("snapshot") ?? NaN);
  for (const [name, read] of Object.entries(KEPT)) {
    const value = kept.get(name);
    const meant = value ? read(value) : undefined;
    if (meant !== undefined) found[name] = meant;
  }
  again = {
    ...NOTHING_AGAIN,
    edits: editsOf(kept.get("edits")),
    snapshot: snapshot >= 0 ? snapshot : null,
    compared: comparedOf(kept.get("compared")),
    searched: kept.has("searched"),
    ranked: kept.has("ranked"),
  };
  return found;
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
export const canAblate = (): boolean =>
  !state.stored && state.snapshot === null && model() !== undefined && model()!.arch !== "rnn";

/** What is known of a text, forgotten: another kind of model is chosen, or the text is gone. */
export const NOTHING_SEEN = {
  compared: null,
  inspection: null,
  looked: null,
  ablated: null,
  ablation: null,
  traced: null,
  node: null,
  worth: null,
  flow: null,
  lookup: null,
  snapshot: null,
  moved: null,
  peek: null,
};

/** The sentence that is chosen. */
export function sentence(): Sentence | undefined {
  return state.sentences[state.at];
}

/** Whether the panels still show another sentence than the chosen one: the new one is under way, or could not be had. */
export const isBehind = (): boolean => state.inspection !== null && state.looked !== (sentence() ?? null);

/** The tokens of a sentence whose log-probabilities change without heads: all and the end, or all after the first. */
export function changedTokens(one: Sentence | null | undefined = state.looked): string[] {
  const tokens = (one?.tokens ?? []).map(each => each.token);
  return translates() ? [...tokens, "end"] : tokens.slice(1);
}

/** Where a model looks while it writes, or reads where it writes nothing, so that `step` chooses the row; elsewhere `source` does. */
export const isOfOutput = (kind: string): boolean => kind !== "encoder" || state.inspection?.target === null;
