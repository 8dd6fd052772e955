/** Parts of the page as pictures: what they show is read from the page, and written as SVG or drawn for PNG. */

import {FONT, pixelsIn, planOf} from "./drawing";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
type Shape = Box &
  (
    | {kind: "box"; fill: string; opacity: number; radius: number}
    | {kind: "text"; text: string; fill: string; font: string; direction: string}
    | {kind: "label"; text: string; fill: string; isTurned: boolean} // ends at its place; turned, it begins there
    | {kind: "frame"; stroke: string; thickness: number; radius: number}
    | {kind: "cells"; image: OffscreenCanvas; isTurned: boolean; opacity: number}
    | {
        kind: "line";
        path: string;
        move: [number, number];
        stroke: string;
        thickness: number;
        opacity: number;
        dashes: string;
      }
  );

const GAP = 12;
const RATIO = 2;
const SKIPPED = "select, input, textarea, .unseen, .term, .save, .peek, [data-unsaved]";
const MOST_CELLS = 300_000; // that are drawn one by one; of more, the picture holds an image
const isClear = (colour: string): boolean => colour === "transparent" || colour === "rgba(0, 0, 0, 0)";

/** The words of a text, each where it stands. */
function* words(node: Text, style: CSSStyleDeclaration, fill: string): Generator<Shape> {
  const range = document.createRange();
  for (const {0: text, index} of node.data.matchAll(/\S+/gu)) {
    range.setStart(node, index);
    range.setEnd(node, index + text.length);
    const {x, y, width, height} = range.getBoundingClientRect();
    const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    if (width) yield {kind: "text", x, y, width, height, text, fill, font, direction: style.direction};
  }
}

/** A canvas: what it was drawn from. */
function* drawing(canvas: HTMLCanvasElement, {x, y, width, height}: Box, opacity: number): Generator<Shape> {
  const plan = planOf(canvas);
  if (!plan || !width) return;
  const {image, isTurned} = plan;
  const cells = plan.width
    ? {x: x + plan.left, y: y + plan.top, width: plan.width, height: plan.height}
    : {x, y, width, height};
  yield {kind: "cells", image, isTurned, opacity, ...cells};
  for (const frame of plan.frames) yield {kind: "frame", radius: 0, ...frame, x: x + frame.x, y: y + frame.y};
  for (const {text, fill, isTurned: turned, ...at} of plan.labels)
    yield {kind: "label", text, fill, isTurned: turned, x: x + at.x, y: y + at.y, width: 0, height: 0};
}

/** What says that something is chosen, off or new, where it is neither a text nor a background. */
function* signs(element: Element, style: CSSStyleDeclaration, {x, y, width, height}: Box): Generator<Shape> {
  const box = {x, y, width, height};
  const radius = parseFloat(style.borderRadius) || 0;
  const colour = (name: string): string =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const line = (path: string, stroke: string): Shape => ({
    kind: "line",
    ...box,
    path,
    move: [x, y],
    stroke,
    thickness: 2,
    opacity: 1,
    dashes: "",
  });
  if (element.matches(".cell"))
    yield {
      kind: "frame",
      stroke: style.borderTopColor,
      thickness: element.matches('[aria-pressed="true"]') ? 4 : 1.5,
      radius,
      ...box,
    };
  if (element.matches(".cell.off")) yield line(`M 0 0 L ${width} ${height}`, colour("less"));
  if (element.matches("del"))
    yield {...line(`M 0 ${height / 2} L ${width} ${height / 2}`, colour("bad")), thickness: 1} as Shape;
  if (element.matches('.token[aria-pressed="true"], .part.here'))
    yield {kind: "frame", stroke: colour("accent"), thickness: 2, radius, ...box};
  if (element.matches(".token.forced")) yield {kind: "frame", stroke: colour("more"), thickness: 2, radius, ...box};
  if (element.matches(".token.new, u.new"))
    yield line(`M 2 ${height - 1} L ${width - 2} ${height - 1}`, colour("more"));
}

function* shapes(element: Element): Generator<Shape> {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const {x, y, width, height} = box;
  if (element.matches(SKIPPED) || style.visibility === "hidden") return;
  const isDrawing = element instanceof SVGElement;
  if (element instanceof HTMLCanvasElement) {
    yield* drawing(element, box, Number(style.opacity));
  } else if (element instanceof SVGPathElement) {
    const {e, f} = element.getScreenCTM()!;
    yield {
      kind: "line",
      x,
      y,
      width,
      height,
      path: element.getAttribute("d")!,
      move: [e, f],
      stroke: style.stroke,
      thickness: parseFloat(style.strokeWidth),
      opacity: Number(style.opacity),
      dashes: style.strokeDasharray === "none" ? "" : style.strokeDasharray.replaceAll("px", ""),
    };
  } else if (element instanceof SVGRectElement) {
    yield {kind: "box", x, y, width, height, fill: style.fill, opacity: Number(style.opacity), radius: 0};
  } else if (!isDrawing && width && !isClear(style.backgroundColor)) {
    yield {
      kind: "box",
      x,
      y,
      width,
      height,
      fill: style.backgroundColor,
      opacity: 1,
      radius: parseFloat(style.borderRadius) || 0,
    };
  }
  for (const child of element.childNodes) {
    if (child instanceof Text) yield* words(child, style, isDrawing ? style.fill : style.color);
    else if (child instanceof Element && child.tagName !== "title") yield* shapes(child);
  }
  if (!isDrawing) yield* signs(element, style, box);
}

interface Picture {
  shapes: Shape[];
  width: number;
  height: number;
  paper: string;
}

/** Some elements, one below the other, as they stand without what is there for the hand alone: buttons, question marks. */
function pictureOf(selectors: string[]): Picture {
  const {classList} = document.documentElement;
  classList.add("saving");
  try {
    return measured(selectors);
  } finally {
    classList.remove("saving");
  }
}

/** As much of each as there is, scrolled out of sight or not. */
function measured(selectors: string[]): Picture {
  const found: Shape[] = [];
  let top = GAP;
  let right = 0;
  for (const root of selectors.flatMap(selector => [...document.querySelectorAll(selector)])) {
    const box = root.getBoundingClientRect();
    const left = box.x - root.scrollLeft;
    const above = box.y - root.scrollTop;
    let bottom = top;
    for (const shape of shapes(root)) {
      const x = shape.x - left + GAP;
      const y = shape.y - above + top;
      found.push(
        shape.kind === "line"
          ? {...shape, x, y, move: [shape.move[0] - left + GAP, shape.move[1] - above + top]}
          : {...shape, x, y},
      );
      right = Math.max(right, x + shape.width);
      bottom = Math.max(bottom, y + shape.height);
    }
    top = bottom + GAP;
  }
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  return {shapes: found, width: Math.ceil(right + GAP), height: Math.ceil(top), paper};
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const short = (value: number): string => String(Math.round(100 * value) / 100);

/** Cells as rectangles, together by colour; cells side by side of one colour are one. */
function cellsAsRects({
  image,
  isTurned,
  opacity,
  ...box
}: Box & {image: OffscreenCanvas; isTurned: boolean; opacity: number}): string {
  const {data, width: columns, height: rows} = pixelsIn(image);
  const rects = new Map<string, string[]>();
  const width = box.width / columns;
  const height = box.height / rows;
  for (let row = 0; row < rows; row++) {
    for (let begin = 0, end; begin < columns; begin = end) {
      const colourAt = (column: number): string =>
        [0, 1, 2]
          .map(part =>
            data[4 * (row * columns + (isTurned ? columns - 1 - column : column)) + part]!.toString(16).padStart(
              2,
              "0",
            ),
          )
          .join("");
      const colour = colourAt(begin);
      for (end = begin + 1; end < columns && colourAt(end) === colour;) end++;
      const ofColour = rects.get(colour) ?? [];
      rects.set(colour, ofColour);
      ofColour.push(
        `<rect x="${short(box.x + begin * width)}" y="${short(box.y + row * height)}" width="${short((end - begin) * width)}" height="${short(height)}"/>`,
      );
    }
  }
  return `<g class="cells" opacity="${opacity}" shape-rendering="crispEdges">${[...rects].map(([colour, of]) => `<g fill="#${colour}">${of.join("")}</g>`).join("")}</g>`;
}

/** Very many cells as an image. */
function cellsAsImage({
  image,
  isTurned,
  opacity,
  x,
  y,
  width,
  height,
}: Box & {image: OffscreenCanvas; isTurned: boolean; opacity: number}): string {
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d")!.drawImage(image, 0, 0);
  const turn = isTurned ? ` transform="matrix(-1 0 0 1 ${short(2 * x + width)} 0)"` : "";
  return `<image x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"${turn} opacity="${opacity}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`;
}

function written(shape: Shape): string {
  const {x, y, width, height} = shape;
  const where = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
  if (shape.kind === "box")
    return `<rect ${where} rx="${short(Math.min(shape.radius, height / 2))}" fill="${shape.fill}" opacity="${shape.opacity}"/>`;
  if (shape.kind === "frame")
    return `<rect ${where} rx="${short(shape.radius)}" fill="none" stroke="${shape.stroke}" stroke-width="${shape.thickness}"/>`;
  if (shape.kind === "cells")
    return shape.image.width * shape.image.height > MOST_CELLS ? cellsAsImage(shape) : cellsAsRects(shape);
  if (shape.kind === "label") {
    const turn = shape.isTurned ? ` transform="rotate(-90 ${short(x)} ${short(y)})"` : "";
    return `<text x="${short(x)}" y="${short(y)}" text-anchor="${shape.isTurned ? "start" : "end"}" dominant-baseline="central"${turn} fill="${shape.fill}" style="font:${escaped(FONT)}">\u2068${escaped(shape.text)}\u2069</text>`;
  }
  if (shape.kind === "line") {
    return `<path d="${shape.path}" transform="translate(${shape.move.map(short).join(" ")})" fill="none" stroke="${shape.stroke}" stroke-width="${shape.thickness}" opacity="${shape.opacity}"${
      shape.dashes ? ` stroke-dasharray="${shape.dashes}"` : ""
    }/>`;
  }
  return `<text x="${short(x + width / 2)}" y="${short(y + height / 2)}" text-anchor="middle" dominant-baseline="central" direction="${shape.direction}" fill="${shape.fill}" style="font:${escaped(
    shape.font,
  )}">${escaped(shape.text)}</text>`;
}

/** Elements of the page as SVG. */
export function svgOf(selectors: string[]): string {
  const {shapes, width, height, paper} = pictureOf(selectors);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${paper}"/>\n${shapes
    .map(written)
    .join("\n")}\n</svg>\n`;
}

function draw(pen: CanvasRenderingContext2D, shape: Shape): void {
  const {x, y, width, height} = shape;
  pen.save();
  if (shape.kind === "box") {
    pen.globalAlpha = shape.opacity;
    pen.fillStyle = shape.fill;
    pen.beginPath();
    pen.roundRect(x, y, width, height, Math.min(shape.radius, height / 2));
    pen.fill();
  } else if (shape.kind === "frame") {
    pen.strokeStyle = shape.stroke;
    pen.lineWidth = shape.thickness;
    pen.beginPath();
    pen.roundRect(x, y, width, height, shape.radius);
    pen.stroke();
  } else if (shape.kind === "cells") {
    pen.imageSmoothingEnabled = false;
    pen.globalAlpha = shape.opacity;
    if (shape.isTurned) pen.transform(-1, 0, 0, 1, 2 * x + width, 0);
    pen.drawImage(shape.image, x, y, width, height);
  } else if (shape.kind === "label") {
    pen.translate(x, y);
    if (shape.isTurned) pen.rotate(-Math.PI / 2);
    pen.font = FONT;
    pen.fillStyle = shape.fill;
    pen.textAlign = shape.isTurned ? "left" : "right";
    pen.textBaseline = "middle";
    pen.fillText(`\u2068${shape.text}\u2069`, 0, 0);
  } else if (shape.kind === "line") {
    pen.globalAlpha = shape.opacity;
    pen.translate(...shape.move);
    pen.strokeStyle = shape.stroke;
    pen.lineWidth = shape.thickness;
    pen.setLineDash(shape.dashes ? shape.dashes.split(/[ ,]+/).map(Number) : []);
    pen.stroke(new Path2D(shape.path));
  } else {
    pen.font = shape.font;
    pen.fillStyle = shape.fill;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.direction = shape.direction === "rtl" ? "rtl" : "ltr";
    pen.fillText(shape.text, x + width / 2, y + height / 2);
  }
  pen.restore();
}

/** Elements of the page, drawn. */
export function canvasOf(selectors: string[]): HTMLCanvasElement {
  const {shapes, width, height, paper} = pictureOf(selectors);
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  canvas.width = RATIO * width;
  canvas.height = RATIO * height;
  pen.scale(RATIO, RATIO);
  pen.fillStyle = paper;
  pen.fillRect(0, 0, width, height);
  for (const shape of shapes) draw(pen, shape);
  return canvas;
}
