/** Pictures written as SVG. */

import {FONT, pixelsIn} from "./drawing";
import {pictureOf, type CellsShape, type Shape} from "./picture";

/** Of more cells, the SVG holds an image. */
const MAX_CELLS = 300_000;

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** An element; numbers are rounded to hundredths. */
function tag(name: string, attributes: Record<string, string | number>, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    const text = typeof value === "number" ? String(Math.round(100 * value) / 100) : escapeXml(value);
    return ` ${key}="${text}"`;
  });
  return content ? `<${name}${written.join("")}>${content}</${name}>` : `<${name}${written.join("")}/>`;
}

/** Cells as rectangles, grouped by colour; neighbours in a row that have the same colour are one. */
function cellRects({image, isMirrored, opacity, ...box}: CellsShape): string {
  const {data, width: columns, height: rows} = pixelsIn(image);
  const rects = new Map<string, string[]>();
  const width = box.width / columns;
  const height = box.height / rows;
  const colourAt = (row: number, column: number): string => {
    const pixel = row * columns + (isMirrored ? columns - 1 - column : column);
    return [0, 1, 2].map(channel => data[4 * pixel + channel]!.toString(16).padStart(2, "0")).join("");
  };
  for (let row = 0; row < rows; row++) {
    for (let begin = 0, end; begin < columns; begin = end) {
      const colour = colourAt(row, begin);
      for (end = begin + 1; end < columns && colourAt(row, end) === colour;) end++;
      const place = {x: box.x + begin * width, y: box.y + row * height, width: (end - begin) * width, height};
      const ofColour = rects.get(colour) ?? [];
      rects.set(colour, ofColour);
      ofColour.push(tag("rect", place));
    }
  }
  const groups = [...rects].map(([colour, cells]) => tag("g", {fill: `#${colour}`}, cells.join("")));
  return tag("g", {class: "cells", opacity: String(opacity), "shape-rendering": "crispEdges"}, groups.join(""));
}

function cellImage({image, isMirrored, opacity, x, y, width, height}: CellsShape): string {
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d")!.drawImage(image, 0, 0);
  return tag("image", {
    x,
    y,
    width,
    height,
    ...(isMirrored ? {transform: `matrix(-1 0 0 1 ${2 * x + width} 0)`} : {}),
    opacity: String(opacity),
    preserveAspectRatio: "none",
    style: "image-rendering:pixelated",
    href: canvas.toDataURL(),
  });
}

function shapeToSvg(shape: Shape): string {
  const {x, y, width, height} = shape;
  const place = {x, y, width, height};
  switch (shape.kind) {
    case "box": {
      const rx = Math.min(shape.radius, height / 2);
      return tag("rect", {...place, rx, fill: shape.fill, opacity: String(shape.opacity)});
    }
    case "frame": {
      const {stroke, thickness, radius: rx} = shape;
      return tag("rect", {...place, rx, fill: "none", stroke, "stroke-width": String(thickness)});
    }
    case "cells":
      return shape.image.width * shape.image.height > MAX_CELLS ? cellImage(shape) : cellRects(shape);
    case "label": {
      const attributes = {
        x,
        y,
        "text-anchor": shape.isVertical ? "start" : "end",
        "dominant-baseline": "central",
        ...(shape.isVertical ? {transform: `rotate(-90 ${x} ${y})`} : {}),
        fill: shape.fill,
        style: `font:${FONT}`,
      };
      return tag("text", attributes, `\u2068${escapeXml(shape.text)}\u2069`);
    }
    case "line":
      return tag("path", {
        d: shape.path,
        transform: `translate(${shape.origin.join(" ")}) scale(${shape.scale.join(" ")})`,
        fill: shape.fill,
        stroke: shape.stroke,
        "stroke-width": String(shape.thickness),
        opacity: String(shape.opacity),
        ...(shape.dashes ? {"stroke-dasharray": shape.dashes} : {}),
      });
    case "text": {
      const attributes = {
        x: x + width / 2,
        y: y + height / 2,
        "text-anchor": "middle",
        "dominant-baseline": "central",
        direction: shape.direction,
        fill: shape.fill,
        style: `font:${shape.font}`,
      };
      return tag("text", attributes, escapeXml(shape.text));
    }
  }
}

/** Elements of the page as SVG. */
export function toSvg(selectors: string[]): string {
  const {shapes, width, height, paper} = pictureOf(selectors);
  const background = `<rect width="${width}" height="${height}" fill="${paper}"/>`;
  const content = [background, ...shapes.map(shapeToSvg)].join("\n");
  const size = {width, height, viewBox: `0 0 ${width} ${height}`};
  return `${tag("svg", {xmlns: "http://www.w3.org/2000/svg", ...size}, `${content}\n`)}\n`;
}
