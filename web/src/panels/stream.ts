/** The residual stream of a token: its state grows by what each sublayer adds, from the embedding to the output. */

import {html, nothing, svg, type TemplateResult} from "lit-html";
import type {StreamReply, SublayerReply} from "../api";
import {layerOf} from "../head-navigation";
import {chooseHead, lookUpStream, reasonAgainstParts, rowKey} from "../inspection";
import {scrollToPanel} from "../scrolling";
import {displayToken} from "../spelling";
import {state} from "../state";
import {help} from "../terms";

const WIDTH = 150;
const HEIGHT = 40;
/** The width of the longest state. */
const MAX_WIDTH = 84;
const CENTRE = WIDTH - MAX_WIDTH / 2;

const isHead = (part: string): boolean => /\.\d+\.\d+$/.test(part);

/** A sublayer in words. */
function titleOf(name: string): string {
  if (name === "embeddings") return name;
  const [kind, number] = name.split(".");
  const layer = `layer ${number}`;
  if (name.endsWith("feed_forward")) return `${layer}: feed-forward`;
  const readsWritten = kind === "decoder" && state.inspection.result?.target !== null;
  return `${layer}: reads ${readsWritten ? "what is written" : "the text"}`;
}

/** The head of a sublayer that adds most. */
function longestHead({parts}: SublayerReply): string | undefined {
  const heads = Object.keys(parts).filter(isHead);
  return heads.sort((a, b) => parts[b]! - parts[a]!)[0];
}

/** The stream of a sublayer as it joins, and the state, which is as wide as it is long. */
function junction({name, length, total}: SublayerReply, before: number, max: number): TemplateResult {
  const widthOf = (value: number): number => Math.min(MAX_WIDTH, Math.max(1, (MAX_WIDTH * value) / max));
  const [top, bottom] = [widthOf(before), widthOf(total)];
  const added = Math.min(HEIGHT, widthOf(length));
  const isSource = name === "embeddings";
  const begin = isSource ? bottom : top;
  const middle = HEIGHT / 2;
  const end = CENTRE - top / 2;
  const joining = `M 0 ${middle} C 30 ${middle}, ${end - 14} ${middle}, ${end + 6} ${middle + 4}`;
  return svg`<path class="state" d="M ${CENTRE - begin / 2} 0 L ${CENTRE + begin / 2} 0
      L ${CENTRE + bottom / 2} ${HEIGHT} L ${CENTRE - bottom / 2} ${HEIGHT} Z"></path>
    ${isSource ? nothing : svg`<path class="added" stroke-width=${added.toFixed(2)} d=${joining}></path>`}`;
}

function sublayer(
  each: SublayerReply,
  {before, max, expected}: {before: number; max: number; expected: string | undefined},
): TemplateResult {
  const {name, length, total, says} = each;
  const head = longestHead(each);
  const isChosen = head !== undefined && layerOf(state.view.head) === name;
  const open = (): void => {
    void chooseHead(head!);
    scrollToPanel(".alignment");
  };
  const lengths = `adds ${length.toFixed(2)}; the state is then ${total.toFixed(2)} long`;
  const title = titleOf(name);
  const button = html`<button
    class="link"
    title="Show head ${head?.split(".")[2]}, which adds most"
    aria-label="${title}. Show ${head}, the head that adds most"
    @click=${open}
    >${title}</button
  >`;
  return html`<div class="junction ${isChosen ? "here" : ""}" role="listitem" data-sublayer=${name}>
    <span>${head ? button : title}</span>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${lengths}>
      <title>${lengths}</title>
      ${junction(each, before, max)}
    </svg>
    <span class="number length">${length.toFixed(1)}</span>
    ${
      says
        ? html`<bdi class=${says[0] === expected ? "strong" : ""}>${displayToken(says[0])}</bdi
            ><span class="number">${(100 * says[1]).toFixed(0)} %</span>`
        : nothing
    }
  </div>`;
}

const POSITION_TERMS: Record<string, string> = {
  rotation:
    "a head rotates its query and its keys by angles that grow with their positions, so a score depends on how far " +
    "apart the two tokens are",
  bias: "a head adds a number to each score that depends on how far apart the two tokens are",
  values: "a head adds a vector to each value that depends on how far apart the two tokens are",
};

const IN_THE_ENCODER = "It is the same with the tokens of the text, in the encoder.";

/** The place where the state gets to know the order of the tokens. */
function orderStatement({sublayers, positions}: StreamReply): TemplateResult {
  const [first, second] = sublayers;
  const {token, position} = first?.parts ?? {};
  const inEmbedding = html`comes in at the first row, which has two parts: the embedding of the token,
  ${token?.toFixed(1)} long, and that of its position, ${position?.toFixed(1)} long. (They point in different
  directions, so lengths do not add up.)`;
  const inAttention = html`comes in at “${second ? titleOf(second.name) : ""}”, and at the same part of each further
  layer: ${positions.map((term, index) => html`${index ? ", and " : nothing}${POSITION_TERMS[term]}`)}.`;
  const nowhere = "does not come in: this model has no positions, so a place knows only which tokens it may look at.";
  const hasEncoder = state.inspection.result?.target !== null;
  const isEmbedded = position !== undefined;
  const isInAttention = positions.length > 0;
  return html`<p id="token-order">
    <b>The order of the tokens</b> ${isEmbedded ? inEmbedding : nothing}
    ${isInAttention ? html`${isEmbedded ? "It also" : nothing} ${inAttention}` : nothing}
    ${isEmbedded || isInAttention ? nothing : nowhere} ${hasEncoder ? IN_THE_ENCODER : nothing}
  </p>`;
}

/** The part of a layer from which on the output layer would write the token that is written. */
function wordStatement({sublayers}: StreamReply, expected: string | undefined): TemplateResult | typeof nothing {
  if (expected === undefined || !sublayers.at(-1)?.says) return nothing;
  const word = html`<bdi class="strong">${displayToken(expected)}</bdi>`;
  const last = sublayers.map(({says}) => says?.[0] !== expected).lastIndexOf(true);
  const from = sublayers[last + 1];
  return html`<p id="made-word">
    <b>The word to write</b> is made in the layers:
    ${
      from
        ? html`from “${titleOf(from.name)}” on, the output layer would write ${word}.`
        : html`at their end, ${word} is not the likeliest token.`
    }
  </p>`;
}

/** The stream of the token at a position; undefined: the model's states are not sums, or there is no server. */
export function stream(position: number, expected: string | undefined): TemplateResult | undefined {
  if (state.server.storedPage || reasonAgainstParts() || !state.inspection.result?.weights.size) return undefined;
  lookUpStream(position);
  const {stream: found} = state.inspection;
  if (!found) return html`<p class="hint">…</p>`;
  const {sublayers} = found.result;
  const max = Math.max(...sublayers.map(({total}) => total));
  return html`<div class="captions" aria-hidden="true">
      <span>part</span><span class="state-caption">state</span><span class="number length">adds</span
      ><span>would write</span><span class="number">likely</span>
    </div>
    <div class="stream ${found.cell === rowKey(position) ? "" : "stale"}" role="list">
      ${sublayers.map((each, index) => sublayer(each, {before: sublayers[index - 1]?.total ?? 0, max, expected}))}
    </div>
    ${orderStatement(found.result)} ${wordStatement(found.result, expected)}
    <p class="hint">
      From top to bottom, ${help("stream", "the state")} of the place above grows: each attention and each feed-forward
      layer adds a vector of the length beside it. The last columns have the token that the output layer would write
      from the state as it is there, and how likely (the ${help("lens", "logit lens")}). Before the last layers this is
      a hint only: the state is made for the layers that follow. At the top it is still the token that was read.
    </p>`;
}
