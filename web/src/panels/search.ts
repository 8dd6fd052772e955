/** The search as a tree: the tokens that were tried at each step, and those that were dropped. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import {searchKey, traceSearch} from "../beam-search";
import {startHistoryEntry} from "../history";
import {saveMenu, type Row} from "../save-menu";
import {branchPath, layOutTree, neighbour, type PlacedNode, type SearchTree} from "../search-tree";
import {joinTokens, type Sentence} from "../sentence";
import {displayToken} from "../spelling";
import {chosenSentence, state, translates, update, type SearchTrace} from "../state";
import {help} from "../terms";
import {chooseTranslation, toggleComparison} from "../translation";

const MAX_LETTERS = 9;
const FATES = {active: "went on", finished: "ended", dropped: "was dropped"};

function shortenToken(token: string): string {
  const letters = [...displayToken(token)];
  return letters.length > MAX_LETTERS ? `${letters.slice(0, MAX_LETTERS - 1).join("")}…` : letters.join("");
}

function openHypothesis({path, ids}: PlacedNode["node"]): void {
  if (!path.length) return;
  startHistoryEntry();
  void chooseTranslation({text: joinTokens(path), ids});
}

async function compareHypothesis({path, ids}: PlacedNode["node"]): Promise<void> {
  await toggleComparison({text: joinTokens(path), ids});
  requestAnimationFrame(() => document.querySelector("#compared")?.scrollIntoView({block: "nearest"}));
}

/** The chosen candidate, and its buttons. */
function candidateDetails({node}: PlacedNode): TemplateResult {
  const {fate, score} = node.candidate!;
  const text = joinTokens(node.path);
  const isChosen = String(node.ids) === String(chosenSentence()?.ids);
  const buttons = html`<button id="open" @click=${() => openHypothesis(node)}>Open in the other panels</button>
    <button id="beside" @click=${() => void compareHypothesis(node)}>Compare with the chosen one</button>`;
  return html`<p id="candidate" role="status">
    <bdi class="strong">${text || "nothing"}</bdi> ${FATES[fate]} at step ${node.step}, with a score of
    <span class="strong number">${score.toFixed(3)}</span>. ${text && !isChosen ? buttons : nothing}
  </p>`;
}

function onKey(event: KeyboardEvent, tree: SearchTree, from: PlacedNode): void {
  const isChoice = event.key === "Enter" || event.key === " ";
  const target = isChoice ? from : neighbour(tree, from, event.key);
  if (!target) return;
  event.preventDefault();
  update({search: {candidate: target.node.id}});
  requestAnimationFrame(() => document.querySelector<SVGElement>(`#tree [data-node="${target.node.id}"]`)?.focus());
}

const classOf = ({node}: PlacedNode): string => `${node.isOnBestPath ? "best" : ""} ${node.candidate!.fate}`;

function branch(placed: PlacedNode): TemplateResult {
  return svg`<path class="branch ${classOf(placed)}" d=${branchPath(placed)}></path>`;
}

function nodeButton(tree: SearchTree, placed: PlacedNode, isTabStop: boolean): TemplateResult {
  const {node, x, y} = placed;
  const {fate, score} = node.candidate!;
  return svg`<g class="node ${classOf(placed)}" tabindex=${isTabStop ? 0 : -1} data-node=${node.id} role="button"
      aria-pressed=${node.id === state.search.candidate}
      aria-label="${displayToken(node.token)}, ${fate}, score ${score.toFixed(2)}" transform="translate(${x}, ${y})"
      @click=${() => update({search: {candidate: node.id}})} @dblclick=${() => openHypothesis(node)}
      @keydown=${(event: KeyboardEvent) => onKey(event, tree, placed)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${shortenToken(node.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${score.toFixed(2)}</text>
    <title>${joinTokens(node.path)} (${score.toFixed(3)})</title></g>`;
}

function treeDrawing(tree: SearchTree, chosen: PlacedNode | undefined): TemplateResult {
  const candidates = tree.nodes.slice(1);
  const tabStop = chosen ?? candidates[0];
  return html`<div class="scroll">
    <svg
      id="tree"
      width=${tree.width}
      height=${tree.height}
      role="group"
      aria-label="Tree of the search, ${candidates.length} candidates. Arrow keys go from one to another."
    >
      ${candidates.map(branch)} ${candidates.map(each => nodeButton(tree, each, each === tabStop))}
    </svg>
  </div>`;
}

/** The relation of the tree to the chosen sentence, where it is another search or has another best hypothesis. */
function relationHint(sentence: Sentence, isStale: boolean, isFound: boolean): TemplateResult | typeof nothing {
  if (isStale) return html`<p class="hint">This is the search for another translation.</p>`;
  if (isFound) return nothing;
  const reason =
    "temperature" in sentence.decoding
      ? "The translation above was drawn. This is what beam search would have tried."
      : "The translation above is not among these: it was chosen otherwise.";
  return html`<p class="hint" id="unsearched">${reason}</p>`;
}

function treeWithHints(trace: SearchTrace, sentence: Sentence, isStale: boolean): TemplateResult {
  const tree = layOutTree(trace, sentence.ids);
  const chosen = tree.nodes.slice(1).find(each => each.node.id === state.search.candidate);
  const prefixHint = html`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${sentence.prefix}</bdi>
  </p>`;
  return html`${treeDrawing(tree, chosen)} ${chosen ? candidateDetails(chosen) : nothing}
    ${relationHint(sentence, isStale, tree.isFound)} ${sentence.prefix ? prefixHint : nothing}
    <p class="hint">
      From left to right, a step for each token; below each token is its score, the log-probability of all up to there.
      The top row is <span class="sign best">${tree.isFound ? "the chosen hypothesis" : "the best hypothesis"}</span>.
      Lines lead from a token to those that were tried after it: full where they were kept, dashed where they were
      dropped. Others <span class="sign dropped">were dropped</span> (of each step, the best two are drawn) or
      <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to compare it.
    </p>`;
}

function saveTrace(trace: SearchTrace): TemplateResult {
  const table = (): Row[] => [
    ["step", "place", "parent", "token", "log_prob", "score", "fate"],
    ...trace.trace.flatMap((step, index) =>
      step.map(({parent, token, log_prob: logProb, score, fate}, place): Row => {
        return [index + 1, place, parent, token, logProb, score, fate];
      }),
    ),
  ];
  return saveMenu("search", ["#tree"], table, () => trace);
}

export function panel(): TemplateResult | typeof nothing {
  const sentence = chosenSentence();
  const {trace} = state.search;
  if (!state.inspection.result || !sentence || !translates()) return nothing;
  const isStale = trace !== null && trace.requestKey !== searchKey(sentence);
  const hint = html`<p class="hint">
    Beam search keeps the ${state.request.beamSize} best beginnings at each step. This draws them, and the best that it
    dropped.
  </p>`;
  return html`<section class="panel search ${isStale ? "stale" : ""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${help("search", "Search")}</h2>
      <button id="search" @click=${() => void traceSearch()}>${trace ? "Search again" : "Show the search"}</button>
      ${trace ? saveTrace(trace) : nothing}
    </div>
    ${trace ? treeWithHints(trace, sentence, isStale) : hint}
  </section>`;
}
