/** How the page asks: a newer request of a kind ends the one before; errors are shown; a server that is away is waited for. */

import {AWAY, Failure, isBack} from "./server";
import {state, update} from "./state";

const running = new Map<string, AbortController>();

/** Do something, unless the same is asked for anew meanwhile; errors are shown. Whether it was done to its end. */
export async function only(kind: string, busy: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  running.get(kind)?.abort();
  const controller = new AbortController();
  running.set(kind, controller);
  if (kind === "translate") hold();
  if (busy) update({busy: {...state.busy, [kind]: busy}, error: ""});
  try {
    await work(controller.signal);
    return !controller.signal.aborted;
  } catch (error) {
    if (controller.signal.aborted) return false;
    update({
      error: error instanceof Error ? error.message : String(error),
      needsKey: error instanceof Failure && error.status === 403,
    });
    if (error instanceof Failure && error.status === AWAY) watch();
    return false;
  } finally {
    if (running.get(kind) === controller) finish(kind);
  }
}

/** While something is written, its panel stays at least as high as it was, so that nothing below it moves up and down. */
function hold(isHeld = true): void {
  const panel = document.querySelector<HTMLElement>(".translate, .named");
  if (panel && !(isHeld && panel.style.minHeight)) panel.style.minHeight = isHeld ? `${panel.offsetHeight}px` : "";
}

function finish(kind: string): void {
  running.delete(kind);
  if (kind === "translate")
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (!running.has(kind)) hold(false);
      }),
    );
  const {[kind]: _, ...busy} = state.busy;
  update({busy});
}

const AGAIN = 2000; // milliseconds between two looks whether the server is back
let watching = 0;
let whenBack: () => Promise<void> = async () => {};

/** What is done when a server that was away is back, or when somebody asks to try again. */
export function onReturn(go: () => Promise<void>): void {
  whenBack = go;
}

/** Wait until the server answers again. */
function watch(): void {
  clearTimeout(watching);
  watching = window.setTimeout(
    () =>
      void isBack().then(is => {
        if (is) void goOn();
        else if (state.error) watch();
      }),
    AGAIN,
  );
}

/** Do again what was not answered; what is there stays. */
export async function goOn(): Promise<void> {
  clearTimeout(watching);
  update({error: "", needsKey: false});
  await whenBack();
}

/** Say what was done, for a moment. */
export function say(said: string): void {
  update({said});
  setTimeout(() => {
    if (state.said === said) update({said: ""});
  }, 4000);
}

export const isUnder = (kind: string): boolean => running.has(kind);

/** End what is under way. */
export function stop(kind: string): void {
  running.get(kind)?.abort();
  finish(kind);
}
