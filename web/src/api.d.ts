/** The server's answers, by the names of their schemas in its OpenAPI document: the fields that the page reads. */

export interface ModelReply {
  /** The pair of languages, such as en-de; without it, the model does not translate. */
  direction?: string;
  name?: string;
  source?: string;
  target?: string;
  arch: string;
  parameters: number;
  task?: string;
  max_tokens?: number | null;
  /** Steps of training after which the model was kept. */
  snapshots?: number[];
  /** Texts of the validation data. */
  examples?: string[];
}

export interface ModelsReply {
  models: ModelReply[];
}

export interface TokenizeReply {
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

export interface CandidateReply {
  text: string;
  score: number;
  ids: number[];
}

export interface SentenceReply extends ScoredTokens, CandidateReply {
  source: string;
  n_best?: CandidateReply[];
}

export interface TextReply {
  text: string;
  sentences: SentenceReply[];
}

export interface TranslateListReply {
  translations: {text?: string; error?: {message: string}}[];
}

export interface PairScore extends ScoredTokens {
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
  | {name: "done"; data: TextReply}
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

export interface TracedReply extends TextReply {
  /** For each step. */
  trace: TraceCandidate[][];
}

/** The tokens along one side of a matrix. */
export interface TokensReply {
  spelled: string[];
  /** In characters of the text; null: a symbol. */
  offsets: ([begin: number, end: number] | null)[];
  /** The word that each token is a part of. */
  words: (number | null)[];
}

export interface HeadReply {
  head: string;
  label: string;
  entropy: number;
  confidence: number;
  offset: number | null;
  /** The fit of each label. */
  scores?: Record<string, number>;
}

export interface PredictedLabel {
  label: string;
  prob: number;
}

export interface AblationReply {
  heads: string[];
  log_prob_change: number;
  token_changes: number[];
  text: string;
}

/** The changes without heads; of a sweep, the importance of each head for the text and for each token. */
export interface AblateReply {
  ablations?: AblationReply[];
  predicted?: PredictedLabel[];
  worth?: Record<string, number>;
  by_token?: Record<string, number[]>;
}

export interface InspectReply {
  id: string;
  text: string;
  /** null: the model reads one text. */
  target: string | null;
  arch: string;
  /** By the kind of attention. */
  tokens: Record<string, {rows: TokensReply; keys: TokensReply}>;
  token_log_probs: number[];
  heads: HeadReply[];
  /** For each layer, the likeliest token of each position and its probability. */
  lens: [token: string, prob: number][][];
  ablations: AblationReply[];
  /** By a classifier, tagger or masked language model. */
  predicted?: PredictedLabel[];
  /** By a snapshot. */
  written?: string;
  /** The model's alignment head, or the layer that was chosen for this sentence. */
  alignment?: string | null;
}

/** The computation of one weight. */
export interface LookupReply {
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
export interface FlowReply {
  method: string;
  caveat: string;
  rows: TokensReply;
  keys: TokensReply;
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
