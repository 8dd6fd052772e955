/** Beam search over a small tree of words. */

export type Tree = Record<string, Record<string, number>>;

export interface Hypothesis {
  words: string;
  probability: number;
}

export interface Step {
  /** All continuations of what was kept before, the likeliest first. */
  grown: Hypothesis[];
  /** How many of them are kept. */
  kept: number;
}

/** Each step of the search: until nothing that is kept can be continued. */
export function beamSteps(tree: Tree, size: number): Step[] {
  const steps: Step[] = [];
  let live: Hypothesis[] = [{words: "", probability: 1}];
  for (;;) {
    const grown = live.flatMap(({words, probability}) =>
      Object.entries(tree[words] ?? {}).map(([word, next]) => ({
        words: words ? `${words} ${word}` : word,
        probability: probability * next,
      })),
    );
    if (!grown.length) return steps;
    grown.sort((a, b) => b.probability - a.probability);
    live = grown.slice(0, size);
    steps.push({grown, kept: live.length});
  }
}
