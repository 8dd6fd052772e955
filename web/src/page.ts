/** The page of `regard serve` and of `regard inspect`: panels that share one state. */

import {html, nothing, render} from "lit-html";
import {openAddress, pendingReplay, readAddress, shareLink} from "./address";
import {copyText, LINK_COPIED} from "./clipboard";
import {clearColours} from "./colours";
import {unmatchedWords} from "./diff";
import {nameEntry, openEntry, writeHistory} from "./history";
import {countTokens, loadModels} from "./models";
import {panel as ablationPanel} from "./panels/ablation";
import {matrixLayout, matrixPanel, panel as alignmentPanel} from "./panels/alignment";
import {panel as computationPanel} from "./panels/computation";
import {panel as experimentsPanel} from "./panels/experiments";
import {panel as patchingPanel} from "./panels/patching";
import {panel as headsPanel} from "./panels/heads";
import {panel as layersPanel} from "./panels/layers";
import {panel as mapPanel} from "./panels/model-map";
import {panel as searchPanel} from "./panels/search";
import {panel as snapshotsPanel} from "./panels/snapshots";
import {panel as storedPanel} from "./panels/stored";
import {panel as textModelPanel} from "./panels/text-model";
import {panel as tourPanel, startTour} from "./panels/tour";
import {panel as translatePanel} from "./panels/translate";
import {storeApiKey} from "./server";
import {chosenModel, chosenSentence, onChange, state, translates, update} from "./state";
import {openStoredPage, readStoredPage} from "./stored-page";
import {onServerReturn, retry, runFailed} from "./tasks";
import {clearUnlikeOutput, openExample, runAndReplay} from "./text-models";

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
    // a frame without an origin has no storage
  }
  update({});
}

function keyForm(): unknown {
  const send = (event: Event): void => {
    event.preventDefault();
    storeApiKey(document.querySelector<HTMLInputElement>("#key")!.value);
    void start();
  };
  return html`<form class="key" @submit=${send}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`;
}

function panels(): unknown {
  const inspectionPanels = (): unknown =>
    html`${alignmentPanel()} ${matrixPanel()}
      <div class="column">${headsPanel()} ${ablationPanel()}</div>
      <div class="stacked">${mapPanel()} ${computationPanel()}</div> ${layersPanel()} ${experimentsPanel()}
      ${patchingPanel()} ${snapshotsPanel()}`;
  if (state.server.storedPage) return html`${storedPanel()}${inspectionPanels()}`;
  if (!state.server.models.length) return nothing;
  if (translates()) return html`${translatePanel()}${inspectionPanels()}${searchPanel()}`;
  return html`${textModelPanel()}${state.inspection.result ? inspectionPanels() : nothing}`;
}

const PARTS: [selector: string, name: string][] = [
  ["#text", "Text"],
  ["#output", "Translation"],
  [".alignment", "Attention"],
  [".heads", "Heads"],
  [".without", "Without"],
  [".search", "Search"],
];

/** Buttons that lead to panels: on a phone a bar, elsewhere visible while they have the focus. */
function skipLinks(): unknown {
  const goTo = (selector: string): void => {
    const part = document.querySelector<HTMLElement>(selector);
    if (part && selector !== "#text") part.tabIndex = -1;
    part?.focus();
    part?.scrollIntoView({block: "start"});
  };
  return html`<nav class="skips" aria-label="Go to a part of the page">
    ${PARTS.map(
      ([selector, name]) =>
        html`<button class=${selector === "#output" ? "desk" : ""} @click=${() => goTo(selector)}>${name}</button>`,
    )}
  </nav>`;
}

function subtitle(): string {
  if (state.server.storedPage) return "What the heads look at";
  const isTranslator = translates() || !state.server.models.length;
  return isTranslator ? "Translate, and look inside while it happens." : "See what a model does with a text.";
}

/** A button that copies a link to what is shown, where there is an address that others can open. */
function shareButton(): unknown {
  const hasAddress = location.protocol.startsWith("http") && (chosenSentence() || state.output.html);
  if (!hasAddress) return nothing;
  return html`<button
    id="share-link"
    title="Copy a link to exactly what is shown: the text, options, head, and words that you wrote"
    @click=${() => void copyText(shareLink(), LINK_COPIED)}
    >${state.status.notice === LINK_COPIED ? "Copied" : "Share"}</button
  >`;
}

function header(): unknown {
  const busy = Object.values(state.status.busy).at(-1);
  const tourButton = html`<button id="tour" @click=${() => void startTour()}>Explain</button>`;
  return html`<header>
    <h1>Regard</h1>
    <p class="hint">${subtitle()}</p>
    <span class="said" role="status">${state.status.notice}</span
    ><span class="status" role="status">${busy ? html`<span class="spinner"></span>${busy} …` : nothing}</span>
    ${translates() ? tourButton : nothing} ${shareButton()}
    ${state.server.storedPage ? nothing : html`<a href="docs">API</a>`}
    <button class="theme" @click=${changeTheme} aria-label="Light or dark">◐</button>
  </header>`;
}

function errorMessage(): unknown {
  const {error, needsApiKey} = state.status;
  if (!error) return nothing;
  const retryButton = html`<button @click=${() => void retry()}>Try again</button>`;
  return html`<p class="error" role="alert">${error} ${needsApiKey ? nothing : retryButton}</p>`;
}

function page(): unknown {
  return html`${skipLinks()} ${header()} ${errorMessage()}
    <main>${state.status.needsApiKey ? keyForm() : nothing} ${panels()}</main>
    ${tourPanel()}`;
}

function draw(): void {
  clearColours();
  const root = document.querySelector<HTMLElement>("#page")!;
  root.classList.toggle("busy", Object.keys(state.status.busy).length > 0);
  render(page(), root);
}

async function start(): Promise<void> {
  await loadModels();
  setReady();
  openExample();
  if (state.request.text && state.server.models.length) {
    void countTokens();
    await runAndReplay();
  }
}

/** Go on: an absent server is back, or the reader tries again. */
async function resumePage(): Promise<void> {
  if (!state.server.models.length) return await start();
  if (pendingReplay()) return await runAndReplay();
  await runFailed();
}

/** In a notebook, where the page is in a frame, keep the frame as high as the page. */
function fitFrame(): void {
  let frame: Element | null = null;
  try {
    frame = window.frameElement;
  } catch {
    // the frame is of another origin
  }
  if (!frame) return;
  const {style} = frame as HTMLElement;
  const resize = (): void => {
    style.height = `${document.documentElement.offsetHeight + 4}px`;
  };
  new ResizeObserver(resize).observe(document.documentElement);
}

/** The theme that the reader has chosen. */
function storedTheme(): string | null {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null; // a frame without an origin has no storage
  }
}

/** Paper is white, whatever the theme of the screen, and so are the pictures on it. */
function printInLight(): void {
  const {dataset} = document.documentElement;
  let chosen: string | undefined;
  addEventListener("beforeprint", () => {
    chosen = dataset.theme;
    dataset.theme = "light";
    draw();
  });
  addEventListener("afterprint", () => {
    if (chosen === undefined) delete dataset.theme;
    else dataset.theme = chosen;
    draw();
  });
}

const setReady = (): void => {
  document.body.dataset.ready = "yes";
};

/** The address was changed by the reader, or by the browser's history. */
function onAddressChange(): void {
  if (openEntry()) return;
  const before = chosenModel();
  const changes = readAddress();
  update(changes, pendingReplay()?.tracesSearch ? {} : {search: {trace: null, candidate: null}});
  update({output: {isExample: false}});
  openExample();
  clearUnlikeOutput(before);
  void runAndReplay();
}

const theme = storedTheme();
if (theme) document.documentElement.dataset.theme = theme;
onChange(draw);
onChange(writeHistory);
addEventListener("resize", draw);
printInLight();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
Object.assign(globalThis, {regard: {state, matrixLayout, unmatchedWords}}); // for the console, and for tests
const storedPage = readStoredPage();
if (storedPage) {
  fitFrame();
  void openStoredPage(storedPage).then(() => {
    draw();
    setReady();
  });
} else {
  openAddress();
  nameEntry();
  onServerReturn(resumePage);
  addEventListener("hashchange", onAddressChange);
  draw();
  void start();
}
