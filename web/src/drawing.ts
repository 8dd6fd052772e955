/** Canvas: matrices of weights, drawn a pixel for each cell and scaled; and the colours of the page. */

import type {Weights} from "./server";

export type Colour = [number, number, number];

/** A colour of the style sheet. */
export function colour(name: string): Colour {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return [1, 3, 5].map(place => parseInt(hex.slice(place, place + 2), 16)) as Colour;
}

/** A token for people: without the mark of its space; a space alone as a sign. */
export const readable = (token: string): string => token.replace(/^▁/, "").replaceAll("▁", "␣") || "␣";

/** Whether a mask forbids a cell: what a decoder writes looks at nothing after it. */
export const isForbidden = (kind: string, row: number, key: number): boolean => kind === "decoder" && key > row;

/** Which keys of a row hold the chosen share of its weight: the heaviest ones. */
export function heaviest(row: ArrayLike<number>, share: number): Set<number> {
  const order = Array.from(row, (_, key) => key).sort((a, b) => row[b]! - row[a]!), shown = new Set<number>();
  const total = order.reduce((sum, key) => sum + row[key]!, 0);
  let held = 0;
  for (const key of order) {
    if (row[key] === 0 || (held >= share * total && share < 1)) break;
    shown.add(key);
    held += row[key]!;
  }
  return shown;
}

/** The row of a head's weights. */
export const rowOf = (weights: Weights, row: number): Uint8Array => weights.values.subarray(row * weights.keys, (row + 1) * weights.keys);

/** The mean of some heads. */
export function mean(of: Weights[]): Weights {
  const [first] = of as [Weights, ...Weights[]], sum = new Float32Array(first.values.length);
  for (const {values} of of) values.forEach((value, place) => { sum[place]! += value; });
  return {rows: first.rows, keys: first.keys, values: Uint8Array.from(sum, value => Math.round(value / of.length))};
}

/** A head as an image; of cells that share a pixel, the heaviest counts, so that thin lines stay. */
function image(weights: Weights, kind: string, most: number): OffscreenCanvas {
  const height = Math.min(weights.rows, most), width = Math.min(weights.keys, most), pixels = new ImageData(width, height);
  const cells = new Int16Array(width * height).fill(-1);
  for (let row = 0; row < weights.rows; row++) {
    for (let key = 0; key < weights.keys; key++) {
      if (isForbidden(kind, row, key)) continue;
      const place = Math.floor(row * height / weights.rows) * width + Math.floor(key * width / weights.keys);
      cells[place] = Math.max(cells[place]!, weights.values[row * weights.keys + key]!);
    }
  }
  const paper = colour("paper"), heat = colour("heat"), forbidden = colour("forbidden");
  cells.forEach((value, place) => {
    const share = Math.sqrt(value / 255);
    for (let part = 0; part < 3; part++) {
      pixels.data[4 * place + part] = value < 0 ? forbidden[part]! : paper[part]! + share * (heat[part]! - paper[part]!);
    }
    pixels.data[4 * place + 3] = 255;
  });
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")!.putImageData(pixels, 0, 0);
  return canvas;
}

/** Draw a head small. */
export function drawThumbnail(canvas: HTMLCanvasElement, weights: Weights, kind: string, size: number): void {
  const drawn = image(weights, kind, size);
  canvas.width = drawn.width;
  canvas.height = drawn.height;
  canvas.getContext("2d")!.drawImage(drawn, 0, 0);
}

const LABEL = 14, WIDEST_LABEL = 120, LARGEST_CELL = 30, FONT = "12px system-ui, sans-serif";

export interface Layout { left: number; top: number; size: number; rows: number; keys: number }

/** Draw a head with its tokens; the answer says where the cells are. */
export function drawMatrix(
  canvas: HTMLCanvasElement, weights: Weights, kind: string, rows: string[], keys: string[], at: {row: number; key: number | null}, room: number,
): Layout {
  const pen = canvas.getContext("2d")!, ratio = window.devicePixelRatio || 1;
  pen.font = FONT;
  const widest = Math.min(WIDEST_LABEL, room * 0.25);
  const fit = (token: string): string => {
    const letters = [...readable(token)];
    if (pen.measureText(letters.join("")).width <= widest) return letters.join("");
    while (letters.length > 1 && pen.measureText(`${letters.join("")}…`).width > widest) letters.pop();
    return `${letters.join("")}…`;
  };
  const rowLabels = rows.map(fit), keyLabels = keys.map(fit);
  const width = (labels: string[]): number => Math.max(...labels.map(label => pen.measureText(label).width)) + 10;
  const left = width(rowLabels), top = width(keyLabels);
  const size = Math.max(1.2, Math.min(LARGEST_CELL, (room - left - 2) / keys.length));
  const full = {width: left + size * keys.length + 2, height: top + size * rows.length + 2};
  canvas.width = Math.round(full.width * ratio);
  canvas.height = Math.round(full.height * ratio);
  canvas.style.width = `${full.width}px`;
  canvas.style.height = `${full.height}px`;
  pen.scale(ratio, ratio);
  pen.font = FONT;
  pen.imageSmoothingEnabled = false;
  pen.drawImage(image(weights, kind, Infinity), left, top, size * keys.length, size * rows.length);
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
  const every = Math.max(1, Math.ceil(LABEL / size));
  const hasRoom = (place: number, chosen: number | null): boolean =>
    place === chosen || (place % every === 0 && (chosen === null || Math.abs(place - chosen) >= every));
  rowLabels.forEach((label, row) => { if (hasRoom(row, at.row)) write(label, left - 6, top + size * (row + .5), false, row === at.row); });
  keyLabels.forEach((label, key) => { if (hasRoom(key, at.key)) write(label, left + size * (key + .5), top - 6, true, key === at.key); });
  pen.strokeStyle = css("line");
  pen.strokeRect(left - .5, top - .5, size * keys.length + 1, size * rows.length + 1);
  pen.strokeStyle = css("accent");
  pen.lineWidth = 1.5;
  pen.strokeRect(left, top + size * at.row, size * keys.length, size);
  if (at.key !== null) pen.strokeRect(left + size * at.key, top, size, size * rows.length);
  return {left, top, size, rows: rows.length, keys: keys.length};
}
