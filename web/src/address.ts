/** The page's address: the part of the state that a link carries, and the edits that are replayed when it is opened. */

import {firstHead} from "./head-navigation";
import type {Edit, TokenizedText} from "./sentence";
import {
  assign,
  chosenSentence,
  FLOW_METHODS,
  FLOW_PREFIX,
  initialState,
  isOutputStale,
  state,
  type Changes,
  type State,
} from "./state";

export interface SentenceEdit {
  sentenceIndex: number;
  edit: Edit;
}

/** Steps that are repeated after the text of an address is translated. */
export interface Replay {
  edits: SentenceEdit[];
  snapshot: number | null;
  compared: TokenizedText | null;
  tracesSearch: boolean;
  ranksHeads: boolean;
}

let replay: Replay | null = null;

/** The replay of the address, until it has ended. */
export const pendingReplay = (): Replay | null => replay;

/** End the replay: it is done, or another text is written. */
export function endReplay(): void {
  replay = null;
}

/** Steps to the present state. */
const currentReplay = (): Replay => ({
  edits: state.output.sentences.flatMap(({edit}, sentenceIndex) => (edit ? [{sentenceIndex, edit}] : [])),
  snapshot: state.inspection.snapshot,
  compared: state.output.compared,
  tracesSearch: state.search.trace !== null && state.search.trace.source === chosenSentence()?.source,
  ranksHeads: state.heads.importance !== null,
});

/** Parse a parameter; undefined: the value is not valid. */
type Parser = (value: string) => unknown;

const MAX_BEAM_SIZE = 16;
const MAX_TOKENS = 1000;
const MAX_TEMPERATURE = 5;
const MAX_POSITION = 1e9;

const toBoolean: Parser = value => value === "true";
const toNumber =
  (min: number, max: number, isWhole = true): Parser =>
  value => {
    const number = Number(value);
    const isValid = value.trim() !== "" && number >= min && number <= max && (!isWhole || Number.isInteger(number));
    return isValid ? number : undefined;
  };
const toPosition = toNumber(0, MAX_POSITION);
const isHead = (value: string): boolean => /^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(value);
const isMean = (value: string): boolean => value === "mean" || /^mean\.[a-z]+\.\d{1,9}$/.test(value);
const isFlow = (value: string): boolean => FLOW_METHODS.some(method => value === `${FLOW_PREFIX}${method}`);
const toHead: Parser = value => (isHead(value) || isMean(value) || isFlow(value) ? value : undefined);
const toHeads: Parser = value => value.split(",").filter(isHead);

interface Parameter {
  group: keyof State;
  field: string;
  parse: Parser;
}

const parameter = <Group extends keyof State>(
  group: Group,
  field: keyof State[Group] & string,
  parse: Parser,
): Parameter => ({group, field, parse});

/** Parameters by their names in the address, which stay as they are: readers have saved links. */
const PARAMETERS: Record<string, Parameter> = {
  direction: parameter("request", "modelName", String),
  text: parameter("request", "text", String),
  beam: parameter("request", "beamSize", toNumber(1, MAX_BEAM_SIZE)),
  temperature: parameter("request", "temperature", toNumber(0, MAX_TEMPERATURE, false)),
  seed: parameter("request", "seed", toNumber(0, Number.MAX_SAFE_INTEGER)),
  length: parameter("request", "maxTokens", toNumber(1, MAX_TOKENS)),
  at: parameter("view", "sentenceIndex", toPosition),
  step: parameter("view", "outputPosition", toPosition),
  source: parameter("view", "inputPosition", toPosition),
  key: parameter("view", "keyPosition", toPosition),
  head: parameter("view", "head", toHead),
  share: parameter("view", "rowShare", toNumber(0.1, 1, false)),
  words: parameter("view", "groupsWords", toBoolean),
  alone: parameter("view", "hidesOtherRows", toBoolean),
  isExplained: parameter("view", "showsComputation", toBoolean),
  isHtml: parameter("request", "isHtml", toBoolean),
  sortBy: parameter("heads", "sortBy", String),
  off: parameter("heads", "disabled", toHeads),
};

/** Parameters that need a server. */
const SERVER_PARAMETERS = ["direction", "text", "beam", "temperature", "seed", "length", "at", "off", "isHtml"];

type Value = string | number | boolean | string[] | null;

const fieldOf = (of: State, {group, field}: Parameter): Value => (of[group] as Record<string, Value>)[field] ?? null;

const DEFAULTS = initialState();

/** Options of a language model, which change what is shown only when the text is continued again. */
const SHOWN_OPTIONS: Record<string, keyof NonNullable<State["output"]["options"]>> = {
  temperature: "temperature",
  seed: "seed",
  length: "maxTokens",
};

/** The text that the output is of; the one in the field, if there is no output, or no answer. */
export const shownText = (): string =>
  isOutputStale() && !state.status.error ? state.output.sourceText : state.request.text;

/** The value of a parameter. A link is to what is shown: other choices in the fields are not in it. */
function valueOf(name: string): Value {
  if (name === "text") return shownText();
  const option = SHOWN_OPTIONS[name];
  return option && state.output.options ? state.output.options[option] : fieldOf(state, PARAMETERS[name]!);
}

/** The edits as they are written in the address: rows of sentence, position, text, token and ids. */
const editRow = ({sentenceIndex, edit}: SentenceEdit): unknown[] =>
  edit.kind === "prefix"
    ? [sentenceIndex, edit.position, edit.prefix, edit.token, []]
    : [sentenceIndex, null, edit.text, "", edit.ids];

function replayParameters(): [string, string][] {
  const {edits, snapshot, compared, tracesSearch, ranksHeads} = replay ?? currentReplay();
  const values: [string, string | null][] = [
    ["edits", edits.length ? JSON.stringify(edits.map(editRow)) : null],
    ["compared", compared && JSON.stringify([compared.text, compared.ids])],
    ["snapshot", snapshot === null ? null : String(snapshot)],
    ["searched", tracesSearch ? "true" : null],
    ["ranked", ranksHeads ? "true" : null],
  ];
  return values.filter((pair): pair is [string, string] => pair[1] !== null);
}

/** Whether a parameter is as the page chose it, with an example of its own. */
const isOfExample = (name: string): boolean =>
  name === "text" || name === "direction" || (name === "head" && state.view.head === firstHead());

/** The parameters of a link to what is shown. */
function linkParameters(): URLSearchParams {
  const {storedPage} = state.server;
  const parameters = new URLSearchParams();
  for (const [name, parameter] of Object.entries(PARAMETERS)) {
    const value = valueOf(name);
    if (storedPage && SERVER_PARAMETERS.includes(name)) continue;
    if (value === null || value === fieldOf(DEFAULTS, parameter) || String(value) === "") continue;
    parameters.set(name, String(value));
  }
  if (!storedPage) for (const [name, value] of replayParameters()) parameters.set(name, value);
  return parameters;
}

/** The part of the address after the page's own; of an example as the page shows it, nothing. */
export function currentFragment(): string {
  const parameters = linkParameters();
  const isUntouched = state.output.isExample && [...parameters.keys()].every(isOfExample);
  return `#${isUntouched ? "" : parameters}`;
}

/** A link to exactly what is shown, also of an example. */
export const shareLink = (): string => `${location.href.split("#")[0]}#${linkParameters()}`;

const isWholeNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const toIds = (value: unknown): number[] => (Array.isArray(value) ? value.filter(isWholeNumber) : []);

function parseJson(value: string | null): unknown {
  try {
    return JSON.parse(value ?? "null");
  } catch {
    return null;
  }
}

function parseEdit(row: unknown): SentenceEdit[] {
  if (!Array.isArray(row)) return [];
  const [sentenceIndex, position, text, token, ids] = row as unknown[];
  if (!isWholeNumber(sentenceIndex) || typeof text !== "string") return [];
  if (position === null) return [{sentenceIndex, edit: {kind: "translation", text, ids: toIds(ids)}}];
  if (!isWholeNumber(position)) return [];
  const edit: Edit = {kind: "prefix", position, prefix: text, token: typeof token === "string" ? token : ""};
  return [{sentenceIndex, edit}];
}

function parseEdits(value: string | null): SentenceEdit[] {
  const rows = parseJson(value);
  return Array.isArray(rows) ? rows.flatMap(parseEdit) : [];
}

function parseCompared(value: string | null): TokenizedText | null {
  const row = parseJson(value);
  if (Array.isArray(row) && typeof row[0] === "string") return {text: row[0], ids: toIds(row[1])};
  return value ? {text: value, ids: []} : null;
}

/** The changes to the state that the address asks for, with defaults for the rest. Its replay is pending then. */
export function readAddress(): Changes {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const changes: Partial<Record<keyof State, Record<string, unknown>>> = {};
  for (const [name, parameter] of Object.entries(PARAMETERS)) {
    const value = parameters.get(name);
    const parsed = value ? parameter.parse(value) : undefined;
    if (parsed === undefined && name === "direction") continue; // the chosen model stays
    (changes[parameter.group] ??= {})[parameter.field] = parsed ?? fieldOf(DEFAULTS, parameter);
  }
  const snapshot = Number(parameters.get("snapshot") ?? NaN);
  replay = {
    edits: parseEdits(parameters.get("edits")),
    snapshot: snapshot >= 0 ? snapshot : null,
    compared: parseCompared(parameters.get("compared")),
    tracesSearch: parameters.has("searched"),
    ranksHeads: parameters.has("ranked"),
  };
  return changes;
}

/** Set the state by the address. */
export const openAddress = (): void => assign(readAddress());
