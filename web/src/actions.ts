/** What the page asks of the server. */

import {
  ask,
  askOf,
  Failure,
  inspect,
  stream,
  type Ablation,
  type Candidate,
  type Flow,
  type Inspection,
  type Lookup,
  type Model,
  type Sentence,
  type Token,
  type Traced,
} from "./server";
import {isUnder, only, stop} from "./asking";
import {siteOf} from "./heads";
import type {Shown} from "./panels/alignment";
import {
  canAblate,
  FLOW,
  isBehind,
  keyOf,
  mark,
  MEAN,
  METHODS,
  model,
  NOTHING_SEEN,
  sentence,
  settle,
  state,
  translates,
  update,
  wanted,
  type Again,
  type Chosen,
  type Done as Redone,
} from "./state";

export const direction = (): object => {
  const chosen = model();
  if (!chosen) return {};
  return chosen.direction ? {source: chosen.source, target: chosen.target} : {model: chosen.name};
};

export const options = (): object =>
  state.temperature ? {method: "sample", temperature: state.temperature, seed: state.seed} : {beam_size: state.beam};

/** A sentence and its tokens, as requests that look into the model name it. */
const pair = (one: Sentence): object =>
  translates()
    ? {...direction(), text: one.source, target_ids: one.ids}
    : {model: model()!.name, text: one.text, ...(one.ids.length ? {ids: one.ids} : {})};

/** How a sentence is written anew: in the way that it was written. */
const anew = ({how, prefix, index}: Sentence): object => ({...how, ...(prefix ? {prefix} : {}), index});

export async function loadModels(): Promise<void> {
  await only("models", "", async signal => {
    const {models} = await ask<{models: Model[]}>("models", undefined, signal);
    const first = models[0];
    const isKnown = models.some(each => keyOf(each) === state.direction);
    if (!models.length) throw new Error("The server has no model.");
    update({models, direction: isKnown || !first ? state.direction : keyOf(first), error: "", needsKey: false});
  });
}

export async function count(): Promise<void> {
  await only("count", "", async signal => {
    if (!state.text.trim() || !translates()) return update({numTokens: null});
    const found = await ask<{sentences: {tokens: string[]}[]; max_tokens: number; num_cut: number}>(
      "tokenize",
      {...direction(), text: state.text},
      signal,
    );
    const counts = found.sentences.map(each => each.tokens.length);
    update({
      numTokens: counts.reduce((sum, each) => sum + each, 0),
      longest: Math.max(0, ...counts),
      maxTokens: found.max_tokens,
      numCut: found.num_cut,
    });
  });
}

interface Done {
  text: string;
  sentences: {text: string; score: number; source: string; ids: number[]; n_best?: Candidate[]}[];
}

/** Translate the text; its tokens come while they are written. */
export async function translate(): Promise<void> {
  settle();
  await translateText();
}

/** Translate the text, and do again what the address says was done to it. */
export async function resume(): Promise<void> {
  const {text} = state;
  const again = wanted();
  const isStill = (): boolean => again !== null && wanted() === again && state.text === text && !state.error;
  await translateText();
  for (const edit of again?.edits ?? []) if (isStill()) await redo(edit);
  if (again && isStill()) await lookAgain(again, isStill);
  if (wanted() === again && !state.error) settle(); // after an error, it is tried again
  update({});
}

async function redo({at, forced, text, token, ids}: Redone): Promise<void> {
  if (!state.sentences[at]?.isDone) return;
  const {step, at: chosen} = state;
  update({at});
  await (forced === null ? take_rank({text, ids}) : decode(forced, token, text));
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
  const {text} = state;
  stop("inspect");
  if (!translates()) return;
  if (!text.trim()) {
    stop("translate");
    return update({sentences: [], textOf: "", translatedHtml: "", ...NOTHING_SEEN});
  }
  if (state.isHtml) {
    await only("translate", "Translating", async signal => {
      const found = await ask<{text: string}>(
        "translate",
        {...direction(), ...options(), text, format: "html"},
        signal,
      );
      update({translatedHtml: found.text, textOf: text, sentences: [], ...NOTHING_SEEN});
    });
    return;
  }
  const isDone = await only("translate", "Translating", async signal => {
    const how = options();
    await follow({...direction(), ...how, text, alternatives: 5}, signal, {how}, sentences => {
      update({
        sentences,
        textOf: text,
        translatedHtml: "",
        compared: null,
        peek: null,
        at: Math.max(0, Math.min(state.at, sentences.length - 1)),
      });
    });
  });
  if (isDone && sentence()?.isDone) await look();
}

/** Read a stream into sentences. What was there stays until the first token comes. */
async function follow(
  fields: object,
  signal: AbortSignal,
  begun: Partial<Sentence>,
  show: (sentences: Sentence[]) => void,
): Promise<void> {
  const wanted = state.temperature ? fields : {...fields, n_best: Math.min(state.beam, 5)};
  const sentences: Sentence[] = [];
  for await (const {name, data} of stream(wanted, signal)) {
    if (signal.aborted) return;
    if (name === "meta") {
      for (let place = 0; place < data.sentences; place++) sentences.push({...empty(), index: place, ...begun});
      continue;
    }
    if (name === "token") {
      const one = sentences[data.sentence]!;
      one.text = data.text;
      one.tokens.push(...((data.tokens as Token[]) ?? []));
    } else if (name === "done") {
      const {sentences: all, text: whole} = data as Done;
      let end = 0;
      all.forEach((found, place) => {
        const one = sentences[place]!;
        const {text, score, source, ids} = found;
        const begin = Math.max(whole.indexOf(text, end), end);
        Object.assign(one, {
          text,
          score,
          source,
          ids,
          isDone: true,
          nBest: found.n_best ?? [],
          gap: begun.gap ?? whole.slice(end, begin),
        });
        end = begin + text.length;
        take(one, found as unknown as Finished);
      });
    } else if (name === "error") {
      throw new Failure(data.status, data.message);
    }
    show(sentences);
  }
}

interface Finished {
  tokens: string[];
  token_log_probs: number[];
  alternatives?: [string, number][][];
}

/** The tokens as they are in the end: those that a stream told, and the last ones, which it tells with the translation. */
function take(one: Sentence, found: Finished): void {
  one.tokens = found.tokens.map((token, place) => ({
    token,
    log_prob: found.token_log_probs[place]!,
    alternatives: found.alternatives?.[place] ?? one.tokens[place]?.alternatives ?? [],
  }));
}

const empty = (): Sentence => ({
  source: "",
  text: "",
  tokens: [],
  ids: [],
  score: 0,
  nBest: [],
  how: {},
  index: 0,
  prefix: "",
  original: null,
  edit: null,
  isDone: false,
});

/** The symbol that ends a text, as far as an inspection shows it. */
function endSymbol(): string | undefined {
  const rows = Object.values(state.inspection?.tokens ?? {}).at(-1)?.rows;
  return rows?.offsets.at(-1) === null ? rows.spelled.at(-1) : undefined;
}

/** Whether a token can be written in the place of another: a letter or word can; of the symbols, only the one that ends the text. */
export const canBeForced = (token: string): boolean =>
  !/^<[^<>]+>$/.test(token) || (translates() && token === endSymbol());

/** Write another token in the place of one, and decode the rest of the sentence again. */
export async function force(place: number, token: string): Promise<void> {
  const one = sentence();
  if (!one?.isDone) return;
  const kept = one.tokens.slice(0, place).map(each => each.token);
  mark();
  await keepFocus(async () => {
    if (token === endSymbol()) await take_rank({text: spelled(kept), ids: one.ids.slice(0, place)});
    else await decode(place, token, spelled([...kept, token]));
  });
}

/** Where what was chosen with the keyboard goes away with what it has done, the focus goes to the chosen token. */
export async function keepFocus(act: () => Promise<void>): Promise<void> {
  const within = document.activeElement?.closest(".alternatives, .before, .nbest");
  await act();
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const {activeElement} = document;
      const isLost = !activeElement || activeElement === document.body || (activeElement as HTMLButtonElement).disabled;
      if (within && isLost)
        (
          document.querySelector<HTMLElement>('#output .token[aria-pressed="true"]') ??
          document.querySelector<HTMLElement>("#output .token")
        )?.focus();
    }),
  );
}

/** Decode the chosen sentence from a beginning that ends with the forced token. */
async function decode(place: number, token: string, prefix: string): Promise<void> {
  const one = sentence();
  const {sentences: old, at} = state;
  if (!one?.isDone) return;
  const how = options();
  const begun = {
    source: one.source,
    gap: one.gap,
    how,
    prefix,
    original: one.original ?? one,
    edit: {forced: place, token, text: prefix, ids: []},
  };
  let shown = old;
  const isDone = await only("translate", "Decoding again", async signal => {
    await follow(
      {...direction(), ...how, text: one.source, prefix, split: false, alternatives: 5},
      signal,
      begun,
      ([made]) => {
        shown = old.with(at, made!);
        update({sentences: shown, step: place, compared: null});
      },
    );
  });
  if (shown !== old && state.sentences === shown && !shown[at]!.isDone) update({sentences: old}); // it was stopped, or failed
  if (isDone && sentence()?.isDone) await look();
}

/** Take back what was done to the chosen sentence. */
export async function takeBack(): Promise<void> {
  const {original} = sentence() ?? {};
  if (!original) return;
  mark();
  await keepFocus(async () => {
    update({
      sentences: state.sentences.with(state.at, original),
      step: Math.min(state.step, original.tokens.length - 1),
      compared: null,
    });
    await look();
  });
}

/** The text of some tokens. */
export const spelled = (tokens: string[]): string => tokens.join("").replaceAll("▁", " ").trimStart();

/** Another translation of the chosen sentence, with what the model thinks of its tokens. */
async function read(one: Sentence, {text, ids}: Chosen, signal: AbortSignal): Promise<Sentence> {
  const given = ids.length ? {target_ids: ids} : {target_text: text};
  const found = await ask<Finished & {log_prob: number; ids: number[]}>(
    "score",
    {...direction(), text: one.source, ...given, alternatives: 5},
    signal,
  );
  const made = {
    ...one,
    text,
    ids: found.ids,
    original: one.original ?? one,
    edit: {forced: null, token: "", text, ids: found.ids},
    score: found.log_prob,
    tokens: [],
  };
  take(made, {...found, tokens: found.tokens.slice(0, -1)});
  return made;
}

export const isSame = (one: Chosen, other: Chosen): boolean =>
  one.text === other.text && String(one.ids) === String(other.ids);

/** Show another translation beside the chosen one; the same again: no longer. */
export async function compare(other: Chosen): Promise<void> {
  const one = sentence();
  if (!one || (state.compared && isSame(state.compared, other))) return update({compared: null});
  await only("compare", "Reading", async signal => {
    update({compared: await read(one, other, signal)});
  });
}

/** Show another of the best translations. */
export async function take_rank(other: Chosen): Promise<void> {
  const one = sentence();
  const {at} = state;
  if (!one) return;
  const isDone = await only("translate", "Reading", async signal => {
    const made = await read(one, other, signal);
    update({
      sentences: state.sentences.with(at, made),
      step: Math.max(0, Math.min(state.step, made.tokens.length - 1)),
      compared: null,
      peek: null,
    });
  });
  if (isDone) await look();
}

/** Take in an inspection; what was chosen stays where it is still there. */
export function show(inspection: Inspection, one: Sentence, snapshot: number | null = null): void {
  const isMean =
    state.head === "mean" || [...inspection.weights.keys()].some(name => `${MEAN}${siteOf(name)}` === state.head);
  const isKnown =
    isMean || METHODS.some(method => state.head === `${FLOW}${method}`) || inspection.weights.has(state.head);
  const off = state.off.filter(name => inspection.weights.has(name));
  update({
    inspection,
    looked: one,
    off,
    snapshot,
    worth: null,
    worthByToken: {},
    head: isKnown ? state.head : "mean",
    step: Math.max(0, Math.min(state.step, one.tokens.length - 1)),
    ...(off.length ? {} : {ablation: null, ablated: null}),
  });
  if (state.head.startsWith(FLOW)) void chooseHead(state.head);
}

/** What the heads look at while the chosen sentence is translated; and what changes without those that are off. */
export async function look(): Promise<void> {
  const one = sentence();
  if (!one?.isDone || !one.text || !translates()) return;
  await only("inspect", "Looking inside", async signal => {
    show(await inspect(pair(one), signal), one);
  });
  if (isBehind()) return;
  if (state.off.length) await ablate();
  if (state.traced?.source === one.source && state.traced.of !== searchedOf(one)) await search(); // of another text, it waits until it is asked for
}

/** What the heads looked at after a step of training. */
export async function lookBack(snapshot: number): Promise<void> {
  const one = sentence();
  if (!one?.isDone || !one.text) return;
  update({snapshot});
  await only("inspect", "Loading a snapshot", async signal => {
    show(await inspect({...pair(one), snapshot, ...anew(one)}, signal), one, snapshot);
  });
}

/** Show a head, or what affects what through all layers. */
export async function chooseHead(head: string): Promise<void> {
  const seen = state.inspection;
  if (!head.startsWith(FLOW) || !seen) return update({head, flow: null});
  await only("flow", "Following the layers", async signal => {
    const flow = await askOf<Flow>(seen, `flow/${head.slice(FLOW.length)}`, signal);
    if (state.inspection === seen) update({head, flow: {...flow, seen}});
  });
}

let lookedUp = "";

/** How the weight of a cell is computed, unless that is known or nobody wants to know. */
export function explainCell(found: Shown): void {
  const {inspection, head, isExplained} = state;
  const cell = cellOf(found);
  if (
    !inspection ||
    !isExplained ||
    !inspection.weights.has(head) ||
    isBehind() ||
    state.lookup?.cell === cell ||
    (lookedUp === cell && (isUnder("lookup") || state.error))
  )
    return;
  lookedUp = cell;
  void only("lookup", "", async signal => {
    const of = await askOf<Lookup>(inspection, `lookup/${head}/${found.row}/${found.key}`, signal);
    update({lookup: {of, found, cell}});
  });
}

let numInspections = 0;
const numbers = new WeakMap<Inspection, number>();

/** What a cell is called, of whatever inspection. */
export function cellOf({row, key}: Shown): string {
  const seen = state.inspection!;
  const number = numbers.get(seen) ?? ++numInspections;
  numbers.set(seen, number);
  return `${number}/${state.head}/${row}/${key}`;
}

/** Switch heads off or on. */
export async function toggle(names: string[], keeps: boolean | null = null): Promise<void> {
  const undo = [...state.undo, state.off].slice(-50);
  const isOff = names.every(name => state.off.includes(name));
  const off =
    (keeps ?? isOff) ? state.off.filter(name => !names.includes(name)) : [...new Set([...state.off, ...names])];
  update({off, undo});
  await ablate();
}

export async function setOff(off: string[], undo: string[][]): Promise<void> {
  update({off, undo});
  await ablate();
}

/** What changes without the heads that are off. */
export async function ablate(): Promise<void> {
  const one = state.looked;
  if (!state.off.length) {
    stop("ablate");
    return update({ablation: null, ablated: null});
  }
  if (!one?.isDone || !canAblate() || isBehind()) return; // when the panels have caught up, it is done
  await only("ablate", "Running without heads", async signal => {
    const how = translates() ? anew(one) : {prompt: one.source, ...one.how};
    const found = await ask<{ablations: Ablation[]; predicted?: Ablation["predicted"]}>(
      "ablate",
      {...pair(one), heads: state.off, together: true, ...how},
      signal,
    );
    const [first] = found.ablations;
    update({ablation: first ? {...first, predicted: found.predicted} : null, ablated: one});
  });
}

/** What each head is worth for the chosen sentence: layer by layer, as it becomes known. */
export async function rank(): Promise<void> {
  const {inspection, looked: one} = state;
  const names = [...(inspection?.weights.keys() ?? [])];
  const sites = [...new Set(names.map(siteOf))];
  if (!one?.isDone || !inspection || isBehind()) return;
  await only("rank", "Taking each head away", async signal => {
    let worth: Record<string, number> = {};
    let worthByToken: Record<string, number[]> = {};
    for (const [place, site] of sites.entries()) {
      const found = await ask<{worth: Record<string, number>; by_token: Record<string, number[]>}>(
        "ablate",
        {...pair(one), sweep: true, heads: names.filter(name => siteOf(name) === site)},
        signal,
      );
      if (state.inspection !== inspection) return; // another text is shown by now
      worth = {...worth, ...found.worth};
      worthByToken = {...worthByToken, ...found.by_token};
      update({
        worth,
        worthByToken,
        busy: {...state.busy, rank: `Taking each head away: ${place + 1} of ${sites.length} layers`},
      });
    }
    update({sortBy: "worth"});
  });
  if (state.error && state.inspection === inspection) update({worth: null, worthByToken: {}});
}

/** What a search is of: a text, how many beginnings are kept, and what the translation has to begin with. */
export const searchedOf = (one: Sentence): string =>
  JSON.stringify([state.direction, one.source, state.beam, one.prefix]);

/** Every candidate of the search for the chosen sentence: of beam search, also where it was drawn. */
export async function search(): Promise<void> {
  const one = sentence();
  if (!one?.isDone) return;
  await only("search", "Searching", async signal => {
    const of = searchedOf(one);
    const fields = {
      ...direction(),
      text: one.source,
      beam_size: state.beam,
      trace: true,
      split: false,
      ...(one.prefix ? {prefix: one.prefix} : {}),
    };
    const traced = await ask<Traced>("translate", fields, signal);
    const now = sentence();
    if (now && searchedOf(now) === of) update({traced: {...traced, of, source: one.source}, node: null});
  });
}
