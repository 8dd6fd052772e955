/** What a panel shows, as a file. */

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const saveText = (name: string, text: string, type = "text/plain"): void => save(name, new Blob([text], {type}));

export const saveJson = (name: string, content: unknown): void => saveText(name, `${JSON.stringify(content, null, 2)}\n`, "application/json");

/** Rows as CSV (RFC 4180). */
export function saveCsv(name: string, rows: (string | number)[][]): void {
  const cell = (value: string | number): string => /[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
  saveText(name, rows.map(row => row.map(cell).join(",")).join("\n") + "\n", "text/csv");
}

export const savePng = (name: string, canvas: HTMLCanvasElement): void => canvas.toBlob(content => { if (content) save(name, content); });

/** A drawing with the colours that it has on the page. */
export function saveSvg(name: string, drawing: SVGSVGElement): void {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const all = [drawing, ...drawing.querySelectorAll<SVGElement>("*")], copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  all.forEach((element, place) => {
    const style = getComputedStyle(element), target = copies[place]!;
    for (const property of ["fill", "stroke", "stroke-width", "opacity", "font-size", "font-family", "text-anchor"]) {
      target.setAttribute(property, style.getPropertyValue(property));
    }
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  saveText(name, new XMLSerializer().serializeToString(copy), "image/svg+xml");
}
