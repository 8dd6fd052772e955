/** The search for a translation, with every candidate. */

import type {TracedReply} from "./api";
import {modelFields} from "./request-fields";
import type {Sentence} from "./sentence";
import {fetchJson} from "./server";
import {chosenSentence, state, update} from "./state";
import {runLatest} from "./tasks";

/** The key of a search: searches of the same model, text, beam and prefix are equal. */
export const searchKey = (sentence: Sentence): string =>
  JSON.stringify([state.request.modelName, sentence.source, state.request.beamSize, sentence.prefix]);

/** Trace the beam search for the chosen sentence, also if it was sampled. */
export async function traceSearch(): Promise<void> {
  const sentence = chosenSentence();
  if (!sentence?.isDone) return;
  await runLatest(
    "search",
    "Searching",
    async signal => {
      const requestKey = searchKey(sentence);
      const fields = {
        ...modelFields(),
        text: sentence.source,
        beam_size: state.request.beamSize,
        trace: true,
        split: false,
        ...(sentence.prefix ? {prefix: sentence.prefix} : {}),
      };
      const traced = await fetchJson<TracedReply>("translate", fields, signal);
      const chosen = chosenSentence();
      if (chosen && searchKey(chosen) === requestKey) {
        update({search: {trace: {...traced, requestKey, source: sentence.source}, candidate: null}});
      }
    },
    traceSearch,
  );
}
