/** The search as a tree: which tokens were tried at each step, and which were dropped. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import {compare, search, searchedOf, spelled, take_rank} from "../actions";
import {readable} from "../drawing";
import {saves, type Row} from "../saving";
import type {Traced, TracedCandidate} from "../server";
import {mark, sentence, state, translates, update} from "../state";
import {help} from "../terms";

const WIDTH = 84;
const HEIGHT = 32;
const MARGIN = 8;
const LONGEST = 9;

const fit = (token: string): string => {
  const letters = [...readable(token)];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
};

interface Node {
  id: string;
  step: number;
  token: string;
  candidate: TracedCandidate | null;
  children: Node[];
  path: string[];
  ids: number[];
  isBest: boolean;
}

/** The hypotheses that went on or ended, each under the one that it continues; of the dropped ones, those that were nearest. */
function treeOf(traced: Traced): Node {
  const root: Node = {id: "", step: 0, token: "", candidate: null, children: [], path: [], ids: [], isBest: true};
  let before: (Node | undefined)[] = [];
  for (const [at, step] of traced.trace.entries()) {
    const dropped = new Set(step.filter(each => each.fate === "dropped").slice(0, 2));
    const nodes = step.map((candidate, place) => {
      const parent = candidate.parent === null ? root : before[candidate.parent];
      if (!parent || (candidate.fate === "dropped" && !dropped.has(candidate))) return undefined;
      const isEnd = candidate.fate === "finished";
      const node: Node = {
        id: `${at}.${place}`,
        step: at + 1,
        token: candidate.token,
        candidate,
        children: [],
        path: isEnd ? parent.path : [...parent.path, candidate.token],
        ids: isEnd ? parent.ids : [...parent.ids, candidate.id],
        isBest: false,
      };
      parent.children.push(node);
      return node;
    });
    before = nodes;
  }
  return root;
}

/** Mark the way to the hypothesis with these tokens: one text may be written in several. */
function markBest(node: Node, ids: number[], num_steps: number): boolean {
  const isOver = node.candidate?.fate === "finished" || node.step === num_steps; // the last step may have been cut by the limit
  const isEnd = isOver && String(node.ids) === String(ids);
  const isOnTheWay = node.children.map(child => markBest(child, ids, num_steps)).some(Boolean);
  node.isBest = isOnTheWay || isEnd;
  return node.isBest;
}

interface Placed {
  node: Node;
  parent: Placed | null;
  x: number;
  y: number;
}

let drawn: {traced: Traced; ids: string; isFound: boolean; placed: Placed[]; width: number; height: number} | null =
  null;

/** Where each node stands: a row for each leaf; a node in the row of its first child. The chosen way comes first: it is the top row. */
function laidOut(traced: Traced, ids: number[]): NonNullable<typeof drawn> {
  if (drawn?.traced === traced && drawn.ids === String(ids)) return drawn;
  const root = treeOf(traced);
  const placed: Placed[] = [];
  const isFound = markBest(root, ids, traced.trace.length);
  if (!isFound) markBest(root, traced.sentences[0]?.ids ?? [], traced.trace.length);
  let rows = 0;
  const place = (node: Node, parent: Placed | null, depth: number): void => {
    const at = {node, parent, x: MARGIN + WIDTH * depth, y: HEIGHT * (rows + 1)};
    placed.push(at);
    if (!node.children.length) rows += 1;
    for (const child of [...node.children].sort((a, b) => Number(b.isBest) - Number(a.isBest)))
      place(child, at, depth + 1);
  };
  place(root, null, 0);
  drawn = {
    traced,
    ids: String(ids),
    isFound,
    placed,
    width: Math.max(...placed.map(each => each.x)) + WIDTH,
    height: HEIGHT * (rows + 1),
  };
  return drawn;
}

const BEGIN = 34;
const END = 30; // where a branch leaves a token, and where it arrives

function branch({x, y, parent}: Placed): string {
  const from = parent!.x + (parent!.parent ? BEGIN : 4);
  const to = x - END;
  const middle = to - 6;
  return `M ${from} ${parent!.y} ${parent!.y === y ? "" : `C ${middle} ${parent!.y}, ${middle - 6} ${y},`} ${parent!.y === y ? "L" : ""} ${to} ${y}`;
}

/** Where an arrow key leads from a node. */
function neighbour({placed}: NonNullable<typeof drawn>, from: Placed, key: string): Placed | undefined {
  const column = placed.filter(each => each.x === from.x).sort((a, b) => a.y - b.y);
  const at = column.indexOf(from);
  const children = placed.filter(each => each.parent === from).sort((a, b) => a.y - b.y);
  const to: Record<string, () => Placed | undefined> = {
    ArrowLeft: () => (from.parent?.parent ? from.parent : undefined),
    ArrowRight: () => children[0],
    ArrowUp: () => column[at - 1],
    ArrowDown: () => column[at + 1],
  };
  return to[key]?.();
}

const FATES = {active: "went on", finished: "ended", dropped: "was dropped"};

/** The chosen candidate, and what can be done with it. */
function chosen({node}: Placed): TemplateResult {
  const text = spelled(node.path);
  const candidate = node.candidate!;
  const chosen = {text, ids: node.ids};
  const isShown = String(node.ids) === String(sentence()?.ids);
  const beside = async (): Promise<void> => {
    await compare(chosen);
    requestAnimationFrame(() => document.querySelector("#compared")?.scrollIntoView({block: "nearest"}));
  };
  return html`<p id="candidate" role="status">
    <bdi class="strong">${text || "nothing"}</bdi> ${FATES[candidate.fate]} at step ${node.step}, with a score of
    <span class="strong number">${candidate.score.toFixed(3)}</span>.
    ${
      !text || isShown
        ? nothing
        : html`<button
              id="open"
              @click=${() => {
                mark();
                void take_rank(chosen);
              }}
            >
              Open in the other panels
            </button>
            <button id="beside" @click=${() => void beside()}>Compare with the chosen one</button>`
    }
  </p>`;
}

export function panel(): TemplateResult | typeof nothing {
  const one = sentence();
  const traced = state.traced;
  if (!state.inspection || !one || !translates()) return nothing;
  const isOld = traced !== null && traced.of !== searchedOf(one);
  const found = traced ? laidOut(traced, one.ids) : null;
  const nodes = found?.placed.slice(1) ?? [];
  const at = nodes.find(each => each.node.id === state.node);
  const stop = at ?? nodes[0];
  const onKey = (event: KeyboardEvent, from: Placed): void => {
    const isChoice = event.key === "Enter" || event.key === " ";
    const to = isChoice ? from : neighbour(found!, from, event.key);
    if (!to) return;
    event.preventDefault();
    update({node: to.node.id});
    requestAnimationFrame(() => document.querySelector<SVGElement>(`#tree [data-node="${to.node.id}"]`)?.focus());
  };
  const table = (): Row[] => [
    ["step", "place", "parent", "token", "log_prob", "score", "fate"],
    ...traced!.trace.flatMap((step, number) =>
      step.map((each, place): Row => [
        number + 1,
        place,
        each.parent,
        each.token,
        each.log_prob,
        each.score,
        each.fate,
      ]),
    ),
  ];
  return html`<section class="panel search ${isOld ? "stale" : ""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">Search</h2>
      ${help("search")}
      <button id="search" @click=${() => search()}>${traced ? "Search again" : "Show the search"}</button>
      ${traced ? saves("search", ["#tree"], table, () => traced) : nothing}
    </div>
    ${
      found
        ? html`<div class="scroll">
              <svg
                id="tree"
                width=${found.width}
                height=${found.height}
                role="group"
                aria-label="Tree of the search, ${nodes.length} candidates. Arrow keys go from one to another."
              >
                ${nodes.map(each => svg`<path class="branch ${each.node.isBest ? "best" : ""} ${each.node.candidate!.fate}" d=${branch(each)}></path>`)}
                ${nodes.map(each => {
                  const {node, x, y} = each;
                  return svg`<g class="node ${node.isBest ? "best" : ""} ${node.candidate!.fate}" tabindex=${each === stop ? 0 : -1} data-node=${node.id}
        role="button" aria-pressed=${node.id === state.node} aria-label="${readable(node.token)}, ${node.candidate!.fate}, score ${node.candidate!.score.toFixed(2)}"
        transform="translate(${x}, ${y})" @click=${() => update({node: node.id})} @dblclick=${() => {
          if (node.path.length) {
            mark();
            void take_rank({text: spelled(node.path), ids: node.ids});
          }
        }} @keydown=${(event: KeyboardEvent) => onKey(event, each)}>
        <text dy="-0.1em" text-anchor="middle">\u2068${fit(node.token)}\u2069</text><text class="score" dy="1.1em" text-anchor="middle">${node.candidate!.score.toFixed(2)}</text><title>${spelled(node.path)} (${node.candidate!.score.toFixed(3)})</title></g>`;
                })}
              </svg>
            </div>
            ${at ? chosen(at) : nothing}
            ${
              isOld
                ? html`<p class="hint">This is the search for another translation.</p>`
                : found.isFound
                  ? nothing
                  : html`<p class="hint" id="unsearched">
                      ${
                        "temperature" in one.how
                          ? "The translation above was drawn. This is what beam search would have tried."
                          : "The translation above is not among these: it was chosen otherwise."
                      }
                    </p>`
            }
            ${one.prefix ? html`<p class="hint" id="with-prefix">All begin with what you wrote: <bdi class="strong">${one.prefix}</bdi></p>` : nothing}
            <p class="hint">
              From left to right, a step for each token; below each token is its score.
              <span class="sign best">${found.isFound ? "The chosen hypothesis" : "The best hypothesis"}</span>, in the
              top row, <span class="sign dropped">dropped</span> (of each step, the best two),
              <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to
              compare it.
            </p>`
        : html`<p class="hint">
            Beam search keeps the ${state.beam} best beginnings at each step. This draws all that it tried.
          </p>`
    }
  </section>`;
}
