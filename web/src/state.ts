/** The state that all panels share, grouped by subject. */

import type {
  Ablation,
  Experiment,
  LookupReply,
  ModelReply,
  NextTokens,
  PatchReply,
  PredictedLabel,
  StreamReply,
  TracedReply,
  WritesReply,
} from "./api";
import type {AttentionView} from "./attention-view";
import type {Sentence} from "./sentence";
import {NEUTRAL, type SoftmaxSettings} from "./softmax";
import type {Inspection, InspectionFlow} from "./weights";

export interface State {
  server: {
    models: ModelReply[];
    /** A page that was stored with its data, and has no server. */
    storedPage: {note: string; says: string; canLens: boolean} | null;
  };
  request: {
    /** The direction of the chosen model, or its name if it does not translate. */
    modelName: string;
    text: string;
    isHtml: boolean;
    beamSize: number;
    /** 0: beam search. */
    temperature: number;
    seed: number;
    /** The limit of a language model's continuation. */
    maxTokens: number;
    translatesWhileTyping: boolean;
  };
  tokenCounts: {
    /** null: not counted yet. */
    total: number | null;
    longestSentence: number;
    sentenceLimit: number;
    truncatedSentences: number;
  };
  output: {
    /** The text that was translated; another may stand in the field by now. */
    sourceText: string;
    sentences: Sentence[];
    html: string;
    /** Whether it is that of an earlier request than the one that runs. */
    isEarlier: boolean;
    /** A translation beside the chosen one. */
    compared: Sentence | null;
    /** The options of a language model's continuation. */
    options: Pick<State["request"], "temperature" | "seed" | "maxTokens"> | null;
    /** Whether the page chose the text, as the reader had written none. */
    isExample: boolean;
    /** Shares of the tokens in a prediction. */
    attribution: InspectionFlow | null;
  };
  view: {
    sentenceIndex: number;
    outputPosition: number;
    inputPosition: number | null;
    /** The column of self-attention over the input. */
    keyPosition: number | null;
    /** "mean", "mean.cross.1", a flow such as "flow.rollout", or a head; empty: the first of the model. */
    head: string;
    /** The share of a row's weight that is drawn. */
    rowShare: number;
    groupsWords: boolean;
    hidesOtherRows: boolean;
    showsComputation: boolean;
    isPlaying: boolean;
    tourStop: number | null;
    hoveredToken: HoveredToken | null;
  };
  /** What the reader tries; the model does not change by it. */
  trial: {
    /** How the weights of the chosen row are computed again. */
    softmax: SoftmaxSettings;
    sampling: SamplingSettings;
    /** The other text of patching, as it was edited; null: the inspected text as it is. */
    otherText: string | null;
    /** The chosen state of the other text: its stack, layer and position. */
    patched: {stack: string; layer: number; position: number} | null;
  };
  inspection: {
    result: Inspection | null;
    /** The sentence that was inspected; another may be chosen by now. */
    sentence: Sentence | null;
    /** The model that was inspected; null: that of a stored page. */
    modelName: string | null;
    flow: InspectionFlow | null;
    lookup: {result: LookupReply; view: AttentionView; cell: string} | null;
    /** What a head adds to the state of a token. */
    writes: {result: WritesReply; view: AttentionView; cell: string} | null;
    /** The sublayers that make the state of a token. */
    stream: {result: StreamReply; cell: string} | null;
    /** The tokens that may be written in the place of the chosen one, and how sampling draws them. */
    next: {result: NextTokens; cell: string} | null;
    experiment: {result: Experiment; inspection: Inspection} | null;
    /** The effects of the states of another text. */
    patching: {result: PatchReply; other: string; inspection: Inspection} | null;
    /** The training step of the inspected snapshot; null: the model itself. */
    snapshot: number | null;
  };
  heads: {
    disabled: string[];
    /** Earlier lists of disabled heads. */
    undoStack: string[][];
    sortBy: string;
    importance: Record<string, number> | null;
    importanceByToken: Record<string, number[]>;
    ablation: AblationResult | null;
    ablatedSentence: Sentence | null;
  };
  search: {
    trace: SearchTrace | null;
    /** The chosen node of the tree, such as 3.0. */
    candidate: string | null;
  };
  status: {
    /** Labels of the running tasks, by kind. */
    busy: Record<string, string>;
    error: string;
    needsApiKey: boolean;
    notice: string;
  };
}

/** How the next token is drawn, where that is shown. */
export interface SamplingSettings {
  isOpen: boolean;
  temperature: number;
  /** 0: of all tokens. */
  topK: number;
  topP: number;
}

/** A token under the pointer, and its place in the window. */
export interface HoveredToken {
  sentenceIndex: number;
  position: number;
  left: number;
  bottom: number;
}

export type AblationResult = Ablation & {predicted: PredictedLabel[] | undefined};

/** A search with its request: another may be chosen by now. */
export type SearchTrace = TracedReply & {requestKey: string; source: string};

const NO_INSPECTION: State["inspection"] = {
  result: null,
  sentence: null,
  modelName: null,
  flow: null,
  lookup: null,
  writes: null,
  stream: null,
  next: null,
  experiment: null,
  patching: null,
  snapshot: null,
};

export const initialState = (): State => ({
  server: {models: [], storedPage: null},
  request: {
    modelName: "",
    text: "",
    isHtml: false,
    beamSize: 5,
    temperature: 0,
    seed: 0,
    maxTokens: 50,
    translatesWhileTyping: true,
  },
  tokenCounts: {total: null, longestSentence: 0, sentenceLimit: 0, truncatedSentences: 0},
  output: {
    sourceText: "",
    sentences: [],
    html: "",
    isEarlier: false,
    compared: null,
    options: null,
    isExample: false,
    attribution: null,
  },
  view: {
    sentenceIndex: 0,
    outputPosition: 0,
    inputPosition: null,
    keyPosition: null,
    head: "",
    rowShare: 0.9,
    groupsWords: false,
    hidesOtherRows: false,
    showsComputation: false,
    isPlaying: false,
    tourStop: null,
    hoveredToken: null,
  },
  trial: {
    softmax: NEUTRAL,
    sampling: {isOpen: false, temperature: 1, topK: 0, topP: 1},
    otherText: null,
    patched: null,
  },
  inspection: {...NO_INSPECTION},
  heads: {
    disabled: [],
    undoStack: [],
    sortBy: "place",
    importance: null,
    importanceByToken: {},
    ablation: null,
    ablatedSentence: null,
  },
  search: {trace: null, candidate: null},
  status: {busy: {}, error: "", needsApiKey: false, notice: ""},
});

export const state = initialState();

/** New values for fields of some groups. */
export type Changes = {[Group in keyof State]?: Partial<State[Group]>};

/** The results of a text, emptied: the text is gone, or a model of another kind is chosen. */
export const NO_RESULTS: Changes = {
  output: {compared: null, attribution: null},
  inspection: NO_INSPECTION,
  heads: {ablation: null, ablatedSentence: null, importance: null},
  search: {trace: null, candidate: null},
  view: {hoveredToken: null},
};

/** The output, emptied, and all results of it. */
export const NO_OUTPUT: Changes[] = [{output: {sentences: [], sourceText: "", html: "", options: null}}, NO_RESULTS];

const listeners: (() => void)[] = [];
let isFramePending = false;

/** Call a function after the state has changed, at most once a frame. */
export function onChange(listener: () => void): void {
  listeners.push(listener);
}

/** Change the state without a call of the listeners. */
export function assign(changes: Changes): void {
  for (const [group, values] of Object.entries(changes)) Object.assign(state[group as keyof State], values);
}

/** Change the state; of several changes to a field, the last holds. */
export function update(...changes: Changes[]): void {
  changes.forEach(assign);
  if (isFramePending) return;
  isFramePending = true;
  requestAnimationFrame(() => {
    isFramePending = false;
    for (const listener of listeners) listener();
  });
}

/** Prefixes of `view.head` for a flow through all layers and for a mean of heads. */
export const FLOW_PREFIX = "flow.";
export const MEAN_PREFIX = "mean.";
export const FLOW_METHODS = ["rollout", "gradient", "integrated-gradients"];

export const modelNameOf = (model: ModelReply): string => model.direction ?? model.name ?? "";

export const chosenModel = (): ModelReply | undefined =>
  state.server.models.find(each => modelNameOf(each) === state.request.modelName);

export const chosenSentence = (): Sentence | undefined => state.output.sentences[state.view.sentenceIndex];

/** Whether a server has the chosen model, and the model translates. */
export const translates = (): boolean => !state.server.storedPage && chosenModel()?.direction !== undefined;

/** Whether the chosen model generates text, so that each token has a log-probability. */
export const generatesText = (): boolean =>
  translates() || (!state.server.storedPage && chosenModel()?.arch === "decoder");

/** Whether heads can be disabled: a server has the model, and no snapshot of it is shown. */
export function canAblate(): boolean {
  const model = chosenModel();
  return !state.server.storedPage && state.inspection.snapshot === null && model !== undefined && model.arch !== "rnn";
}

/** Whether the output is of another text than the one in the field. */
export const isOutputStale = (): boolean =>
  state.output.sourceText !== "" && state.output.sourceText !== state.request.text;

/** Whether the inspection is of another sentence or model than the chosen: theirs is under way or has failed. */
export function isInspectionStale(): boolean {
  const {result, sentence, modelName} = state.inspection;
  if (!result) return false;
  return sentence !== (chosenSentence() ?? null) || (modelName !== null && modelName !== state.request.modelName);
}

/** Whether the ablation is of other heads or another sentence than the chosen: theirs is under way or has failed. */
export function isAblationStale(): boolean {
  const {ablation, ablatedSentence, disabled} = state.heads;
  if (!ablation) return false;
  return ablatedSentence !== state.inspection.sentence || String(ablation.heads) !== String(disabled);
}

/** Whether the inspection is of another sentence or text than the reader sees. */
export const isViewOfOther = (): boolean => isInspectionStale() || isOutputStale();

/** The tokens that have a log-probability: all and the end of a translation, all but the first of another text. */
export function scoredTokens(sentence: Sentence | null | undefined = state.inspection.sentence): string[] {
  const tokens = (sentence?.tokens ?? []).map(each => each.token);
  if (!translates()) return tokens.slice(1);
  const rows = state.inspection.result?.tokens.cross?.rows.spelled ?? [];
  return [...tokens, rows.length > tokens.length ? rows.at(-1)! : "</s>"];
}

/** Whether `view.outputPosition` chooses the row of a kind of attention; of the others, `view.inputPosition` does. */
export const hasOutputRows = (kind: string): boolean => kind !== "encoder" || state.inspection.result?.target === null;
