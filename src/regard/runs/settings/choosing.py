"""Chooses what nobody gave from what the pairs look like: the kinds and the size of the vocabulary, depth, dropout, batches.

Three kinds of pairs are told apart (measured in docs/experiments.md):

* *strings*: at least one side is spelled, letter by letter, and a line of it is a word or a few: inflection, transliteration,
  words to phones. Subwords would be whole words that nothing else has, so each letter is a token;
* *symbols*: both sides are made of a few words that come again and again: commands and actions. Each word is a token;
* *sentences*: everything else. Subwords, as many as are seen often enough.

What is written letter by letter has a recurrent model, by a recipe, and so have words to sounds and symbols, unless there are
many. Everything else has a Transformer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from regard.data.corpus import Pairs
from regard.evaluation.text_metrics import tokenization_hint
from regard.runs.settings.defaults import ARCH, BATCH, JOINED, KINDS, METRIC, NORMALIZATION, VOCABULARY, to_fit
from regard.runs.settings.measuring import FEW, Side, measured, rare_share, some_pairs
from regard.runs.settings.reading import RECIPE_PREFIX, read_yaml
from regard.runs.settings.run_settings import USUAL_ARCH, RunSettings
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import Kind, TokenizerConfig

LEAST_PAIRS = 100
"""The least number of pairs that are measured."""
MOST_SYMBOLS, MOST_NEW_SYMBOLS = 2000, 0.03
"""A side of symbols has at most so many different words, and on a line at most so many that were not seen before."""
SHORT_SYMBOL = 3
"""Letters of a word, on average, up to which words stand for sounds, and not for what is spelled on the other side."""
MORE_SOUNDS = 1.5
"""The least ratio of sounds to words where words are written as sounds."""
LONGEST_STRING, LONGEST_WORD, LONGEST_SPELLED = 4, 20, 60
"""The most words of a string, letters of its words, and letters of the line that it is written for, on average. Longer words
are the sentences of a language that is written without spaces."""
RARE_WORDS, RARE_LETTERS, RARE_TOKENS = 0.3, 0.01, 0.03
"""The share of words that are rare in strings; the share of rare letters from which these are taken apart; the largest share
of subwords in a text that may be rare."""
LETTERS_TO_A_SUBWORD, SMALLER, LEAST_SUBWORDS = 70, 0.71, 300
"""Bytes of text to each subword of the largest vocabulary that is tried; how much smaller the next one is, the root of a half;
and the least one."""
FEW_PAIRS, MANY_PAIRS = 2_000, 20_000
ENOUGH_TO_MATCH = 100
"""The least number of pairs for validation by exact match or BLEU: of fewer, a pair more or less decides."""
SHORT_EPOCHS, SENTENCE_EPOCHS, SHORT_STEPS, SYMBOL_STEPS = 100, 60, 2000, 4000
"""The most epochs of strings and symbols, and of fewer than `MANY_PAIRS` sentences, if that is more than so many steps; more
of symbols.
"""
NAMES: Mapping[Kind, str] = {"characters": "character", "words": "word", "bpe": "subword", "unigram": "subword"}
DROPOUT = "model.dropout"
THOUSANDS: dict[str, Any] = {DROPOUT: 0.3, "model.positions": "rotary"}
"""The settings that suit some thousands of sentences or strings (docs/experiments.md)."""
FEW_STRINGS: dict[str, Any] = THOUSANDS | {
    "model.num_encoder_layers": 2, "model.num_decoder_layers": 2, DROPOUT: 0.4, BATCH: 1024,
}  # fmt: skip
RECIPE_OF_STRINGS, RECIPE_OF_SOUNDS, RECIPE_OF_SYMBOLS = "inflection", "g2p", "scan-simple"
OF_FEW = "-low"
"""The recipes of recurrent models, which write strings, sounds and symbols better than a Transformer (docs/experiments.md);
and the end of the name of those for few strings and sounds.
"""
JOINED_SOUNDS = 0.5
"""The share of few words and their sounds that are read with another pair after them; inflected forms gain nothing by it."""


@dataclass(frozen=True)
class Choice:
    """The choice for some pairs, and its reason."""

    kinds: tuple[Kind, Kind] = ("bpe", "bpe")
    """The kinds of tokens of source and target."""
    reason: str = ""
    """The reason for the kinds, in words."""
    metric: str | None = None
    """The score of validation that counts for such texts; None: the preset's."""
    most_epochs: int | None = SHORT_EPOCHS
    """The most epochs; None: as many as of other texts."""
    least_steps: int = SHORT_STEPS
    """The number of steps that there may be however many epochs they are."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Settings, such as `model.dropout`, if the family is given."""
    recipe: str | None = None
    """The recipe that decides about family and settings, if no family is given; None: there is none."""
    over_recipe: tuple[str, ...] = (NORMALIZATION,)
    """The names of values that win over the recipe's."""


def chosen_by_data(settings: RunSettings, corpora: Sequence[Pairs], num_valid: int) -> tuple[RunSettings, list[str]]:
    """The settings of a run with what these pairs decide, as far as nobody gave it; and what the user should be told. A demo, a
    resumed run and one that begins with a model are as they are.

    Args:
        num_valid: pairs for validation; 0: there is no training, of whose settings could be told.
    """
    if not settings.follows_data or settings.is_frozen:
        return settings, []
    if (choice := choice_for(corpora, num_valid)) is None:
        return settings, []
    if choice.recipe is not None and ARCH in to_fit(settings):
        kept = {key: value for key, value in choice.values.items() if key in choice.over_recipe}
        settings, choice = with_recipe(settings, choice.recipe), replace(choice, values=kept)
    found = with_choice(settings, choice, corpora)
    return found, choice_notes(found, choice, trains=num_valid > 0)


def choice_for(corpora: Sequence[Pairs], num_valid: int) -> Choice | None:
    """The choice for some pairs; None: they are too few to tell.

    Args:
        num_valid: pairs for validation.
    """
    pairs = list(some_pairs(corpora))
    if len(pairs) < LEAST_PAIRS:
        return None
    targets, count = [pair.target for pair in pairs], sum(corpus.num_lines for corpus in corpora)
    source, target = measured(pair.source for pair in pairs), measured(targets)
    kinds, reason = kinds_for(source, target)
    values: dict[str, Any] = {}
    is_coarse = num_valid < ENOUGH_TO_MATCH
    if kinds == ("bpe", "bpe"):
        has_spaces = target.letters_of_a_word <= LONGEST_WORD and not tokenization_hint(targets)
        metric = "bleu" if has_spaces and not is_coarse else "chrf"
        if count >= MANY_PAIRS:
            return Choice(most_epochs=None)
        values |= THOUSANDS if count >= FEW_PAIRS else {}
        return Choice(metric=metric, most_epochs=SENTENCE_EPOCHS, values=values)
    recipe, least_steps = None, SHORT_STEPS
    over_recipe: tuple[str, ...] = (NORMALIZATION,)
    if kinds == ("words", "words") and count < MANY_PAIRS:
        recipe, least_steps = RECIPE_OF_SYMBOLS, SYMBOL_STEPS
    if "characters" in kinds:
        are_few = count < FEW_PAIRS
        values |= FEW_STRINGS if are_few else THOUSANDS if count < MANY_PAIRS else {}
        if kinds[1] == "characters":
            recipe, over_recipe = RECIPE_OF_STRINGS, (NORMALIZATION, DROPOUT)
        elif count < MANY_PAIRS:
            recipe = RECIPE_OF_SOUNDS
            values |= {JOINED: JOINED_SOUNDS} if are_few else {}
        if recipe is not None and are_few:
            recipe += OF_FEW
        spelled = [side for kind, side in zip(kinds, (source, target), strict=True) if kind == "characters"]
        rare = max(side.rare_letters for side in spelled)
        if rare > RARE_LETTERS and max(side.rare_parts for side in spelled) < rare / 2:
            values[NORMALIZATION] = "NFD"
    metric = "chrf" if is_coarse else "exact_match"
    return Choice(kinds, reason, metric, SHORT_EPOCHS, least_steps, values, recipe, over_recipe)


def kinds_for(source: Side, target: Side) -> tuple[tuple[Kind, Kind], str]:
    """The best kinds of tokens for the two sides of some pairs, and the reason, in words."""
    if _is_symbols(source) and _is_symbols(target):
        count = max(source.different_words, target.different_words)
        return ("words", "words"), f"at most {count:,} different words on a side, and hardly ever a new one"
    if _is_symbols(target) and _is_spelled(source) and target.words_of_a_line >= MORE_SOUNDS * source.words_of_a_line:
        return ("characters", "words"), (
            f"words of {source.letters_of_a_word:.0f} letters, and {target.different_words:,} different symbols"
        )
    if _is_string(target) and _is_spelled(source):
        reason = f"{target.rare_words:.0%} of the words to write are seen under {FEW} times"
        is_sounds = _is_symbols(source) and source.letters_of_a_word <= SHORT_SYMBOL
        return ("words" if is_sounds else "characters", "characters"), reason
    return ("bpe", "bpe"), ""


def _is_symbols(side: Side) -> bool:
    """Whether all words of a side are known, by Good and Turing's estimate of how many are not."""
    return side.different_words <= MOST_SYMBOLS and side.new_words * side.words_of_a_line <= MOST_NEW_SYMBOLS


def _is_string(side: Side) -> bool:
    """Whether a line is a word or a few, nearly each another one."""
    return (
        side.rare_words >= RARE_WORDS
        and side.words_of_a_line <= LONGEST_STRING
        and side.letters_of_a_word <= LONGEST_WORD
    )


def _is_spelled(side: Side) -> bool:
    """Whether a line is short enough to be read letter by letter."""
    return side.letters_of_a_line <= LONGEST_SPELLED and side.letters_of_a_word <= LONGEST_WORD


def with_recipe(settings: RunSettings, name: str) -> RunSettings:
    """The same with the family and the settings of a recipe, as far as nobody gave them."""
    recipe = read_yaml(RECIPE_PREFIX + name)
    values = {f"{section}.{key}": value for section, keys in recipe.items() for key, value in keys.items()}
    del values[VOCABULARY]  # each letter and each sound is a token, however many there are
    return settings.of_family(values[ARCH], values)


def with_choice(settings: RunSettings, choice: Choice, corpora: Sequence[Pairs]) -> RunSettings:
    """The same with what was chosen, as far as nobody gave it; and with a size of the vocabulary that the texts can fill."""
    keys = to_fit(settings)
    values = dict(choice.values)
    if choice.metric is not None:
        values[METRIC] = choice.metric
    if choice.kinds != ("bpe", "bpe"):
        source, target = choice.kinds
        values["tokenizer.kind"] = source
        if source != target:
            values |= {"tokenizer.target_kind": target, "tokenizer.shared": False}
            values |= {"model.tied_embeddings": "target"}
    elif "tokenizer.kind" in keys:
        values[VOCABULARY] = subwords_of(corpora, settings.tokenizer)
    if choice.most_epochs is not None:
        settings = settings.model_copy(update={"most_epochs": choice.most_epochs, "least_steps": choice.least_steps})
    return settings.changed(values, keys).model_copy(update={"reported": frozenset(values).intersection(keys)})


def subwords_of(corpora: Sequence[Pairs], config: TokenizerConfig) -> int:
    """The largest size of a vocabulary of which hardly any token is seen under ten times; at most that of `config`."""
    size = sum(corpus.num_bytes for corpus in corpora) // LETTERS_TO_A_SUBWORD
    if size >= config.vocab_size * 4:  # of so much text, hardly any is
        return config.vocab_size
    texts = [text for corpus in corpora for pair in corpus.numbered() for text in (pair.source, pair.target)]
    size = min(max(size, LEAST_SUBWORDS), config.vocab_size)
    while size > LEAST_SUBWORDS:
        tokenizer = Tokenizer.train(texts, config.model_copy(update={"vocab_size": size}))
        if rare_share(Counter(id for ids in tokenizer.encode_batch(texts) for id in ids)) <= RARE_TOKENS:
            return size
        size = max(round(size * SMALLER), LEAST_SUBWORDS)
    return size


def choice_notes(settings: RunSettings, choice: Choice, *, trains: bool = True) -> list[str]:
    """In one line, what was chosen by the data, why, and the options that bring back what the preset has.

    Args:
        trains: whether settings of the training are among them.
    """
    if settings.from_recipe:
        return [_recipe_note(settings, choice, trains=trains)]
    tokenizer, training, layers = settings.tokenizer, settings.training, settings.model
    of_source, of_target = (NAMES[kind] for kind in choice.kinds)
    cut = of_source if of_source == of_target else f"{of_source} of the source and each {of_target} of the target"
    shown = {
        "tokenizer.kind": f"a token for each {cut} ({choice.reason})",
        "tokenizer.target_kind": "",
        NORMALIZATION: f"normal form {tokenizer.normalization}",
        VOCABULARY: f"{tokenizer.vocab_size:,} subwords",
        "model.num_encoder_layers": f"{getattr(layers, 'num_encoder_layers', 0)} layers each",
        "model.num_decoder_layers": "",
        "model.dropout": f"dropout {getattr(layers, 'dropout', 0.0)}",
        "model.positions": f"{getattr(layers, 'positions', '')} positions",
        BATCH: f"batches of {training.batch_tokens:,} tokens",
        JOINED: f"{settings.data.concatenation:.0%} of the pairs read with another one after",
        METRIC: f"kept by {training.metric}",
    }
    changed = [key for key in shown if key in settings.reported and settings.value(key) != settings.preset_values[key]]
    if not trains:
        changed = [key for key in changed if not key.startswith("training.")]
    if choice.kinds[0] != choice.kinds[1] and "tokenizer.kind" in settings.reported:
        changed = ["tokenizer.kind", *(key for key in changed if key not in KINDS)]
    if not changed:
        return []
    said = ", ".join(shown[key] for key in changed if shown[key])
    back = " ".join(f"--set {key}={settings.preset_values[key]}" for key in changed)
    return [f"chosen for these data: {said}; to change that: {back}"]


def _recipe_note(settings: RunSettings, choice: Choice, *, trains: bool) -> str:
    """The same where the data chose a recipe."""
    is_kept_otherwise = METRIC in settings.reported and settings.value(METRIC) != settings.preset_values[METRIC]
    kept = f", kept by {settings.training.metric}" if trains and is_kept_otherwise else ""
    if DROPOUT in settings.reported and settings.value(DROPOUT) != settings.preset_values[DROPOUT]:
        kept = f", dropout {settings.value(DROPOUT)}{kept}"
    return (
        f"chosen for these data ({choice.reason}): a recurrent model, with the settings of recipe:{choice.recipe}{kept}; "
        f"for a Transformer: --arch {USUAL_ARCH}"
    )
