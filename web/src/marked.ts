/** Texts with what differs from another marked. */

import {html, type TemplateResult} from "lit-html";
import {differing, piecesOf} from "./diff";
import type {Sentence} from "./server";

/** A text; what is not in the other is marked: as new, or as gone. */
export function marked(text: string, other: string, isGone = false): TemplateResult {
  const pieces = piecesOf(text);
  const [marks] = differing(pieces, piecesOf(other));
  return html`${pieces.map(({text: piece}, place) => (!marks[place] ? piece : isGone ? html`<del>${piece}</del>` : html`<mark>${piece}</mark>`))}`;
}

const isSymbol = (token: string): boolean => /^<[^<>]+>$/.test(token);

/** What each token adds to the text; a symbol, such as the one between two lines, parts words. */
const added = (token: string): string => (isSymbol(token) ? "\n" : token.replaceAll("▁", " "));

/** Which tokens of a sentence are in a word that was not there before a token was forced, or another translation chosen. */
export function newTokens({tokens, original}: Sentence): boolean[] {
  if (!original) return tokens.map(() => false);
  const parts = tokens.map(each => added(each.token));
  const pieces = piecesOf(parts.join(""));
  const [marks] = differing(pieces, piecesOf(original.tokens.map(each => added(each.token)).join("")));
  let end = 0;
  return parts.map(part => {
    const begin = end;
    end += part.length;
    return pieces.some((piece, place) => marks[place] && piece.begin < end && piece.begin + piece.text.length > begin);
  });
}
