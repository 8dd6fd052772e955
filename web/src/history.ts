/** The browser's history: an entry for each text that was translated, with its title and what was shown of it. */

import {currentFragment, endReplay, pendingReplay, shownText} from "./address";
import {isInspectionStale, isOutputStale, modelNameOf, chosenModel, state, update, type State} from "./state";
import {cancelAll} from "./tasks";

/** A text that has been translated for so long, and not changed, keeps its entry when another is written. */
const REST_MS = 1500;
const MAX_STORED = 8;
const MAX_TITLE = 60;
const MAX_MODEL_NAME = 20;

const STORED_GROUPS = ["request", "tokenCounts", "output", "view", "trial", "inspection", "heads", "search"] as const;
type Stored = Pick<State, (typeof STORED_GROUPS)[number]>;

/** What was shown at an entry, by its name; the newest last. */
const stored = new Map<string, Stored>();

let numEntries = 0;
const newName = (): string => `${performance.timeOrigin}/${numEntries++}`;

/** A notebook has no address. */
const hasAddress = (): boolean => location.protocol !== "about:";

const nameInHistory = (): string | undefined => (history.state as {entry?: string} | null)?.entry;

let entry = nameInHistory() ?? newName();
let isNewEntry = false;
/** Whether the entry keeps its text as soon as that is translated: the reader asked for it. */
let settlesAtOnce = true;
/** The text of the entry, once it is kept: another one begins a new entry. */
let settledText: string | null = null;
/** The text that is kept if it does not change for a while. */
let restingText: string | null = null;
let restTimer = 0;

/** Let the next address be an entry of its own in the browser's history. */
export function startHistoryEntry(): void {
  isNewEntry = true;
  settlesAtOnce = true;
}

/** Keep the text in the history as soon as it is translated: the reader has done with it. */
export function settleText(): void {
  settlesAtOnce = true;
  update({});
}

const isWriting = (): boolean => Boolean(state.status.busy.translate) || isOutputStale();

/** Keep a text that is translated: at once, or after a while without a change. A key stroke alone makes no entry. */
function settle(text: string): void {
  if (isWriting() || state.status.error || !state.output.sourceText) {
    clearTimeout(restTimer);
    restingText = null;
  } else if (settlesAtOnce) {
    settledText = text;
    settlesAtOnce = false;
  } else if (text !== settledText && text !== restingText) {
    restingText = text;
    clearTimeout(restTimer);
    restTimer = window.setTimeout(() => {
      if (restingText === text) settledText = text;
    }, REST_MS);
  }
}

/** Store what is shown, if all of it is there. */
function store(): void {
  const isComplete = !isWriting() && !isInspectionStale() && !Object.keys(state.status.busy).length;
  if (!isComplete || state.status.error || pendingReplay() || !state.output.sourceText) return;
  stored.delete(entry);
  stored.set(entry, Object.fromEntries(STORED_GROUPS.map(group => [group, {...state[group]}])) as unknown as Stored);
  if (stored.size > MAX_STORED) stored.delete(stored.keys().next().value!);
}

const shorten = (text: string, length: number): string => {
  const letters = [...text];
  return letters.length > length
    ? `${letters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`
    : text;
};

/** The text, the model and the program. */
function title(): string {
  const model = chosenModel();
  const rest = [...(model ? [shorten(modelNameOf(model), MAX_MODEL_NAME)] : []), "Regard"].join(" · ");
  const [line = ""] = shownText().trim().split("\n");
  return line ? `${shorten(line, MAX_TITLE - rest.length - 3)} · ${rest}` : "Regard";
}

/** Write what is shown to the address, to the title and to the history. */
export function writeHistory(): void {
  if (pendingReplay() && isOutputStale()) return; // the address is of what is under way
  const text = shownText();
  const fragment = currentFragment();
  if (fragment === (location.hash || "#") || !hasAddress()) {
    if (!isWriting()) isNewEntry = false; // the same was asked for again
  } else if (isNewEntry || (settledText !== null && text !== settledText)) {
    entry = newName();
    history.pushState({entry}, "", fragment);
    [isNewEntry, settledText] = [false, null];
  } else {
    history.replaceState({entry}, "", fragment);
  }
  if (!state.server.storedPage) document.title = title(); // after the address: a title is of the entry that is open
  settle(text);
  store();
}

/** Name the entry that is open now. */
export function nameEntry(): void {
  if (nameInHistory() === undefined && hasAddress()) history.replaceState({entry}, "", location.href);
}

/** Open the entry that the browser has gone to. Whether all that was shown there is shown again. */
export function openEntry(): boolean {
  clearTimeout(restTimer);
  [isNewEntry, settlesAtOnce, settledText, restingText] = [false, true, null, null];
  entry = nameInHistory() ?? newName();
  nameEntry();
  const found = stored.get(entry);
  if (!found) return false;
  cancelAll();
  endReplay();
  const {tourStop} = state.view;
  update(found, {view: {tourStop, hoveredToken: null, isPlaying: false}, status: {error: ""}});
  return true;
}
