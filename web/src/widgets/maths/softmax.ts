/** The softmax, and the scores of random vectors. */

/** Weights that sum to 1; the maximum is subtracted first, so that nothing overflows. */
export function softmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const powers = scores.map(score => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map(power => power / total);
}

/** Products of vectors of standard normal numbers: their standard deviation is the root of the width. */
export const products = (standard: readonly number[], width: number): number[] =>
  standard.map(number => number * Math.sqrt(width));

/** Weights of keys whose products with the query are those of random vectors. */
export function weightsOf(
  standard: readonly number[],
  width: number,
  isDivided: boolean,
  temperature: number,
): number[] {
  const divisor = (isDivided ? Math.sqrt(width) : 1) * temperature;
  return softmax(products(standard, width).map(product => product / divisor));
}

/** How many keys take part: e to the power of the entropy, from 1 to the number of keys. */
export const perplexity = (weights: readonly number[]): number =>
  Math.exp(-weights.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0));

/** The largest derivative of a weight by its own score: w (1 - w). */
export const largestGradient = (weights: readonly number[]): number =>
  Math.max(...weights.map(weight => weight * (1 - weight)));
