/** A page that was stored by `regard inspect`, with its data inside and no server. */

import type {Inspection, Sentence} from "./server";
import {update, type State} from "./state";

interface Stored {
  inspection: Inspection;
  parts: {heads: string[]; rows: number; keys: number}[];
  bytes: 1 | 2;
  packed: string;
  first: string;
  note: string;
  says: string;
}

/** The data inside the page; null: there is a server. */
export function data(): Stored | null {
  const element = document.querySelector("#data");
  return element ? (JSON.parse(element.textContent) as Stored) : null;
}

async function unpack(packed: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(packed), character => character.charCodeAt(0));
  return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

/** What was written, or read where nothing is, token by token. */
export function sentenceOf({text, target, tokens, token_log_probs: logProbs}: Inspection): Sentence {
  const rows = Object.values(tokens).at(-1)!.rows.spelled;
  const isEnd = target !== null && rows.length > 1 && Object.values(tokens).at(-1)!.rows.offsets.at(-1) === null;
  const shift = target === null ? 1 : 0; // a language model predicts the next token, its first one never
  return {
    source: text,
    text: target ?? text,
    ids: [],
    score: 0,
    nBest: [],
    how: {},
    index: 0,
    prefix: "",
    original: null,
    edit: null,
    isDone: true,
    tokens: (isEnd ? rows.slice(0, -1) : rows).map((token, place) => ({
      token,
      log_prob: logProbs[place - shift] ?? null,
      alternatives: [],
    })),
  };
}

/** Show what is stored. */
export async function open(stored: Stored, recalled: Partial<State>): Promise<void> {
  const {inspection} = stored;
  const buffer = await unpack(stored.packed);
  const values = stored.bytes === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
  const forbidden = stored.bytes === 2 ? 65535 : 255;
  inspection.weights = new Map();
  let begin = 0;
  for (const {heads, rows, keys} of stored.parts) {
    for (const name of heads) {
      inspection.weights.set(name, {
        rows,
        keys,
        values: values.subarray(begin, (begin += rows * keys)),
        scale: forbidden - 1,
        forbidden,
      });
    }
  }
  const isKnown = inspection.weights.has(recalled.head ?? "");
  const one = sentenceOf(inspection);
  update({
    stored: {note: stored.note, says: stored.says},
    inspection,
    sentences: [one],
    looked: one,
    text: inspection.text,
    textOf: inspection.text,
    ...recalled,
    head: isKnown ? recalled.head! : stored.first,
    off: [],
    at: 0,
  });
}
