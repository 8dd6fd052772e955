/** Tasks that ask the server. A newer task of a kind ends the one before; errors are shown. */

import {isServerUp, ServerError, UNREACHABLE} from "./server";
import {state, update} from "./state";

const FORBIDDEN = 403;
const RETRY_MS = 2000;
const NOTICE_MS = 4000;

/** What asks once more for the answer of a task that failed; null: it is asked for again without that. */
export type Again = (() => Promise<unknown>) | null;

/** Kinds of tasks that ask about the chosen sentence. */
const OF_SENTENCE = ["inspect", "flow", "ablate", "rank", "experiment", "patching", "search", "compare"];

const controllers = new Map<string, AbortController>();
/** What failed, by kind, in the order in which it did; whether only because the server did not answer. */
const failed = new Map<string, {again: () => Promise<unknown>; isUnreachable: boolean}>();

/** Run a task, with a label while it runs. Whether it came to its end. */
export async function runLatest(
  kind: string,
  label: string,
  task: (signal: AbortSignal) => Promise<void>,
  again: Again,
): Promise<boolean> {
  controllers.get(kind)?.abort();
  forget(kind);
  const controller = new AbortController();
  controllers.set(kind, controller);
  if (kind === "translate") {
    lockPanelHeight();
    update({output: {isEarlier: true}});
  }
  if (label) {
    for (const [other, {isUnreachable: isWaiting}] of failed) if (!isWaiting) failed.delete(other); // its error is gone
    update({status: {busy: {...state.status.busy, [kind]: label}, error: ""}});
  }
  try {
    await task(controller.signal);
    return !controller.signal.aborted;
  } catch (error) {
    if (!controller.signal.aborted) {
      showError(error);
      if (again) failed.set(kind, {again, isUnreachable: isUnreachable(error)});
    }
    return false;
  } finally {
    if (controllers.get(kind) === controller) endTask(kind);
  }
}

/** Change the label of a running task. */
export function relabel(kind: string, label: string): void {
  update({status: {busy: {...state.status.busy, [kind]: label}}});
}

const statusOf = (error: unknown): number | undefined => (error instanceof ServerError ? error.status : undefined);
const isUnreachable = (error: unknown): boolean => statusOf(error) === UNREACHABLE;

function showError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  update({status: {error: message, needsApiKey: statusOf(error) === FORBIDDEN}});
  if (isUnreachable(error)) waitForServer();
}

/** Ask no more for what failed of a kind, or for another sentence. */
function forget(kind: string): void {
  const isOfNewSentence = kind === "translate" || kind === "inspect";
  for (const each of [kind, ...(isOfNewSentence ? OF_SENTENCE : [])]) failed.delete(each);
}

/** Keep the height of the first panel while its text is written, so that nothing below it moves up and down. */
function lockPanelHeight(): void {
  const panel = document.querySelector<HTMLElement>(".translate, .named");
  if (panel && !panel.style.minHeight) panel.style.minHeight = `${panel.offsetHeight}px`;
}

function unlockPanelHeight(): void {
  const panel = document.querySelector<HTMLElement>(".translate, .named");
  if (panel) panel.style.minHeight = "";
}

function endTask(kind: string): void {
  controllers.delete(kind);
  if (kind === "translate") {
    afterDrawing(() => {
      if (!controllers.has(kind)) unlockPanelHeight();
    });
  }
  update({status: {busy: Object.fromEntries(Object.entries(state.status.busy).filter(([other]) => other !== kind))}});
}

/** Call a function when the changes of this moment are drawn. */
export function afterDrawing(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}

let retryTimer = 0;
let resume: () => Promise<void> = () => Promise.resolve();

/** Set the function that goes on with the page: it is called when the server is back, or the reader tries again. */
export function onServerReturn(act: () => Promise<void>): void {
  resume = act;
}

function waitForServer(): void {
  clearTimeout(retryTimer);
  retryTimer = window.setTimeout(() => {
    void isServerUp().then(isUp => {
      if (isUp) void retry();
      else if (state.status.error || failed.size) waitForServer();
    });
  }, RETRY_MS);
}

/** Run again what failed; the rest stays. What one of them asks for by itself is not asked for twice. */
export async function runFailed(): Promise<void> {
  for (const [kind, {again}] of [...failed]) {
    if (failed.get(kind)?.again !== again) continue;
    failed.delete(kind);
    await again();
  }
}

/** Go on after an error. */
export async function retry(): Promise<void> {
  clearTimeout(retryTimer);
  update({status: {error: "", needsApiKey: false}});
  await resume();
}

/** Show a notice for a moment. */
export function notify(notice: string): void {
  update({status: {notice}});
  setTimeout(() => {
    if (state.status.notice === notice) update({status: {notice: ""}});
  }, NOTICE_MS);
}

export const isRunning = (kind: string): boolean => controllers.has(kind);

/** End all tasks but the translation of a file, which goes on with its own model. */
export function cancelAll(): void {
  for (const kind of [...controllers.keys(), ...failed.keys()]) if (kind !== "file") cancel(kind);
}

export function cancel(kind: string): void {
  forget(kind);
  controllers.get(kind)?.abort();
  endTask(kind);
}
