/** Kernel regression with a Gaussian kernel (Nadaraya 1964; Watson 1964). */

import {softmax} from "./softmax";

/** The weight of each key for a query. */
export const kernelWeights = (query: number, keys: readonly number[], bandwidth: number): number[] =>
  softmax(keys.map(key => -((query - key) ** 2) / (2 * bandwidth ** 2)));

/** The mean of the values with these weights. */
export function estimate(query: number, keys: readonly number[], values: readonly number[], bandwidth: number): number {
  const weights = kernelWeights(query, keys, bandwidth);
  return weights.reduce((sum, weight, index) => sum + weight * values[index]!, 0);
}
