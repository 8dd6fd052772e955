/** A sentence that the model has written, and the edits of the reader. */

import type {CandidateReply, PairScore} from "./api";

/** A token that could have been written, and its log-probability. */
export type Alternative = [token: string, logProb: number];
/** Tokens with their log-probabilities, as all answers with tokens have them. */
type ScoredTokens = Pick<PairScore, "tokens" | "token_log_probs" | "alternatives">;

export interface Token {
  token: string;
  /** null: the model does not generate it. */
  log_prob: number | null;
  alternatives: Alternative[];
}

/** A text and its tokens; an address of an older page has no tokens. */
export interface TokenizedText {
  text: string;
  ids: number[];
}

/** A prefix that the reader chose, which ends with a token at a position; or another translation. */
export type Edit =
  {kind: "prefix"; position: number; token: string; prefix: string} | ({kind: "translation"} & TokenizedText);

export interface Sentence extends TokenizedText {
  source: string;
  tokens: Token[];
  score: number;
  nBest: CandidateReply[];
  /** The decoding options of the request. */
  decoding: object;
  /** The place among the sentences of the request, on which samples depend. */
  index: number;
  /** The beginning that the request gave. */
  prefix: string;
  /** The translation before the first edit. */
  original: Sentence | null;
  edit: Edit | null;
  isDone: boolean;
  /** The number of tokens at the beginning that were given to a language model; 0: of a translation. */
  numGiven: number;
  /** White space in front, in the translation of the whole text. */
  separator?: string | undefined;
}

export const emptySentence = (): Sentence => ({
  source: "",
  text: "",
  tokens: [],
  ids: [],
  score: 0,
  nBest: [],
  decoding: {},
  index: 0,
  prefix: "",
  original: null,
  edit: null,
  isDone: false,
  numGiven: 0,
});

/** Set the tokens of an answer. Alternatives that only the stream had are kept. */
export function setTokens(sentence: Sentence, scored: ScoredTokens): void {
  sentence.tokens = scored.tokens.map((token, position) => ({
    token,
    log_prob: scored.token_log_probs[position]!,
    alternatives: scored.alternatives?.[position] ?? sentence.tokens[position]?.alternatives ?? [],
  }));
}

/** Join tokens to a text. */
export const joinTokens = (tokens: string[]): string => tokens.join("").replaceAll("▁", " ").trimStart();

export const hasSameTokens = (one: TokenizedText, other: TokenizedText): boolean =>
  one.text === other.text && String(one.ids) === String(other.ids);

/** Whether a token is a symbol of the vocabulary, such as the one that begins a text. */
export const isSymbol = (token: string): boolean => /^<[^<>]+>$/.test(token);
