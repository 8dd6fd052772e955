/** Fields of requests: the model, the decoding, and a sentence with its tokens. */

import type {Sentence} from "./sentence";
import {chosenModel, state, translates} from "./state";

export const NUM_ALTERNATIVES = 5;

export function modelFields(): object {
  const model = chosenModel();
  if (!model) return {};
  return model.direction ? {source: model.source, target: model.target} : {model: model.name};
}

export const decodingFields = (): object =>
  state.request.temperature
    ? {method: "sample", temperature: state.request.temperature, seed: state.request.seed}
    : {beam_size: state.request.beamSize};

/** A sentence as requests about the model's insides name it: by its tokens, as a text may be cut into others. */
export const targetFields = (sentence: Sentence): object =>
  translates()
    ? {...modelFields(), text: sentence.source, target_ids: sentence.ids}
    : {model: chosenModel()!.name, text: sentence.text, ...(sentence.ids.length ? {ids: sentence.ids} : {})};

/** The request that decodes a sentence in the same way again. */
export const redecodingFields = ({decoding, prefix, index}: Sentence): object => ({
  ...decoding,
  ...(prefix ? {prefix} : {}),
  index,
});
