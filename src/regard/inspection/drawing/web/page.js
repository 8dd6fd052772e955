"use strict";
// Draws every matrix on canvas from packed numbers, so that the page stays small and quick at any length.

const data = JSON.parse(document.getElementById("data").textContent);
const FORBIDDEN = data.bytes === 2 ? 65535 : 255, SCALE = FORBIDDEN - 1;
const THUMBNAIL = 26, LARGEST_CELL = 28, SHARP_CELL = 6, WIDEST = 900;
const LABEL = 13, WIDEST_LABEL = 140, FONT = "12px system-ui, sans-serif";  // pixels: what a label needs, and may have
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
const fitted = new Map();  // of each list of tokens, its labels

/** Tokens as labels of at most this width, cut where they are longer. */
function fit(pen, tokens, widest) {
  const known = fitted.get(tokens);
  if (known && known.widest === widest) return known;
  const measure = text => pen.measureText(text).width;
  const labels = tokens.map(token => {
    const label = readable(token), characters = [...label];
    if (measure(label) <= widest) return label;
    while (characters.length > 1 && measure(`${characters.join("")}…`) > widest) characters.pop();
    return `${characters.join("")}…`;
  });
  const found = {widest, labels, width: Math.max(...labels.map(measure)) + 10};
  fitted.set(tokens, found);
  return found;
}

/** Which of so many places have room for a label: the chosen one, and of the others every few. */
function labelled(count, size, chosen) {
  const every = Math.max(Math.ceil(LABEL / size), 1);
  return Array.from({length: count}, (_, place) => place)
    .filter(place => place === chosen || (place % every === 0 && Math.abs(place - chosen) >= every));
}

function drawMatrix() {
  const head = heads[at.head], rows = rowsOf(head), keys = keysOf(head), canvas = $("matrix"), pen = canvas.getContext("2d");
  const room = Math.min($("frame").clientWidth, WIDEST), widest = Math.min(WIDEST_LABEL, room * 0.3);
  pen.font = FONT;
  const rowLabels = fit(pen, rows, widest), keyLabels = fit(pen, keys, widest), left = rowLabels.width, top = keyLabels.width;
  const cell = Math.max(Math.min((room - left - 4) / keys.length, LARGEST_CELL, 60000 / rows.length), 1.2);
  const size = cell >= SHARP_CELL ? Math.floor(cell) : cell;
  layout = {left, top, size, rows: labelled(rows.length, size, at.row), keys: labelled(keys.length, size, at.key)};
  const width = left + size * keys.length + 2, height = top + size * rows.length + 2, ratio = window.devicePixelRatio || 1;
  canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
  pen.scale(ratio, ratio);
  pen.font = FONT;
  pen.imageSmoothingEnabled = false;
  pen.drawImage(image(head, at.mass < 1), left, top, size * keys.length, size * rows.length);
  const style = getComputedStyle(document.documentElement);
  pen.strokeStyle = style.getPropertyValue("--line");
  pen.strokeRect(left - .5, top - .5, size * keys.length + 1, size * rows.length + 1);
  pen.textBaseline = "middle"; pen.direction = "ltr";
  const write = (label, x, y, turned, here) => {
    pen.save(); pen.translate(x, y);
    if (turned) pen.rotate(-Math.PI / 2);
    pen.textAlign = turned ? "left" : "right";
    pen.fillStyle = style.getPropertyValue(here ? "--second" : "--ink");
    pen.fillText(`\u2068${label}\u2069`, 0, 0);  // isolated: in its own direction
    pen.restore();
  };
  for (const row of layout.rows) write(rowLabels.labels[row], left - 6, top + size * (row + .5), false, row === at.row);
  for (const key of layout.keys) write(keyLabels.labels[key], left + size * (key + .5), top - 6, true, key === at.key);
  pen.strokeStyle = style.getPropertyValue("--second");
  pen.lineWidth = 1.5;
  pen.strokeRect(left, top + size * at.row, size * keys.length, size);
  pen.strokeRect(left + size * at.key, top, size, size * rows.length);
  canvas.setAttribute("aria-label", `Weights of head ${head.name}: ${rows.length} rows, ${keys.length} columns`);
}

/** A text token by token. Each is what it covers of the text, so that what is copied is the text; symbols are not copied. */
function tokensLine(parent, side, kind, share, here, choose) {
  const tokens = data[side][kind], shown = `${side} ${kind}`;
  if (parent.dataset.shown !== shown) {
    parent.dataset.shown = shown;
    parent.dir = getComputedStyle($(data.pieces[side][kind].of)).direction;
    parent.replaceChildren(...data.pieces[side][kind].pieces.map((piece, place) => {
      const isNeutral = piece && !/\p{Letter}/u.test(piece);  // such as a bracket: as the text runs
      const attributes = {...(piece ? {} : {class: "symbol"}), ...(isNeutral ? {dir: parent.dir} : {})};
      const token = element("bdi", piece || readable(tokens[place]), attributes);
      token.addEventListener("click", () => choose(place));
      return token;
    }));
  }
  const [red, green, blue] = colour("heat");
  [...parent.children].forEach((token, place) => {  // in place: a selection stays
    const part = share ? share(place) : 0;
    token.style.background = part ? `rgba(${red}, ${green}, ${blue}, ${(0.85 * part).toFixed(3)})` : "";
    token.style.color = part > 0.6 ? "var(--paper)" : "";
    token.classList.toggle("here", place === here);
  });
}

/** What rows and columns of a kind of attention are. */
function axes(kind) {
  const isPair = data.target !== null;
  if (kind === "cross") return "Each row is a token of the output, as it is predicted; each column is a token of the input.";
  if (kind === "decoder" && isPair) return "Each row is a token of the output, as it is predicted; each column is a token before it.";
  if (kind === "decoder") return "Each row is a token of the text; each column is a token that it looks at: itself, or one before it.";
  return `Each row is a token of the ${isPair ? "input" : "text"}; each column is a token of the same text that it looks at.`;
}

function show() {
  const head = heads[at.head], rows = rowsOf(head), keys = keysOf(head);
  at.row = Math.min(at.row, rows.length - 1); at.key = Math.min(at.key, keys.length - 1);
  $("head-title").textContent = `Head ${head.name}`;
  const [label, entropy, confidence] = data.statistics[head.name];
  $("statistics").textContent = `${label}; entropy ${entropy.toFixed(2)} nats, highest weight ${confidence.toFixed(2)}, mean over rows`;
  $("axes").textContent = axes(head.site.kind);
  for (const button of document.querySelectorAll(".layer button")) {
    button.setAttribute("aria-pressed", button.value === head.name);
    button.tabIndex = button.value === head.name ? 0 : -1;  // one stop for all: arrows go on from there
  }
  drawMatrix();
  showCell();
}

function showCell() {
  const head = heads[at.head], kind = head.site.kind, value = weight(head, at.row, at.key);
  const what = value === FORBIDDEN ? "may not look at" : `looks with ${said(value)} at`;
  const [row, key] = [rowsOf(head)[at.row], keysOf(head)[at.key]].map(token => element("bdi", readable(token)));
  $("cell").replaceChildren(row, ` (${at.row}) ${what} `, key, ` (${at.key})`);
  const shown = shownKeys(head, at.row);
  const share = key => shown[key] && weight(head, at.row, key) !== FORBIDDEN ? weight(head, at.row, key) / SCALE : 0;
  tokensLine($("row-tokens"), "rows", kind, null, at.row, row => { at.row = row; drawMatrix(); showCell(); });
  tokensLine($("key-tokens"), "keys", kind, share, at.key, key => { at.key = key; drawMatrix(); showCell(); });
}

function choose(index, remember = true) {
  at.head = (index + heads.length) % heads.length;
  if (remember) history.replaceState(null, "", `#${heads[at.head].name}`);
  const isAmongHeads = document.activeElement.closest("#heads");
  show();
  if (isAmongHeads) document.querySelector('.layer button[tabindex="0"]').focus();
}

function otherLayer(step) {
  const site = data.sites.indexOf(heads[at.head].site) + step, kept = data.sites[(site + data.sites.length) % data.sites.length];
  choose(heads.findIndex(head => head.site === kept));
}

/** From head to head: along the lines as they are read, or to the same place of another line. */
function moveHead(key) {
  const lines = data.sites.map(site => heads.filter(head => head.site === site)), head = heads[at.head];
  const line = lines.findIndex(of => of.includes(head)), place = lines[line].indexOf(head);
  const inLine = number => {
    const of = lines[Math.max(Math.min(number, lines.length - 1), 0)];
    return heads.indexOf(of[Math.min(place, of.length - 1)]);
  };
  choose({
    ArrowLeft: Math.max(at.head - 1, 0), ArrowRight: Math.min(at.head + 1, heads.length - 1), ArrowUp: inLine(line - 1),
    ArrowDown: inLine(line + 1), Home: heads.indexOf(lines[line][0]), End: heads.indexOf(lines[line].at(-1)),
  }[key]);
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
  } else if (event.key in MOVES && event.target.closest("#heads")) moveHead(event.key);
  else if (event.key === "n") choose(at.head + 1);
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

/** A table; numbers have so many decimals, and what stands in a cell together is a list. */
function table(title, header, rows, decimals) {
  $("more").append(element("h2", title));
  const made = element("table", null), first = element("tr", null);
  header.forEach(text => first.append(element("th", text)));
  made.append(first);
  for (const row of rows) {
    const line = element("tr", null);
    for (const cell of row) {
      const isNumber = typeof cell === "number", made = element("td", null, isNumber ? {class: "number"} : {dir: "auto"});
      made.append(...(isNumber ? [cell.toFixed(decimals)] : [cell].flat()));
      line.append(made);
    }
    made.append(line);
  }
  $("more").append(made);
}

async function main() {
  $("text").textContent = data.text;
  if (data.target !== null) $("target").append("→ ", element("bdi", data.target, {id: "target-text"}));
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
      data.ablations, 4);
  }
  if (data.lens.length) {
    const rows = Object.values(data.rows).at(data.target === null ? 0 : -1);
    table("What each layer would say", ["", ...data.lens.map((_, layer) => layer ? `layer ${layer - 1}` : "embeddings")],
      rows.map((token, row) => [readable(token),
        ...data.lens.map(layer => [element("bdi", readable(layer[row][0])), ` ${layer[row][1].toFixed(2)}`])]));
  }
  if (data.logProbs.length && data.target !== null) {
    const rows = Object.values(data.rows).at(-1);
    table("How likely each token was", ["token", "log-probability, nats"], data.logProbs.map((value, row) => [readable(rows[row]), value]), 3);
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
