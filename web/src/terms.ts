/** Explanations of the terms on the page: a word with dotted underline opens each. */

import {html, type TemplateResult} from "lit-html";

const TERMS = {
  tokens: [
    "Tokens",
    "Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a " +
      "text, and </s> ends it.",
  ],
  beam: [
    "Beam",
    "How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time.",
  ],
  sampling: [
    "Sampling",
    "Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 " +
      "prefers them less. “Draw again” draws others.",
  ],
  probability: [
    "Probability",
    "How likely the model found a token, after the tokens before it. The stronger the colour of a token, the " +
      "less likely it was.",
  ],
  best: [
    "The best translations",
    "What the search found, best first. The number is the score that ranks them: the logarithm of the " +
      "probability, divided by a term for the length. A text that can be written with several sequences of " +
      "tokens is listed once.",
  ],
  head: [
    "Head",
    "A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 " +
      "of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the " +
      "output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads.",
  ],
  alignment: [
    "Alignment head",
    "The head of cross-attention whose weights are most like a word alignment: high on one word, near the " +
      "line from first to last. It is a guess: read the matrix.",
  ],
  share: [
    "Share of a row",
    "Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most " +
      "half is drawn.",
  ],
  words: [
    "Words",
    "The tokens of a word are taken together: weights are summed over the tokens that are looked at, and " +
      "averaged over those that look.",
  ],
  weight: [
    "Weight",
    "How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which " +
      "then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several " +
      "texts, padding, which is no word. This page reads one text at a time, so it has no padding.",
  ],
  flow: [
    "Through all layers",
    "Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks " +
      "how a small change of an input changes the output. Integrated gradients add this up on the way from an empty " +
      "input. None is the truth: each has its caveat beside the matrix.",
  ],
  label: [
    "Label",
    "A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier " +
      "same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight.",
  ],
  entropy: [
    "Spread, or entropy",
    "How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it.",
  ],
  highest: [
    "Highest weight",
    "Of each row the largest weight, on average. The order “sharpness” begins with the highest.",
  ],
  offset: ["Offset", "How many places after its own a token looks, on average. Below 0: before."],
  worth: [
    "Worth",
    "How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: " +
      "the translation is likelier without it.",
  ],
  nats: [
    "Nats",
    "A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus " +
      "2.3 nats make it a tenth.",
  ],
  value: [
    "Value",
    "A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the " +
      "query; the value is what it gives. Strips are as strong as the weight.",
  ],
  logit: [
    "Logit",
    "The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it " +
      "is held as it is. What later layers make of the head is not counted.",
  ],
  stream: [
    "The state of a token",
    "Each token has a list of numbers, its state. It begins as the embedding; each attention and each " +
      "feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the " +
      "square root of the sum of squares.",
  ],
  lookup: [
    "Query, key, softmax",
    "Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was " +
      "read up to there, and a key of each token that is looked at. Softmax turns scores into weights: " +
      "e to the score, divided by the sum over the row.",
  ],
  temperature: [
    "Temperature",
    "Scores are divided by it before softmax. Below 1, the highest score takes more of the weight; above 1, all " +
      "become more alike. The factor 1 ÷ √d does the same: d products add up to numbers of about √d, and without the " +
      "factor one key would take nearly all of the weight.",
  ],
  "beam-search": [
    "Beam search",
    "Several beginnings of a translation are kept. Each is continued by its likeliest tokens; of all these, the best " +
      "sums of log-probabilities are kept.",
  ],
  "log-probability": [
    "Log-probability",
    "The natural logarithm of a probability, in nats. Minus 0.69 nats halves a probability; minus 2.3 nats make it a " +
      "tenth.",
  ],
  search: [
    "Score in the search",
    "The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped.",
  ],
  lens: [
    "Logit lens",
    "The output layer, which belongs after the last layer, is put after each layer: what would the model " +
      "write if it stopped there?",
  ],
  snapshot: [
    "Snapshot",
    "The model as it was after some steps of training. Training with training.keep_every keeps snapshots.",
  ],
  patching: [
    "Patching",
    "What would the model say if it had, at one place, the state that it has when it reads another text? Weights say " +
      "where a head looks; this says what a state does.",
  ],
  difference: [
    "Difference of log-probabilities",
    "In nats. Above 0, the first token is more likely than the second; plus 0.69 nats, twice as likely.",
  ],
  moved: [
    "What moved it",
    "Gradient times input: how strongly a small change of each token would change the prediction. It is a " +
      "hint, not a proof.",
  ],
} satisfies Record<string, [string, string]>;

/** The unit of changes, where their numbers stand. */
export const NATS = "In nats: −0.69 halves a probability, +0.69 doubles it.";

type Term = keyof typeof TERMS;

const MARGIN = 8;

/** Put an explanation below its button, or above it where there is no room; always inside the window. */
function positionExplanation(event: Event): void {
  const box = event.target as HTMLElement;
  const button = box.previousElementSibling!.getBoundingClientRect();
  const left = Math.max(MARGIN, Math.min(button.left, innerWidth - box.offsetWidth - MARGIN));
  const hasRoomBelow = button.bottom + box.offsetHeight + MARGIN < innerHeight;
  const top = hasRoomBelow ? button.bottom + 4 : Math.max(MARGIN, button.top - box.offsetHeight - 4);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

/** A word that opens the explanation of a term. A term has one such word on the page. */
export function help(term: Term, word: string): TemplateResult {
  const [name, text] = TERMS[term];
  return html`<span class="term"
    ><button type="button" class="help" popovertarget="term-${term}">${word}</button
    ><span id="term-${term}" class="explanation" popover @toggle=${positionExplanation}
      ><b>${name}.</b> ${text}</span
    ></span
  >`;
}
