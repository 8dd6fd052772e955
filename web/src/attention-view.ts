/** The types of an attention matrix as it is shown. */

import type {Weights} from "./weights";

/** The tokens or words along one side of the matrix. */
export interface Side {
  labels: string[];
  /** The tokens of each word. */
  groups: number[][];
  /** The part of the text that each covers, with the space in front; empty for symbols. */
  pieces: string[];
  direction: "rtl" | "ltr";
  /** How many of the labels, from the first, were given to a language model; 0: of a translation. */
  numGiven: number;
}

export interface AttentionView {
  /** The kind of attention, or "flow". */
  kind: string;
  weights: Weights;
  rows: Side;
  keys: Side;
  /** The chosen cell. */
  row: number;
  key: number;
  /** The key with the highest weight of the row. */
  bestKey: number;
}
