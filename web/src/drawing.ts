/** Canvas: matrices of weights, drawn a pixel for each cell and scaled; and the colours of the page. */

import {isForbidden, weightAt, type Weights} from "./weights";

export type Colour = [number, number, number];

const colours = new Map<string, Colour>();

/** Read the colours of the style sheet anew: the theme may be another. */
export const forgetColours = (): void => colours.clear();

/** A colour of the style sheet. */
export function colour(name: string): Colour {
  const known = colours.get(name);
  if (known) return known;
  const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const read = [1, 3, 5].map(place => parseInt(hex.slice(place, place + 2), 16)) as Colour;
  colours.set(name, read);
  return read;
}

/** A token for people: without the mark of its space; a space alone as a sign. */
export const readable = (token: string): string => token.replace(/^▁/, "").replaceAll("▁", "␣") || "␣";

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** How a text runs: its first letter says so. */
export const directionOf = (text: string): "rtl" | "ltr" =>
  RIGHT_TO_LEFT.test(/\p{Letter}/u.exec(text)?.[0] ?? "") ? "rtl" : "ltr";

/** Scripts whose letters are joined, and letters that join with none after them. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u;
const ENDS_ALONE =
  /[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u;

/** Whether two letters that stand side by side are written in one stroke. */
function join(before: string | undefined, after: string | undefined): boolean {
  const last = /(.)\p{M}*$/u.exec(before ?? "")?.[1] ?? "";
  const first = /^./u.exec(after ?? "")?.[0] ?? "";
  const isLetter = (letter: string): boolean => JOINED.test(letter) && /\p{L}/u.test(letter);
  return isLetter(last) && isLetter(first) && !ENDS_ALONE.test(last) && first !== "\u0621";
}

/** Classes of a token, each in a box of its own, whose letters join with those beside it. */
export const joins = (tokens: {token: string}[], place: number): string =>
  `${join(tokens[place - 1]?.token, tokens[place]!.token) ? "joins-before" : ""} ${join(tokens[place]!.token, tokens[place + 1]?.token) ? "joins-after" : ""}`.trim();

const pixelsOf = new WeakMap<OffscreenCanvas, ImageData>();

/** The pixels that an image was made of: reading them back is slow. */
export const pixelsIn = (image: OffscreenCanvas): ImageData => pixelsOf.get(image)!;

function painted(pixels: ImageData): OffscreenCanvas {
  const image = new OffscreenCanvas(pixels.width, pixels.height);
  image.getContext("2d")!.putImageData(pixels, 0, 0);
  pixelsOf.set(image, pixels);
  return image;
}

const images = new WeakMap<Weights, Map<string, OffscreenCanvas>>();

/** A head as an image, drawn once for each size and theme. */
function image(weights: Weights, most: number): OffscreenCanvas {
  const known = images.get(weights) ?? new Map<string, OffscreenCanvas>();
  const key = `${most} ${colour("paper")} ${colour("heat")}`;
  const found = known.get(key) ?? pixels(weights, most);
  images.set(weights, known.set(key, found));
  return found;
}

/** Of cells that share a pixel, the heaviest counts, so that thin lines stay. */
function pixels(weights: Weights, most: number): OffscreenCanvas {
  const height = Math.min(weights.rows, most);
  const width = Math.min(weights.keys, most);
  const pixels = new ImageData(width, height);
  const cells = new Float32Array(width * height).fill(-1);
  for (let row = 0; row < weights.rows; row++) {
    for (let key = 0; key < weights.keys; key++) {
      if (isForbidden(weights, row, key)) continue;
      const place = Math.floor((row * height) / weights.rows) * width + Math.floor((key * width) / weights.keys);
      cells[place] = Math.max(cells[place]!, weightAt(weights, row, key));
    }
  }
  const paper = colour("paper");
  const heat = colour("heat");
  const forbidden = colour("forbidden");
  cells.forEach((share, place) => {
    for (let part = 0; part < 3; part++) {
      pixels.data[4 * place + part] =
        share < 0 ? forbidden[part]! : paper[part]! + share * (heat[part]! - paper[part]!);
    }
    pixels.data[4 * place + 3] = 255;
  });
  return painted(pixels);
}

/** What a canvas shows, for pictures of it: cells, a pixel of the image for each; labels; frames. Places are in pixels of the page. */
export interface Plan {
  image: OffscreenCanvas;
  left: number;
  top: number;
  width: number; // of all cells; 0: as wide and as high as the canvas
  height: number;
  isTurned: boolean; // columns run from right to left
  labels: {text: string; x: number; y: number; isTurned: boolean; fill: string}[];
  frames: {x: number; y: number; width: number; height: number; stroke: string; thickness: number}[];
}

const plans = new WeakMap<HTMLCanvasElement, Plan>();

export const planOf = (canvas: HTMLCanvasElement): Plan | undefined => plans.get(canvas);

const whole = (image: OffscreenCanvas): Plan => ({
  image,
  left: 0,
  top: 0,
  width: 0,
  height: 0,
  isTurned: false,
  labels: [],
  frames: [],
});

/** Draw a head small. */
export function drawThumbnail(canvas: HTMLCanvasElement, weights: Weights, size: number): void {
  const drawn = image(weights, size);
  plans.set(canvas, whole(drawn));
  canvas.width = drawn.width;
  canvas.height = drawn.height;
  canvas.getContext("2d")!.drawImage(drawn, 0, 0);
}

/** Draw numbers as a picture with a pixel for each: the stronger the colour, the further from 0. */
export function drawNumbers(canvas: HTMLCanvasElement, rows: number[][], count: number): void {
  const pixels = new ImageData(count, rows.length);
  const paper = colour("paper");
  const more = colour("more");
  const less = colour("less");
  const most = Math.max(...rows.flat().map(Math.abs), 1e-9);
  rows.forEach((row, line) =>
    row.forEach((value, column) => {
      const place = line * count + column;
      const end = value < 0 ? less : more;
      const share = Math.abs(value) / most;
      for (let part = 0; part < 3; part++)
        pixels.data[4 * place + part] = paper[part]! + share * (end[part]! - paper[part]!);
      pixels.data[4 * place + 3] = 255;
    }),
  );
  const drawn = painted(pixels);
  plans.set(canvas, whole(drawn));
  canvas.width = count;
  canvas.height = rows.length;
  canvas.getContext("2d")!.drawImage(drawn, 0, 0);
}

const LABEL = 14;
const WIDEST_LABEL = 120;
const LARGEST_CELL = 30;
const SHARP_CELL = 6;
export const FONT = "12px system-ui, sans-serif";

/** Where the cells of a matrix are, and which rows and keys have labels. */
export interface Layout {
  left: number;
  top: number;
  size: number;
  rows: number[];
  keys: number[];
}

/** Tokens as labels of at most this width, cut where they are longer. */
function fitted(pen: CanvasRenderingContext2D, tokens: string[], widest: number): string[] {
  const width = (letters: string): number => pen.measureText(letters).width;
  return tokens.map(token => {
    const letters = [...readable(token)];
    if (width(letters.join("")) <= widest) return letters.join("");
    while (letters.length > 1 && width(`${letters.join("")}…`) > widest) letters.pop();
    return `${letters.join("")}…`;
  });
}

/** Which of so many places have room for a label: the chosen one, and of the others every few. */
function labelled(count: number, size: number, chosen: number): number[] {
  const every = Math.max(Math.ceil(LABEL / size), 1);
  return Array.from({length: count}, (_, place) => place).filter(
    place => place === chosen || (place % every === 0 && Math.abs(place - chosen) >= every),
  );
}

/** Draw a head with its tokens. */
export function drawMatrix(
  canvas: HTMLCanvasElement,
  weights: Weights,
  rows: string[],
  keys: string[],
  at: {row: number; key: number},
  room: number,
  isTurned = false,
): Layout {
  const pen = canvas.getContext("2d")!;
  const ratio = window.devicePixelRatio || 1;
  pen.font = FONT;
  const widest = Math.min(WIDEST_LABEL, room * 0.25);
  const rowLabels = fitted(pen, rows, widest);
  const keyLabels = fitted(pen, keys, widest);
  const width = (labels: string[]): number => Math.max(...labels.map(label => pen.measureText(label).width)) + 10;
  const left = width(rowLabels);
  const top = width(keyLabels);
  const fits = Math.max(1.2, Math.min(LARGEST_CELL, (room - left - 2) / keys.length));
  const size = fits >= SHARP_CELL ? Math.floor(fits) : fits;
  const full = {width: left + size * keys.length + 2, height: top + size * rows.length + 2};
  canvas.width = Math.round(full.width * ratio);
  canvas.height = Math.round(full.height * ratio);
  canvas.style.width = `${full.width}px`;
  canvas.style.height = `${full.height}px`;
  pen.scale(ratio, ratio);
  pen.font = FONT;
  pen.imageSmoothingEnabled = false;
  const column = (key: number): number => (isTurned ? keys.length - 1 - key : key);
  pen.save();
  if (isTurned) pen.transform(-1, 0, 0, 1, 2 * left + size * keys.length, 0);
  pen.drawImage(image(weights, Infinity), left, top, size * keys.length, size * rows.length);
  pen.restore();
  const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const plan: Plan = {
    image: image(weights, Infinity),
    left,
    top,
    width: size * keys.length,
    height: size * rows.length,
    isTurned,
    labels: [],
    frames: [],
  };
  plans.set(canvas, plan);
  const write = (label: string, x: number, y: number, turned: boolean, here: boolean): void => {
    plan.labels.push({text: label, x, y, isTurned: turned, fill: css(here ? "accent" : "ink")});
    pen.save();
    pen.translate(x, y);
    if (turned) pen.rotate(-Math.PI / 2);
    pen.textAlign = turned ? "left" : "right";
    pen.textBaseline = "middle";
    pen.fillStyle = css(here ? "accent" : "ink");
    pen.fillText(`\u2068${label}\u2069`, 0, 0);
    pen.restore();
  };
  const layout = {
    left,
    top,
    size,
    rows: labelled(rows.length, size, at.row),
    keys: labelled(keys.length, size, at.key),
  };
  for (const row of layout.rows) write(rowLabels[row]!, left - 6, top + size * (row + 0.5), false, row === at.row);
  for (const key of layout.keys)
    write(keyLabels[key]!, left + size * (column(key) + 0.5), top - 6, true, key === at.key);
  plan.frames.push(
    {
      x: left - 0.5,
      y: top - 0.5,
      width: size * keys.length + 1,
      height: size * rows.length + 1,
      stroke: css("line"),
      thickness: 1,
    },
    {x: left, y: top + size * at.row, width: size * keys.length, height: size, stroke: css("accent"), thickness: 1.5},
    {
      x: left + size * column(at.key),
      y: top,
      width: size,
      height: size * rows.length,
      stroke: css("accent"),
      thickness: 1.5,
    },
  );
  for (const {x, y, width, height, stroke, thickness} of plan.frames) {
    pen.strokeStyle = stroke;
    pen.lineWidth = thickness;
    pen.strokeRect(x, y, width, height);
  }
  return layout;
}
