/** What differs between two texts: the longest words in common, in order, and what is left. */

const PIECES =
  /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{M}\p{N}]+|./gu;
const MOST_CELLS = 4_000_000;

/** A word, a sign or a space, and where it begins. */
export interface Piece {
  text: string;
  begin: number;
}

export const piecesOf = (text: string): Piece[] =>
  [...text.matchAll(PIECES)].map(({0: piece, index}) => ({text: piece, begin: index}));

/** Which pieces of a text are not in another, and which of the other are not in it: those outside a longest common subsequence of
words. Spaces are in both. */
export function differing(text: Piece[], other: Piece[]): [boolean[], boolean[]] {
  const words = (pieces: Piece[]): string[] => pieces.map(piece => piece.text).filter(piece => piece.trim());
  const of = words(text);
  const to = words(other);
  let begin = 0;
  let end = 0;
  while (begin < Math.min(of.length, to.length) && of[begin] === to[begin]) begin++;
  while (end < Math.min(of.length, to.length) - begin && of.at(-1 - end) === to.at(-1 - end)) end++;
  const kept = common(of.slice(begin, of.length - end), to.slice(begin, to.length - end));
  const marked = (pieces: Piece[], side: 0 | 1, count: number): boolean[] => {
    const same = new Set(kept.map(pair => pair[side] + begin));
    let word = -1;
    return pieces.map(piece => piece.text.trim() !== "" && ++word >= begin && word < count - end && !same.has(word));
  };
  return [marked(text, 0, of.length), marked(other, 1, to.length)];
}

/** The places of a longest common subsequence on both sides. */
function common(of: string[], to: string[]): [number, number][] {
  const found: [number, number][] = [];
  const width = to.length + 1;
  if (of.length * to.length > MOST_CELLS) return found;
  const longest = new Uint32Array((of.length + 1) * width); // of what stands from two places on
  for (let x = of.length - 1; x >= 0; x--) {
    for (let y = to.length - 1; y >= 0; y--) {
      longest[x * width + y] =
        of[x] === to[y]
          ? longest[(x + 1) * width + y + 1]! + 1
          : Math.max(longest[(x + 1) * width + y]!, longest[x * width + y + 1]!);
    }
  }
  for (let x = 0, y = 0; x < of.length && y < to.length;) {
    if (of[x] === to[y]) found.push([x++, y++]);
    else if (longest[(x + 1) * width + y]! >= longest[x * width + y + 1]!) x++;
    else y++;
  }
  return found;
}

/** The words of a text that are not in another, and those of the other that are not in it. */
export function differences(text: string, other: string): [string[], string[]] {
  const of = piecesOf(text);
  const to = piecesOf(other);
  const [news, gone] = differing(of, to);
  return [
    of.filter((_, place) => news[place]).map(each => each.text),
    to.filter((_, place) => gone[place]).map(each => each.text),
  ];
}
