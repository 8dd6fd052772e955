/** Numbers as strips of colours. */

import {html, svg, type TemplateResult} from "lit-html";

const STRIP_WIDTH = 320;
const STRIP_HEIGHT = 18;

interface StripOptions {
  /** The number with the strongest colour; by default, the largest of the strip. */
  max?: number;
  /** The opacity of the whole strip. */
  opacity?: number;
}

/** Numbers as a strip: the stronger the colour, the further from 0. */
export function numberStrip(
  name: string,
  label: unknown,
  numbers: number[],
  {max = Math.max(...numbers.map(Math.abs), 1e-9), opacity = 1}: StripOptions = {},
): TemplateResult {
  const size = STRIP_WIDTH / numbers.length;
  const range = `from ${Math.min(...numbers).toFixed(2)} to ${Math.max(...numbers).toFixed(2)}`;
  const rect = (value: number, index: number): TemplateResult =>
    svg`<rect x=${index * size} width=${size} height=${STRIP_HEIGHT} class=${value < 0 ? "less" : "more"}
      opacity=${(Math.min(1, Math.abs(value) / max) * opacity).toFixed(3)}><title>${value.toFixed(3)}</title></rect>`;
  return html`<div class="strip">
    <span>${label}</span
    ><svg
      data-strip=${name}
      viewBox="0 0 ${STRIP_WIDTH} ${STRIP_HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${name}: ${numbers.length} numbers, ${range}"
    >
      ${numbers.map(rect)}
    </svg>
  </div>`;
}
