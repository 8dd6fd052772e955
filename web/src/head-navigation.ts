/** Heads by their names, and the way from one to another. */

import {MEAN_PREFIX, state, update} from "./state";

/** The layer of a head: cross.1 of cross.1.2. */
export const layerOf = (name: string): string => name.split(".").slice(0, 2).join(".");

const headNames = (): string[] => (state.inspection.result ? [...state.inspection.result.weights.keys()] : []);

/** The item at an index; after the last comes the first. */
const wrappedItem = <Item>(items: Item[], index: number): Item | undefined =>
  items[(index + items.length) % items.length];

/** Show the next head, or the one before. */
export function goToHead(step: number): void {
  const names = headNames();
  const head = wrappedItem(names, names.indexOf(state.view.head) + step);
  if (head) update({view: {head}});
}

/** Show the first head of the next layer, or of the one before. */
export function goToLayer(step: number): void {
  const layers = [...new Set(headNames().map(layerOf))];
  const layer = wrappedItem(layers, layers.indexOf(layerOf(state.view.head)) + step);
  const head = headNames().find(name => layerOf(name) === layer);
  if (head) update({view: {head}});
}

/** The head that alignments are read from, as in Python; or the mean of a layer that was chosen for this sentence. */
export function alignmentHead(): {head: string; isOfModel: boolean} | undefined {
  const name = state.inspection.result?.alignment;
  if (!name) return undefined;
  const isOfModel = name.split(".").length === 3;
  return {head: isOfModel ? name : `${MEAN_PREFIX}${name}`, isOfModel};
}

/** The head that is shown first: the alignment head; or else the sharpest, but none that looks at one symbol only. */
export function firstHead(): string {
  const alignment = alignmentHead();
  if (alignment?.isOfModel) return alignment.head;
  const heads = state.inspection.result?.heads ?? [];
  const cross = heads.filter(each => each.head.startsWith("cross."));
  const candidates = cross.length ? cross : heads;
  const others = candidates.filter(each => each.label !== "sink");
  const [sharpest] = [...(others.length ? others : candidates)].sort((a, b) => b.confidence - a.confidence);
  return sharpest?.head ?? "mean";
}

/** Labels in words; a mixed head has none. */
const LABELS: Record<string, string> = {
  "previous token": "mostly the token before",
  "next token": "mostly the next token",
  diagonal: "mostly in step, from first to last",
  "same token": "mostly the same token",
  induction: "mostly what came next the last time",
  sink: "mostly one symbol",
  alignment: "mostly the words that it translates",
  positional: "mostly at one distance",
};

/** The layer of some heads in words, such as "Encoder layer 1". */
export function layerTitle(layer: string): string {
  const [kind, number] = layer.split(".");
  const isOfPair = state.inspection.result?.target != null;
  return `${isOfPair && kind === "encoder" ? "Encoder layer" : "Layer"} ${number}`;
}

/** The place of a head in words and its name, such as "Layer 3, head 1 (cross.3.1)": both count from 0. */
export const headPlace = (name: string): string => `${layerTitle(layerOf(name))}, head ${name.split(".")[2]} (${name})`;

/** A head in words: its place, and what it reads. */
export function headTitle(name: string): string {
  const readsWritten = name.startsWith("decoder.") && state.inspection.result?.target != null;
  const reads = readsWritten ? "what is written" : "the text";
  const label = LABELS[state.inspection.result?.heads.find(each => each.head === name)?.label ?? ""];
  return `${headPlace(name)}: reads ${reads}${label ? `, ${label}` : ""}`;
}
