/** The weights of a row, computed from its scores with another temperature, without 1 / sqrt(d), or without mask. */

import type {LookupReply} from "./api";

export interface SoftmaxSettings {
  temperature: number;
  /** Whether products are multiplied by the score's factor, 1 / sqrt(d). */
  isScaled: boolean;
  isMasked: boolean;
}

/** The model's own softmax. */
export const NEUTRAL: SoftmaxSettings = {temperature: 1, isScaled: true, isMasked: true};

export const isNeutral = ({temperature, isScaled, isMasked}: SoftmaxSettings): boolean =>
  temperature === 1 && isScaled && isMasked;

export interface SoftmaxRow {
  /** The keys that have a weight, the highest score first. */
  keys: number[];
  /** Of each key, whether it has a weight or not. */
  scores: number[];
  /** e to the score, less the highest, divided by the temperature. */
  exponentials: number[];
  highest: number;
  total: number;
  weights: number[];
  entropy: number;
}

export function softmaxRow(
  {scores, bias, allowed, factor, cap}: LookupReply,
  {temperature, isScaled, isMasked}: SoftmaxSettings,
): SoftmaxRow {
  const sums = scores.map((score, key) => (isScaled || cap !== null ? score : score / factor) + bias[key]!);
  const keys = sums.map((_, key) => key).filter(key => allowed[key] || !isMasked);
  keys.sort((a, b) => sums[b]! - sums[a]!);
  const highest = sums[keys[0]!] ?? 0;
  const exponentials = sums.map(() => 0);
  for (const key of keys) exponentials[key] = Math.exp((sums[key]! - highest) / temperature);
  const total = exponentials.reduce((sum, value) => sum + value, 0);
  const weights = exponentials.map(value => value / total);
  const entropy = weights.reduce((sum, weight) => sum - (weight ? weight * Math.log(weight) : 0), 0);
  return {keys, scores: sums, exponentials, highest, total, weights, entropy};
}
