/** The clipboard. Only pages that come over https or from this machine have it; elsewhere a command copies. */

import {notify} from "./tasks";

function copyWithCommand(text: string): boolean {
  const area = document.createElement("textarea");
  const {activeElement} = document;
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand("copy");
  } catch {
    // the browser does not allow it
  }
  area.remove();
  (activeElement as HTMLElement | null)?.focus();
  return isCopied;
}

export const COPIED = "Copied.";

/** Copy a text, and notify the reader. */
export async function copyText(text: string): Promise<void> {
  let isCopied = false;
  try {
    await navigator.clipboard.writeText(text);
    isCopied = true;
  } catch {
    isCopied = copyWithCommand(text);
  }
  notify(
    isCopied
      ? COPIED
      : "The browser does not allow copying here. Select the translation, and copy it with the keyboard.",
  );
}
