/** Texts with marks for their differences. */

import {html, type TemplateResult} from "lit-html";
import {splitPieces, unmatchedPieces} from "./diff";
import {isSymbol, type Sentence} from "./sentence";

/** A text; pieces that another text lacks are marked as inserted or as deleted. */
export function markDifferences(
  text: string,
  other: string,
  kind: "inserted" | "deleted" = "inserted",
): TemplateResult {
  const pieces = splitPieces(text);
  const [isUnmatched] = unmatchedPieces(pieces, splitPieces(other));
  const marked = (piece: string): TemplateResult =>
    kind === "deleted" ? html`<del>${piece}</del>` : html`<mark>${piece}</mark>`;
  return html`${pieces.map((piece, index) => (isUnmatched[index] ? marked(piece.text) : piece.text))}`;
}

/** The text of a token; a symbol, such as the one between two lines, separates words. */
const tokenText = (token: string): string => (isSymbol(token) ? "\n" : token.replaceAll("▁", " "));

/** For each token, whether it is in a word that the sentence before all edits lacks. */
export function newTokens({tokens, original}: Sentence): boolean[] {
  if (!original) return tokens.map(() => false);
  const parts = tokens.map(each => tokenText(each.token));
  const pieces = splitPieces(parts.join(""));
  const [isNew] = unmatchedPieces(pieces, splitPieces(original.tokens.map(each => tokenText(each.token)).join("")));
  let end = 0;
  return parts.map(part => {
    const begin = end;
    end += part.length;
    const overlaps = (piece: {text: string; begin: number}): boolean =>
      piece.begin < end && piece.begin + piece.text.length > begin;
    return pieces.some((piece, index) => isNew[index] && overlaps(piece));
  });
}
