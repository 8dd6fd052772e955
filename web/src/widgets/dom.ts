/** Elements of widgets: a frame, sliders, choices, drawings. */

type Attributes = Record<string, string | number>;
type Child = Node | string;

const SVG = "http://www.w3.org/2000/svg";
let identities = 0;

export const identity = (): string => `widget-${(identities += 1)}`;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

export function drawn(name: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** A drawing that says in words what it shows. */
export function drawing(width: number, height: number, label: string, ...children: SVGElement[]): SVGElement {
  return drawn("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label}, ...children);
}

export const word = (x: number, y: number, text: string, more: Attributes = {}): SVGElement =>
  drawn("text", {x, y, ...more}, text);

/** The frame of a widget: its title, its controls, and the place of what they change, which is read aloud. */
export function frame(
  place: HTMLElement,
  title: string,
): {controls: HTMLElement; picture: HTMLElement; said: HTMLElement} {
  const name = identity();
  const controls = element("div", {class: "widget-controls"});
  const picture = element("div", {class: "widget-picture"});
  const said = element("p", {class: "widget-said", role: "status"});
  place.setAttribute("role", "group");
  place.setAttribute("aria-labelledby", name);
  place.replaceChildren(element("p", {class: "widget-title", id: name}, title), controls, picture, said);
  return {controls, picture, said};
}

/** A slider with its value beside it. */
export function slider(
  label: string,
  range: {min: number; max: number; step: number; value: number},
  shown: (value: number) => string,
  onInput: () => void,
): {field: HTMLElement; value: () => number; set: (value: number) => void} {
  const name = identity();
  const input = element("input", {id: name, type: "range", ...range});
  const output = element("output", {for: name});
  const show = (): void => {
    output.textContent = shown(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => {
    show();
    onInput();
  });
  show();
  const set = (value: number): void => {
    input.value = String(value);
    show();
  };
  return {
    field: element("div", {class: "widget-field"}, element("label", {for: name}, label), input, output),
    value: () => Number(input.value),
    set,
  };
}

export function checkbox(
  label: string,
  isChecked: boolean,
  onChange: () => void,
): {field: HTMLElement; value: () => boolean} {
  const input = element("input", {type: "checkbox"});
  input.checked = isChecked;
  input.addEventListener("change", onChange);
  return {field: element("label", {class: "widget-field"}, input, ` ${label}`), value: () => input.checked};
}

export function choice(
  label: string,
  options: readonly string[],
  onChange: () => void,
): {field: HTMLElement; value: () => string; set: (value: string) => void} {
  const name = identity();
  const input = element("select", {id: name}, ...options.map(option => element("option", {value: option}, option)));
  input.addEventListener("change", onChange);
  return {
    field: element("div", {class: "widget-field"}, element("label", {for: name}, label), input),
    value: () => input.value,
    set: value => (input.value = value),
  };
}

export function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", {type: "button"}, label);
  made.addEventListener("click", onClick);
  return made;
}

/** Horizontal bars, each with its name and its number. */
export function bars(label: string, rows: {name: string; share: number; text: string}[], colour: string): SVGElement {
  const shown = rows.flatMap(({name, share, text}, index) => {
    const y = 26 * index;
    return [
      word(74, y + 17, name, {"text-anchor": "end"}),
      drawn("rect", {x: 82, y: y + 4, width: 190, height: 18, rx: 3, class: "ground"}),
      drawn("rect", {x: 82, y: y + 4, width: Math.max(0, 190 * share), height: 18, rx: 3, class: colour}),
      word(280, y + 17, text),
    ];
  });
  return drawing(340, 26 * rows.length, label, ...shown);
}
