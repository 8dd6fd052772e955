/** Tasks that ask the server. A newer task of a kind ends the one before; errors are shown. */

import {isServerUp, ServerError, UNREACHABLE} from "./server";
import {state, update} from "./state";

const FORBIDDEN = 403;
const RETRY_MS = 2000;
const NOTICE_MS = 4000;

const controllers = new Map<string, AbortController>();

/** Run a task, with a label while it runs. Whether it came to its end. */
export async function runLatest(
  kind: string,
  label: string,
  task: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  controllers.get(kind)?.abort();
  const controller = new AbortController();
  controllers.set(kind, controller);
  if (kind === "translate") {
    lockPanelHeight();
    update({output: {isEarlier: true}});
  }
  if (label) update({status: {busy: {...state.status.busy, [kind]: label}, error: ""}});
  try {
    await task(controller.signal);
    return !controller.signal.aborted;
  } catch (error) {
    if (!controller.signal.aborted) showError(error);
    return false;
  } finally {
    if (controllers.get(kind) === controller) endTask(kind);
  }
}

/** Change the label of a running task. */
export function relabel(kind: string, label: string): void {
  update({status: {busy: {...state.status.busy, [kind]: label}}});
}

function showError(error: unknown): void {
  const status = error instanceof ServerError ? error.status : undefined;
  const message = error instanceof Error ? error.message : String(error);
  update({status: {error: message, needsApiKey: status === FORBIDDEN}});
  if (status === UNREACHABLE) waitForServer();
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

/** Set the function that asks for what is missing: it is called when the server is back, or the reader tries again. */
export function onServerReturn(act: () => Promise<void>): void {
  resume = act;
}

function waitForServer(): void {
  clearTimeout(retryTimer);
  retryTimer = window.setTimeout(() => {
    void isServerUp().then(isUp => {
      if (isUp) void retry();
      else if (state.status.error) waitForServer();
    });
  }, RETRY_MS);
}

/** Ask again for what was not answered; the rest stays. */
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

/** End all tasks. */
export function cancelAll(): void {
  for (const kind of [...controllers.keys()]) cancel(kind);
}

export function cancel(kind: string): void {
  controllers.get(kind)?.abort();
  endTask(kind);
}
