/** The place where a query is made: the token that the model is about to write there, and the last one it has read. */

import {html, nothing, type TemplateResult} from "lit-html";
import type {AttentionView} from "./attention-view";
import {displayToken} from "./spelling";
import {state} from "./state";

export interface Place {
  /** null: there is none that is known, as after the end of a text. */
  writes: string | null;
  /** null: there is none that is known, as in a recurrent model before its first token. */
  read: string | null;
}

/** The symbol that a decoder has read where it writes its first token. */
function startSymbol(): string | null {
  const sides = state.inspection.result?.tokens.decoder;
  return sides?.keys.spelled[sides.keys.spelled.length - sides.rows.spelled.length] ?? null;
}

/** The place that is about to write a token of an output. */
export const placeBefore = (tokens: string[], position: number): Place => ({
  writes: tokens[position] ?? null,
  read: position ? (tokens[position - 1] ?? null) : startSymbol(),
});

/** The place that has read a token of a text that is written from left to right. */
export const placeAfter = (tokens: string[], position: number): Place => ({
  writes: tokens[position + 1] ?? null,
  read: tokens[position] ?? null,
});

/** Whether the rows of a kind of attention are places of a translation, of a text that goes on, or only read. */
export function rowsOf(kind: string): "translation" | "text" | "read" {
  if (kind === "encoder") return "read";
  if (state.inspection.result?.target !== null) return "translation";
  return kind === "decoder" ? "text" : "read";
}

/** The place of a row; null: nothing is written there. */
export function placeOf({kind, rows}: AttentionView, row: number): Place | null {
  const written = rowsOf(kind);
  if (written === "read") return null;
  return written === "translation" ? placeBefore(rows.labels, row) : placeAfter(rows.labels, row);
}

/** A token that stands out. */
export const strong = (token: string): TemplateResult => html`<bdi class="strong">${displayToken(token)}</bdi>`;

/** A place in words: "about to write X, has read up to Y". */
export function placeWords({writes, read}: Place, about = "about", probability: unknown = nothing): TemplateResult {
  const next = html`${writes === null ? "the next token" : strong(writes)}${probability}`;
  return read === null
    ? html`${about} to write ${next}`
    : html`${about} to write ${next}, has read up to ${strong(read)}`;
}
