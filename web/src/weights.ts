/** Inspections, and weights of attention: a row for each query, a column for each key. */

import type {Ablation, FlowReply, InspectReply, Tokens} from "./api";

export interface Weights {
  rows: number;
  keys: number;
  values: Uint8Array | Uint16Array | Float32Array;
  /** The value of a weight of 1. */
  scale: number;
  /** The value of a cell that a mask forbids. */
  forbidden: number;
}

export type Inspection = InspectReply & {
  /** Of a stored page. */
  ablations?: Ablation[];
  /** The fields by which the server can inspect again. */
  request: object;
  weights: Map<string, Weights>;
};

export type InspectionFlow = FlowReply & {inspection: Inspection};

export const isForbidden = (weights: Weights, row: number, key: number): boolean =>
  weights.values[row * weights.keys + key] === weights.forbidden;

/** The weight of a cell, 0 where a mask forbids it. */
export function weightAt(weights: Weights, row: number, key: number): number {
  const value = weights.values[row * weights.keys + key]!;
  return value === weights.forbidden ? 0 : value / weights.scale;
}

export const rowWeights = (weights: Weights, row: number): number[] =>
  Array.from({length: weights.keys}, (_, key) => weightAt(weights, row, key));

/** The keys with the highest weights of a row, as many as hold a share of it. */
export function heaviestKeys(row: number[], share: number): Set<number> {
  const order = row.map((_, key) => key).sort((a, b) => row[b]! - row[a]!);
  const heaviest = new Set<number>();
  const total = row.reduce((sum, value) => sum + value, 0);
  let held = 0;
  for (const key of order) {
    if (row[key] === 0 || (held >= share * total && share < 1)) break;
    heaviest.add(key);
    held += row[key]!;
  }
  return heaviest;
}

const emptyWeights = (rows: number, keys: number): Weights => ({
  rows,
  keys,
  values: new Float32Array(rows * keys),
  scale: 1,
  forbidden: -1,
});

/** Weights from shares; null: forbidden. */
export function weightsOfShares(shares: (number | null)[][]): Weights {
  const weights = emptyWeights(shares.length, shares[0]?.length ?? 0);
  weights.values.set(shares.flat().map(share => share ?? weights.forbidden));
  return weights;
}

/** The mean of heads of one kind, which have the same mask. */
export function meanWeights(heads: Weights[]): Weights {
  const [first] = heads as [Weights];
  const mean = emptyWeights(first.rows, first.keys);
  for (const {values, scale, forbidden} of heads) {
    for (let cell = 0; cell < values.length; cell++) {
      mean.values[cell]! += values[cell] === forbidden ? 0 : values[cell]! / scale / heads.length;
    }
  }
  for (let cell = 0; cell < first.values.length; cell++) {
    if (first.values[cell] === first.forbidden) mean.values[cell] = mean.forbidden;
  }
  return mean;
}

/** The tokens of each word; symbols are words of their own. */
export function wordGroups(tokens: Tokens): number[][] {
  const groups: number[][] = [];
  tokens.words.forEach((word, position) => {
    if (word !== null && position > 0 && tokens.words[position - 1] === word) groups.at(-1)!.push(position);
    else groups.push([position]);
  });
  return groups;
}

/** Weights between words: the sum over the tokens of a key, and the mean over the tokens of a query. */
export function groupByWords(weights: Weights, rows: number[][], keys: number[][]): Weights {
  const grouped = emptyWeights(rows.length, keys.length);
  rows.forEach((row, rowIndex) => {
    keys.forEach((key, keyIndex) => {
      const areForbidden = row.every(query => key.every(each => isForbidden(weights, query, each)));
      const rowSum = (query: number): number => key.reduce((sum, each) => sum + weightAt(weights, query, each), 0);
      const sum = row.reduce((total, query) => total + rowSum(query), 0);
      grouped.values[rowIndex * keys.length + keyIndex] = areForbidden ? grouped.forbidden : sum / row.length;
    });
  });
  return grouped;
}
