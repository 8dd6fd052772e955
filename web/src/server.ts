/** Requests to the server. */

import type {InspectReply, NativeFailure, TextReply} from "./api";
import type {Alternative} from "./sentence";
import {chosenModel} from "./state";
import type {Inspection, Weights} from "./weights";

interface StreamedToken {
  token: string;
  log_prob: number;
  alternatives: Alternative[];
}

/** The server-sent events of a translation, which an OpenAPI document cannot describe. */
export type StreamEvent =
  | {name: "meta"; data: {sentences: number}}
  | {name: "token"; data: {sentence: number; text: string; tokens?: StreamedToken[]}}
  | {name: "done"; data: TextReply}
  | {name: "error"; data: {status: number; message: string}};

export class ServerError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The status of a server that does not answer. */
export const UNREACHABLE = 0;
/** The status of an inspection that the server no longer has. */
const GONE = 410;

const API_KEY = "regard-key";
const FORBIDDEN_CELL = 255;

export async function isServerUp(): Promise<boolean> {
  try {
    return (await fetch("health")).ok;
  } catch {
    return false;
  }
}

/** Store the key until the tab is closed. */
export const storeApiKey = (key: string): void => sessionStorage.setItem(API_KEY, key);

function headersOf(fields: unknown): Record<string, string> {
  const key = sessionStorage.getItem(API_KEY);
  return {
    ...(key ? {Authorization: `Bearer ${key}`} : {}),
    ...(fields === undefined ? {} : {"Content-Type": "application/json"}),
  };
}

/** Send fields, or ask with GET where there are none. */
async function fetchResponse(path: string, fields: unknown, signal?: AbortSignal): Promise<Response> {
  const request = {
    method: fields === undefined ? "GET" : "POST",
    headers: headersOf(fields),
    signal: signal ?? null,
    body: fields === undefined ? null : JSON.stringify(fields),
  };
  let response: Response;
  try {
    response = await fetch(path.startsWith("v1/") ? path : `api/v1/${path}`, request);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ServerError(UNREACHABLE, "The server does not answer. Is it still running?");
  }
  if (!response.ok) {
    const answer = (await response.json().catch(() => ({}))) as Partial<NativeFailure>;
    throw new ServerError(response.status, answer.error?.message ?? `The server answered ${response.status}.`);
  }
  return response;
}

export async function fetchJson<Answer>(path: string, fields?: unknown, signal?: AbortSignal): Promise<Answer> {
  return (await (await fetchResponse(path, fields, signal)).json()) as Answer;
}

/** The server-sent events of an answer. */
async function* readEvents(response: Response, signal: AbortSignal): AsyncGenerator<{name: string; data: unknown}> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const {value, done} = await reader.read().catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new ServerError(UNREACHABLE, "The server went away while it was answering. Is it still running?");
    });
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const [name, data] = event.split("\n");
      yield {name: name!.slice("event: ".length), data: JSON.parse(data!.slice("data: ".length)) as unknown};
    }
  }
}

/** Translate a text; its server-sent events. */
export async function* streamTranslation(fields: unknown, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const response = await fetchResponse("stream", fields, signal);
  for await (const each of readEvents(response, signal)) yield each as StreamEvent;
}

/** Ask about an inspection. If the server no longer has it, as after a restart, it inspects again. */
export async function fetchOfInspection<Answer>(
  inspection: Inspection,
  path: string,
  signal: AbortSignal,
  ask = fetchJson<Answer>,
): Promise<Answer> {
  try {
    return await ask(`inspect/${inspection.id}/${path}`, undefined, signal);
  } catch (error) {
    if (!(error instanceof ServerError) || error.status !== GONE) throw error;
    inspection.id = (await fetchJson<InspectReply>("inspect", inspection.request, signal)).id;
    return await ask(`inspect/${inspection.id}/${path}`, undefined, signal);
  }
}

type ProgressEvent =
  | {name: "progress"; data: {done: number; total: number}}
  | {name: "done"; data: unknown}
  | {name: "error"; data: {status: number; message: string}};

/** Ask for what takes a while; the progress is told on the way. */
export async function fetchSlowly<Answer>(
  inspection: Inspection,
  path: string,
  signal: AbortSignal,
  tell: (done: number, total: number) => void,
): Promise<Answer> {
  return await fetchOfInspection<Answer>(inspection, path, signal, async whole => {
    for await (const each of readEvents(await fetchResponse(whole, undefined, signal), signal)) {
      const {name, data} = each as ProgressEvent;
      if (name === "error") throw new ServerError(data.status, data.message);
      if (name === "done") return data as Answer;
      if (!signal.aborted) tell(data.done, data.total);
    }
    throw new ServerError(UNREACHABLE, "The server went away while it was answering. Is it still running?");
  });
}

/** The weights of all heads of a kind, by name: a byte for each. */
async function fetchWeights(id: string, kind: string, signal: AbortSignal): Promise<[string, Weights][]> {
  const response = await fetchResponse(`inspect/${id}/attention/${kind}`, undefined, signal);
  const {headers} = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const [, rows, keys] = headers.get("X-Shape")!.split(",").map(Number) as [number, number, number];
  const scale = Number(headers.get("X-Scale"));
  const names = headers.get("X-Heads")!.split(",");
  return names.map((name, index) => {
    const values = bytes.subarray(index * rows * keys, (index + 1) * rows * keys);
    return [name, {rows, keys, values, scale, forbidden: FORBIDDEN_CELL}];
  });
}

/** The attention of all heads, with the statistics of each. */
export async function inspect(fields: object, signal: AbortSignal): Promise<Inspection> {
  const lens = chosenModel()?.arch !== "rnn"; // it has no layers whose states could be read
  const answer = await fetchJson<InspectReply>("inspect", {...fields, lens}, signal);
  const kinds = Object.keys(answer.tokens);
  const weights = await Promise.all(kinds.map(kind => fetchWeights(answer.id, kind, signal)));
  return {...answer, request: fields, weights: new Map(weights.flat())};
}
