/** The page of `regard serve`: panels that share one state. */

import {html, nothing, render} from "lit-html";
import {ablate, count, loadModels, look} from "./actions";
import {goOn, onReturn} from "./asking";
import {matrixLayout, panel as alignment} from "./panels/alignment";
import {panel as cell} from "./panels/cell";
import {panel as heads} from "./panels/heads";
import {panel as layers} from "./panels/layers";
import {panel as named} from "./panels/named";
import {panel as search} from "./panels/search";
import {panel as snapshots} from "./panels/snapshots";
import {panel as stored} from "./panels/stored";
import {begin as beginTour, panel as tour} from "./panels/tour";
import {panel as translation} from "./panels/translate";
import {panel as without} from "./panels/without";
import {differences} from "./diff";
import {forgetColours} from "./drawing";
import {keepKey} from "./server";
import {isBehind, isOtherText, model, onChange, recall, sentence, state, translates, update, wanted} from "./state";
import {data, open} from "./stored";
import {beginAgain, dropUnlike} from "./writing";

const THEME = "regard-theme";

function changeTheme(): void {
  const root = document.documentElement;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (isDark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  try {
    localStorage.setItem(THEME, next);
  } catch {
    /* a frame without an origin has no storage */
  }
  update({});
}

function keyForm(): unknown {
  const send = (event: Event): void => {
    event.preventDefault();
    keepKey((document.querySelector("#key") as HTMLInputElement).value);
    void start();
  };
  return html`<form class="key" @submit=${send}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`;
}

function panels(): unknown {
  const inside = (): unknown =>
    html`${snapshots()}
      <div class="column">${alignment()} ${cell()} ${layers()}</div>
      <div class="column">${heads()} ${without()}</div>`;
  if (state.stored) return html`${stored()}${inside()}`;
  if (!state.models.length) return nothing;
  return translates()
    ? html`${translation()}${inside()}${search()}`
    : html`${named()}${state.inspection ? inside() : nothing}`;
}

/** Ways past what stands above; they are seen when they have the focus. */
function skips(): unknown {
  const parts: [string, string][] = [
    ["#text", "Text"],
    ["#output", "Translation"],
    [".alignment", "Alignment"],
    [".heads", "Heads"],
    [".without", "Without them"],
    [".search", "Search"],
  ];
  const go = (selector: string): void => {
    const part = document.querySelector<HTMLElement>(selector);
    if (part && selector !== "#text") part.tabIndex = -1;
    part?.focus();
    part?.scrollIntoView({block: "start"});
  };
  return html`<nav class="skips" aria-label="Go to a part of the page">
    ${parts.map(([selector, name]) => html`<button @click=${() => go(selector)}>${name}</button>`)}
  </nav>`;
}

function page(): unknown {
  const busy = Object.values(state.busy).at(-1);
  return html`${skips()}
    <header>
      <h1>Regard</h1>
      <p class="hint">
        ${state.stored ? "What the heads look at" : translates() || !state.models.length ? "Translate, and look inside while it happens." : "See what a model does with a text."}
      </p>
      <span class="said" role="status">${state.said}</span
      ><span class="status" role="status">${busy ? html`<span class="spinner"></span>${busy} …` : nothing}</span>
      ${translates() ? html`<button id="tour" @click=${() => void beginTour()}>Explain</button>` : nothing}
      ${state.stored ? nothing : html`<a href="docs">API</a>`}<button
        class="theme"
        @click=${changeTheme}
        aria-label="Light or dark"
      >
        ◐
      </button>
    </header>
    ${state.error ? html`<p class="error" role="alert">${state.error} ${state.needsKey ? nothing : html`<button @click=${() => void goOn()}>Try again</button>`}</p>` : nothing}
    <main>${state.needsKey ? keyForm() : nothing} ${panels()}</main>
    ${tour()}`;
}

function draw(): void {
  forgetColours();
  const place = document.querySelector("#page") as HTMLElement;
  place.classList.toggle("busy", Object.keys(state.busy).length > 0);
  render(page(), place);
}

async function start(): Promise<void> {
  await loadModels();
  document.body.dataset.ready = "yes";
  if (state.text && state.models.length) {
    void count();
    await beginAgain();
  }
}

/** A server that was away is back, or somebody tries again: what is missing is asked for. */
async function resumed(): Promise<void> {
  if (!state.models.length || state.needsKey) return await start();
  const isMissing = isOtherText() || !sentence() || state.sentences.some(each => !each.isDone);
  if (isMissing && !(state.translatedHtml && !isOtherText())) {
    if (state.text.trim()) {
      void count();
      await beginAgain();
    }
  } else if (isBehind() || !state.inspection) {
    await look();
  } else if (state.off.length && state.ablated !== state.looked) {
    await ablate();
  } else {
    update({});
  }
}

/** In a notebook the page is a frame, which becomes as high as what it shows. */
function fitFrame(): void {
  let frame: Element | null = null;
  try {
    frame = window.frameElement;
  } catch {
    /* of another origin */
  }
  if (!frame) return;
  const {style} = frame as HTMLElement;
  new ResizeObserver(() => {
    style.height = `${document.documentElement.offsetHeight + 4}px`;
  }).observe(document.documentElement);
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  } // a frame without an origin has no storage
}

const theme = kept(THEME);
const inside = data();
if (theme) document.documentElement.dataset.theme = theme;
onChange(draw);
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
Object.assign(globalThis, {regard: {state, matrixLayout, differing: differences}}); // for the console, and for tests
if (inside) {
  fitFrame();
  void open(inside, recall()).then(() => {
    draw();
    document.body.dataset.ready = "yes";
  });
} else {
  Object.assign(state, recall());
  onReturn(resumed);
  addEventListener("hashchange", () => {
    const before = model();
    update({...recall(), ...(wanted()?.searched ? {} : {traced: null, node: null})});
    dropUnlike(before);
    void beginAgain();
  });
  draw();
  void start();
}
