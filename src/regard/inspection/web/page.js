"use strict";
// Draws every matrix on canvas from packed numbers, so that the page stays small and quick at any length.

const data = JSON.parse(document.getElementById("data").textContent);
const FORBIDDEN = data.bytes === 2 ? 65535 : 255, SCALE = FORBIDDEN - 1;
const THUMBNAIL = 26, LARGEST_CELL = 28, LABELLED_CELL = 10, WIDEST = 900;
const heads = [];  // {name, site, first}: where each head's numbers begin
const at = {head: 0, row: 0, key: 0, mass: 1};
let numbers;

const $ = id => document.getElementById(id);
const element = (tag, text, attributes = {}) => {
  const made = document.createElement(tag);
  if (text !== null) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};
const readable = token => token.replace(/^▁/, "").replaceAll("▁", "␣") || "␣";
const colour = name => {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return [1, 3, 5].map(place => parseInt(hex.slice(place, place + 2), 16));
};

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  return data.bytes === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
}

const rowsOf = head => data.rows[head.site.kind], keysOf = head => data.keys[head.site.kind];
const weight = (head, row, key) => numbers[head.first + row * keysOf(head).length + key];
const said = value => (value / SCALE).toFixed(3);

/** Which keys of a row hold the chosen share of its weight: the heaviest ones. */
function shownKeys(head, row) {
  const count = keysOf(head).length;
  const values = Array.from({length: count}, (_, key) => weight(head, row, key)).map(value => value === FORBIDDEN ? 0 : value);
  if (at.mass >= 1) return values.map(() => true);
  const total = values.reduce((sum, value) => sum + value, 0);
  const shown = values.map(() => false);
  let held = 0;
  for (const key of values.map((_, key) => key).sort((a, b) => values[b] - values[a])) {
    if (held >= at.mass * total) break;
    shown[key] = true;
    held += values[key];
  }
  return shown;
}

/** A head as an image with a pixel for each cell. */
function image(head, thresholded) {
  const rows = rowsOf(head).length, keys = keysOf(head).length;
  const pixels = new ImageData(keys, rows), [paper, heat, forbidden] = ["paper", "heat", "forbidden"].map(colour);
  for (let row = 0; row < rows; row++) {
    const shown = thresholded ? shownKeys(head, row) : null;
    for (let key = 0; key < keys; key++) {
      const value = weight(head, row, key), place = 4 * (row * keys + key);
      const share = value === FORBIDDEN || (shown && !shown[key]) ? 0 : value / SCALE;
      for (let part = 0; part < 3; part++) {
        pixels.data[place + part] = value === FORBIDDEN ? forbidden[part] : paper[part] + share * (heat[part] - paper[part]);
      }
      pixels.data[place + 3] = 255;
    }
  }
  const canvas = new OffscreenCanvas(keys, rows);
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}

/** A small picture of a head: of cells that share a pixel, the heaviest counts, so that thin lines stay. */
function drawThumbnail(canvas, head) {
  const rows = rowsOf(head).length, keys = keysOf(head).length;
  const height = Math.min(rows, THUMBNAIL), width = Math.min(keys, THUMBNAIL);
  canvas.width = width; canvas.height = height;
  const most = new Float64Array(width * height).fill(-1);
  for (let row = 0; row < rows; row++) for (let key = 0; key < keys; key++) {
    const value = weight(head, row, key), place = Math.floor(row * height / rows) * width + Math.floor(key * width / keys);
    if (value !== FORBIDDEN && value > most[place]) most[place] = value;
  }
  const pixels = new ImageData(width, height), [paper, heat, forbidden] = ["paper", "heat", "forbidden"].map(colour);
  most.forEach((value, place) => {
    for (let part = 0; part < 3; part++) {
      pixels.data[4 * place + part] = value < 0 ? forbidden[part] : paper[part] + value / SCALE * (heat[part] - paper[part]);
    }
    pixels.data[4 * place + 3] = 255;
  });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

let layout = null;

function drawMatrix() {
  const head = heads[at.head], rows = rowsOf(head), keys = keysOf(head), canvas = $("matrix"), pen = canvas.getContext("2d");
  const room = Math.min($("frame").clientWidth, WIDEST);
  const labelled = Math.floor((room - 90) / keys.length) >= LABELLED_CELL && rows.length <= 90;
  pen.font = "13px system-ui, sans-serif";
  const longest = tokens => Math.min(Math.max(...tokens.map(token => pen.measureText(readable(token)).width)), 140) + 10;
  const left = labelled ? longest(rows) : 4, top = labelled ? longest(keys) : 4;
  const cell = Math.max(Math.min((room - left) / keys.length, LARGEST_CELL, 60000 / rows.length), 1.2);
  const size = labelled ? Math.floor(cell) : cell;
  layout = {left, top, size};
  const width = left + size * keys.length + 2, height = top + size * rows.length + 2, ratio = window.devicePixelRatio || 1;
  canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
  pen.scale(ratio, ratio);
  pen.font = "13px system-ui, sans-serif";
  pen.imageSmoothingEnabled = false;
  pen.drawImage(image(head, at.mass < 1), left, top, size * keys.length, size * rows.length);
  const style = getComputedStyle(document.documentElement);
  pen.strokeStyle = style.getPropertyValue("--line");
  pen.strokeRect(left - .5, top - .5, size * keys.length + 1, size * rows.length + 1);
  if (labelled) {
    pen.textBaseline = "middle";
    const label = (token, here) => {
      pen.fillStyle = style.getPropertyValue(here ? "--second" : "--ink");
      pen.fillText(readable(token), 0, 0, 130);
    };
    rows.forEach((token, row) => {
      pen.save(); pen.translate(left - 6, top + size * (row + .5)); pen.textAlign = "right"; pen.direction = "ltr";
      label(token, row === at.row); pen.restore();
    });
    keys.forEach((token, key) => {
      pen.save(); pen.translate(left + size * (key + .5), top - 6); pen.rotate(-Math.PI / 2); pen.textAlign = "left"; pen.direction = "ltr";
      label(token, key === at.key); pen.restore();
    });
  }
  pen.strokeStyle = style.getPropertyValue("--second");
  pen.lineWidth = 1.5;
  pen.strokeRect(left, top + size * at.row, size * keys.length, size);
  pen.strokeRect(left + size * at.key, top, size, size * rows.length);
  canvas.setAttribute("aria-label", `Weights of head ${head.name}: ${rows.length} rows, ${keys.length} columns`);
}

function tokensLine(parent, tokens, share, here, choose) {
  const [red, green, blue] = colour("heat");
  parent.replaceChildren(...tokens.map((token, place) => {
    const span = element("span", readable(token));
    if (share) span.style.background = `rgba(${red}, ${green}, ${blue}, ${(0.85 * share(place)).toFixed(3)})`;
    if (place === here) span.className = "here";
    span.addEventListener("click", () => choose(place));
    return span;
  }));
}

function show() {
  const head = heads[at.head], rows = rowsOf(head), keys = keysOf(head);
  at.row = Math.min(at.row, rows.length - 1); at.key = Math.min(at.key, keys.length - 1);
  $("head-title").textContent = `Head ${head.name}`;
  const [label, entropy, confidence] = data.statistics[head.name];
  $("statistics").textContent = `${label}; entropy ${entropy.toFixed(2)} nats, highest weight ${confidence.toFixed(2)}, mean over rows`;
  for (const button of document.querySelectorAll(".layer button")) button.setAttribute("aria-pressed", button.value === head.name);
  drawMatrix();
  showCell();
}

function showCell() {
  const head = heads[at.head], rows = rowsOf(head), keys = keysOf(head), value = weight(head, at.row, at.key);
  const what = value === FORBIDDEN ? "may not look at" : `looks with ${said(value)} at`;
  $("cell").textContent = `${readable(rows[at.row])} (${at.row}) ${what} ${readable(keys[at.key])} (${at.key})`;
  const shown = shownKeys(head, at.row);
  const share = key => shown[key] && weight(head, at.row, key) !== FORBIDDEN ? weight(head, at.row, key) / SCALE : 0;
  tokensLine($("row-tokens"), rows, null, at.row, row => { at.row = row; drawMatrix(); showCell(); });
  tokensLine($("key-tokens"), keys, share, at.key, key => { at.key = key; drawMatrix(); showCell(); });
}

function choose(index, remember = true) {
  at.head = (index + heads.length) % heads.length;
  if (remember) history.replaceState(null, "", `#${heads[at.head].name}`);
  show();
}

function otherLayer(step) {
  const site = data.sites.indexOf(heads[at.head].site) + step, kept = data.sites[(site + data.sites.length) % data.sites.length];
  choose(heads.findIndex(head => head.site === kept));
}

const MOVES = {
  ArrowUp: () => at.row--, ArrowDown: () => at.row++, ArrowLeft: () => at.key--, ArrowRight: () => at.key++,
  Home: () => { at.key = 0; }, End: () => { at.key = keysOf(heads[at.head]).length - 1; },
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.id === "mass") return;
  if (event.key in MOVES && event.target.id === "matrix") {
    MOVES[event.key]();
    at.row = Math.max(Math.min(at.row, rowsOf(heads[at.head]).length - 1), 0);
    at.key = Math.max(Math.min(at.key, keysOf(heads[at.head]).length - 1), 0);
    drawMatrix(); showCell();
  } else if (event.key === "n") choose(at.head + 1);
  else if (event.key === "p") choose(at.head - 1);
  else if (event.key === "PageDown") otherLayer(1);
  else if (event.key === "PageUp") otherLayer(-1);
  else return;
  event.preventDefault();
}

function onPointer(event) {
  const head = heads[at.head], box = $("matrix").getBoundingClientRect();
  const key = Math.floor((event.clientX - box.left - layout.left) / layout.size), row = Math.floor((event.clientY - box.top - layout.top) / layout.size);
  if (row < 0 || key < 0 || row >= rowsOf(head).length || key >= keysOf(head).length || (row === at.row && key === at.key)) return;
  at.row = row; at.key = key;
  requestAnimationFrame(() => { drawMatrix(); showCell(); });
}

function table(title, header, rows) {
  $("more").append(element("h2", title));
  const made = element("table", null), first = element("tr", null);
  header.forEach(text => first.append(element("th", text)));
  made.append(first);
  for (const row of rows) {
    const line = element("tr", null);
    row.forEach(cell => line.append(element("td", String(cell), typeof cell === "number" ? {class: "number"} : {dir: "auto"})));
    made.append(line);
  }
  $("more").append(made);
}

async function main() {
  $("text").textContent = data.text;
  $("target").textContent = data.target === null ? "" : `→ ${data.target}`;
  numbers = await unpack(data.packed);
  let first = 0;
  for (const site of data.sites) {
    const line = element("div", null, {class: "layer"});
    line.append(element("span", `${site.kind}.${site.layer}`));
    for (const number of site.heads) {
      const head = {name: `${site.kind}.${site.layer}.${number}`, site, first}, index = heads.length;
      first += data.rows[site.kind].length * data.keys[site.kind].length;
      heads.push(head);
      const button = element("button", null, {
        value: head.name, title: `${head.name}: ${data.statistics[head.name][0]}`, "aria-label": `head ${head.name}`, "aria-pressed": "false",
      });
      button.append(element("canvas", null));
      button.addEventListener("click", () => choose(index));
      line.append(button);
    }
    $("heads").append(line);
  }
  const thumbnails = () => document.querySelectorAll(".layer canvas").forEach((canvas, index) => drawThumbnail(canvas, heads[index]));
  thumbnails();
  if (data.ablations.length) {
    table("Without heads", ["heads", "change of the log-probability, nats per token", "what the model writes then"],
      data.ablations.map(([names, change, text]) => [names, Number(change.toFixed(4)), text]));
  }
  if (data.lens.length) {
    const rows = Object.values(data.rows).at(data.target === null ? 0 : -1);
    table("What each layer would say", ["", ...data.lens.map((_, layer) => layer ? `layer ${layer - 1}` : "embeddings")],
      rows.map((token, row) => [readable(token), ...data.lens.map(layer => `${readable(layer[row][0])} ${layer[row][1].toFixed(2)}`)]));
  }
  if (data.logProbs.length && data.target !== null) {
    const rows = Object.values(data.rows).at(-1);
    table("How likely each token was", ["token", "log-probability, nats"], data.logProbs.map((value, row) => [readable(rows[row]), Number(value.toFixed(3))]));
  }
  $("matrix").addEventListener("pointermove", onPointer);
  $("matrix").addEventListener("pointerdown", onPointer);
  document.addEventListener("keydown", onKey);
  $("mass").addEventListener("input", () => {
    at.mass = Number($("mass").value) / 100;
    $("mass-value").textContent = at.mass >= 1 ? "all" : `the heaviest cells that hold ${$("mass").value} %`;
    show();
  });
  window.addEventListener("resize", drawMatrix);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { thumbnails(); show(); });
  const wanted = location.hash.slice(1), begin = heads.findIndex(head => head.name === wanted);
  choose(begin >= 0 ? begin : heads.findIndex(head => head.name === data.first), false);
  document.body.dataset.ready = "yes";
}

main();
