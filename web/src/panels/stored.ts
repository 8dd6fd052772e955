/** The first panel of a page that was stored: the text, and what was written. */

import {html, nothing, type TemplateResult} from "lit-html";
import {sentence, state} from "../state";
import {saves} from "../saving";
import {doubts, output, tokenTable} from "./translate";

export function panel(): TemplateResult {
  const seen = state.inspection!;
  const one = sentence()!;
  const {note, says} = state.stored!;
  return html`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${saves("text", ["#text", ".stored .output[data-sentence]"], tokenTable, () => one)}
    </div>
    <p dir="auto" id="text" class="output">${seen.text}</p>
    ${says ? html`<p dir="auto" id="says">${says}</p>` : nothing} ${output(one, 0)}
    ${seen.token_log_probs.length ? doubts() : nothing}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${note ? html`<p class="hint" id="note">${note}</p>` : nothing}
  </section>`;
}
