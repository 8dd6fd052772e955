/** Matrices of weights on canvases: a pixel for each cell, scaled. */

import {colour, cssColour, type Colour} from "./colours";
import {displayToken} from "./spelling";
import {isForbidden, weightAt, type Weights} from "./weights";

const pixelsOf = new WeakMap<OffscreenCanvas, ImageData>();

/** The pixels of an image, stored: reading them back is slow. */
export const pixelsIn = (image: OffscreenCanvas): ImageData => pixelsOf.get(image)!;

function imageOfPixels(pixels: ImageData): OffscreenCanvas {
  const image = new OffscreenCanvas(pixels.width, pixels.height);
  image.getContext("2d")!.putImageData(pixels, 0, 0);
  pixelsOf.set(image, pixels);
  return image;
}

const images = new WeakMap<Weights, Map<string, OffscreenCanvas>>();

/** A head as an image of at most some rows and columns, drawn once for each size and theme. */
function headImage(weights: Weights, maxPixels: number): OffscreenCanvas {
  const cache = images.get(weights) ?? new Map<string, OffscreenCanvas>();
  const key = [maxPixels, ...colour("paper"), ...colour("heat")].join(" ");
  const image = cache.get(key) ?? drawHead(weights, maxPixels);
  images.set(weights, cache.set(key, image));
  return image;
}

/** Set a pixel between two colours. */
function setPixel(pixels: ImageData, index: number, from: Colour, to: Colour, share: number): void {
  for (let channel = 0; channel < 3; channel++) {
    pixels.data[4 * index + channel] = from[channel]! + share * (to[channel]! - from[channel]!);
  }
  pixels.data[4 * index + 3] = 255;
}

/** Of cells that share a pixel, the heaviest counts, so that thin lines stay. */
function drawHead(weights: Weights, maxPixels: number): OffscreenCanvas {
  const height = Math.min(weights.rows, maxPixels);
  const width = Math.min(weights.keys, maxPixels);
  const shares = new Float32Array(width * height).fill(-1);
  for (let row = 0; row < weights.rows; row++) {
    for (let key = 0; key < weights.keys; key++) {
      if (isForbidden(weights, row, key)) continue;
      const index = Math.floor((row * height) / weights.rows) * width + Math.floor((key * width) / weights.keys);
      shares[index] = Math.max(shares[index]!, weightAt(weights, row, key));
    }
  }
  const pixels = new ImageData(width, height);
  const [paper, heat, forbidden] = [colour("paper"), colour("heat"), colour("forbidden")];
  shares.forEach((share, index) => {
    if (share < 0) setPixel(pixels, index, forbidden, forbidden, 1);
    else setPixel(pixels, index, paper, heat, share);
  });
  return imageOfPixels(pixels);
}

/** The content of a canvas, for pictures of it. Lengths are in pixels of the page. */
export interface Plan {
  /** A pixel for each cell. */
  image: OffscreenCanvas;
  left: number;
  top: number;
  /** The size of all cells; 0: that of the canvas. */
  width: number;
  height: number;
  /** Whether columns run from right to left. */
  isMirrored: boolean;
  labels: {text: string; x: number; y: number; isVertical: boolean; fill: string}[];
  frames: {x: number; y: number; width: number; height: number; stroke: string; thickness: number}[];
  /** Lines through each cell that a mask forbids. */
  hatching: {path: string; stroke: string; thickness: number};
}

const NO_HATCHING = {path: "", stroke: "none", thickness: 0};
const plans = new WeakMap<HTMLCanvasElement, Plan>();

export const planOf = (canvas: HTMLCanvasElement): Plan | undefined => plans.get(canvas);

/** Draw an image alone, a pixel of the canvas for each of its own. */
function drawImage(canvas: HTMLCanvasElement, image: OffscreenCanvas, isMirrored = false): void {
  plans.set(canvas, {
    image,
    left: 0,
    top: 0,
    width: 0,
    height: 0,
    isMirrored,
    labels: [],
    frames: [],
    hatching: NO_HATCHING,
  });
  canvas.width = image.width;
  canvas.height = image.height;
  const pen = canvas.getContext("2d")!;
  if (isMirrored) pen.transform(-1, 0, 0, 1, image.width, 0);
  pen.drawImage(image, 0, 0);
}

/** Draw a head without its tokens, as small as it may be; its columns run as those of the matrix. */
export function drawThumbnail(canvas: HTMLCanvasElement, weights: Weights, size: number, isMirrored: boolean): void {
  drawImage(canvas, headImage(weights, size), isMirrored);
}

/** Draw numbers, a pixel for each: the stronger the colour, the further from 0. */
export function drawNumbers(canvas: HTMLCanvasElement, rows: number[][], columns: number): void {
  const pixels = new ImageData(columns, rows.length);
  const max = Math.max(...rows.flat().map(Math.abs), 1e-9);
  rows.forEach((values, row) => {
    values.forEach((value, column) => {
      const end = colour(value < 0 ? "less" : "more");
      setPixel(pixels, row * columns + column, colour("paper"), end, Math.abs(value) / max);
    });
  });
  drawImage(canvas, imageOfPixels(pixels));
}

const LABEL_HEIGHT = 14;
const MAX_LABEL_WIDTH = 120;
const LABEL_MARGIN = 10;
/** The least space between labels of columns that stand upright. */
const LABEL_GAP = 4;
const MAX_CELL = 44;
/** The same where there is much room. */
const MAX_WIDE_CELL = 60;
const WIDE_ROOM = 800;
/** The height that a matrix fills with cells that are larger than `SHARP_CELL`. */
const MAX_HEIGHT = 640;
const MIN_CELL = 1.2;
/** Cells of this size and more are a whole number of pixels. */
const SHARP_CELL = 6;
export const FONT = "13px system-ui, sans-serif";

/** The place of the cells of a matrix, and the rows and keys that have labels. */
export interface Layout {
  left: number;
  top: number;
  size: number;
  rows: number[];
  keys: number[];
}

export interface Matrix {
  weights: Weights;
  rows: string[];
  keys: string[];
  /** The number of rows and of keys, from the first, that were given to a language model. */
  numGiven: {rows: number; keys: number};
  chosen: {row: number; key: number};
  isMirrored: boolean;
}

/** Labels for tokens, shortened to a width. */
function fitLabels(pen: CanvasRenderingContext2D, tokens: string[], maxWidth: number): string[] {
  const width = (letters: string): number => pen.measureText(letters).width;
  return tokens.map(token => {
    const letters = [...displayToken(token)];
    if (width(letters.join("")) <= maxWidth) return letters.join("");
    while (letters.length > 1 && width(`${letters.join("")}…`) > maxWidth) letters.pop();
    return `${letters.join("")}…`;
  });
}

/** The indices that have room for a label: the chosen one, and every few of the others. */
function labelledIndices(count: number, size: number, chosen: number): number[] {
  const every = Math.max(Math.ceil(LABEL_HEIGHT / size), 1);
  return Array.from({length: count}, (_, index) => index).filter(
    index => index === chosen || (index % every === 0 && Math.abs(index - chosen) >= every),
  );
}

function planMatrix(pen: CanvasRenderingContext2D, matrix: Matrix, room: number): {plan: Plan; layout: Layout} {
  const {weights, rows, keys, numGiven, chosen, isMirrored} = matrix;
  pen.font = FONT;
  const maxWidth = Math.min(MAX_LABEL_WIDTH, room * 0.25);
  const rowLabels = fitLabels(pen, rows, maxWidth);
  const keyLabels = fitLabels(pen, keys, maxWidth);
  const widest = (labels: string[]): number => Math.max(...labels.map(label => pen.measureText(label).width));
  const left = widest(rowLabels) + LABEL_MARGIN;
  const maxCell = room > WIDE_ROOM ? MAX_WIDE_CELL : MAX_CELL;
  const inHeight = Math.max((MAX_HEIGHT * maxCell) / MAX_CELL / rows.length, 2 * SHARP_CELL);
  const fitting = Math.max(MIN_CELL, Math.min(maxCell, (room - left - 2) / keys.length, inHeight));
  const size = fitting >= SHARP_CELL ? Math.floor(fitting) : fitting;
  const areUpright = widest(keyLabels) + LABEL_GAP <= size;
  const top = (areUpright ? LABEL_HEIGHT : widest(keyLabels)) + LABEL_MARGIN;
  const width = size * keys.length;
  const height = size * rows.length;
  const column = (key: number): number => left + size * (isMirrored ? keys.length - 1 - key : key);
  const labelled = {
    rows: labelledIndices(rows.length, size, chosen.row),
    keys: labelledIndices(keys.length, size, chosen.key),
  };
  const fill = (isChosen: boolean, isGiven: boolean): string =>
    cssColour(isChosen ? "accent" : isGiven ? "faint" : "ink");
  const labels = [
    ...labelled.rows.map(row => ({
      text: rowLabels[row]!,
      x: left - 6,
      y: top + size * (row + 0.5),
      isVertical: false,
      fill: fill(row === chosen.row, row < numGiven.rows),
    })),
    ...labelled.keys.map(key => ({
      text: keyLabels[key]!,
      x: column(key) + 0.5 * (size + (areUpright ? pen.measureText(keyLabels[key]!).width : 0)),
      y: top - 6 - (areUpright ? LABEL_HEIGHT / 2 : 0),
      isVertical: !areUpright,
      fill: fill(key === chosen.key, key < numGiven.keys),
    })),
  ];
  const mark = {stroke: cssColour("accent"), thickness: 1.5};
  const frames = [
    {x: left - 0.5, y: top - 0.5, width: width + 1, height: height + 1, stroke: cssColour("line"), thickness: 1},
    ...givenFrames(numGiven, {left, top, size, width, height, isMirrored}),
    {x: left, y: top + size * chosen.row, width, height: size, ...mark},
    {x: column(chosen.key), y: top, width: size, height, ...mark},
  ];
  const image = headImage(weights, Infinity);
  const isHatched = (row: number, key: number): boolean => size >= SHARP_CELL && isForbidden(weights, row, key);
  const line = (row: number, key: number): string => {
    const [x, y, half] = [column(key), top + size * row, size / 2];
    return `M ${x} ${y + half} L ${x + half} ${y} M ${x + half} ${y + size} L ${x + size} ${y + half}`;
  };
  const path = rows.flatMap((_, row) => keys.map((_, key) => (isHatched(row, key) ? line(row, key) : ""))).join("");
  const hatching = {path, stroke: cssColour("hatching"), thickness: 1};
  return {
    plan: {image, left, top, width, height, isMirrored, labels, frames, hatching},
    layout: {left, top, size, ...labelled},
  };
}

/** Frames about the rows and the keys that were given; none where all are alike. */
function givenFrames(
  {rows, keys}: Matrix["numGiven"],
  {
    left,
    top,
    size,
    width,
    height,
    isMirrored,
  }: Pick<Plan & Layout, "left" | "top" | "size" | "width" | "height" | "isMirrored">,
): Plan["frames"] {
  const line = {stroke: cssColour("faint"), thickness: 1};
  const keyWidth = size * keys;
  const [ofRows, ofKeys] = [
    {x: left, y: top, width, height: size * rows, ...line},
    {x: isMirrored ? left + width - keyWidth : left, y: top, width: keyWidth, height, ...line},
  ];
  return [...(rows ? [ofRows] : []), ...(keys ? [ofKeys] : [])];
}

/** Draw a head with its tokens, as wide as the room or as its cells. */
export function drawMatrix(canvas: HTMLCanvasElement, matrix: Matrix, room: number): Layout {
  const pen = canvas.getContext("2d")!;
  const {plan, layout} = planMatrix(pen, matrix, room);
  const {image, left, top, width, height, isMirrored, labels, frames, hatching} = plan;
  plans.set(canvas, plan);
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round((left + width + 2) * ratio);
  canvas.height = Math.round((top + height + 2) * ratio);
  canvas.style.width = `${left + width + 2}px`;
  canvas.style.height = `${top + height + 2}px`;
  pen.scale(ratio, ratio);
  pen.imageSmoothingEnabled = false;
  pen.save();
  if (isMirrored) pen.transform(-1, 0, 0, 1, 2 * left + width, 0);
  pen.drawImage(image, left, top, width, height);
  pen.restore();
  pen.strokeStyle = hatching.stroke;
  pen.lineWidth = hatching.thickness;
  pen.stroke(new Path2D(hatching.path));
  for (const label of labels) drawLabel(pen, label);
  for (const frame of frames) {
    pen.strokeStyle = frame.stroke;
    pen.lineWidth = frame.thickness;
    pen.strokeRect(frame.x, frame.y, frame.width, frame.height);
  }
  return layout;
}

/** Draw a label that ends at its place; a vertical one begins there. */
export function drawLabel(pen: CanvasRenderingContext2D, {text, x, y, isVertical, fill}: Plan["labels"][number]): void {
  pen.save();
  pen.translate(x, y);
  if (isVertical) pen.rotate(-Math.PI / 2);
  pen.font = FONT;
  pen.textAlign = isVertical ? "left" : "right";
  pen.textBaseline = "middle";
  pen.fillStyle = fill;
  pen.fillText(`\u2068${text}\u2069`, 0, 0);
  pen.restore();
}
