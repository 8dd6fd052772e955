/** Copying a text. Browsers have the clipboard only where a page comes over https or from this machine; elsewhere there is an
older way. */

import {say} from "./asking";

function inOldWay(text: string): boolean {
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
    /* the browser does not allow it */
  }
  area.remove();
  (activeElement as HTMLElement | null)?.focus();
  return isCopied;
}

/** Copy a text, and say so. */
export async function copy(text: string): Promise<void> {
  let isCopied = false;
  try {
    await navigator.clipboard.writeText(text);
    isCopied = true;
  } catch {
    isCopied = inOldWay(text);
  }
  say(
    isCopied
      ? "Copied."
      : "The browser does not allow copying here. Select the translation, and copy it with the keyboard.",
  );
}
