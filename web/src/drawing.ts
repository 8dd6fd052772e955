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

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** How a text runs: its first letter says so. */
export const directionOf = (text: string): "rtl" | "ltr" => (RIGHT_TO_LEFT.test(/\p{Letter}/u.exec(text)?.[0] ?? "") ? "rtl" : "ltr");

const images = new WeakMap<Weights, Map<string, OffscreenCanvas>>();

/** A head as an image, drawn once for each size and theme. */
function image(weights: Weights, most: number): OffscreenCanvas {
  const known = images.get(weights) ?? new Map<string, OffscreenCanvas>(), key = `${most} ${colour("paper")} ${colour("heat")}`;
  const found = known.get(key) ?? pixels(weights, most);
  images.set(weights, known.set(key, found));
  return found;
}

/** Of cells that share a pixel, the heaviest counts, so that thin lines stay. */
function pixels(weights: Weights, most: number): OffscreenCanvas {
  const height = Math.min(weights.rows, most), width = Math.min(weights.keys, most), pixels = new ImageData(width, height);
  const cells = new Float32Array(width * height).fill(-1);
  for (let row = 0; row < weights.rows; row++) {
    for (let key = 0; key < weights.keys; key++) {
      if (isForbidden(weights, row, key)) continue;
      const place = Math.floor(row * height / weights.rows) * width + Math.floor(key * width / weights.keys);
      cells[place] = Math.max(cells[place]!, weightAt(weights, row, key));
    }
  }
  const paper = colour("paper"), heat = colour("heat"), forbidden = colour("forbidden");
  cells.forEach((share, place) => {
    for (let part = 0; part < 3; part++) {
      pixels.data[4 * place + part] = share < 0 ? forbidden[part]! : paper[part]! + share * (heat[part]! - paper[part]!);
    }
    pixels.data[4 * place + 3] = 255;
  });
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")!.putImageData(pixels, 0, 0);
  return canvas;
}

/** Draw a head small. */
export function drawThumbnail(canvas: HTMLCanvasElement, weights: Weights, size: number): void {
  const drawn = image(weights, size);
  canvas.width = drawn.width;
  canvas.height = drawn.height;
  canvas.getContext("2d")!.drawImage(drawn, 0, 0);
}

/** Draw numbers as a picture with a pixel for each: the stronger the colour, the further from 0. */
export function drawNumbers(canvas: HTMLCanvasElement, rows: number[][], count: number): void {
  const pixels = new ImageData(count, rows.length), paper = colour("paper"), more = colour("more"), less = colour("less");
  const most = Math.max(...rows.flat().map(Math.abs), 1e-9);
  rows.forEach((row, line) => row.forEach((value, column) => {
    const place = line * count + column, end = value < 0 ? less : more, share = Math.abs(value) / most;
    for (let part = 0; part < 3; part++) pixels.data[4 * place + part] = paper[part]! + share * (end[part]! - paper[part]!);
    pixels.data[4 * place + 3] = 255;
  }));
  canvas.width = count;
  canvas.height = rows.length;
  canvas.getContext("2d")!.putImageData(pixels, 0, 0);
}

const LABEL = 14, WIDEST_LABEL = 120, LARGEST_CELL = 30, SHARP_CELL = 6, FONT = "12px system-ui, sans-serif";

/** Where the cells of a matrix are, and which rows and keys have labels. */
export interface Layout { left: number; top: number; size: number; rows: number[]; keys: number[] }

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
  return Array.from({length: count}, (_, place) => place)
    .filter(place => place === chosen || (place % every === 0 && Math.abs(place - chosen) >= every));
}

/** Draw a head with its tokens. */
export function drawMatrix(
  canvas: HTMLCanvasElement, weights: Weights, rows: string[], keys: string[], at: {row: number; key: number}, room: number,
): Layout {
  const pen = canvas.getContext("2d")!, ratio = window.devicePixelRatio || 1;
  pen.font = FONT;
  const widest = Math.min(WIDEST_LABEL, room * 0.25), rowLabels = fitted(pen, rows, widest), keyLabels = fitted(pen, keys, widest);
  const width = (labels: string[]): number => Math.max(...labels.map(label => pen.measureText(label).width)) + 10;
  const left = width(rowLabels), top = width(keyLabels), fits = Math.max(1.2, Math.min(LARGEST_CELL, (room - left - 2) / keys.length));
  const size = fits >= SHARP_CELL ? Math.floor(fits) : fits;
  const full = {width: left + size * keys.length + 2, height: top + size * rows.length + 2};
  canvas.width = Math.round(full.width * ratio);
  canvas.height = Math.round(full.height * ratio);
  canvas.style.width = `${full.width}px`;
  canvas.style.height = `${full.height}px`;
  pen.scale(ratio, ratio);
  pen.font = FONT;
  pen.imageSmoothingEnabled = false;
  pen.drawImage(image(weights, Infinity), left, top, size * keys.length, size * rows.length);
  const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
  const write = (label: string, x: number, y: number, turned: boolean, here: boolean): void => {
    pen.save();
    pen.translate(x, y);
    if (turned) pen.rotate(-Math.PI / 2);
    pen.textAlign = turned ? "left" : "right";
    pen.textBaseline = "middle";
    pen.fillStyle = css(here ? "accent" : "ink");
    pen.fillText(`\u2068${label}\u2069`, 0, 0);
    pen.restore();
  };
  const layout = {left, top, size, rows: labelled(rows.length, size, at.row), keys: labelled(keys.length, size, at.key)};
  for (const row of layout.rows) write(rowLabels[row]!, left - 6, top + size * (row + .5), false, row === at.row);
  for (const key of layout.keys) write(keyLabels[key]!, left + size * (key + .5), top - 6, true, key === at.key);
  pen.strokeStyle = css("line");
  pen.strokeRect(left - .5, top - .5, size * keys.length + 1, size * rows.length + 1);
  pen.strokeStyle = css("accent");
  pen.lineWidth = 1.5;
  pen.strokeRect(left, top + size * at.row, size * keys.length, size);
  pen.strokeRect(left + size * at.key, top, size, size * rows.length);
  return layout;
}
