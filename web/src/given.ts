/** Tokens that were given to a language model, beside those that it has written. */

import {html, nothing, type TemplateResult} from "lit-html";
import type {Sentence} from "./sentence";
import {state} from "./state";

/** The number of tokens of the inspected text that were given; 0: of a translation, or of a text that is only read. */
export const numGivenTokens = (): number => state.inspection.sentence?.numGiven ?? 0;

/** The same of the tokens that have a log-probability, which the first of a text has not. */
export const numGivenScored = (sentence: Sentence | null): number => Math.max(0, (sentence?.numGiven ?? 0) - 1);

/** A class for tokens that were given, and for the first that was written; an empty one where all are alike. */
export function givenClass(index: number, numGiven: number): string {
  if (index < numGiven) return "given";
  return numGiven > 0 && index === numGiven ? "begins-written" : "";
}

/** A note for screen readers. */
export const givenNote = (numGiven: number, count: number): string =>
  numGiven ? ` Of ${count} tokens, the first ${numGiven} were given; the others were written by the model.` : "";

/** The meaning of grey tokens, and of the line after them, in their own colours. */
export const givenLegend = (numGiven: number): TemplateResult | typeof nothing =>
  numGiven
    ? html`<span class="given-legend"
        ><span class="given">given</span> <i class="boundary"></i>
        <span class="written">written by the model</span></span
      >`
    : nothing;
