/** Ramps of colours, for legends. */

import {html, type TemplateResult} from "lit-html";
import {colour} from "./colours";
import {styleProperties} from "./style-properties";

const STEPS = 12;

/** A ramp from the paper to a colour of the style sheet, up to some strength. */
export function colourRamp(name: string, strength = 1): TemplateResult {
  const paper = colour("paper");
  const end = colour(name);
  return html`<span class="ramp" aria-hidden="true"
    >${Array.from({length: STEPS}, (_, step) => {
      const mixed = paper.map((part, channel) =>
        Math.round(part + ((strength * step) / (STEPS - 1)) * (end[channel]! - part)),
      );
      return html`<i ${styleProperties({background: `rgb(${mixed.join(", ")})`})}></i>`;
    })}</span
  >`;
}
