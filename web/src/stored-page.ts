/** A page that `regard inspect` stored: its data are inside, and it has no server. */

import {openAddress} from "./address";
import type {InspectReply} from "./api";
import {emptySentence, type Sentence} from "./sentence";
import {assign, state, update} from "./state";
import type {Weights} from "./weights";

interface StoredPage {
  inspection: InspectReply;
  parts: {heads: string[]; rows: number; keys: number}[];
  /** The size of a weight. */
  bytes: 1 | 2;
  /** The weights of all parts, compressed. */
  packed: string;
  /** The head that is shown first. */
  first: string;
  note: string;
  says: string;
  /** Whether an inspection with `--lens` could have what each layer would say. */
  can_lens: boolean;
}

/** The data inside the page; null: there is a server. */
export function readStoredPage(): StoredPage | null {
  const element = document.querySelector("#data");
  return element ? (JSON.parse(element.textContent) as StoredPage) : null;
}

async function decompress(packed: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(packed), character => character.charCodeAt(0));
  return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

/** The output of an inspection, or the text of a model that generates none, token by token. */
export function sentenceOfInspection(inspection: InspectReply): Sentence {
  const {text, target, tokens, token_log_probs: logProbs} = inspection;
  const {spelled, offsets} = Object.values(tokens).at(-1)!.rows;
  const hasEnd = target !== null && spelled.length > 1 && offsets.at(-1) === null;
  const shift = target === null ? 1 : 0; // a language model predicts the next token, its first one never
  return {
    ...emptySentence(),
    source: text,
    text: target ?? text,
    isDone: true,
    tokens: (hasEnd ? spelled.slice(0, -1) : spelled).map((token, position) => ({
      token,
      log_prob: logProbs[position - shift] ?? null,
      alternatives: [],
    })),
  };
}

async function readWeights({packed, bytes, parts}: StoredPage): Promise<Map<string, Weights>> {
  const buffer = await decompress(packed);
  const values = bytes === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
  const forbidden = bytes === 2 ? 65535 : 255;
  const weights = new Map<string, Weights>();
  let begin = 0;
  for (const {heads, rows, keys} of parts) {
    for (const name of heads) {
      const end = begin + rows * keys;
      weights.set(name, {rows, keys, values: values.subarray(begin, end), scale: forbidden - 1, forbidden});
      begin = end;
    }
  }
  return weights;
}

/** Show the stored inspection with the choices of the address. */
export async function openStoredPage(page: StoredPage): Promise<void> {
  const weights = await readWeights(page);
  const inspection = {...page.inspection, request: {}, weights};
  const sentence = sentenceOfInspection(inspection);
  const {text} = inspection;
  openAddress();
  assign({
    server: {storedPage: {note: page.note, says: page.says, canLens: page.can_lens}},
    inspection: {result: inspection, sentence},
    output: {sentences: [sentence], sourceText: text},
    request: {text},
  });
  const {head} = state.view;
  update({view: {head: weights.has(head) ? head : page.first, sentenceIndex: 0}, heads: {disabled: []}});
}
