/** Controls of the first panel: the model, numbers to choose from, bars of probabilities. */

import {html, nothing, type TemplateResult} from "lit-html";
import {valueOf} from "../events";
import {modelNameOf, state} from "../state";
import {cancel} from "../tasks";
import {changeModel} from "../text-models";

export const TEMPERATURES = [0, 0.5, 0.8, 1, 1.3];

/** A language that is not named: und, with or without a name of its own. */
const UNKNOWN_LANGUAGES = /^und-und(-x-|$)/;

/** A list of the models; of one model, its name. */
export function modelChooser(): TemplateResult {
  const {modelName} = state.request;
  const {models} = state.server;
  if (models.length < 2) {
    return html`<span class="hint">${UNKNOWN_LANGUAGES.test(modelName) ? nothing : modelName}</span>`;
  }
  const option = (name: string): TemplateResult =>
    html`<option value=${name} ?selected=${name === modelName}>${name}</option>`;
  return html`<select id="model" aria-label="Model" @change=${(event: Event) => changeModel(valueOf(event))}>
    ${models.map(each => option(modelNameOf(each)))}
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
  const option = (value: number): TemplateResult =>
    html`<option value=${value} ?selected=${value === chosen}>${labelOf(value)}</option>`;
  return html`<select id=${id} aria-label=${label} @change=${(event: Event) => choose(Number(valueOf(event)))}>
    ${sorted.map(option)}
  </select>`;
}

/** A button that ends the translation under way. */
export const stopButton = (): TemplateResult | typeof nothing =>
  state.status.busy.translate ? html`<button @click=${() => cancel("translate")}>Stop</button>` : nothing;
