/** Label smoothing (Szegedy et al. 2016). */

/** The probability that the label has for the right class, and for each other one. */
export const smoothed = (classes: number, share: number): {right: number; other: number} => ({
  right: 1 - share + share / classes,
  other: share / classes,
});

/** Cross-entropy of a prediction that gives `right` to the right class and the rest evenly to the others, in nats. */
export function loss(classes: number, share: number, right: number): number {
  const label = smoothed(classes, share);
  const ofOthers = label.other > 0 ? (classes - 1) * label.other * Math.log((1 - right) / (classes - 1)) : 0;
  return -label.right * Math.log(right) - ofOthers;
}

/** The lowest possible loss: the entropy of the label. */
export const lowest = (classes: number, share: number): number =>
  share > 0 ? loss(classes, share, smoothed(classes, share).right) : 0;
