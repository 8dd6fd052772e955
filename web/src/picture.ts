/** Parts of the page as pictures: what they show is read from the page, and written as SVG or drawn for PNG. */

interface Box { x: number; y: number; width: number; height: number }
type Shape = Box & (
  {kind: "box"; fill: string; opacity: number; radius: number} |
  {kind: "text"; text: string; fill: string; font: string; direction: string} |
  {kind: "line"; path: string; move: [number, number]; stroke: string; thickness: number; opacity: number; dashes: string} |
  {kind: "image"; canvas: HTMLCanvasElement});

const GAP = 12, RATIO = 2;
const SKIPPED = "select, input, textarea, .unseen, .term, .save, .peek";
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

function* shapes(element: Element): Generator<Shape> {
  const box = element.getBoundingClientRect(), style = getComputedStyle(element), {x, y, width, height} = box;
  if (element.matches(SKIPPED) || style.visibility === "hidden") return;
  const isDrawing = element instanceof SVGElement;
  if (element instanceof HTMLCanvasElement) {
    if (width) yield {kind: "image", x, y, width, height, canvas: element};
  } else if (element instanceof SVGPathElement) {
    const {e, f} = element.getScreenCTM()!;
    yield {kind: "line", x, y, width, height, path: element.getAttribute("d")!, move: [e, f], stroke: style.stroke, thickness: parseFloat(style.strokeWidth),
      opacity: Number(style.opacity), dashes: style.strokeDasharray === "none" ? "" : style.strokeDasharray.replaceAll("px", "")};
  } else if (element instanceof SVGRectElement) {
    yield {kind: "box", x, y, width, height, fill: style.fill, opacity: Number(style.opacity), radius: 0};
  } else if (!isDrawing && width && !isClear(style.backgroundColor)) {
    yield {kind: "box", x, y, width, height, fill: style.backgroundColor, opacity: 1, radius: parseFloat(style.borderRadius) || 0};
  }
  for (const child of element.childNodes) {
    if (child instanceof Text) yield* words(child, style, isDrawing ? style.fill : style.color);
    else if (child instanceof Element && child.tagName !== "title") yield* shapes(child);
  }
}

interface Picture { shapes: Shape[]; width: number; height: number; paper: string }

/** Some elements, one below the other, as much of each as there is, scrolled out of sight or not. */
function pictureOf(selectors: string[]): Picture {
  const found: Shape[] = [];
  let top = GAP, right = 0;
  for (const root of selectors.flatMap(selector => [...document.querySelectorAll(selector)])) {
    const box = root.getBoundingClientRect(), left = box.x - root.scrollLeft, above = box.y - root.scrollTop;
    let bottom = top;
    for (const shape of shapes(root)) {
      const x = shape.x - left + GAP, y = shape.y - above + top;
      found.push(shape.kind === "line" ? {...shape, x, y, move: [shape.move[0] - left + GAP, shape.move[1] - above + top]} : {...shape, x, y});
      right = Math.max(right, x + shape.width);
      bottom = Math.max(bottom, y + shape.height);
    }
    top = bottom + GAP;
  }
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  return {shapes: found, width: Math.ceil(right + GAP), height: Math.ceil(top), paper};
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const short = (value: number): string => String(Math.round(100 * value) / 100);

function written(shape: Shape): string {
  const {x, y, width, height} = shape, where = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
  if (shape.kind === "box") return `<rect ${where} rx="${short(Math.min(shape.radius, height / 2))}" fill="${shape.fill}" opacity="${shape.opacity}"/>`;
  if (shape.kind === "image") return `<image ${where} preserveAspectRatio="none" style="image-rendering:pixelated" href="${shape.canvas.toDataURL()}"/>`;
  if (shape.kind === "line") {
    return `<path d="${shape.path}" transform="translate(${shape.move.map(short).join(" ")})" fill="none" stroke="${shape.stroke}" stroke-width="${shape.thickness}" opacity="${shape.opacity}"${
      shape.dashes ? ` stroke-dasharray="${shape.dashes}"` : ""}/>`;
  }
  return `<text x="${short(x + width / 2)}" y="${short(y + height / 2)}" text-anchor="middle" dominant-baseline="central" direction="${shape.direction}" fill="${shape.fill}" style="font:${
    escaped(shape.font)}">${escaped(shape.text)}</text>`;
}

/** Elements of the page as SVG. */
export function svgOf(selectors: string[]): string {
  const {shapes, width, height, paper} = pictureOf(selectors);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${paper}"/>\n${
    shapes.map(written).join("\n")}\n</svg>\n`;
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
  } else if (shape.kind === "image") {
    pen.imageSmoothingEnabled = false;
    pen.drawImage(shape.canvas, x, y, width, height);
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
  const {shapes, width, height, paper} = pictureOf(selectors), canvas = document.createElement("canvas"), pen = canvas.getContext("2d")!;
  canvas.width = RATIO * width;
  canvas.height = RATIO * height;
  pen.scale(RATIO, RATIO);
  pen.fillStyle = paper;
  pen.fillRect(0, 0, width, height);
  for (const shape of shapes) draw(pen, shape);
  return canvas;
}
