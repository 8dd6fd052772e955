/** Scrolling, which is abrupt for readers who want no motion. */

export const scrollBehavior = (): ScrollBehavior =>
  matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";

/** Scroll a panel into view, if its beginning is not. */
export function scrollToPanel(selector: string): void {
  requestAnimationFrame(() => {
    const element = document.querySelector(selector);
    if (!element) return;
    const {top} = element.getBoundingClientRect();
    if (top >= 0 && top < innerHeight / 2) return;
    element.scrollIntoView({behavior: scrollBehavior(), block: "start"});
  });
}
