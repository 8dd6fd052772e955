/** A guided tour: each stop sets what the page shows, and says what it means. In the end all is as it was before. */

import {html, nothing, type TemplateResult} from "lit-html";
import {ablate, chooseHead, look, search, setOff, translate} from "../actions";
import {isUnder} from "../asking";
import {alignmentHead} from "../heads";
import {FLOW, isBehind, mark, model, sentence, state, translates, update, type State} from "../state";

interface Stop {
  title: string;
  text: string;
  panel: string;
  shows: string;
  set: () => Promise<void> | void;
}

/** The head that alignments are read from; of a model that names none, the one that looks most sharply from the output at the text. */
function telling(): string {
  const heads = state.inspection?.heads ?? [];
  const cross = heads.filter(each => each.head.startsWith("cross."));
  const known = alignmentHead();
  const best = [...(cross.length ? cross : heads)].sort((a, b) => b.confidence - a.confidence)[0];
  return known?.isOfModel ? known.head : (best?.head ?? "mean");
}

const switchOff = (): Promise<void> => setOff([telling()], [...state.undo, state.off]);
const allOn = async (): Promise<void> => {
  if (state.off.length) await setOff([], [...state.undo, state.off]);
};

const STOPS: Stop[] = [
  {
    title: "Token by token",
    panel: ".translate",
    shows: ".alternatives",
    set: async () => {
      update({step: 0, head: "mean", isExplained: false});
      await allOn();
    },
    text: "A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities.",
  },
  {
    title: "What a row is",
    panel: ".alignment",
    shows: ".frame",
    set: async () => {
      update({source: null});
      await chooseHead(telling());
    },
    text: "Before it writes a token, the model looks back at the text. A row of the matrix belongs to one token of the translation; its cells say how that look is divided among the tokens of the text. A row sums to 1.",
  },
  {
    title: "What a head is",
    panel: ".heads",
    shows: "#heads",
    set: () => update({sortBy: "place"}),
    text: "Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some.",
  },
  {
    title: "How one weight is computed",
    panel: ".computed",
    shows: "#softmax",
    set: async () => {
      update({isExplained: true, words: false});
      await until(() => state.lookup !== null && !isUnder("lookup"));
    },
    text: "The token that looks has a query, and each token that is looked at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1.",
  },
  {
    title: "A weight is not a cause",
    panel: ".alignment",
    shows: ".frame",
    set: () => update({isExplained: false, head: "mean"}),
    text: "A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes.",
  },
  {
    title: "Taking a head away",
    panel: ".without",
    shows: ".changes",
    set: switchOff,
    text: "One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other.",
  },
  {
    title: "Forcing a word",
    panel: ".translate",
    shows: ".alternatives",
    set: async () => {
      update({step: Math.min(1, (sentence()?.tokens.length ?? 1) - 1)});
      await allOn();
    },
    text: "Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change.",
  },
  {
    title: "The search",
    panel: ".search",
    shows: ".search .scroll",
    set: () => search(),
    text: "A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try.",
  },
];

const PATIENCE = 5000;

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!isSo() && !state.error && performance.now() < end) await new Promise(done => setTimeout(done, 20));
}

const KEPT = [
  "off",
  "undo",
  "head",
  "step",
  "source",
  "key",
  "sortBy",
  "isExplained",
  "words",
  "alone",
  "share",
  "at",
  "traced",
  "node",
  "sentences",
] as const;
type Kept = Pick<State, (typeof KEPT)[number]> & {textOf: string; scrolled: number};

let before: Kept | null = null;

/** Begin the tour, with a text of the model's own data where there is none yet. */
export async function begin(): Promise<void> {
  const example = model()?.examples?.[0];
  if (!state.text.trim() && !example) {
    update({said: "Write a text first: this model has no examples."});
    return document.querySelector<HTMLElement>("#text")?.focus();
  }
  if (!sentence()?.isDone || !state.inspection || isBehind() || state.textOf !== state.text) {
    if (!state.text.trim()) {
      mark();
      update({text: example!});
    }
    await translate();
    if (!sentence()?.isDone) return; // the error says why
  }
  before = {
    ...Object.fromEntries(KEPT.map(name => [name, state[name]])),
    textOf: state.textOf,
    scrolled: scrollY,
  } as Kept;
  await go(0);
}

/** All is as it was before the tour. */
async function end(): Promise<void> {
  document.querySelector(".toured")?.classList.remove("toured");
  document.body.classList.remove("touring");
  const {scrolled, textOf, sentences, ...view} = before!;
  const isSame = textOf === state.textOf;
  const isLookedAt = state.looked === (sentences[view.at] ?? null);
  before = null;
  update({
    stop: null,
    ...(isSame
      ? {...view, sentences}
      : {off: view.off, undo: view.undo, sortBy: view.sortBy, isExplained: view.isExplained, words: view.words}),
  });
  document.querySelector<HTMLElement>("#tour")?.focus({preventScroll: true});
  if (isSame && !isLookedAt) await look();
  else await ablate();
  if (isSame && view.head.startsWith(FLOW)) await chooseHead(view.head);
  requestAnimationFrame(() => requestAnimationFrame(() => scrollTo({top: scrolled})));
}

async function go(stop: number): Promise<void> {
  const here = STOPS[stop]!;
  document.querySelector(".toured")?.classList.remove("toured");
  document.body.classList.add("touring");
  update({stop});
  await here.set();
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (state.stop !== stop) return;
      document.querySelector(here.panel)?.classList.add("toured");
      document.querySelector<HTMLElement>("#tour-next")?.focus({preventScroll: true});
      bringAbove(
        document.querySelector(`${here.panel} ${here.shows}`) ??
          document.querySelector(here.shows) ??
          document.querySelector(here.panel),
      );
    }),
  );
}

const GAP = 12;

/** Scroll until an element stands above the bar of the tour, which never covers it. */
function bringAbove(element: Element | null): void {
  const bar = document.querySelector<HTMLElement>(".tour");
  if (!element || !bar) return;
  document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`);
  const {top, height} = element.getBoundingClientRect();
  const room = innerHeight - bar.offsetHeight;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  scrollTo({
    top: Math.max(0, scrollY + top - Math.max(GAP, (room - height) / 2)),
    behavior: isCalm ? "auto" : "smooth",
  });
}

export function panel(): TemplateResult | typeof nothing {
  const here = state.stop === null ? undefined : STOPS[state.stop];
  if (!here || !translates()) return nothing;
  const stop = state.stop!;
  const isLast = stop === STOPS.length - 1;
  return html`<div
    class="tour"
    role="dialog"
    aria-labelledby="tour-title"
    @keydown=${(event: KeyboardEvent) => {
      if (event.key === "Escape") void end();
    }}
  >
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${stop + 1} of ${STOPS.length}: ${here.title}</h2>
      <p>${here.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${() => void end()}>End</button
      ><span
        >${stop ? html`<button id="tour-back" @click=${() => void go(stop - 1)}>Back</button> ` : nothing}<button
          id="tour-next"
          class="primary"
          @click=${() => void (isLast ? end() : go(stop + 1))}
        >
          ${isLast ? "Done" : "Next"}
        </button></span
      >
    </div>
  </div>`;
}
