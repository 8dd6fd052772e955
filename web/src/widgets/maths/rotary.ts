/** Rotary positions (Su et al. 2021); the first half of a vector makes pairs with the second, as in Llama. */

/** The angle between two neighbouring positions, of each pair of dimensions, in radians. */
export const frequencies = (width: number, base: number): number[] =>
  Array.from({length: width / 2}, (_, pair) => base ** (-(2 * pair) / width));

/** A vector, turned by the angles of its position. */
export function rotated(vector: readonly number[], position: number, base: number): number[] {
  const half = vector.length / 2;
  const angles = frequencies(vector.length, base).map(frequency => frequency * position);
  const turned = (index: number, sine: number, cosine: number): number => {
    const [a, b] = [vector[index % half]!, vector[(index % half) + half]!];
    return index < half ? a * cosine - b * sine : b * cosine + a * sine;
  };
  return vector.map((_, index) => turned(index, Math.sin(angles[index % half]!), Math.cos(angles[index % half]!)));
}

/** The dot product of a query and a key at their positions. */
export function score(
  query: readonly number[],
  key: readonly number[],
  positions: readonly [number, number],
  base: number,
): number {
  const turned = rotated(key, positions[1], base);
  return rotated(query, positions[0], base).reduce((sum, number, index) => sum + number * turned[index]!, 0);
}
