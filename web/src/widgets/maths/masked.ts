/** Attention under a mask. */

import {softmax} from "./softmax";

/** Weights of each query: those that are not allowed are 0; all are 0 where nothing is allowed. */
export const maskedWeights = (
  scores: readonly (readonly number[])[],
  allowed: readonly (readonly boolean[])[],
): number[][] =>
  scores.map((row, query) =>
    allowed[query]!.some(Boolean)
      ? softmax(row.map((score, key) => (allowed[query]![key] ? score : -Infinity)))
      : row.map(() => 0),
  );

/** The context of each query, for values of one number. */
export const contexts = (weights: readonly (readonly number[])[], values: readonly number[]): number[] =>
  weights.map(row => row.reduce((sum, weight, key) => sum + weight * values[key]!, 0));

export const MASKS: Record<string, (query: number, key: number, size: number) => boolean> = {
  all: () => true,
  causal: (query, key) => key <= query,
  "no padding": (_, key, size) => key < size - 2,
  "window of 2": (query, key) => key <= query && key >= query - 1,
  "causal, first key hidden": (query, key) => key <= query && key > 0,
};

export const filled = (size: number, rule: (query: number, key: number, size: number) => boolean): boolean[][] =>
  Array.from({length: size}, (_, query) => Array.from({length: size}, (_, key) => rule(query, key, size)));
