/** The server's answers, each by the name of its schema. docs/serving.md describes the fields. */

export interface Model {
  /** The pair of languages, such as en-de; without it, the model does not translate. */
  direction?: string;
  name?: string;
  source?: string;
  target?: string;
  arch: string;
  parameters: number;
  task?: string;
  max_tokens?: number;
  /** Steps of training after which the model was kept. */
  snapshots?: number[];
  /** Texts of the validation data. */
  examples?: string[];
}

export interface Models {
  models: Model[];
}

export interface Tokenization {
  sentences: {tokens: string[]}[];
  max_tokens: number;
  num_cut: number;
}

/** A token that could have been written, and its log-probability. */
export type Alternative = [token: string, logProb: number];

export interface ScoredTokens {
  tokens: string[];
  token_log_probs: number[];
  /** For each token. */
  alternatives?: Alternative[][];
}

export interface Hypothesis {
  text: string;
  score: number;
  ids: number[];
}

export interface TranslatedSentence extends ScoredTokens, Hypothesis {
  source: string;
  n_best?: Hypothesis[];
}

export interface Translation {
  text: string;
  sentences: TranslatedSentence[];
}

export interface Translations {
  translations: {text?: string; error?: {message: string}}[];
}

export interface Score extends ScoredTokens {
  log_prob: number;
  ids: number[];
}

export interface StreamedToken {
  token: string;
  log_prob: number;
  alternatives: Alternative[];
}

/** The server-sent events of a translation. */
export type StreamEvent =
  | {name: "meta"; data: {sentences: number}}
  | {name: "token"; data: {sentence: number; text: string; tokens?: StreamedToken[]}}
  | {name: "done"; data: Translation}
  | {name: "error"; data: {status: number; message: string}};

export interface TraceCandidate {
  /** The place of the hypothesis that it continues, in the step before. */
  parent: number | null;
  id: number;
  token: string;
  log_prob: number;
  score: number;
  fate: "active" | "finished" | "dropped";
}

export interface TracedTranslation extends Translation {
  /** For each step. */
  trace: TraceCandidate[][];
}

/** The tokens along one side of a matrix. */
export interface Tokens {
  spelled: string[];
  /** In characters of the text; null: a symbol. */
  offsets: ([begin: number, end: number] | null)[];
  /** The word that each token is a part of. */
  words: (number | null)[];
}

export interface HeadStatistics {
  head: string;
  label: string;
  entropy: number;
  confidence: number;
  offset: number | null;
  /** The fit of each label. */
  scores?: Record<string, number>;
}

export interface Prediction {
  label: string;
  prob: number;
}

export interface Ablation {
  heads: string[];
  log_prob_change: number;
  token_changes: number[];
  text: string;
}

export interface Ablations {
  ablations: Ablation[];
  /** By a model that labels texts. */
  predicted?: Prediction[];
}

export interface AblationSweep {
  worth: Record<string, number>;
  by_token: Record<string, number[]>;
}

export interface Inspection {
  id: string;
  text: string;
  /** null: the model reads one text. */
  target: string | null;
  arch: string;
  /** By the kind of attention. */
  tokens: Record<string, {rows: Tokens; keys: Tokens}>;
  token_log_probs: number[];
  heads: HeadStatistics[];
  /** For each layer, the likeliest token of each position and its probability. */
  lens: [token: string, prob: number][][];
  ablations: Ablation[];
  /** By a classifier, tagger or masked language model. */
  predicted?: Prediction[];
  /** By a snapshot. */
  written?: string;
  /** The model's alignment head, or the layer that was chosen for this sentence. */
  alignment?: string;
}

/** The computation of one weight. */
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

/** Shares of each input token in each output token, through all layers. */
export interface Flow {
  method: string;
  caveat: string;
  rows: Tokens;
  keys: Tokens;
  shares: (number | null)[][];
}

export interface CompletionLogProbs {
  tokens: string[];
  token_ids: number[];
  token_logprobs: (number | null)[];
  text_offset: number[];
  top_logprobs: (Record<string, number> | null)[];
}

export interface Completion {
  choices: [{text: string; logprobs: CompletionLogProbs}];
}

export interface ErrorAnswer {
  error?: {message?: string};
}
