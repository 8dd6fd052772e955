/** Colours of the style sheet. */

export type Colour = [number, number, number];

const colours = new Map<string, Colour>();

/** Empty the cache: the theme may be another. */
export const clearColours = (): void => colours.clear();

export function colour(name: string): Colour {
  const cached = colours.get(name);
  if (cached) return cached;
  const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const parts = [1, 3, 5].map(begin => parseInt(hex.slice(begin, begin + 2), 16)) as Colour;
  colours.set(name, parts);
  return parts;
}

/** A colour of the style sheet at some opacity, in CSS. */
export const translucent = (name: string, opacity: number): string =>
  `rgba(${colour(name).join(", ")}, ${opacity.toFixed(3)})`;

/** A colour of the style sheet as it is written there. */
export const cssColour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
