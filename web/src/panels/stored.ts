/** The first panel of a stored page: the text and the output. */

import {html, nothing, type TemplateResult} from "lit-html";
import {saveMenu} from "../save-menu";
import {chosenSentence, state} from "../state";
import {doubtLegend, sentenceOutput, tokenTable} from "./tokens";

export function panel(): TemplateResult {
  const inspection = state.inspection.result!;
  const sentence = chosenSentence()!;
  const {note, says} = state.server.storedPage!;
  return html`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${saveMenu("text", ["#text", ".stored .output[data-sentence]"], tokenTable, () => sentence)}
    </div>
    <p dir="auto" id="text" class="output">${inspection.text}</p>
    ${says ? html`<p dir="auto" id="says">${says}</p>` : nothing} ${sentenceOutput(sentence, 0)}
    ${inspection.token_log_probs.length ? doubtLegend() : nothing}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${note ? html`<p class="hint" id="note">${note}</p>` : nothing}
  </section>`;
}
