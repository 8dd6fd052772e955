/** Bringing a part of the page into view. */

/** Scroll a panel into view, if its beginning is not; as quietly as the reader wants it. */
export function bringUp(selector: string, block: ScrollLogicalPosition = "start"): void {
  requestAnimationFrame(() => {
    const element = document.querySelector(selector);
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!element) return;
    const {top} = element.getBoundingClientRect();
    if (block === "start" && top >= 0 && top < innerHeight / 2) return;
    element.scrollIntoView({behavior: isCalm ? "auto" : "smooth", block});
  });
}
