/** Going from head to head. */

import {MEAN, state, update} from "./state";

/** The attention of a head: cross.1 of cross.1.2. */
export const siteOf = (name: string): string => name.split(".").slice(0, 2).join(".");

const names = (): string[] => (state.inspection ? [...state.inspection.weights.keys()] : []);

const around = <Item>(of: Item[], place: number): Item | undefined => of[(place + of.length) % of.length];

/** Show the next head, or the one before; after the last comes the first. */
export function goToHead(step: number): void {
  const all = names();
  const head = around(all, all.indexOf(state.head) + step);
  if (head) update({head});
}

/** Show the first head of the next layer, or of the one before. */
export function goToLayer(step: number): void {
  const sites = [...new Set(names().map(siteOf))];
  const site = around(sites, sites.indexOf(siteOf(state.head)) + step);
  const head = names().find(name => siteOf(name) === site);
  if (head) update({head});
}

/** Where alignments are read, in Python as well: the model's alignment head; of a model that names none, the mean of a layer that
was chosen for this sentence. */
export function alignmentHead(): {head: string; isOfModel: boolean} | undefined {
  const found = state.inspection?.alignment;
  if (!found) return undefined;
  const isOfModel = found.split(".").length === 3;
  return {head: isOfModel ? found : `${MEAN}${found}`, isOfModel};
}
