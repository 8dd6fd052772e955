/** Patching: a state of another text is put into the run on this one, and what the model says may change. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import type {PatchReply} from "../api";
import {translucent} from "../colours";
import {valueOf} from "../events";
import {patchFrom, prefixOfBoth} from "../inspection";
import {strong} from "../places";
import {saveMenu, type Row} from "../save-menu";
import {displayToken} from "../spelling";
import {chosenModel, isViewOfOther, state, update} from "../state";
import {styleProperties} from "../style-properties";
import {help} from "../terms";

const MAX_SHADE = 0.85;
/** From this effect on, a number is written in the colour of the paper. */
const DARK_EFFECT = 0.6;

const STACKS: Record<string, string> = {encoder: "Encoder: the text", decoder: "Decoder: what is written"};

/** An effect; one that rounds to 0 has no sign. */
const shown = (effect: number): string => effect.toFixed(2).replace(/^-0\.00$/, "0.00");

/** A row for each layer, the highest first, and a column for each token. */
function grid(stack: string, {tokens, effects}: PatchReply): TemplateResult {
  const layers = effects[stack]!;
  const {patched} = state.trial;
  const cell = (effect: number, layer: number, position: number): TemplateResult => {
    const isChosen = patched?.stack === stack && patched.layer === layer && patched.position === position;
    const share = Math.min(1, Math.max(0, effect));
    const colours = styleProperties({
      background: translucent("heat", MAX_SHADE * share),
      color: share > DARK_EFFECT ? "var(--paper)" : "",
    });
    const label = `${displayToken(tokens[stack]![position]!)} after layer ${layer}: effect ${shown(effect)}`;
    return html`<td>
      <button
        class="patch number"
        aria-pressed=${isChosen}
        aria-label=${label}
        ${colours}
        @click=${() => update({trial: {patched: {stack, layer, position}}})}
        >${shown(effect)}</button
      >
    </td>`;
  };
  const row = (effectsOfLayer: number[], layer: number): TemplateResult =>
    html`<tr>
      <th scope="row">layer ${layer}</th>
      ${effectsOfLayer.map((effect, position) => cell(effect, layer, position))}
    </tr>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${STACKS[stack] ?? stack}>
    <table class="patches" data-stack=${stack}>
      <thead>
        <tr>
          <th scope="col">${STACKS[stack] ?? stack}</th>
          ${tokens[stack]!.map(token => html`<th scope="col"><bdi>${displayToken(token)}</bdi></th>`)}
        </tr>
      </thead>
      <tbody> ${layers.map(row).reverse()} </tbody>
    </table>
  </div>`;
}

/** What the chosen state does, in words. */
function effectStatement({
  answers,
  difference,
  other_difference: otherDifference,
  tokens,
  effects,
}: PatchReply): unknown {
  const {patched} = state.trial;
  const layers = patched && effects[patched.stack];
  const effect = layers?.[patched!.layer]?.[patched!.position];
  if (effect === undefined) return nothing;
  const {stack, layer, position} = patched!;
  const after = difference + effect * (otherDifference - difference);
  return html`<p id="patch-effect" role="status">
    The state of the other text in the place of ${strong(tokens[stack]![position]!)}, after layer ${layer} of the
    ${stack}: <span class="strong number">${shown(effect)}</span> of the way from ${strong(answers[0]!)} to
    ${strong(answers[1]!)}. The difference of their log-probabilities is then
    <span class="number" id="patch-difference">${after.toFixed(2)}</span> ${help("difference", "nats")}.
  </p>`;
}

function outcome(result: PatchReply): TemplateResult {
  const {answers, difference, other_difference: otherDifference, effects} = result;
  return html`<p id="patch-answers">
      After this text the model says ${strong(answers[0]!)}, after the other one ${strong(answers[1]!)}: log
      p(<bdi>${displayToken(answers[0]!)}</bdi>) − log p(<bdi>${displayToken(answers[1]!)}</bdi>) is
      <span class="number">${difference.toFixed(2)}</span> and
      <span class="number">${otherDifference.toFixed(2)}</span>. Each number below: how much of the way one state of the
      other text goes, put into the run on this one. 0: nothing changes; 1: that state alone makes the model say
      ${strong(answers[1]!)}.
    </p>
    ${Object.keys(effects).map(stack => grid(stack, result))} ${effectStatement(result)}`;
}

function savePatching(result: PatchReply, other: string): TemplateResult {
  const table = (): Row[] => [
    ["stack", "layer", "position", "token", "effect"],
    ...Object.entries(result.effects).flatMap(([stack, layers]) =>
      layers.flatMap((row, layer) =>
        row.map((effect, position): Row => [stack, layer, position, result.tokens[stack]![position]!, effect]),
      ),
    ),
  ];
  return saveMenu("patching", [".patches", "#patch-effect"], table, () => ({other, ...result}));
}

export function panel(): TemplateResult | typeof nothing {
  const {result, patching, snapshot} = state.inspection;
  if (!result || snapshot !== null || state.server.storedPage || result.arch === "rnn") return nothing;
  const found = patching?.inspection === result ? patching : null;
  const text = state.trial.otherText ?? result.text;
  const send = (event: Event): void => {
    event.preventDefault();
    void patchFrom(text);
  };
  const hint = html`<p class="hint">
    Which states make the difference? Change one word of the text, so that what the model says changes, too. States of
    the other text are then put into the run on this one, one at a time: a run of the model for each token and layer.
    Both texts need the same number of tokens.
  </p>`;
  const prefix = prefixOfBoth();
  const prefixHint = html`<p class="hint">Both begin with what you wrote: <bdi class="strong">${prefix}</bdi></p>`;
  return html`<section class="panel patching ${isViewOfOther() ? "stale" : ""}" aria-labelledby="patching-title">
    <div class="head">
      <h2 id="patching-title">${help("patching", "Patching")}</h2>
      ${found ? savePatching(found.result, found.other) : nothing}
    </div>
    <form class="together" data-unsaved @submit=${send}>
      <label
        >The other text
        <input
          id="other"
          type="text"
          dir="auto"
          autocomplete="off"
          .value=${live(text)}
          @input=${(event: Event) => update({trial: {otherText: valueOf(event)}})}
        />
      </label>
      <button id="patch" ?disabled=${text === result.text || !chosenModel()}>Exchange states</button>
    </form>
    ${prefix ? prefixHint : nothing} ${found ? outcome(found.result) : hint}
  </section>`;
}
