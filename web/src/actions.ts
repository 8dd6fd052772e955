/** What the page asks of the server. A newer request of a kind ends the one before. */

import {ask, Failure, inspect, stream, type Ablation, type Flow, type Inspection, type Lookup, type Model, type Sentence, type Token, type Traced} from "./server";
import {siteOf} from "./heads";
import {saveText} from "./saving";
import {canAblate, keyOf, model, NOTHING_SEEN, sentence, settle, state, translates, update, wanted, type Again, type Edit} from "./state";

const running = new Map<string, AbortController>();

/** Do something, unless the same is asked for anew meanwhile; errors are shown. */
export async function only(kind: string, busy: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  running.get(kind)?.abort();
  const controller = new AbortController();
  running.set(kind, controller);
  if (busy) update({busy: {...state.busy, [kind]: busy}, error: ""});
  try {
    await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) return;
    update({error: error instanceof Error ? error.message : String(error), needsKey: error instanceof Failure && error.status === 403});
  } finally {
    if (running.get(kind) === controller) finish(kind);
  }
}

function finish(kind: string): void {
  running.delete(kind);
  const {[kind]: _, ...busy} = state.busy;
  update({busy});
}

/** End what is under way. */
export function stop(kind: string): void {
  running.get(kind)?.abort();
  finish(kind);
}

const direction = (): object => {
  const chosen = model();
  if (!chosen) return {};
  return chosen.direction ? {source: chosen.source, target: chosen.target} : {model: chosen.name};
};

const options = (): object =>
  state.temperature ? {method: "sample", temperature: state.temperature, seed: state.seed} : {beam_size: state.beam};

/** The chosen sentence, as requests that look into the model name it. */
const pair = (one: Sentence): object =>
  translates() ? {...direction(), text: one.source, target_text: one.text} : {model: model()!.name, text: one.text};

export async function loadModels(): Promise<void> {
  await only("models", "", async signal => {
    const {models} = await ask<{models: Model[]}>("models", undefined, signal), first = models[0];
    const isKnown = models.some(each => keyOf(each) === state.direction);
    if (!models.length) throw new Error("The server has no model.");
    update({models, direction: isKnown || !first ? state.direction : keyOf(first), error: "", needsKey: false});
  });
}

export async function count(): Promise<void> {
  await only("count", "", async signal => {
    if (!state.text.trim() || !translates()) return update({numTokens: null});
    const found = await ask<{sentences: {tokens: string[]}[]; max_tokens: number; num_cut: number}>("tokenize", {...direction(), text: state.text}, signal);
    update({numTokens: found.sentences.reduce((sum, each) => sum + each.tokens.length, 0), maxTokens: found.max_tokens, numCut: found.num_cut});
  });
}

interface Done { sentences: {text: string; score: number; source: string; n_best?: {text: string; score: number}[]}[] }

/** Translate the text; its tokens come while they are written. */
export async function translate(): Promise<void> {
  settle();
  await translateText();
}

/** Translate the text, and do again what the address says was done to it. */
export async function resume(): Promise<void> {
  const {text} = state, again = wanted(), isStill = (): boolean => again !== null && wanted() === again && state.text === text && !state.error;
  await translateText();
  for (const edit of again?.edits ?? []) if (isStill()) await redo(edit);
  if (again && isStill()) await lookAgain(again, isStill);
  if (wanted() === again) settle();
  update({});
}

async function redo({at, forced, text}: Edit): Promise<void> {
  if (!state.sentences[at]?.isDone) return;
  const {step, at: chosen} = state;
  update({at});
  await (forced === null ? take_rank(text) : decode(forced, text));
  update({at: chosen, step});
  if (at !== chosen) await look();
}

async function lookAgain({snapshot, compared, searched, ranked}: Again, isStill: () => boolean): Promise<void> {
  const {sortBy} = state;
  if (searched && isStill()) await search();
  if (ranked && isStill()) await rank();
  update({sortBy});
  if (compared && isStill()) await compare(compared);
  if (snapshot !== null && model()?.snapshots?.includes(snapshot) && isStill()) await lookBack(snapshot);
}

async function translateText(): Promise<void> {
  running.get("inspect")?.abort();
  if (!translates()) return;
  if (!state.text.trim()) {
    stop("translate");
    return update({sentences: [], ...NOTHING_SEEN});
  }
  if (state.isHtml) {
    return await only("translate", "Translating", async signal => {
      update({sentences: [], ...NOTHING_SEEN});
      const {text} = await ask<{text: string}>("translate", {...direction(), ...options(), text: state.text, format: "html"}, signal);
      update({translatedHtml: text});
    });
  }
  await only("translate", "Translating", async signal => {
    const sentences: Sentence[] = [];
    const fields = {...direction(), ...options(), text: state.text, alternatives: 5};
    update({sentences, at: Math.max(state.at, 0), ...NOTHING_SEEN});
    await follow(fields, signal, sentences, 0);
    update({at: Math.min(state.at, Math.max(sentences.length - 1, 0))});
  });
  if (sentence()?.isDone) await look();
}

/** Read a stream into sentences from the place `first` on. */
async function follow(fields: object, signal: AbortSignal, sentences: Sentence[], first: number): Promise<void> {
  const wanted = state.temperature ? fields : {...fields, n_best: Math.min(state.beam, 5)};
  for await (const {name, data} of stream(wanted, signal)) {
    if (signal.aborted) return;
    if (name === "meta") {
      for (let place = 0; place < data.sentences; place++) sentences[first + place] ??= empty();
    } else if (name === "token") {
      const one = sentences[first + data.sentence]!;
      one.text = data.text;
      one.tokens.push(...(data.tokens as Token[] ?? []));
    } else if (name === "done") {
      (data as Done).sentences.forEach((found, place) => {
        const one = sentences[first + place]!;
        const {text, score, source} = found;
        Object.assign(one, {text, score, source, isDone: true, nBest: found.n_best ?? []});
        take(one, found as unknown as Finished);
      });
    } else if (name === "error") {
      throw new Failure(data.status, data.message);
    }
    update({sentences});
  }
}

interface Finished { tokens: string[]; token_log_probs: number[]; alternatives?: [string, number][][] }

/** The tokens as they are in the end: those that a stream told, and the last ones, which it tells with the translation. */
function take(one: Sentence, found: Finished): void {
  one.tokens = found.tokens.map((token, place) => ({
    token, log_prob: found.token_log_probs[place]!, alternatives: found.alternatives?.[place] ?? one.tokens[place]?.alternatives ?? [],
  }));
}

const empty = (): Sentence =>
  ({source: "", text: "", tokens: [], score: 0, nBest: [], before: null, edit: null, isDone: false});

/** The symbol that ends a text, as far as an inspection shows it. */
function endSymbol(): string | undefined {
  const rows = Object.values(state.inspection?.tokens ?? {}).at(-1)?.rows;
  return rows?.offsets.at(-1) === null ? rows.spelled.at(-1) : undefined;
}

/** Whether a token can be written in the place of another: a letter or word can; of the symbols, only the one that ends the text. */
export const canBeForced = (token: string): boolean => !/^<[^<>]+>$/.test(token) || (translates() && token === endSymbol());

/** Write another token in the place of one, and decode the rest of the sentence again. */
export async function force(place: number, token: string): Promise<void> {
  const one = sentence();
  if (!one?.isDone) return;
  const kept = one.tokens.slice(0, place).map(each => each.token);
  if (token === endSymbol()) return take_rank(spelled(kept));
  await decode(place, spelled([...kept, token]));
}

/** Decode the chosen sentence from a beginning that ends with the forced token. */
async function decode(place: number, prefix: string): Promise<void> {
  const one = sentence(), {sentences: old, at} = state;
  if (!one?.isDone) return;
  const made = {...empty(), source: one.source, before: one.before ?? one.text, edit: {forced: place, text: prefix}}, sentences = old.with(at, made);
  await only("translate", "Decoding again", async signal => {
    update({sentences, step: place, ...NOTHING_SEEN});
    await follow({...direction(), ...options(), text: one.source, prefix, split: false, alternatives: 5}, signal, sentences, at);
  });
  if (state.sentences === sentences && !made.isDone) update({sentences: old});  // it was stopped, or failed
  if (sentence()?.isDone) await look();
}

/** The text of some tokens. */
export const spelled = (tokens: string[]): string => tokens.join("").replaceAll("▁", " ").trimStart();

/** Another translation of the chosen sentence, with what the model thinks of its tokens. */
async function read(one: Sentence, text: string, signal: AbortSignal): Promise<Sentence> {
  const found = await ask<Finished & {log_prob: number}>("score", {...direction(), text: one.source, target_text: text, alternatives: 5}, signal);
  const made = {...one, text, before: one.before ?? one.text, edit: {forced: null, text}, score: found.log_prob, tokens: []};
  take(made, {...found, tokens: found.tokens.slice(0, -1)});
  return made;
}

/** Show another translation beside the chosen one; the same again: no longer. */
export async function compare(text: string): Promise<void> {
  const one = sentence();
  if (!one || state.compared?.text === text) return update({compared: null});
  await only("compare", "Reading", async signal => { update({compared: await read(one, text, signal)}); });
}

/** Show another of the best translations. */
export async function take_rank(text: string): Promise<void> {
  const one = sentence();
  if (!one) return;
  await only("translate", "Reading", async signal => {
    const made = await read(one, text, signal);
    const sentences = [...state.sentences];
    sentences[state.at] = made;
    update({sentences, ...NOTHING_SEEN, traced: state.traced, node: state.node});
  });
  await look();
}

/** Take in an inspection; what was chosen stays where it is still there. */
function show(inspection: Inspection, snapshot: number | null = null): void {
  const isMean = state.head === "mean" || [...inspection.weights.keys()].some(name => `${MEAN}${siteOf(name)}` === state.head);
  const isKnown = isMean || state.head.startsWith(FLOW) || inspection.weights.has(state.head);
  const length = sentence()?.tokens.length ?? 1, off = state.off.filter(name => inspection.weights.has(name));
  update({inspection, off, snapshot, worth: null, flow: null, lookup: null, head: isKnown ? state.head : "mean", step: Math.max(0, Math.min(state.step, length - 1))});
  if (state.head.startsWith(FLOW)) void chooseHead(state.head);
}

/** What the heads look at while the chosen sentence is translated; and what changes without those that are off. */
export async function look(): Promise<void> {
  const one = sentence();
  if (!one?.isDone || !one.text) return;
  await only("inspect", "Looking inside", async signal => {
    show(await inspect({...direction(), text: one.source, target_text: one.text}, signal));
  });
  if (state.inspection && state.off.length) await ablate();
}

/** What the heads looked at after a step of training. */
export async function lookBack(snapshot: number): Promise<void> {
  const one = sentence();
  if (!one?.isDone || !one.text) return;
  update({snapshot});
  await only("inspect", "Loading a snapshot", async signal => {
    show(await inspect({...direction(), text: one.source, target_text: one.text, snapshot, beam_size: state.beam}, signal), snapshot);
  });
}

export const FLOW = "flow.", MEAN = "mean.", METHODS = ["rollout", "gradient", "integrated-gradients"];

/** Show a head, or what affects what through all layers. */
export async function chooseHead(head: string): Promise<void> {
  update({head, flow: null});
  const id = state.inspection?.id;
  if (!head.startsWith(FLOW) || !id) return;
  await only("flow", "Following the layers", async signal => {
    update({flow: await ask<Flow>(`inspect/${id}/flow/${head.slice(FLOW.length)}`, undefined, signal)});
  });
}

let lookedUp = "";

/** How the weight of a cell is computed, unless that is known or nobody wants to know. */
export function explainCell(row: number, key: number): void {
  const {inspection, head, isExplained} = state, cell = `${inspection?.id}/lookup/${head}/${row}/${key}`;
  if (!inspection || !isExplained || !inspection.weights.has(head) || (cell === lookedUp && state.lookup)) return;
  lookedUp = cell;
  void only("lookup", "", async signal => { update({lookup: await ask<Lookup>(`inspect/${cell}`, undefined, signal)}); });
}

/** Switch heads off or on. */
export async function toggle(names: string[], keeps: boolean | null = null): Promise<void> {
  const undo = [...state.undo, state.off].slice(-50), isOff = names.every(name => state.off.includes(name));
  const off = keeps ?? isOff ? state.off.filter(name => !names.includes(name)) : [...new Set([...state.off, ...names])];
  update({off, undo});
  await ablate();
}

export async function setOff(off: string[], undo: string[][]): Promise<void> {
  update({off, undo});
  await ablate();
}

/** What changes without the heads that are off. */
export async function ablate(): Promise<void> {
  const one = sentence();
  if (!state.off.length) {
    stop("ablate");
    return update({ablation: null});
  }
  if (!one?.isDone || !canAblate()) return;
  await only("ablate", "Running without heads", async signal => {
    const how = translates() ? {beam_size: state.beam} : {prompt: one.source, max_tokens: state.length};
    const found = await ask<{ablations: Ablation[]; predicted?: Ablation["predicted"]}>("ablate", {...pair(one), heads: state.off, together: true, ...how}, signal);
    const [first] = found.ablations;
    update({ablation: first ? {...first, predicted: found.predicted} : null});
  });
}

/** What each head is worth for the chosen sentence: layer by layer, as it becomes known. */
export async function rank(): Promise<void> {
  const one = sentence(), {inspection} = state, names = [...inspection?.weights.keys() ?? []], sites = [...new Set(names.map(siteOf))];
  if (!one?.isDone || !inspection) return;
  await only("rank", "Taking each head away", async signal => {
    let worth: Record<string, number> = {}, worthByToken: Record<string, number[]> = {};
    update({worth, worthByToken});
    for (const [place, site] of sites.entries()) {
      const found = await ask<{worth: Record<string, number>; by_token: Record<string, number[]>}>(
        "ablate", {...pair(one), sweep: true, heads: names.filter(name => siteOf(name) === site)}, signal);
      if (state.inspection !== inspection) return;  // another text is shown by now
      worth = {...worth, ...found.worth};
      worthByToken = {...worthByToken, ...found.by_token};
      update({worth, worthByToken, busy: {...state.busy, rank: `Taking each head away: ${place + 1} of ${sites.length} layers`}});
    }
    update({sortBy: "worth"});
  });
  if (state.error && state.inspection === inspection) update({worth: null, worthByToken: {}});
}

/** Every candidate of the search for the chosen sentence. */
export async function search(): Promise<void> {
  const one = sentence();
  if (!one?.isDone) return;
  await only("search", "Searching", async signal => {
    const fields = {...direction(), text: one.source, beam_size: state.beam, trace: true, split: false};
    const traced = await ask<Traced>("translate", fields, signal);
    if (sentence()?.source === one.source) update({traced, node: null});
  });
}

const LINES = 50;  // in one request

/** Translate a file, and give the translation to the reader as another. HTML keeps its tags; of other texts, each line is translated. */
export async function translateFile(file: File): Promise<void> {
  await only("file", `Translating ${file.name}`, async signal => {
    const text = await file.text(), isHtml = /\.html?$/i.test(file.name), lines = isHtml ? [text] : text.split("\n"), found: string[] = [];
    for (let first = 0; first < lines.length; first += LINES) {
      const texts = lines.slice(first, first + LINES);
      const {translations} = await ask<{translations: {text?: string; error?: {message: string}}[]}>(
        "translate", {...direction(), ...options(), texts, format: isHtml ? "html" : "text"}, signal);
      translations.forEach((each, place) => {
        if (each.error) throw new Failure(400, `Line ${first + place + 1} of ${file.name}: ${each.error.message}`);
        found.push(each.text ?? "");
      });
      update({busy: {...state.busy, file: `Translating ${file.name}: ${Math.min(first + LINES, lines.length)} of ${lines.length} lines`}});
    }
    const [, name, ending] = /^(.*?)(\.[^.]*)?$/.exec(file.name) as unknown as [string, string, string | undefined];
    saveText(`${name}.${model()?.target ?? "translated"}${ending ?? ".txt"}`, found.join("\n"), isHtml ? "text/html" : "text/plain");
  });
}
