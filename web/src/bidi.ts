/** Texts that run both ways: numbers and words of other scripts within a text from right to left, and the reverse. */

import {html, nothing, type TemplateResult} from "lit-html";
import {isSymbol} from "./sentence";
import {textDirection} from "./spelling";

type Direction = "rtl" | "ltr";
type Kind = Direction | "number" | "neutral";

function kindOf(token: string): Kind {
  if (isSymbol(token)) return "neutral";
  if (/\p{Letter}/u.test(token)) return textDirection(token);
  return /\p{Number}/u.test(token) ? "number" : "neutral";
}

/** A point, comma or colon between the digits of a number belongs to it. */
function isInNumber(tokens: string[], kinds: Kind[], index: number): boolean {
  const isSeparator = /^[,.:/]$/u.test(tokens[index]!);
  return (
    isSeparator && kinds[index - 1] === "number" && kinds[index + 1] === "number" && !/^[\s▁]/u.test(tokens[index + 1]!)
  );
}

/**
 * The levels of tokens in a text: even ones run from left to right, odd ones from right to left, and those of a higher
 * level are within those of a lower one. Rules W4, W7, N1, N2, I1 and I2 of the Unicode bidirectional algorithm.
 */
export function textLevels(tokens: string[], direction: Direction): number[] {
  const kinds = tokens.map(kindOf);
  if (direction === "ltr" && !kinds.includes("rtl")) return tokens.map(() => 0);
  let strong = direction;
  kinds.forEach((kind, index) => {
    if (isInNumber(tokens, kinds, index)) kinds[index] = "number";
    if (kind === "ltr" || kind === "rtl") strong = kind;
    else if (kinds[index] === "number" && strong === "ltr") kinds[index] = "ltr";
  });
  const beside = (kind: Kind | undefined): Direction =>
    kind === undefined ? direction : kind === "ltr" ? "ltr" : "rtl";
  const level = (kind: Kind, index: number): number => {
    let resolved = kind;
    if (kind === "neutral") {
      const before = beside(kinds.slice(0, index).findLast(each => each !== "neutral"));
      const after = beside(kinds.slice(index + 1).find(each => each !== "neutral"));
      resolved = before === after ? before : direction;
    }
    if (resolved === "rtl") return 1;
    return direction === "rtl" || resolved === "number" ? 2 : 0;
  };
  return kinds.map(level);
}

/** The tokens from left to right, in a line that has room for all. */
export function visualOrder(levels: number[]): number[] {
  const order = levels.map((_, index) => index);
  for (let level = Math.max(0, ...levels); level > 0; level--) {
    for (let begin = 0; begin < order.length; begin++) {
      let end = begin;
      while (end < order.length && levels[order[end]!]! >= level) end++;
      order.splice(begin, end - begin, ...order.slice(begin, end).reverse());
      begin = Math.max(begin, end);
    }
  }
  return order;
}

/** The direction in which a token alone is written: a bracket is mirrored as its text is. */
export const tokenDirection = (token: string, level: number): "auto" | Direction =>
  /\p{Letter}/u.test(token) ? "auto" : level % 2 ? "rtl" : "ltr";

/** A token in a box, and the space in front of it. */
export interface Boxed {
  space: unknown;
  box: TemplateResult;
}

/** Boxes of a text: those that run the other way are together in an element of that direction. */
export function inRuns(boxes: Boxed[], levels: number[], direction: Direction): unknown[] {
  const base = direction === "rtl" ? 1 : 0;
  const nested = (begin: number, end: number, level: number): unknown[] => {
    const parts: unknown[] = [];
    for (let index = begin; index < end;) {
      const {space, box} = boxes[index]!;
      if (level === base || index > begin) parts.push(space); // that of a run stands before it
      const first = index;
      while (index < end && levels[index]! > level) index++;
      if (index === first) {
        parts.push(box);
        index++;
      } else {
        const inner = nested(first, index, level + 1);
        parts.push(html`<span dir=${level % 2 ? "ltr" : "rtl"}>${inner}</span>`);
      }
    }
    return parts;
  };
  return nested(0, boxes.length, base);
}

/** Scripts whose lines may break between any two letters. */
const WITHOUT_SPACES = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u,
];

/** Boxes of a text in runs; a line does not break between those of a word or number. */
export function inWords(boxes: Boxed[], tokens: string[], levels: number[], direction: Direction): unknown[] {
  const words: (Boxed & {level: number; parts: TemplateResult[]})[] = [];
  boxes.forEach(({space, box}, index) => {
    const level = levels[index]!;
    const last = words.at(-1);
    const letters = `${tokens[index - 1]}${tokens[index]}`;
    const isPart = space === nothing && !WITHOUT_SPACES.some(scripts => scripts.test(letters));
    if (last?.level === level && isPart) last.parts.push(box);
    else words.push({space, box, level, parts: [box]});
  });
  for (const word of words) if (word.parts.length > 1) word.box = html`<span class="kept">${word.parts}</span>`;
  const wordLevels = words.map(({level}) => level);
  return inRuns(words, wordLevels, direction);
}
