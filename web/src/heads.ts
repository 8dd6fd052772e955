/** Going from head to head. */

import type {HeadStatistics} from "./server";
import {state, update} from "./state";

/** The attention of a head: cross.1 of cross.1.2. */
export const siteOf = (name: string): string => name.split(".").slice(0, 2).join(".");

const names = (): string[] => state.inspection ? [...state.inspection.weights.keys()] : [];

const around = <Item>(of: Item[], place: number): Item | undefined => of[(place + of.length) % of.length];

/** Show the next head, or the one before; after the last comes the first. */
export function goToHead(step: number): void {
  const all = names(), head = around(all, all.indexOf(state.head) + step);
  if (head) update({head});
}

/** Show the first head of the next layer, or of the one before. */
export function goToLayer(step: number): void {
  const sites = [...new Set(names().map(siteOf))], site = around(sites, sites.indexOf(siteOf(state.head)) + step);
  const head = names().find(name => siteOf(name) === site);
  if (head) update({head});
}

/** The head of cross-attention that is most like a word alignment. */
export function alignmentHead(): string | undefined {
  const like = (head: HeadStatistics): number => head.scores?.alignment ?? 0;
  const heads = (state.inspection?.heads ?? []).filter(each => each.head.startsWith("cross."));
  return heads.sort((a, b) => like(b) - like(a))[0]?.head;
}
