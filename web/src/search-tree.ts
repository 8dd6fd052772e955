/** The tree of a search: each hypothesis under the one that it continues, with places for a drawing. */

import type {TraceCandidate} from "./api";
import type {SearchTrace} from "./state";

const COLUMN_WIDTH = 84;
const ROW_HEIGHT = 32;
const MARGIN = 8;
/** Distances of a branch from the tokens at its ends. */
const BRANCH_BEGIN = 34;
const ROOT_BEGIN = 4;
const BRANCH_END = 30;
const BEND = 6;
const DROPPED_PER_STEP = 2;

export interface TreeNode {
  id: string;
  step: number;
  token: string;
  /** null: the root. */
  candidate: TraceCandidate | null;
  children: TreeNode[];
  /** The tokens from the root on. */
  path: string[];
  ids: number[];
  isOnBestPath: boolean;
}

export interface PlacedNode {
  node: TreeNode;
  parent: PlacedNode | null;
  x: number;
  y: number;
}

export interface SearchTree {
  trace: SearchTrace;
  ids: string;
  /** Whether the chosen hypothesis is in the tree. */
  isFound: boolean;
  /** The root first. */
  nodes: PlacedNode[];
  width: number;
  height: number;
}

const rootNode = (): TreeNode => ({
  id: "",
  step: 0,
  token: "",
  candidate: null,
  children: [],
  path: [],
  ids: [],
  isOnBestPath: true,
});

/** The tree of all candidates that went on or ended; of each step, the best of those that were dropped. */
function buildTree({trace}: SearchTrace): TreeNode {
  const root = rootNode();
  let previous: (TreeNode | undefined)[] = [];
  for (const [index, candidates] of trace.entries()) {
    const shown = new Set(candidates.filter(each => each.fate === "dropped").slice(0, DROPPED_PER_STEP));
    previous = candidates.map((candidate, place) => {
      const {fate, token, id} = candidate;
      const parent = candidate.parent === null ? root : previous[candidate.parent];
      if (!parent || (fate === "dropped" && !shown.has(candidate))) return undefined;
      const isEnd = fate === "finished";
      const path = isEnd ? parent.path : [...parent.path, token];
      const ids = isEnd ? parent.ids : [...parent.ids, id];
      const node = {...rootNode(), id: `${index}.${place}`, step: index + 1, token, candidate, path, ids};
      parent.children.push(node);
      return node;
    });
  }
  return root;
}

/** Mark the path to the hypothesis with these tokens. Whether it is in the tree. */
function markBestPath(node: TreeNode, ids: number[], numSteps: number): boolean {
  const isCut = node.step === numSteps; // by the limit of the length
  const isComplete = node.candidate?.fate === "finished" || isCut;
  const isEnd = isComplete && String(node.ids) === String(ids);
  const isOnPath = node.children.map(child => markBestPath(child, ids, numSteps)).some(Boolean);
  node.isOnBestPath = isOnPath || isEnd;
  return node.isOnBestPath;
}

let cached: SearchTree | null = null;

/** The tree with a row for each leaf. The path to these tokens, or else to the best hypothesis, is the top row. */
export function layOutTree(trace: SearchTrace, ids: number[]): SearchTree {
  if (cached?.trace === trace && cached.ids === String(ids)) return cached;
  const root = buildTree(trace);
  const numSteps = trace.trace.length;
  const isFound = markBestPath(root, ids, numSteps);
  if (!isFound) markBestPath(root, trace.sentences[0]?.ids ?? [], numSteps);
  const nodes: PlacedNode[] = [];
  let rows = 0;
  const place = (node: TreeNode, parent: PlacedNode | null, depth: number): void => {
    const placed = {node, parent, x: MARGIN + COLUMN_WIDTH * depth, y: ROW_HEIGHT * (rows + 1)};
    nodes.push(placed);
    if (!node.children.length) rows += 1;
    const children = [...node.children].sort((a, b) => Number(b.isOnBestPath) - Number(a.isOnBestPath));
    for (const child of children) place(child, placed, depth + 1);
  };
  place(root, null, 0);
  const width = Math.max(...nodes.map(each => each.x)) + COLUMN_WIDTH;
  cached = {trace, ids: String(ids), isFound, nodes, width, height: ROW_HEIGHT * (rows + 1)};
  return cached;
}

/** The SVG path from a node's parent to the node. */
export function branchPath({x, y, parent}: PlacedNode): string {
  const begin = parent!.x + (parent!.parent ? BRANCH_BEGIN : ROOT_BEGIN);
  const end = x - BRANCH_END;
  const bend = end - BEND;
  if (parent!.y === y) return `M ${begin} ${y} L ${end} ${y}`;
  return `M ${begin} ${parent!.y} C ${bend} ${parent!.y}, ${bend - BEND} ${y}, ${end} ${y}`;
}

/** The node that an arrow key leads to. */
export function neighbour({nodes}: SearchTree, from: PlacedNode, key: string): PlacedNode | undefined {
  const column = nodes.filter(each => each.x === from.x).sort((a, b) => a.y - b.y);
  const [firstChild] = nodes.filter(each => each.parent === from).sort((a, b) => a.y - b.y);
  const row = column.indexOf(from);
  const targets: Record<string, PlacedNode | undefined> = {
    ArrowLeft: from.parent?.parent ? from.parent : undefined,
    ArrowRight: firstChild,
    ArrowUp: column[row - 1],
    ArrowDown: column[row + 1],
  };
  return targets[key];
}
