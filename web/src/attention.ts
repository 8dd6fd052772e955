/** The attention that is shown: weights of a head, a mean of heads or a flow, and the chosen cell. */

import type {Tokens} from "./api";
import type {AttentionView, Side} from "./attention-view";
import {numGivenTokens} from "./given";
import {layerOf} from "./head-navigation";
import {FLOW_PREFIX, hasOutputRows, MEAN_PREFIX, state, update} from "./state";
import {textDirection} from "./spelling";
import {
  groupByWords,
  meanWeights,
  rowWeights,
  weightsOfShares,
  wordGroups,
  type Inspection,
  type InspectionFlow,
  type Weights,
} from "./weights";

/** The part of the text that each token covers: together they are the text, up to its last word. */
function coveredPieces({spelled, offsets}: Tokens, text: string): string[] {
  const letters = [...text]; // offsets count characters, and not UTF-16 units
  let begin = 0;
  return spelled.map((token, position) => {
    let end = Math.max(begin, offsets[position]?.[1] ?? 0);
    const rest = offsets[position] ? "" : letters.slice(begin).join("");
    if (token.trim() && rest.trimStart().startsWith(token)) {
      // a symbol that the reader typed, such as <mask>
      end = begin + [...rest.slice(0, rest.indexOf(token) + token.length)].length;
    }
    if (!token.replaceAll("▁", "")) {
      // a space alone: no letter after it
      end = begin + /^\s*/u.exec(letters.slice(begin, end).join(""))![0].length;
    }
    const piece = letters.slice(begin, end).join("");
    begin = end;
    return piece;
  });
}

const UNKNOWN = /^▁?(<unk>|\[UNK\])$/;

/** The spelling of a token; of an unknown one, with the letters that it stands for. */
function labelOf(token: string, piece: string): string {
  const letters = piece.trim();
  return UNKNOWN.test(token) && letters && !UNKNOWN.test(letters) ? `<unk: ${letters}>` : token;
}

function sideOf(tokens: Tokens, text: string): Side {
  const groups = state.view.groupsWords ? wordGroups(tokens) : tokens.spelled.map((_, position) => [position]);
  const pieces = coveredPieces(tokens, text);
  const labels = tokens.spelled.map((token, position) => labelOf(token, pieces[position]!));
  return {
    groups,
    labels: groups.map(group => group.map(position => labels[position]!).join("")),
    pieces: groups.map(group => group.map(position => pieces[position]!).join("")),
    direction: textDirection(text),
    numGiven: groups.filter(group => group.at(-1)! < numGivenTokens()).length,
  };
}

/** The index of a token's group; of a token after all groups, the last index. */
function groupIndexOf({groups}: Side, token: number): number {
  const index = groups.findIndex(group => group.at(-1)! >= token);
  return index < 0 ? groups.length - 1 : index;
}

/** A view of weights between tokens. A chosen key that is not there is replaced by the best. */
function viewOf(
  kind: string,
  tokenWeights: Weights,
  rows: Side,
  keys: Side,
  chosen: {row: number; key: number | null},
): AttentionView {
  const weights = state.view.groupsWords ? groupByWords(tokenWeights, rows.groups, keys.groups) : tokenWeights;
  const row = groupIndexOf(rows, chosen.row);
  const values = rowWeights(weights, row);
  const bestKey = values.indexOf(Math.max(...values));
  const hasKey = chosen.key !== null && chosen.key < tokenWeights.keys;
  return {kind, weights, rows, keys, row, bestKey, key: hasKey ? groupIndexOf(keys, chosen.key!) : bestKey};
}

function flowView({rows: rowTokens, keys: keyTokens, shares, inspection}: InspectionFlow): AttentionView {
  const {text, target, token_log_probs: logProbs} = inspection;
  const rows = sideOf(rowTokens, target ?? text);
  const keys = sideOf(keyTokens, text);
  const {outputPosition, inputPosition} = state.view;
  const isPrediction = target === null && logProbs.length > 0; // rows begin with the second token
  const row = isPrediction ? outputPosition - 1 : outputPosition;
  const view = viewOf("flow", weightsOfShares(shares), rows, keys, {row, key: inputPosition});
  if (isPrediction) {
    rows.groups = rows.groups.map(group => group.map(token => token + 1));
    rows.numGiven = Math.max(0, rows.numGiven - 1);
  }
  return view;
}

/** The heads of the mean that is shown: of one layer, or else all of cross-attention, or else all of the last kind. */
function headsOfMean(): string[] {
  const {tokens, weights} = state.inspection.result!;
  const {head} = state.view;
  const names = [...weights.keys()];
  const ofLayer = names.filter(name => head === `${MEAN_PREFIX}${layerOf(name)}`);
  if (ofLayer.length) return ofLayer;
  const kinds = Object.keys(tokens);
  const kind = kinds.includes("cross") ? "cross" : kinds.at(-1)!;
  return names.filter(name => name.startsWith(`${kind}.`));
}

let cachedMean: {heads: Weights[]; mean: Weights} | null = null;

function meanOf(heads: Weights[]): Weights {
  const isCached = cachedMean?.heads.length === heads.length && heads.every((each, i) => each === cachedMean!.heads[i]);
  if (!isCached) cachedMean = {heads, mean: meanWeights(heads)};
  return cachedMean!.mean;
}

/** The text that heads of a kind look at. */
const keyText = ({text, target}: Inspection, kind: string): string => (kind === "decoder" ? (target ?? text) : text);

/** Whether the columns of a head run from right to left, as its text does. */
export const isMirrored = (head: string): boolean =>
  textDirection(keyText(state.inspection.result!, head.split(".")[0]!)) === "rtl";

/** The attention that is shown; null: there is none yet. */
export function attentionView(): AttentionView | null {
  const {result: inspection, flow} = state.inspection;
  const {head, outputPosition, inputPosition, keyPosition} = state.view;
  if (!inspection) return null;
  if (head.startsWith(FLOW_PREFIX)) return flow && flowView(flow);
  const {text, target, weights} = inspection;
  const names = weights.has(head) ? [head] : headsOfMean();
  const kind = names[0]!.split(".")[0]!;
  const tokens = inspection.tokens[kind]!;
  const heads = names.map(name => weights.get(name)!);
  const rows = sideOf(tokens.rows, kind === "encoder" ? text : (target ?? text));
  const keys = sideOf(tokens.keys, keyText(inspection, kind));
  const lastRow = tokens.rows.spelled.length - 1;
  const chosen = hasOutputRows(kind)
    ? {row: Math.min(outputPosition, lastRow), key: inputPosition}
    : {row: Math.min(inputPosition ?? 0, lastRow), key: keyPosition};
  return viewOf(kind, heads.length > 1 ? meanOf(heads) : heads[0]!, rows, keys, chosen);
}

/** Choose a cell, or the nearest one that is in the matrix. */
export function chooseCell({kind, rows, keys}: AttentionView, row: number, key: number): void {
  const firstToken = ({groups}: Side, index: number): number =>
    groups[Math.max(0, Math.min(index, groups.length - 1))]![0]!;
  const rowPosition = firstToken(rows, row);
  const position = firstToken(keys, key);
  if (hasOutputRows(kind)) update({view: {outputPosition: rowPosition, inputPosition: position}});
  else update({view: {inputPosition: rowPosition, keyPosition: position}});
}
