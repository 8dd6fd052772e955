/** Pictures drawn on a canvas. */

import {drawLabel} from "./drawing";
import {pictureOf, type Shape} from "./picture";

const RATIO = 2;

function drawShape(pen: CanvasRenderingContext2D, shape: Shape): void {
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
    if (shape.isMirrored) pen.transform(-1, 0, 0, 1, 2 * x + width, 0);
    pen.drawImage(shape.image, x, y, width, height);
  } else if (shape.kind === "label") {
    drawLabel(pen, shape);
  } else if (shape.kind === "line") {
    pen.globalAlpha = shape.opacity;
    pen.translate(...shape.origin);
    pen.scale(...shape.scale);
    pen.fillStyle = shape.fill;
    pen.strokeStyle = shape.stroke;
    pen.lineWidth = shape.thickness;
    pen.setLineDash(shape.dashes ? shape.dashes.split(/[ ,]+/).map(Number) : []);
    const path = new Path2D(shape.path);
    if (shape.fill !== "none") pen.fill(path);
    if (shape.stroke !== "none") pen.stroke(path);
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

/** Draw elements of the page. */
export function toCanvas(selectors: string[]): HTMLCanvasElement {
  const {shapes, width, height, paper} = pictureOf(selectors);
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  canvas.width = RATIO * width;
  canvas.height = RATIO * height;
  pen.scale(RATIO, RATIO);
  pen.fillStyle = paper;
  pen.fillRect(0, 0, width, height);
  for (const shape of shapes) drawShape(pen, shape);
  return canvas;
}
