/** A guided tour: each stop sets what the page shows, and says what it means. */

import {html, nothing, type TemplateResult} from "lit-html";
import {chooseHead, search, setOff, translate} from "../actions";
import {sentence, state, translates, update} from "../state";

const EXAMPLE = "Two dogs play in the snow.";

interface Stop { title: string; text: string; panel: string; set: () => void }

/** The head that looks most sharply from the output at the text. */
function sharpest(): string {
  const heads = state.inspection?.heads ?? [], cross = heads.filter(each => each.head.startsWith("cross."));
  const best = [...(cross.length ? cross : heads)].sort((a, b) => b.confidence - a.confidence)[0];
  return best?.head ?? "mean";
}

const switchOff = (): void => { void setOff([sharpest()], [...state.undo, state.off]); };
const allOn = (): void => { if (state.off.length) void setOff([], [...state.undo, state.off]); };

const STOPS: Stop[] = [
  {title: "Token by token", panel: ".translate", set: () => { allOn(); update({step: 0, head: "mean", isExplained: false}); },
    text: "A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},
  {title: "What a row is", panel: ".alignment", set: () => { void chooseHead(sharpest()); update({source: null}); },
    text: "Before it writes a token, the model looks back at the text. A row of the matrix belongs to one token of the translation; its cells say how that look is divided among the tokens of the text. A row sums to 1."},
  {title: "What a head is", panel: ".heads", set: () => update({sortBy: "place"}),
    text: "Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},
  {title: "How one weight is computed", panel: ".computed", set: () => update({isExplained: true, words: false}),
    text: "The token that looks has a query, and each token that is looked at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1."},
  {title: "A weight is not a cause", panel: ".alignment", set: () => update({isExplained: false, head: "mean"}),
    text: "A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},
  {title: "Taking a head away", panel: ".without", set: switchOff,
    text: "The head that looks most sharply is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},
  {title: "Forcing a word", panel: ".translate", set: () => { allOn(); update({step: Math.min(1, (sentence()?.tokens.length ?? 1) - 1)}); },
    text: "Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},
  {title: "The search", panel: ".search", set: () => { void search(); },
    text: "A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."},
];

/** Begin the tour, with an example where there is no text yet. */
export async function begin(): Promise<void> {
  if (!sentence()?.isDone || !state.inspection) {
    if (!state.text.trim()) update({text: EXAMPLE});
    await translate();
  }
  go(0);
}

function go(stop: number | null): void {
  document.querySelector(".toured")?.classList.remove("toured");
  update({stop});
  const here = stop === null ? undefined : STOPS[stop];
  here?.set();
  if (here) requestAnimationFrame(() => requestAnimationFrame(() => {
    const panel = document.querySelector(here.panel), isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    panel?.classList.add("toured");
    panel?.scrollIntoView({behavior: isCalm ? "auto" : "smooth", block: "start"});
    document.querySelector<HTMLElement>("#tour-next")?.focus({preventScroll: true});
  }));
}

export function panel(): TemplateResult | typeof nothing {
  const here = state.stop === null ? undefined : STOPS[state.stop];
  if (!here || !translates()) return nothing;
  const stop = state.stop!, isLast = stop === STOPS.length - 1;
  return html`<aside class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${(event: KeyboardEvent) => { if (event.key === "Escape") go(null); }}>
    <h2 id="tour-title">${stop + 1} of ${STOPS.length}: ${here.title}</h2><p>${here.text}</p>
    <div class="controls"><button @click=${() => go(null)}>End</button><span>${stop ? html`<button id="tour-back" @click=${() => go(stop - 1)}>Back</button> ` : nothing}<button
      id="tour-next" class="primary" @click=${() => go(isLast ? null : stop + 1)}>${isLast ? "Done" : "Next"}</button></span></div>
  </aside>`;
}
