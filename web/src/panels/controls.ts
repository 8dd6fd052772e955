/** Controls of several panels: lists to choose from, and what ends or repeats a request. */

import {html, nothing, type TemplateResult} from "lit-html";
import {live} from "lit-html/directives/live.js";
import {valueOf} from "../events";
import {modelNameOf, state, translates, update} from "../state";
import {cancel} from "../tasks";
import {changeModel} from "../text-models";

export const TEMPERATURES = [0, 0.5, 0.8, 1, 1.3];

/** An entry of a list. The reader may have chosen another one since it was drawn: `live` looks at the list itself. */
export const option = (value: string | number, label: unknown, isChosen: boolean): TemplateResult =>
  html`<option value=${value} .selected=${live(isChosen)}>${label}</option>`;

/** A language that is not named: und, with or without a name of its own. */
const UNKNOWN_LANGUAGES = /^und-und(-x-|$)/;

/** A list of the models; of one model, its name. */
export function modelChooser(): TemplateResult {
  const {modelName} = state.request;
  const {models} = state.server;
  if (models.length < 2) {
    return html`<span class="hint">${UNKNOWN_LANGUAGES.test(modelName) ? nothing : modelName}</span>`;
  }
  return html`<select id="model" aria-label="Model" @change=${(event: Event) => changeModel(valueOf(event))}>
    ${models.map(modelNameOf).map(name => option(name, name, name === modelName))}
  </select>`;
}

/** A list of numbers, among them the chosen one. */
export function numberChooser(
  id: string,
  numbers: number[],
  chosen: number,
  choose: (value: number) => void,
  label: string,
  labelOf: (value: number) => string | number = String,
): TemplateResult {
  const sorted = [...new Set([...numbers, chosen])].sort((a, b) => a - b);
  return html`<select id=${id} aria-label=${label} @change=${(event: Event) => choose(Number(valueOf(event)))}>
    ${sorted.map(value => option(value, labelOf(value), value === chosen))}
  </select>`;
}

/** A button that ends the task of a kind, if one is under way. */
export const stopButton = (kind: string): TemplateResult | typeof nothing =>
  state.status.busy[kind] ? html`<button @click=${() => cancel(kind)}>Stop</button>` : nothing;

/** A button that draws another sample, where the output is one. */
export function drawAgainButton(act: () => void): TemplateResult | typeof nothing {
  const {temperature, seed, text} = state.request;
  if (!temperature || (translates() && !text.trim())) return nothing;
  const draw = (): void => {
    update({request: {seed: seed + 1}});
    act();
  };
  return html`<button id="again" @click=${draw}>Draw again</button>`;
}
