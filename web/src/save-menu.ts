/** Menus of files: each panel gives pictures of itself, and its numbers as a table and as JSON. */

import {html, type TemplateResult} from "lit-html";
import {toCanvas} from "./picture-canvas";
import {toSvg} from "./picture-svg";

function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const downloadText = (name: string, text: string, type = "text/plain"): void =>
  download(name, new Blob([text], {type}));

export type Row = (string | number | null)[];

/** Rows as CSV (RFC 4180). */
function toCsv(rows: Row[]): string {
  const cell = (value: string | number | null): string =>
    /[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? "");
  return rows.map(row => row.map(cell).join(",")).join("\n") + "\n";
}

/** Close open menus after Escape, and after a click elsewhere. */
function closeMenus(event: Event): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.save[open]")) {
    if (event instanceof KeyboardEvent ? event.key !== "Escape" : menu.contains(event.target as Node)) continue;
    if (event instanceof KeyboardEvent) menu.querySelector("summary")!.focus();
    menu.open = false;
  }
}

addEventListener("keydown", closeMenus);
addEventListener("pointerdown", closeMenus);

/** A menu with pictures of the elements that the selectors name, the rows as CSV and the content as JSON. */
export function saveMenu(name: string, selectors: string[], rows: () => Row[], content: () => unknown): TemplateResult {
  const files: Record<string, () => void> = {
    PNG: () =>
      toCanvas(selectors).toBlob(picture => {
        if (picture) download(`${name}.png`, picture);
      }),
    SVG: () => downloadText(`${name}.svg`, toSvg(selectors), "image/svg+xml"),
    CSV: () => downloadText(`${name}.csv`, toCsv(rows()), "text/csv"),
    JSON: () => downloadText(`${name}.json`, `${JSON.stringify(content(), null, 2)}\n`, "application/json"),
  };
  const close = (event: Event): void => {
    (event.currentTarget as HTMLElement).closest("details")!.open = false;
  };
  return html`<details class="save">
    <summary aria-label="Save: ${name}">Save</summary>
    <span class="files"
      >${Object.entries(files).map(
        ([kind, write]) =>
          html`<button
            type="button"
            aria-label="${name} as ${kind}"
            @click=${(event: Event) => {
              write();
              close(event);
            }}
            >${kind}</button
          >`,
      )}</span
    >
  </details>`;
}
