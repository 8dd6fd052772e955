/** The search as a tree: which tokens were tried at each step, and which were dropped. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import {search, spelled, take_rank} from "../actions";
import {readable} from "../drawing";
import {saveJson, saveSvg} from "../saving";
import type {Traced, TracedCandidate} from "../server";
import {sentence, state, translates} from "../state";

const WIDTH = 84, HEIGHT = 20, MARGIN = 8, LONGEST = 9;

const fit = (token: string): string => {
  const letters = [...readable(token)];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
};

interface Node { token: string; candidate: TracedCandidate | null; children: Node[]; path: string[]; isBest: boolean }

/** The hypotheses that went on or ended, each under the one that it continues; of the dropped ones, those that were nearest. */
function treeOf(traced: Traced): Node {
  const root: Node = {token: "", candidate: null, children: [], path: [], isBest: true};
  let before: (Node | undefined)[] = [];
  for (const step of traced.trace) {
    const dropped = new Set(step.filter(each => each.fate === "dropped").slice(0, 2));
    const nodes = step.map(candidate => {
      const parent = candidate.parent === null ? root : before[candidate.parent];
      if (!parent || (candidate.fate === "dropped" && !dropped.has(candidate))) return undefined;
      const isEnd = candidate.fate === "finished";
      const node: Node = {token: candidate.token, candidate, children: [], path: isEnd ? parent.path : [...parent.path, candidate.token], isBest: false};
      parent.children.push(node);
      return node;
    });
    before = nodes;
  }
  return root;
}

/** Mark the way to the hypothesis that was chosen. */
function markBest(node: Node, text: string): boolean {
  const isEnd = node.candidate?.fate === "finished" && spelled(node.path) === text;
  node.isBest = node.children.map(child => markBest(child, text)).some(Boolean) || isEnd;
  return node.isBest;
}

interface Placed { node: Node; parent: Placed | null; x: number; y: number }

let drawn: {traced: Traced; placed: Placed[]; width: number; height: number} | null = null;

/** Where each node stands: a row for each leaf; a node in the row of its first child. The chosen way comes first: it is the top row. */
function laidOut(traced: Traced): NonNullable<typeof drawn> {
  if (drawn?.traced === traced) return drawn;
  const root = treeOf(traced), placed: Placed[] = [];
  markBest(root, traced.text);
  let rows = 0;
  const place = (node: Node, parent: Placed | null, depth: number): void => {
    const at = {node, parent, x: MARGIN + WIDTH * depth, y: HEIGHT * (rows + 1)};
    placed.push(at);
    if (!node.children.length) rows += 1;
    for (const child of [...node.children].sort((a, b) => Number(b.isBest) - Number(a.isBest))) place(child, at, depth + 1);
  };
  place(root, null, 0);
  drawn = {traced, placed, width: Math.max(...placed.map(each => each.x)) + WIDTH, height: HEIGHT * (rows + 1)};
  return drawn;
}

const BEGIN = 34, END = 30;  // where a branch leaves a token, and where it arrives

function branch({x, y, parent}: Placed): string {
  const from = parent!.x + (parent!.parent ? BEGIN : 4), to = x - END, middle = to - 6;
  return `M ${from} ${parent!.y} ${parent!.y === y ? "" : `C ${middle} ${parent!.y}, ${middle - 6} ${y},`} ${parent!.y === y ? "L" : ""} ${to} ${y}`;
}

export function panel(): TemplateResult | typeof nothing {
  const one = sentence(), traced = state.traced;
  if (!state.inspection || !one || !translates()) return nothing;
  const found = traced ? laidOut(traced) : null;
  const open = (node: Node): void => {
    const text = spelled(node.path);
    if (text) void take_rank(text);
  };
  return html`<section class="panel search" aria-labelledby="search-title">
    <div class="head"><h2 id="search-title">Search</h2>
      <button id="search" @click=${() => search()}>${traced ? "Search again" : "Show the search"}</button>
      ${traced ? html`<span class="save"><button @click=${() => saveSvg("search.svg", document.querySelector("#tree")!)}>SVG</button><button @click=${() => saveJson("search.json", traced)}>JSON</button></span>` : nothing}
    </div>
    ${found ? html`<div class="scroll"><svg id="tree" width=${found.width} height=${found.height} role="group" aria-label="Tree of the search, ${found.placed.length - 1} candidates">
      ${found.placed.slice(1).map(each => svg`<path class="branch ${each.node.isBest ? "best" : ""} ${each.node.candidate!.fate}" d=${branch(each)}></path>`)}
      ${found.placed.slice(1).map(({node, x, y}) => svg`<g class="node ${node.isBest ? "best" : ""} ${node.candidate!.fate}" tabindex=${node.candidate!.fate === "finished" ? 0 : -1}
        role="button" aria-label="${readable(node.token)}, ${node.candidate!.fate}, score ${node.candidate!.score.toFixed(2)}"
        transform="translate(${x}, ${y})" @click=${() => open(node)} @keydown=${(event: KeyboardEvent) => { if (event.key === "Enter") open(node); }}>
        <text dy="0.32em" text-anchor="middle">\u2068${fit(node.token)}\u2069</text><title>${spelled(node.path)} (${node.candidate!.score.toFixed(3)})</title></g>`)}
    </svg></div>
    <p class="hint">From left to right, a step for each token. <span class="sign best">The chosen hypothesis</span>, in the top row, <span class="sign dropped">dropped</span>, <span class="sign finished">finished</span>.
      Click a node: its text is opened in the other panels.</p>`
    : html`<p class="hint">Beam search keeps the ${state.beam} best beginnings at each step. This draws all that it tried.</p>`}
  </section>`;
}
