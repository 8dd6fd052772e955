/** The page of `regard serve`: panels that share one state. */

import {html, nothing, render} from "lit-html";
import {count, loadModels, translate} from "./actions";
import {panel as alignment} from "./panels/alignment";
import {panel as heads} from "./panels/heads";
import {panel as layers} from "./panels/layers";
import {panel as search} from "./panels/search";
import {panel as translation} from "./panels/translate";
import {panel as without} from "./panels/without";
import {keepKey} from "./server";
import {onChange, recall, state, update} from "./state";

const THEME = "regard-theme";

function changeTheme(): void {
  const root = document.documentElement, isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (isDark ? "dark" : "light"), next = now === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  localStorage.setItem(THEME, next);
  update({});
}

function keyForm(): unknown {
  const send = (event: Event): void => {
    event.preventDefault();
    keepKey((document.querySelector("#key") as HTMLInputElement).value);
    void start();
  };
  return html`<form class="key" @submit=${send}><label>Key <input id="key" type="password" autocomplete="off"></label> <button>Use it</button></form>`;
}

function page(): unknown {
  return html`<header><h1>Regard</h1><p class="hint">Translate, and look inside while it happens.</p>
    <span class="status" role="status">${state.busy ? html`<span class="spinner"></span>${state.busy} …` : nothing}</span>
    <a href="docs">API</a><button class="theme" @click=${changeTheme} aria-label="Light or dark">◐</button></header>
  ${state.error ? html`<p class="error" role="alert">${state.error} ${state.needsKey ? nothing : html`<button @click=${() => void start()}>Try again</button>`}</p>` : nothing}
  ${state.needsKey ? keyForm() : nothing}
  <main>${state.models.length ? html`${translation()}<div class="column">${alignment()} ${layers()}</div><div class="column">${heads()} ${without()}</div>${search()}`
    : state.busy || state.error ? nothing : html`<p class="panel">This server has no model that translates. <a href="docs">Its other paths</a> answer programs.</p>`}</main>`;
}

const draw = (): void => { render(page(), document.querySelector("#page") as HTMLElement); };

async function start(): Promise<void> {
  await loadModels();
  document.body.dataset.ready = "yes";
  if (state.text && state.models.length) {
    void count();
    await translate();
  }
}

const theme = localStorage.getItem(THEME);
if (theme) document.documentElement.dataset.theme = theme;
Object.assign(state, recall());
onChange(draw);
addEventListener("hashchange", () => { update(recall()); void translate(); });
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();
void start();
