/** The guided tour: each stop changes the view and explains it. At the end, the view is as it was before. */

import {html, nothing, type TemplateResult} from "lit-html";
import {ablate, disableHeads} from "../ablation";
import {traceSearch} from "../beam-search";
import {firstHead} from "../head-navigation";
import {startHistoryEntry} from "../history";
import {chooseHead, inspectChosen} from "../inspection";
import {scrollBehavior} from "../scrolling";
import {
  chosenModel,
  chosenSentence,
  FLOW_PREFIX,
  isInspectionStale,
  isOutputStale,
  state,
  translates,
  update,
  type State,
} from "../state";
import {afterDrawing, isRunning} from "../tasks";
import {translate} from "../translation";

interface Stop {
  title: string;
  text: string;
  panel: string;
  /** The element of the panel that is scrolled into view. */
  target: string;
  prepare: () => Promise<void> | void;
}

const enableAllHeads = async (): Promise<void> => {
  if (state.heads.disabled.length) await disableHeads([]);
};

const STOPS: Stop[] = [
  {
    title: "Token by token",
    panel: ".translate",
    target: ".alternatives",
    prepare: async () => {
      update({view: {outputPosition: 0, head: firstHead(), showsComputation: false}});
      await enableAllHeads();
    },
    text:
      "A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: " +
      "below, you see the likeliest tokens in its place, with their probabilities.",
  },
  {
    title: "What a row is",
    panel: ".matrix",
    target: ".frame",
    prepare: async () => {
      update({view: {inputPosition: null}});
      await chooseHead(firstHead());
    },
    text:
      "Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is " +
      "about to write one token, and has read those before it; its cells say how that look is divided among the " +
      "tokens of the text. A row sums to 1.",
  },
  {
    title: "What a head is",
    panel: ".heads",
    target: "#heads",
    prepare: () => update({heads: {sortBy: "place"}}),
    text:
      "Every layer has several heads, and each looks in its own way. Some look at the token before, some at the " +
      "word that is being translated, some at nothing in particular. Each small picture is the matrix of one " +
      "head. Click some.",
  },
  {
    title: "How one weight is computed",
    panel: ".computed",
    target: "#softmax",
    prepare: async () => {
      update({view: {showsComputation: true, groupsWords: false}});
      await waitUntil(() => state.inspection.lookup !== null && !isRunning("lookup"));
    },
    text:
      "The place that is about to write has a query, and each token that it may look at has a key: two lists of " +
      "numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into " +
      "weights that sum to 1. Below the table: the head takes the values of those tokens by these weights.",
  },
  {
    title: "A weight is not a cause",
    panel: ".matrix",
    target: ".frame",
    prepare: () => update({view: {showsComputation: false, head: firstHead()}}),
    text:
      "A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To " +
      "know what the translation depends on, take something away and see what changes.",
  },
  {
    title: "Taking a head away",
    panel: ".without",
    target: ".changes",
    prepare: () => disableHeads([firstHead()]),
    text:
      "One head is off now. The bars show how much less likely each token of the translation becomes without " +
      "it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each " +
      "other.",
  },
  {
    title: "Forcing a word",
    panel: ".translate",
    target: ".alternatives",
    prepare: async () => {
      update({view: {outputPosition: Math.min(1, (chosenSentence()?.tokens.length ?? 1) - 1)}});
      await enableAllHeads();
    },
    text:
      "Click another token in the list below the translation. It is written there, and the model decodes the " +
      "rest again. See how far one word changes what follows, and what it does not change.",
  },
  {
    title: "The search",
    panel: ".search",
    target: ".scroll",
    prepare: traceSearch,
    text:
      "A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and " +
      "drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours " +
      "to try.",
  },
];

const MAX_WAIT_MS = 5000;
const POLL_MS = 20;

async function waitUntil(condition: () => boolean): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while (!condition() && !state.status.error && performance.now() < end) {
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
}

interface SavedState {
  view: State["view"];
  heads: Pick<State["heads"], "disabled" | "undoStack" | "sortBy">;
  search: State["search"];
  output: Pick<State["output"], "sentences" | "sourceText">;
  scrollTop: number;
}

function saveState(): SavedState {
  const {disabled, undoStack, sortBy} = state.heads;
  const {sentences, sourceText} = state.output;
  return {
    view: {...state.view},
    heads: {disabled, undoStack, sortBy},
    search: {...state.search},
    output: {sentences, sourceText},
    scrollTop: scrollY,
  };
}

let savedState: SavedState | null = null;

/** Start the tour; if there is no text yet, with one of the model's own data. */
export async function startTour(): Promise<void> {
  const example = chosenModel()?.examples?.[0];
  const hasText = state.request.text.trim() !== "";
  if (!hasText && !example) {
    update({status: {notice: "Write a text first: this model has no examples."}});
    return document.querySelector<HTMLElement>("#text")?.focus();
  }
  const isTranslated = chosenSentence()?.isDone && state.output.sourceText !== "" && !isOutputStale();
  if (!isTranslated || !state.inspection.result || isInspectionStale()) {
    if (!hasText) {
      startHistoryEntry();
      update({request: {text: example!}});
    }
    await translate();
    if (!chosenSentence()?.isDone) return; // an error is shown
  }
  savedState = saveState();
  await goToStop(0);
}

/** Restore the view; if another text was translated meanwhile, only what does not depend on the text. */
async function endTour(): Promise<void> {
  document.querySelector(".toured")?.classList.remove("toured");
  document.body.classList.remove("touring");
  const {view, heads, search, output, scrollTop} = savedState!;
  const isSameText = output.sourceText === state.output.sourceText;
  const isInspected = state.inspection.sentence === (output.sentences[view.sentenceIndex] ?? null);
  savedState = null;
  const {isPlaying} = state.view;
  const {showsComputation, groupsWords} = view;
  if (isSameText) update({heads, search, output, view: {...view, tourStop: null, isPlaying, hoveredToken: null}});
  else update({heads, view: {tourStop: null, showsComputation, groupsWords}});
  document.querySelector<HTMLElement>("#tour")?.focus({preventScroll: true});
  if (isSameText && !isInspected) await inspectChosen();
  else await ablate();
  if (isSameText && view.head.startsWith(FLOW_PREFIX)) await chooseHead(view.head);
  afterDrawing(() => scrollTo({top: scrollTop}));
}

async function goToStop(index: number): Promise<void> {
  const stop = STOPS[index]!;
  document.querySelector(".toured")?.classList.remove("toured");
  document.body.classList.add("touring");
  update({view: {tourStop: index}});
  await stop.prepare();
  afterDrawing(() => {
    if (state.view.tourStop !== index) return;
    const panel = document.querySelector(stop.panel);
    panel?.classList.add("toured");
    document.querySelector<HTMLElement>("#tour-next")?.focus({preventScroll: true});
    scrollAboveBar(panel?.querySelector(stop.target) ?? document.querySelector(stop.target) ?? panel);
  });
}

const GAP = 12;

/** Scroll until an element stands above the bar of the tour, which never covers it. */
function scrollAboveBar(element: Element | null): void {
  const bar = document.querySelector<HTMLElement>(".tour");
  if (!element || !bar) return;
  document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`);
  const {top, height} = element.getBoundingClientRect();
  const room = innerHeight - bar.offsetHeight;
  scrollTo({
    top: Math.max(0, scrollY + top - Math.max(GAP, (room - height) / 2)),
    behavior: scrollBehavior(),
  });
}

export function panel(): TemplateResult | typeof nothing {
  const index = state.view.tourStop;
  const stop = index === null ? undefined : STOPS[index];
  if (index === null || !stop || !translates()) return nothing;
  const isLast = index === STOPS.length - 1;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Escape") void endTour();
  };
  const back = html`<button id="tour-back" @click=${() => void goToStop(index - 1)}>Back</button>`;
  return html`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${onKey}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${index + 1} of ${STOPS.length}: ${stop.title}</h2>
      <p>${stop.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${() => void endTour()}>End</button>
      <span>
        ${index ? back : nothing}
        <button id="tour-next" class="primary" @click=${() => void (isLast ? endTour() : goToStop(index + 1))}
          >${isLast ? "Done" : "Next"}</button
        >
      </span>
    </div>
  </div>`;
}
