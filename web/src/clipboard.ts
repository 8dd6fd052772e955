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
export const LINK_COPIED = "Link copied.";

/** Copy a text, and notify the reader. */
export async function copyText(text: string, notice = COPIED): Promise<void> {
  let isCopied = false;
  try {
    await navigator.clipboard.writeText(text);
    isCopied = true;
  } catch {
    isCopied = copyWithCommand(text);
  }
  const other =
    notice === LINK_COPIED ? "Copy the address of the page." : "Select the text, and copy it with the keyboard.";
  notify(isCopied ? notice : `The browser does not allow copying here. ${other}`);
}
