/** What the colours mean. */

import {html, type TemplateResult} from "lit-html";
import {colour} from "./drawing";
import {styled} from "./styled";

const STEPS = 12;

/** From nothing to a colour of the style sheet; `most`: how strong it becomes on the page. */
export function ramp(name: string, most = 1): TemplateResult {
  const paper = colour("paper");
  const end = colour(name);
  return html`<span class="ramp" aria-hidden="true"
    >${Array.from({length: STEPS}, (_, step) => {
      const mixed = paper.map((part, place) => Math.round(part + ((most * step) / (STEPS - 1)) * (end[place]! - part)));
      return html`<i ${styled({background: `rgb(${mixed.join(", ")})`})}></i>`;
    })}</span
  >`;
}
