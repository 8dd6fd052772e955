/** Parts of the page as shapes, which are read from the page as it stands. */

import {cssColour} from "./colours";
import {planOf} from "./drawing";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type CellsShape = Box & {kind: "cells"; image: OffscreenCanvas; isMirrored: boolean; opacity: number};

type LineShape = Box & {
  kind: "line";
  path: string;
  /** The place of the path's origin. */
  origin: [number, number];
  /** The size of the path's unit, in pixels of the page. */
  scale: [number, number];
  fill: string;
  stroke: string;
  thickness: number;
  opacity: number;
  dashes: string;
};

export type Shape =
  | (Box & {kind: "box"; fill: string; opacity: number; radius: number})
  | (Box & {kind: "text"; text: string; fill: string; font: string; direction: string})
  | (Box & {kind: "label"; text: string; fill: string; isVertical: boolean})
  | (Box & {kind: "frame"; stroke: string; thickness: number; radius: number})
  | CellsShape
  | LineShape;

const GAP = 12;
/** Elements that are not in pictures. */
const SKIPPED = "select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]";

const isTransparent = (colour: string): boolean => colour === "transparent" || colour === "rgba(0, 0, 0, 0)";

/** The words of a text, each in its place. */
function* wordShapes(node: Text, style: CSSStyleDeclaration, fill: string): Generator<Shape> {
  const range = document.createRange();
  const parent = node.parentElement as Element;
  const scale = parent instanceof SVGGraphicsElement ? parent.getScreenCTM()!.a : 1;
  for (const {0: text, index} of node.data.matchAll(/\S+/gu)) {
    range.setStart(node, index);
    range.setEnd(node, index + text.length);
    const {x, y, width, height} = range.getBoundingClientRect();
    const font = `${style.fontStyle} ${style.fontWeight} ${scale * parseFloat(style.fontSize)}px ${style.fontFamily}`;
    if (width) yield {kind: "text", x, y, width, height, text, fill, font, direction: style.direction};
  }
}

/** The plan of a canvas. */
function* canvasShapes(canvas: HTMLCanvasElement, {x, y, width, height}: Box, opacity: number): Generator<Shape> {
  const plan = planOf(canvas);
  if (!plan || !width) return;
  const {image, isMirrored} = plan;
  const cells = plan.width
    ? {x: x + plan.left, y: y + plan.top, width: plan.width, height: plan.height}
    : {x, y, width, height};
  yield {kind: "cells", image, isMirrored, opacity, ...cells};
  if (plan.hatching.path) {
    const line = {...cells, ...plan.hatching, fill: "none", opacity, dashes: ""};
    yield {kind: "line", ...line, origin: [x, y], scale: [1, 1]};
  }
  for (const frame of plan.frames) yield {kind: "frame", radius: 0, ...frame, x: x + frame.x, y: y + frame.y};
  for (const label of plan.labels) {
    yield {kind: "label", ...label, x: x + label.x, y: y + label.y, width: 0, height: 0};
  }
}

/** Frames and lines for a choice, a disabled head or a new word, which are neither texts nor backgrounds. */
function* markShapes(element: Element, style: CSSStyleDeclaration, box: Box): Generator<Shape> {
  const {x, y, width, height} = box;
  const radius = parseFloat(style.borderRadius) || 0;
  const frame = (stroke: string, thickness = 2): Shape => ({kind: "frame", stroke, thickness, radius, ...box});
  const line = (path: string, stroke: string, thickness = 2): Shape => ({
    kind: "line",
    ...box,
    path,
    origin: [x, y],
    scale: [1, 1],
    fill: "none",
    stroke,
    thickness,
    opacity: 1,
    dashes: "",
  });
  if (element.matches(".cell")) {
    yield frame(style.borderTopColor, element.getAttribute("aria-pressed") === "true" ? 4 : 1.5);
  }
  if (element.matches(".cell.off")) yield line(`M 0 0 L ${width} ${height}`, cssColour("ink"));
  if (element.matches("del")) yield line(`M 0 ${height / 2} L ${width} ${height / 2}`, cssColour("faint"), 1);
  if (element.matches('.token[aria-pressed="true"], .part.here')) yield frame(cssColour("accent"));
  if (element.matches(".token.prefix-end")) yield frame(cssColour("ink"));
  if (element.matches(".token.new, u.new")) {
    yield line(`M 2 ${height - 1} L ${width - 2} ${height - 1}`, cssColour("ink"));
  }
}

function pathShape(element: SVGPathElement, style: CSSStyleDeclaration, {x, y, width, height}: Box): Shape {
  const {a, d, e, f} = element.getScreenCTM()!;
  return {
    kind: "line",
    x,
    y,
    width,
    height,
    path: element.getAttribute("d")!,
    origin: [e, f],
    scale: [a, d],
    fill: style.fill,
    stroke: style.stroke,
    thickness: parseFloat(style.strokeWidth),
    opacity: Number(style.opacity),
    dashes: style.strokeDasharray === "none" ? "" : style.strokeDasharray.replaceAll("px", ""),
  };
}

/** An element and all inside it. */
function* elementShapes(element: Element): Generator<Shape> {
  const {x, y, width, height} = element.getBoundingClientRect();
  const box = {x, y, width, height};
  const style = getComputedStyle(element);
  if (element.matches(SKIPPED) || style.visibility === "hidden") return;
  const isSvg = element instanceof SVGElement;
  const opacity = Number(style.opacity);
  if (element instanceof HTMLCanvasElement) {
    yield* canvasShapes(element, box, opacity);
  } else if (element instanceof SVGPathElement) {
    yield pathShape(element, style, box);
  } else if (element instanceof SVGRectElement) {
    if (style.fill === "none") yield {kind: "frame", ...box, stroke: style.stroke, thickness: 2, radius: 4};
    else yield {kind: "box", ...box, fill: style.fill, opacity, radius: 0};
  } else if (!isSvg && width && !isTransparent(style.backgroundColor)) {
    const radius = parseFloat(style.borderRadius) || 0;
    yield {kind: "box", ...box, fill: style.backgroundColor, opacity: 1, radius};
  }
  for (const child of element.childNodes) {
    if (child instanceof Text) yield* wordShapes(child, style, isSvg ? style.fill : style.color);
    else if (child instanceof Element && child.tagName !== "title") yield* elementShapes(child);
  }
  if (!isSvg) yield* markShapes(element, style, box);
}

export interface Picture {
  shapes: Shape[];
  width: number;
  height: number;
  paper: string;
}

/** Elements one below the other, without what only the hand needs: buttons and question marks. */
export function pictureOf(selectors: string[]): Picture {
  const {classList} = document.documentElement;
  classList.add("saving");
  try {
    return measurePicture(selectors);
  } finally {
    classList.remove("saving");
  }
}

/** All of each element, scrolled out of sight or not. */
function measurePicture(selectors: string[]): Picture {
  const moved: Shape[] = [];
  let top = GAP;
  let right = 0;
  for (const root of selectors.flatMap(selector => [...document.querySelectorAll(selector)])) {
    const box = root.getBoundingClientRect();
    const left = box.x - root.scrollLeft;
    const above = box.y - root.scrollTop;
    let bottom = top;
    for (const shape of elementShapes(root)) {
      const x = shape.x - left + GAP;
      const y = shape.y - above + top;
      moved.push(
        shape.kind === "line"
          ? {...shape, x, y, origin: [shape.origin[0] - left + GAP, shape.origin[1] - above + top]}
          : {...shape, x, y},
      );
      right = Math.max(right, x + shape.width);
      bottom = Math.max(bottom, y + shape.height);
    }
    top = bottom + GAP;
  }
  return {shapes: moved, width: Math.ceil(right + GAP), height: Math.ceil(top), paper: cssColour("paper")};
}
