/** The difference between two texts: all words outside a longest common subsequence. */

const UNSPACED_LETTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const PIECES = new RegExp(String.raw`\s+|${UNSPACED_LETTER.source}|[\p{L}\p{M}\p{N}]+|.`, "gu");
const MAX_CELLS = 4_000_000;

/** A word, a sign or a space, and its place in the text. */
export interface Piece {
  text: string;
  begin: number;
}

export const splitPieces = (text: string): Piece[] =>
  [...text.matchAll(PIECES)].map(({0: piece, index}) => ({text: piece, begin: index}));

/** For each piece of two texts, whether the other text lacks it. No text lacks a space. */
export function unmatchedPieces(pieces: Piece[], otherPieces: Piece[]): [boolean[], boolean[]] {
  const wordsOf = (of: Piece[]): string[] => of.map(piece => piece.text).filter(piece => piece.trim());
  const words = wordsOf(pieces);
  const others = wordsOf(otherPieces);
  const shorter = Math.min(words.length, others.length);
  let begin = 0;
  let end = 0;
  while (begin < shorter && words[begin] === others[begin]) begin++;
  while (end < shorter - begin && words.at(-1 - end) === others.at(-1 - end)) end++;
  const common = longestCommonSubsequence(
    words.slice(begin, words.length - end),
    others.slice(begin, others.length - end),
  );
  const isUnmatched = (of: Piece[], side: 0 | 1, count: number): boolean[] => {
    const matched = new Set(common.map(pair => pair[side] + begin));
    let word = -1;
    return of.map(piece => piece.text.trim() !== "" && ++word >= begin && word < count - end && !matched.has(word));
  };
  return [isUnmatched(pieces, 0, words.length), isUnmatched(otherPieces, 1, others.length)];
}

/** The indices of a longest common subsequence in both lists; none if the lists are very long. */
function longestCommonSubsequence(words: string[], others: string[]): [number, number][] {
  const pairs: [number, number][] = [];
  const width = others.length + 1;
  if (words.length * others.length > MAX_CELLS) return pairs;
  const lengths = new Uint32Array((words.length + 1) * width); // of the rests that begin at two indices
  const lengthAt = (x: number, y: number): number => lengths[x * width + y]!;
  for (let x = words.length - 1; x >= 0; x--) {
    for (let y = others.length - 1; y >= 0; y--) {
      const isEqual = words[x] === others[y];
      lengths[x * width + y] = isEqual ? lengthAt(x + 1, y + 1) + 1 : Math.max(lengthAt(x + 1, y), lengthAt(x, y + 1));
    }
  }
  for (let x = 0, y = 0; x < words.length && y < others.length;) {
    if (words[x] === others[y]) pairs.push([x++, y++]);
    else if (lengthAt(x + 1, y) >= lengthAt(x, y + 1)) x++;
    else y++;
  }
  return pairs;
}

/** The words of each of two texts that the other lacks. */
export function unmatchedWords(text: string, other: string): [string[], string[]] {
  const pieces = [splitPieces(text), splitPieces(other)] as const;
  const isUnmatched = unmatchedPieces(...pieces);
  const select = (side: 0 | 1): string[] =>
    pieces[side].filter((_, index) => isUnmatched[side][index]).map(each => each.text);
  return [select(0), select(1)];
}
