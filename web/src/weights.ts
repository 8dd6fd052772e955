/** The weights of a head: packed numbers, a row for each token that looks, a column for each that is looked at. */

export interface Weights {
  rows: number;
  keys: number;
  values: Uint8Array | Uint16Array | Float32Array;
  scale: number; // the number that stands for a weight of 1
  forbidden: number; // the number of a cell that a mask forbids
}

/** The tokens along one side of a matrix. */
export interface Tokens {
  spelled: string[];
  offsets: ([number, number] | null)[]; // in characters of the text; null: a symbol
  words: (number | null)[];
}

/** Whether a mask forbids a cell. */
export const isForbidden = (of: Weights, row: number, key: number): boolean =>
  of.values[row * of.keys + key] === of.forbidden;

/** The weight of a cell, 0 where a mask forbids it. */
export function weightAt(of: Weights, row: number, key: number): number {
  const value = of.values[row * of.keys + key]!;
  return value === of.forbidden ? 0 : value / of.scale;
}

/** The weights of a row. */
export const rowOf = (of: Weights, row: number): number[] =>
  Array.from({length: of.keys}, (_, key) => weightAt(of, row, key));

/** Which keys of a row hold the chosen share of its weight: the heaviest ones. */
export function heaviest(row: number[], share: number): Set<number> {
  const order = row.map((_, key) => key).sort((a, b) => row[b]! - row[a]!);
  const shown = new Set<number>();
  const total = row.reduce((sum, value) => sum + value, 0);
  let held = 0;
  for (const key of order) {
    if (row[key] === 0 || (held >= share * total && share < 1)) break;
    shown.add(key);
    held += row[key]!;
  }
  return shown;
}

const made = (rows: number, keys: number): Weights => ({
  rows,
  keys,
  values: new Float32Array(rows * keys),
  scale: 1,
  forbidden: -1,
});

/** Weights from shares; null: forbidden. */
export function ofShares(shares: (number | null)[][]): Weights {
  const found = made(shares.length, shares[0]?.length ?? 0);
  shares.flat().forEach((share, cell) => {
    found.values[cell] = share ?? -1;
  });
  return found;
}

/** The mean of some heads of one kind. */
export function mean(of: Weights[]): Weights {
  const first = of[0]!;
  const found = made(first.rows, first.keys);
  for (const {values, scale, forbidden} of of) {
    for (let cell = 0; cell < values.length; cell++)
      found.values[cell]! += values[cell] === forbidden ? 0 : values[cell]! / scale / of.length;
  }
  for (let cell = 0; cell < first.values.length; cell++)
    if (first.values[cell] === first.forbidden) found.values[cell] = -1;
  return found;
}

/** The tokens of each word together; symbols stand alone. */
export function groupsOf(tokens: Tokens): number[][] {
  const groups: number[][] = [];
  tokens.words.forEach((word, place) => {
    if (word !== null && place > 0 && tokens.words[place - 1] === word) groups.at(-1)!.push(place);
    else groups.push([place]);
  });
  return groups;
}

/** The weights between words: summed over the tokens of a word that is looked at, the mean over those of one that looks. */
export function byWords(of: Weights, rows: number[][], keys: number[][]): Weights {
  const found = made(rows.length, keys.length);
  rows.forEach((row, x) =>
    keys.forEach((key, y) => {
      const isNever = row.every(i => key.every(j => isForbidden(of, i, j)));
      const sum = row.reduce((sum, i) => sum + key.reduce((part, j) => part + weightAt(of, i, j), 0), 0);
      found.values[x * keys.length + y] = isNever ? -1 : sum / row.length;
    }),
  );
  return found;
}
