/** What a panel shows, as a file: each panel gives a picture of itself, its numbers as a table, and as JSON. */

import {html, type TemplateResult} from "lit-html";
import {canvasOf, svgOf} from "./picture";

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const saveText = (name: string, text: string, type = "text/plain"): void => save(name, new Blob([text], {type}));

export type Row = (string | number | null)[];

/** Rows as CSV (RFC 4180). */
function csvOf(rows: Row[]): string {
  const cell = (value: string | number | null): string =>
    /[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? "");
  return rows.map(row => row.map(cell).join(",")).join("\n") + "\n";
}

/** Menus of files close with Escape, and when something else is clicked. */
function closeOthers(event: Event): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.save[open]")) {
    if (event instanceof KeyboardEvent ? event.key !== "Escape" : menu.contains(event.target as Node)) continue;
    if (event instanceof KeyboardEvent) menu.querySelector("summary")!.focus();
    menu.open = false;
  }
}

addEventListener("keydown", closeOthers);
addEventListener("pointerdown", closeOthers);

/** A menu of files: pictures of the elements that the selectors name, and numbers. */
export function saves(name: string, selectors: string[], rows: () => Row[], content: () => unknown): TemplateResult {
  const files: Record<string, () => void> = {
    PNG: () =>
      canvasOf(selectors).toBlob(drawn => {
        if (drawn) save(`${name}.png`, drawn);
      }),
    SVG: () => saveText(`${name}.svg`, svgOf(selectors), "image/svg+xml"),
    CSV: () => saveText(`${name}.csv`, csvOf(rows()), "text/csv"),
    JSON: () => saveText(`${name}.json`, `${JSON.stringify(content(), null, 2)}\n`, "application/json"),
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
          >
            ${kind}
          </button>`,
      )}</span
    >
  </details>`;
}
