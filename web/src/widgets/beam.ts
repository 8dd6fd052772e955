/** Beam search over a tree of three words, step by step. */

import {button, drawing, drawn, element, frame, slider, word} from "./dom";
import {beamSteps, type Hypothesis, type Tree} from "./maths/beam";

export const TREE: Tree = {
  "": {the: 0.5, a: 0.3, no: 0.2},
  the: {old: 0.4, big: 0.35, dog: 0.25},
  a: {dog: 0.6, cat: 0.4},
  no: {dog: 0.95, cat: 0.05},
  "the old": {man: 0.4, dog: 0.3, cat: 0.3},
  "the big": {man: 0.4, dog: 0.3, cat: 0.3},
  "the dog": {sleeps: 0.5, barks: 0.5},
  "a dog": {sleeps: 0.6, barks: 0.4},
  "a cat": {sleeps: 0.6, purrs: 0.4},
  "no dog": {barks: 0.9, sleeps: 0.1},
  "no cat": {sleeps: 0.5, purrs: 0.5},
};
const LINE = 19;

interface Place {
  x: number;
  y: number;
  parent: string | undefined;
}

/** Where each text of the tree stands: leaves one below the other, the others in the middle of theirs. */
function places(): Map<string, Place> {
  const found = new Map<string, Place>();
  let leaves = 0;
  const visit = (words: string, depth: number, parent: string | undefined): number => {
    const children = Object.keys(TREE[words] ?? {}).map(next => (words ? `${words} ${next}` : next));
    const rows = children.map(child => visit(child, depth + 1, words));
    const y = rows.length ? (rows[0]! + rows.at(-1)!) / 2 : LINE * (leaves++ + 0.7);
    found.set(words, {x: 8 + 88 * depth, y, parent});
    return y;
  };
  visit("", 0, undefined);
  return found;
}

export function beamWidget(place: HTMLElement): void {
  const {controls, picture, said} = frame(place, "Beam search, step by step");
  const tree = places();
  const height = LINE * [...tree.keys()].filter(words => !(words in TREE)).length + 8;
  let done = 0;
  const draw = (): void => {
    const steps = beamSteps(TREE, size.value());
    const shown = steps.slice(0, done);
    const seen = new Map<string, {hypothesis: Hypothesis; isKept: boolean}>();
    for (const step of shown) {
      step.grown.forEach((hypothesis, rank) => seen.set(hypothesis.words, {hypothesis, isKept: rank < step.kept}));
    }
    const label = (words: string): string => {
      const found = seen.get(words);
      const text = words.split(" ").at(-1)!;
      return found ? `${text} ${found.hypothesis.probability.toFixed(3)}` : text || "begin";
    };
    const parts = [...tree].flatMap(([words, {x, y, parent}]) => {
      const found = seen.get(words);
      const state = words === "" || found?.isKept ? "kept" : found ? "dropped" : "unseen";
      const from = parent === undefined ? undefined : tree.get(parent);
      const begin = from && from.x + 5 + 6.6 * label(parent!).length;
      return [
        ...(from ? [drawn("path", {d: `M${begin} ${from.y}L${x - 3} ${y}`, class: `branch ${state}`})] : []),
        word(x, y + 4, label(words), {class: state}),
      ];
    });
    const last = shown.at(-1);
    const kept = last ? last.grown.slice(0, last.kept) : [];
    picture.replaceChildren(drawing(360, height, `The tree after step ${done}`, ...parts));
    said.textContent = last
      ? `Step ${done} of ${steps.length}: of ${last.grown.length} continuations, kept: ` +
        `${kept.map(found => `${found.words} (${found.probability.toFixed(3)})`).join(", ")}.` +
        (done === steps.length ? ` Found: ${kept[0]!.words}.` : "")
      : "Nothing is written yet. Step: each text that is kept is continued by all its words.";
    const end = done === steps.length;
    next.setAttribute("aria-disabled", String(end));
    back.setAttribute("aria-disabled", String(done === 0));
  };
  const size = slider("beam", {min: 1, max: 4, step: 1, value: 2}, String, () => draw());
  const go = (by: number): void => {
    done = Math.max(0, Math.min(done + by, beamSteps(TREE, size.value()).length));
    draw();
  };
  const back = button("Back", () => go(-1));
  const next = button("Step", () => go(1));
  controls.append(size.field, element("div", {class: "widget-field"}, back, next));
  draw();
}
