/** Tokens and texts as the page spells them. */

/** A token without the mark of its space; a space alone is a sign. */
export const displayToken = (token: string): string => token.replace(/^▁/, "").replaceAll("▁", "␣") || "␣";

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** The direction of a text: that of its first letter. */
export const textDirection = (text: string): "rtl" | "ltr" =>
  RIGHT_TO_LEFT.test(/\p{Letter}/u.exec(text)?.[0] ?? "") ? "rtl" : "ltr";

const JOINED_SCRIPTS =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u;
/** Arabic letters that do not join with the next one. */
const UNJOINED_AFTER = [
  /[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,
  /[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u,
];

/** Whether the letters on both sides of a boundary are written in one stroke. */
function areJoined(before = "", after = ""): boolean {
  const last = /(.)\p{M}*$/u.exec(before)?.[1] ?? "";
  const first = /^./u.exec(after)?.[0] ?? "";
  const isLetter = (letter: string): boolean => JOINED_SCRIPTS.test(letter) && /\p{L}/u.test(letter);
  return isLetter(last) && isLetter(first) && !UNJOINED_AFTER.some(letters => letters.test(last)) && first !== "\u0621";
}

/** Classes of a token whose letters join with those of its neighbours, which are in boxes of their own. */
export function joinClasses(spelled: string[], position: number): string {
  const before = areJoined(spelled[position - 1], spelled[position]) ? ["joins-before"] : [];
  const after = areJoined(spelled[position], spelled[position + 1]) ? ["joins-after"] : [];
  return [...before, ...after].join(" ");
}
