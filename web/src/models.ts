/** The models of the server, and the number of tokens that the chosen one reads in the text. */

import type {ModelsReply, TokenizeReply} from "./api";
import {modelFields} from "./request-fields";
import {fetchJson} from "./server";
import {modelNameOf, state, translates, update} from "./state";
import {runLatest} from "./tasks";

export async function loadModels(): Promise<void> {
  await runLatest(
    "models",
    "",
    async signal => {
      const {models} = await fetchJson<ModelsReply>("models", undefined, signal);
      const [first] = models;
      if (!first) throw new Error("The server has no model.");
      const isKnown = models.some(each => modelNameOf(each) === state.request.modelName);
      update({
        server: {models},
        request: {modelName: isKnown ? state.request.modelName : modelNameOf(first)},
        status: {error: "", needsApiKey: false},
      });
    },
    null,
  ); // without models, the page starts again
}

export async function countTokens(): Promise<void> {
  await runLatest(
    "count",
    "",
    async signal => {
      if (!state.request.text.trim() || !translates()) return update({tokenCounts: {total: null}});
      const fields = {...modelFields(), text: state.request.text};
      const tokenization = await fetchJson<TokenizeReply>("tokenize", fields, signal);
      const counts = tokenization.sentences.map(each => each.tokens.length);
      update({
        tokenCounts: {
          total: counts.reduce((sum, each) => sum + each, 0),
          longestSentence: Math.max(0, ...counts),
          sentenceLimit: tokenization.max_tokens,
          truncatedSentences: tokenization.num_cut,
        },
      });
    },
    countTokens,
  );
}
