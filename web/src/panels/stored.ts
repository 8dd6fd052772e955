/** The first panel of a stored page: the text and the output. */

import {html, nothing, type TemplateResult} from "lit-html";
import {saveMenu} from "../save-menu";
import {chosenSentence, state} from "../state";
import {doubtLegend, sentenceOutput, tokenTable} from "./tokens";

/** What the page of a server can do with a model of such a kind. */
function possible(): string {
  const {arch, target} = state.inspection.result!;
  const all = [
    ...(target !== null || arch === "decoder" ? ["other tokens can be forced"] : []),
    ...(arch === "rnn" ? [] : ["heads can be switched off"]),
  ];
  return all.join(", and ");
}

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
      <code>regard serve MODEL</code>, ${possible()}.
    </p>
    ${note ? html`<p class="hint" id="note">${note}</p>` : nothing}
  </section>`;
}
