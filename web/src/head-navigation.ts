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
