"""Settings that are chosen by what pairs look like, on generated data of each kind; what the user gives wins."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import regard
from regard.data.corpus import NumberedPair, ParallelText
from regard.demos import dates
from regard.errors import SettingsError
from regard.runs.settings import defaults
from regard.runs.settings.choosing import choice_for, chosen_by_data, subwords_of
from regard.runs.settings.measuring import measured
from regard.runs.settings.reading import find_recipe, parse_assignments, together
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.pairs import hold_out_pairs
from regard.runs.train import train
from regard.text.tokenizer import Tokenizer
from regard.training.state import newest_fingerprint, state_folder
from regard.training.training_run import Callback, Progress

Lines = list[tuple[str, str]]
LATIN, CYRILLIC, HANGUL = (
    "abcdefghijklmnoprstuvz",
    "абвгдежзиклмнопрстуфхя",
    "".join(map(chr, range(0xAC00, 0xD7A4, 11))),
)
SOUNDS = [f"{letter}{length}" for letter in "aeioupbtdkgsz" for length in ("", "ː")]
SUFFIXES = {
    "N;ACC;SG": "a",
    "N;DAT;SG": "um",
    "N;NOM;PL": "ar",
    "V;PST;1;SG": "aði",
    "V;PRS;2;PL": "ið",
    "ADJ;CMPR": "ari",
}


def word(draw: random.Random, letters: str = LATIN, least: int = 3, most: int = 9) -> str:
    return "".join(draw.choices(letters, k=draw.randint(least, most)))


def inflections(count: int, letters: str = LATIN) -> Lines:
    draw, tags = random.Random(1), list(SUFFIXES)
    chosen = [(word(draw, letters), draw.choice(tags)) for _ in range(count)]
    return [(f"{lemma} {tag}", lemma + SUFFIXES[tag]) for lemma, tag in chosen]


def tags_as_words(count: int) -> Lines:
    return [(source.replace(";", " "), target) for source, target in inflections(count)]


def pronunciations(count: int, letters: str = LATIN) -> Lines:
    draw = random.Random(2)
    sound = {letter: SOUNDS[index % len(SOUNDS)] for index, letter in enumerate(letters)}
    words = [word(draw, letters, 2 if len(letters) > 99 else 3, 4 if len(letters) > 99 else 9) for _ in range(count)]
    return [(text, " ".join(sound[letter] for letter in text)) for text in words]


def spellings(count: int) -> Lines:
    return [(target, source) for source, target in pronunciations(count)]


def names(count: int) -> Lines:
    draw, other = random.Random(3), dict(zip(CYRILLIC, LATIN, strict=True))
    full = [f"{word(draw, CYRILLIC)} {word(draw, CYRILLIC)}" for _ in range(count)]
    return [(name, "".join(other.get(letter, letter) for letter in name)) for name in full]


def commands(count: int) -> Lines:
    draw, verbs = random.Random(4), ("walk", "run", "jump", "look", "turn")
    rows = [[(draw.choice(verbs), draw.choice(("once", "twice", "thrice"))) for _ in range(3)] for _ in range(count)]
    times = {"once": 1, "twice": 2, "thrice": 3}
    return [
        (" and ".join(f"{verb} {often}" for verb, often in row),
         " ".join(f"I_{verb.upper()}" for verb, often in row for _ in range(times[often])))
        for row in rows
    ]  # fmt: skip


def sentences(count: int, *, space: str = " ", of: int = 12) -> Lines:
    """Words as rare as in a language: the n-th most frequent one comes 1 / n as often as the first."""
    draw = random.Random(5)
    known = [[word(draw, letters, 2, 10) for _ in range(3000)] for letters in (LATIN, "qwxy" + LATIN)]
    weights = [1 / rank for rank in range(1, 3001)]
    drawn = [draw.choices(range(3000), weights, k=draw.randint(of // 2, of + of // 2)) for _ in range(count)]
    return [(" ".join(known[0][i] for i in row), space.join(known[1][i] for i in row)) for row in drawn]


def definitions(count: int) -> Lines:
    return [(word(random.Random(i)), target) for i, (_, target) in enumerate(sentences(count))]


def held(lines: Iterable[tuple[str, str]]) -> ParallelText:
    pairs = [NumberedPair(number, *line) for number, line in enumerate(lines, start=1)]
    return ParallelText.from_pairs(pairs, "generated", len(pairs))


def chosen(lines: Lines, preset: str = "tiny", arch: str | None = "encoder-decoder", **sections: Any) -> RunSettings:
    """The settings of a run on these pairs; without `arch`, of the family that they choose."""
    return chosen_by_data(RunSettings.build(preset, sections, arch=arch), [held(lines)], 100)[0]


def kinds(settings: RunSettings) -> tuple[str, str, bool]:
    tokenizer = settings.tokenizer
    return tokenizer.kind, tokenizer.for_targets.kind, tokenizer.shared


def numerals(count: int) -> Lines:
    """Numbers in digits, and in words."""
    digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    draw = random.Random(7)
    numbers = [str(draw.randrange(10**5)) for _ in range(count)]
    return [(number, " ".join(digits[int(digit)] for digit in number)) for number in numbers]


def syllables(count: int) -> Lines:
    """Words of two characters of thousands, each with a syllable of over a thousand; as rare as in a language."""
    draw, characters = random.Random(8), [chr(0x4E00 + i) for i in range(2500)]
    weights = [1 / (rank + 20) for rank in range(2500)]
    words = ["".join(draw.choices(characters, weights, k=2)) for _ in range(count)]
    return [(text, " ".join(f"s{ord(letter) % 1100}" for letter in text)) for text in words]


def persons(count: int) -> Lines:
    """Names of which some are frequent."""
    draw, other = random.Random(9), dict(zip(CYRILLIC, LATIN, strict=True))
    first, last = ([word(draw, CYRILLIC) for _ in range(number)] for number in (60, 6000))
    full = [f"{draw.choice(first)} {draw.choice(last)}" for _ in range(count)]
    return [(name, "".join(other.get(letter, letter) for letter in name)) for name in full]


STRINGS = ("characters", "characters", True)
EACH_KIND = [
    (inflections, 120, STRINGS),
    (inflections, 800, STRINGS),
    (inflections, 3374, STRINGS),
    (inflections, 40_000, STRINGS),
    (tags_as_words, 3374, STRINGS),
    (names, 800, STRINGS),
    (names, 8000, STRINGS),
    (pronunciations, 800, ("characters", "words", False)),
    (pronunciations, 8000, ("characters", "words", False)),
    (numerals, 800, ("characters", "words", False)),
    (numerals, 8000, ("characters", "words", False)),
    (syllables, 12_000, ("characters", "words", False)),
    (persons, 3000, STRINGS),
    (persons, 30_000, STRINGS),
    (spellings, 800, ("words", "characters", False)),
    (commands, 800, ("words", "words", True)),
    (commands, 17_000, ("words", "words", True)),
    (sentences, 800, ("bpe", "bpe", True)),
    (sentences, 3000, ("bpe", "bpe", True)),
    (sentences, 20_000, ("bpe", "bpe", True)),
    (definitions, 3000, ("bpe", "bpe", True)),
]


@pytest.mark.parametrize(("make", "count", "expected"), EACH_KIND)
def test_the_kinds_of_the_vocabulary(make: Callable[[int], Lines], count: int, expected: tuple[str, str, bool]) -> None:
    settings = chosen(make(count))
    assert kinds(settings) == expected
    assert settings.model.tied_embeddings == ("all" if expected[2] else "target")  # type: ignore[attr-defined]
    metric = "exact_match" if expected[0] != "bpe" else "bleu" if count < 20_000 else "loss"
    assert settings.training.metric == metric


def test_a_language_without_spaces_is_cut_into_subwords_and_kept_by_chrf() -> None:
    draw, letters = random.Random(6), "".join(map(chr, range(0x4E00, 0x5600)))
    lines = [(source, word(draw, letters, 20, 40)) for source, _ in sentences(1000)]
    assert kinds(chosen(lines)) == ("bpe", "bpe", True)
    assert chosen(lines).training.metric == "chrf"
    assert kinds(chosen([(target, source) for source, target in lines])) == ("bpe", "bpe", True)
    thai = sentences(300, space="")  # letters that BLEU takes for words
    assert kinds(chosen(thai)) == ("bpe", "bpe", True)
    assert chosen(thai).training.metric == "chrf"


def test_syllables_with_rare_letters_are_taken_apart_and_others_are_not() -> None:
    assert chosen(pronunciations(800, HANGUL)).tokenizer.normalization == "NFD"
    assert chosen(pronunciations(800)).tokenizer.normalization == "NFC"
    accents = LATIN + "áéíóúýöðþæ"
    assert chosen(inflections(3374, accents)).tokenizer.normalization == "NFC"  # none of them is rare


def test_a_vocabulary_of_subwords_is_one_that_the_texts_can_fill() -> None:
    sizes = [chosen(sentences(count)).tokenizer.vocab_size for count in (120, 1000, 20_000)]
    assert sizes == sorted(sizes)
    assert sizes[0] >= 300
    assert sizes[0] < sizes[1] < sizes[2] == 5000
    text = held(sentences(1000))
    config = RunSettings.build("tiny").tokenizer
    found = subwords_of([text], config)
    learnt = Tokenizer.train([*text.sources, *text.targets], config.model_copy(update={"vocab_size": found}))
    ids = Counter(id for row in learnt.encode_batch([*text.sources, *text.targets]) for id in row)
    assert sum(count for count in ids.values() if count < 10) <= 0.03 * ids.total()


@pytest.mark.parametrize(
    ("count", "layers", "dropout", "batch"), [(800, 2, 0.4, 1024), (8000, 4, 0.3, 2048), (40_000, 4, 0.2, 2048)]
)
def test_few_strings_have_a_small_model_with_much_dropout(count: int, layers: int, dropout: float, batch: int) -> None:
    model = chosen(inflections(count)).model
    assert (model.num_encoder_layers, model.num_decoder_layers) == (layers, layers)  # type: ignore[attr-defined]
    assert model.dropout == dropout  # type: ignore[attr-defined]
    assert chosen(inflections(count)).training.batch_tokens == batch
    larger = chosen(inflections(count), "small")
    assert larger.model == RunSettings.build("small").model  # asked for because of its size
    assert larger.training.batch_tokens == 4096
    assert kinds(larger) == STRINGS
    recurrent = chosen(inflections(count), arch="rnn")
    assert recurrent.model.dropout == dropout  # type: ignore[attr-defined]
    assert kinds(recurrent) == STRINGS


@pytest.mark.parametrize(
    "layer",
    [{"tokenizer": {"kind": "unigram"}}, {"tokenizer": {"vocab_size": 400}}, {"tokenizer": {"shared": False}},
     {"tokenizer": {"across_spaces": True}}, {"data": {"bpe_dropout": 0.1}}, {"model": {"tied_embeddings": "none"}}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("make", [inflections, pronunciations, commands, sentences])
def test_whoever_gives_one_setting_of_the_vocabulary_gives_it_all(make: Any, layer: dict[str, Any]) -> None:
    found = chosen(make(800), **layer)
    as_given = RunSettings.build("tiny", layer)
    assert found.tokenizer == as_given.tokenizer
    assert found.model.tied_embeddings == as_given.model.tied_embeddings  # type: ignore[attr-defined]


def test_what_is_given_by_hand_wins() -> None:
    lines = pronunciations(800, HANGUL)
    assert chosen(lines, model={"dropout": 0.1}).model == RunSettings.build(
        "tiny", {"model": {"dropout": 0.1}}
    ).model.model_copy(update={"tied_embeddings": "target"})
    assert chosen(lines, training={"metric": "loss"}).training.metric == "loss"
    assert chosen(lines, training={"batch_tokens": 500}).training.batch_tokens == 500
    assert chosen(lines, training={"steps": 10}).training.batch_tokens == 2048
    assert chosen(lines).data.concatenation == 0.5
    assert chosen(lines, data={"concatenation": 0.0}).data.concatenation == 0.0
    assert chosen(lines, data={"alignments": ["a"]}).data.concatenation == 0.0
    assert chosen(inflections(800)).data.concatenation == 0.0
    assert chosen(lines, model={"dropout": 0.1}).data.concatenation == 0.0
    assert chosen(lines, "small").data.concatenation == chosen(pronunciations(8000)).data.concatenation == 0.0
    apart = chosen(lines, tokenizer={"normalization": "NFC"}).tokenizer
    assert (apart.kind, apart.normalization) == ("characters", "NFC")


def test_a_demo_and_a_few_lines_are_as_the_preset_has_them() -> None:
    demo, text = RunSettings.build("tiny", {"training": {}}, defaults=dates.SETTINGS), held(inflections(800))
    assert not demo.follows_data
    assert chosen_by_data(demo, [text], 100) == (demo, [])
    few = chosen(inflections(99))
    assert few.model_dump() == RunSettings.build("tiny").model_dump()


@given(
    st.randoms(use_true_random=False),
    st.sampled_from([inflections, pronunciations, commands, sentences, definitions, names]),
)
def test_neither_order_nor_script_nor_name_decides(order: random.Random, make: Callable[[int], Lines]) -> None:
    """The choice follows from how often things come: other letters, in another order, with another name, get the same."""
    lines, letters = make(300), sorted({letter for pair in make(300) for text in pair for letter in text} - {" "})
    script = [chr(0x0561 + place) for place in range(len(letters))]
    order.shuffle(script)
    other = str.maketrans(dict(zip(letters, script, strict=True)))
    moved = [(source.translate(other), target.translate(other)) for source, target in lines]
    order.shuffle(moved)
    first, second = choice_for([held(lines)], 100), choice_for([held(moved)], 100)
    assert first is not None
    assert first == second


def test_one_line_says_what_was_chosen_and_how_to_change_it() -> None:
    usual = RunSettings.build("tiny", arch="encoder-decoder")
    settings, notes = chosen_by_data(usual, [held(inflections(800))], 100)
    assert notes == [
        "chosen for these data: a token for each character (100% of the words to write are seen under 10 times), 2 layers each, "
        "dropout 0.4, rotary positions, batches of 1,024 tokens, kept by exact_match; "
        "to change that: --set tokenizer.kind=bpe "
        "--set model.num_encoder_layers=4 --set model.num_decoder_layers=4 --set model.dropout=0.2 "
        "--set model.positions=sinusoidal --set training.batch_tokens=2048 --set training.metric=loss"
    ]
    assert not any("exact_match" in line for line in defaults.notes(defaults.resolve_defaults(settings, 5.0)))
    (line,) = chosen_by_data(usual, [held(pronunciations(800, HANGUL))], 100)[1]
    assert "a token for each character of the source and each word of the target" in line
    assert "--set tokenizer.kind=bpe --set tokenizer.normalization=NFC" in line
    undone: dict[str, dict[str, Any]] = {}
    for assignment in line.partition(" --set ")[2].split(" --set "):
        undone = together(undone, parse_assignments([assignment]))
    assert chosen(pronunciations(800, HANGUL), **undone).model_dump() == usual.model_dump()
    whole = held(sentences(20_000))  # as the preset is meant for: nothing is said
    assert chosen_by_data(usual, [whole], 1000)[1] == []


def test_a_few_pairs_for_validation_are_compared_by_parts_of_words() -> None:
    for make, finer in ((inflections, "exact_match"), (sentences, "bleu")):
        for count, metric in ((20, "chrf"), (99, "chrf"), (100, finer)):
            settings, _ = chosen_by_data(RunSettings.build("tiny"), [held(make(300))], count)
            assert settings.training.metric == metric


@pytest.mark.parametrize(
    ("count", "expected"), [(20, 1), (100, 5), (400, 10), (800, 20), (1999, 49), (2000, 100), (20_000, 1000)]
)
def test_less_is_held_out_where_there_is_little(count: int, expected: int) -> None:
    text = held((str(i), str(i)) for i in range(count))
    assert len(hold_out_pairs([text])[1]) == expected
    assert len(hold_out_pairs([text], less=False)[1]) == min(max(count // 20, 1), 1000)


def test_few_strings_are_read_more_often_and_many_less() -> None:
    few, many = chosen(inflections(800)), chosen(inflections(8000))
    assert defaults.resolve_defaults(few, 8.0).training.steps == 2000
    assert defaults.resolve_defaults(many, 40.0).training.steps == 4000  # 100 epochs
    assert defaults.resolve_defaults(many, 100.0).training.steps == 7500
    assert "at most 100 epochs" in defaults.notes(defaults.resolve_defaults(many, 40.0))[0]
    said = defaults.notes(defaults.resolve_defaults(few, 8.0))[0]
    assert "at least 2,000 steps" in said
    assert "epochs" not in said


@pytest.mark.parametrize(
    ("count", "expected"), [(1999, ("sinusoidal", 0.2)), (2000, ("rotary", 0.3)), (20_000, ("sinusoidal", 0.2))]
)
def test_thousands_of_sentences_have_rotary_positions(count: int, expected: tuple[str, float]) -> None:
    model = chosen(sentences(count)).model
    assert (model.positions, model.dropout) == expected


def test_few_sentences_are_read_sixty_times() -> None:
    """Of many sentences, the preset decides."""
    few, many = chosen(sentences(3000)), chosen(sentences(20_000))
    assert defaults.resolve_defaults(few, 34.0).training.steps == 2040  # 60 epochs
    assert defaults.resolve_defaults(few, 10.0).training.steps == 2000
    assert defaults.resolve_defaults(many, 34.0).training.steps == 6800  # 200, as for all other texts


def test_measures_by_hand() -> None:
    side = measured(["ab c", "ab ab d", "ab", "é"] + ["ab"] * 7)
    assert (side.words_of_a_line, side.letters_of_a_line, side.letters_of_a_word) == (14 / 11, 25 / 11, 25 / 14)
    assert side.different_words == 4
    assert side.rare_words == 3 / 14  # c, d and é; ab comes 11 times
    assert side.new_words == 3 / 14
    assert side.rare_letters == 3 / 25
    assert side.rare_parts == 4 / 26  # é is e and its accent
    assert (side.words_of_a_line, side.letters_of_a_line, side.letters_of_a_word) == (14 / 11, 25 / 11, 25 / 14)
    nothing = measured([])
    assert (nothing.words_of_a_line, nothing.rare_words, nothing.letters_of_a_word) == (0, 0, 0)


def stopped(settings: RunSettings) -> dict[str, Any]:
    """What the checkpoint of a run with these settings says that it was made of."""
    sections = {
        name: getattr(settings, name).model_dump(mode="json") for name in ("tokenizer", "data", "training", "model")
    }
    found = {f"{name}.{key}": value for name, values in sections.items() for key, value in values.items()}
    return found | {defaults.RECORDED_AS: defaults.recorded(settings)}


@pytest.mark.parametrize("make", [inflections, pronunciations, sentences])
def test_a_resumed_run_has_what_it_began_with(make: Callable[[int], Lines]) -> None:
    begun = chosen(make(800), arch=None)
    resumed = defaults.frozen(RunSettings.build("tiny"), stopped(begun))
    assert resumed.model_dump() == begun.model_dump()
    assert resumed.holds_out_less
    assert defaults.recorded(resumed) == defaults.recorded(begun)  # for the next time
    earlier = stopped(RunSettings.build("tiny"))
    earlier[defaults.RECORDED_AS] = [*defaults.FITTED]
    as_then = defaults.frozen(RunSettings.build("tiny"), earlier)
    assert as_then.model_dump() == RunSettings.build("tiny").model_dump()
    assert not as_then.holds_out_less
    assert defaults.HOLD_OUT not in defaults.recorded(as_then)  # and when it is resumed again


class Stop(Callback):
    """Ends the run after this step."""

    def __init__(self, step: int = 2) -> None:
        self.step = step

    def on_step(self, progress: Progress) -> None:
        if progress.step == self.step:
            raise RuntimeError("stopped")


def test_a_run_on_sounds_is_stopped_twice_and_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    lines, parts = pronunciations(300), tmp_path / "parts"
    whole = train(lines, tmp_path / "whole", steps=4, device="cpu")
    assert whole.results["arch"] == whole.results["settings"]["model"]["arch"] == "rnn"
    for step in (2, 3):
        with pytest.raises(RuntimeError, match="stopped"):
            train(lines, parts, steps=4, device="cpu", callbacks=[Stop(step)], resume=step == 3)
    for options, named in (
        ({"compile": True}, "--compile"),
        ({"arch": "encoder-decoder"}, "model.arch was 'rnn' and is 'encoder-decoder'"),
        ({"learning_rate": 0.1}, "training.learning_rate was 0.002 and is 0.1"),
    ):
        with pytest.raises(SettingsError, match=named):
            train(lines, parts, steps=4, device="cpu", resume=True, **options)  # type: ignore[arg-type]
    train(lines, parts, steps=4, device="cpu", resume=True)
    weights = [(folder / "model.safetensors").read_bytes() for folder in (tmp_path / "whole", parts)]
    assert weights[0] == weights[1]
    translator = whole.translator
    assert translator.source_tokenizer.tokens(translator.source_tokenizer.encode("abc")) == ["▁", "a", "b", "c"]
    assert translator.tokenizer.tokens(translator.tokenizer.encode(lines[0][1])) == [
        f"▁{word}" for word in lines[0][1].split()
    ]


def test_a_transformer_that_an_earlier_version_began_stays_one(tmp_path: Path) -> None:
    """Its checkpoint has no family among what nobody gave; nor has that of a run whose family was given."""
    lines = pronunciations(300)
    with pytest.raises(RuntimeError, match="stopped"):
        train(lines, tmp_path / "m", steps=4, device="cpu", callbacks=[Stop()], arch="encoder-decoder")
    fingerprint = newest_fingerprint(state_folder(tmp_path / "m"))
    assert fingerprint is not None
    assert defaults.ARCH not in fingerprint[defaults.RECORDED_AS]
    assert train(lines, tmp_path / "m", steps=4, device="cpu", resume=True).results["arch"] == "encoder-decoder"


def recipe_of(name: str) -> dict[str, Any]:
    sections = yaml.safe_load(find_recipe(name).read_text())
    return {f"{section}.{key}": value for section, values in sections.items() for key, value in values.items()}


@pytest.mark.parametrize("count", [2000, 19_999])
def test_words_and_their_sounds_have_what_a_recipe_has(count: int) -> None:
    found, recipe = chosen(pronunciations(count), arch=None), recipe_of("g2p")
    assert recipe.pop("tokenizer.vocab_size") < found.tokenizer.vocab_size == 5000
    assert {name: found.value(name) for name in recipe} == recipe
    assert found.data.concatenation == 0.0
    (note,) = chosen_by_data(RunSettings.build("tiny"), [held(pronunciations(count))], 100)[1]
    assert "a recurrent model, with the settings of recipe:g2p; for a Transformer: --arch encoder-decoder" in note


def test_few_words_and_their_sounds_have_what_a_recipe_has() -> None:
    found, recipe = chosen(pronunciations(800), arch=None), recipe_of("g2p-low")
    assert recipe.pop("tokenizer.vocab_size") < found.tokenizer.vocab_size == 5000  # not the most that there may be
    assert {name: found.value(name) for name in recipe} == recipe
    fitted = defaults.resolve_defaults(found, 13.0)
    assert fitted.training == found.training
    assert defaults.notes(fitted) == []
    assert set(recipe) <= {*defaults.recorded(found)}
    assert chosen(syllables(1500), arch=None).tokenizer.vocab_size == 5000  # of which there are over a thousand
    usual, text = RunSettings.build("tiny"), held(pronunciations(800))
    notes = [chosen_by_data(usual, [text], count)[1] for count in (0, 20, 100)]
    assert notes[0] == notes[2] == [
        "chosen for these data (words of 6 letters, and 22 different symbols): a recurrent model, with the settings of "
        "recipe:g2p-low; for a Transformer: --arch encoder-decoder"
    ]  # fmt: skip
    assert notes[1] == [notes[0][0].replace("g2p-low;", "g2p-low, kept by chrf;")]


@pytest.mark.parametrize("make", [inflections, tags_as_words, names, spellings])
@pytest.mark.parametrize(
    ("count", "name"), [(100, "inflection-low"), (1999, "inflection-low"), (2000, "inflection"), (20_000, "inflection")]
)
def test_strings_have_what_a_recipe_has(make: Callable[[int], Lines], count: int, name: str) -> None:
    """But for the kind of tokens of the source, which the data choose, and how rare letters are written."""
    found, recipe = chosen(make(count), arch=None), recipe_of(name)
    recipe["model.dropout"] = {100: 0.4, 1999: 0.4, 2000: 0.3, 20_000: 0.2}[count]
    assert recipe.pop("tokenizer.vocab_size") < found.tokenizer.vocab_size
    assert kinds(found) == kinds(chosen(make(count)))
    assert recipe.pop("tokenizer.kind") == found.tokenizer.for_targets.kind == "characters"
    assert {name: found.value(name) for name in recipe} == recipe
    assert defaults.resolve_defaults(found, 100.0).training == found.training
    (note,) = chosen_by_data(RunSettings.build("tiny"), [held(make(count))], 100)[1]
    said = f"recipe:{name}, dropout 0.3;" if count == 2000 else f"recipe:{name};"
    assert f"a recurrent model, with the settings of {said} for a Transformer: --arch" in note


@pytest.mark.parametrize("letters", [LATIN, HANGUL])
def test_rare_letters_of_few_strings_are_taken_apart(letters: str) -> None:
    lines = inflections(800, letters)
    assert chosen(lines, arch=None).tokenizer.normalization == chosen(lines).tokenizer.normalization
    assert (chosen(lines).tokenizer.normalization == "NFD") == (letters is HANGUL)


@pytest.mark.parametrize("count", [300, 8000])
def test_symbols_have_what_a_recipe_has(count: int) -> None:
    found, recipe = chosen(commands(count), arch=None), recipe_of("scan-simple")
    del recipe["tokenizer.vocab_size"]
    assert recipe.pop("training.metric") != found.training.metric == "exact_match"
    assert {name: found.value(name) for name in recipe} == recipe
    assert defaults.resolve_defaults(found, 1.0).training.steps == 4000  # however many epochs that is
    assert defaults.resolve_defaults(found, 100.0).training.steps == recipe["training.steps"]
    assert chosen(commands(count), arch="encoder-decoder").model.arch == "encoder-decoder"


def test_what_is_given_wins_over_the_recipe() -> None:
    given = {"training": {"steps": 500, "learning_rate": 0.01, "metric": "loss"}, "data": {"concatenation": 0.0, "noise": [0.1]},
             "tokenizer": {"normalization": "NFC", "add": ["<x>"]}}  # fmt: skip
    found = chosen(pronunciations(800), arch=None, **given)
    assert found.model == chosen(pronunciations(800), arch=None).model
    values = {f"{section}.{key}": value for section, keys in given.items() for key, value in keys.items()}
    assert {name: found.value(name) for name in values} == values
    others = {name: value for name, value in recipe_of("g2p-low").items() if name not in values}
    del others["tokenizer.vocab_size"]
    assert {name: found.value(name) for name in others} == others
    assert defaults.resolve_defaults(found, 13.0).training.warmup_steps == 300 // 4  # of 500 steps in place of 2,000
    assert not {*defaults.recorded(found)} & {*values}
    resumed = defaults.frozen(RunSettings.build("tiny", given), stopped(found))
    assert resumed.model_dump() == found.model_dump()


@pytest.mark.parametrize(
    ("preset", "layer"),
    [("tiny", {"model": {"dropout": 0.1}}), ("tiny", {"model": {"arch": "encoder-decoder"}}), ("small", {}),
     ("tiny", {"model": {"num_heads": 2}, "training": {"steps": 7}}), ("tiny", {"data": {"alignments": ["a"]}}),
     ("tiny", {"training": {"freeze": ["encoder"]}}), ("tiny", {"tokenizer": {"kind": "words"}}),
     ("tiny", {"tokenizer": {"vocab_size": 90, "normalization": "NFD"}}), ("tiny", {"data": {"bpe_dropout": 0.1}})],
    ids=str,
)  # fmt: skip
def test_whoever_gives_what_the_recipe_does_not_go_with_has_a_transformer(preset: str, layer: dict[str, Any]) -> None:
    found = chosen(pronunciations(800), preset, None, **layer)
    assert found.model_dump() == chosen(pronunciations(800), preset, **layer).model_dump()
    assert found.model.arch == "encoder-decoder"


@pytest.mark.parametrize(
    ("make", "count"),
    [(inflections, 99), (commands, 20_000), (sentences, 800), (pronunciations, 99), (pronunciations, 20_000), (numerals, 20_000)],
)  # fmt: skip
def test_other_pairs_have_a_transformer(make: Callable[[int], Lines], count: int) -> None:
    assert chosen(make(count), arch=None).model_dump() == chosen(make(count)).model_dump()
    assert chosen(make(count), arch=None).model.arch == "encoder-decoder"


def test_what_needs_a_transformer_has_one_and_a_plan_is_of_what_would_be_trained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {}
    for options in ({}, {"shard": True}, {"arch": "rnn"}, {"preset": "tiny"}):
        regard.train(pronunciations(300), tmp_path / "m", device="cpu", dry_run=True, **options)  # type: ignore[arg-type]
        said[str(options)] = capsys.readouterr().err
    assert [key for key, text in said.items() if "a recurrent model" in text] == ["{}", "{'preset': 'tiny'}"]
    sizes = [re.search(r"\n(\S+) parameters", text) for text in said.values()]
    assert len({found and found[1] for found in sizes}) == 2
    assert not (tmp_path / "m").exists()


def test_a_new_model_has_the_vocabulary_and_the_depth_of_a_trained_one(capsys: pytest.CaptureFixture[str]) -> None:
    translator = regard.new(pronunciations(20_000))
    assert translator.model.config.num_decoder_layers == 4
    assert translator.source_tokenizer.longest_token == len("<unk>")
    said = capsys.readouterr().err
    assert "a token for each character" in said
    assert "kept by" not in said  # there is no training yet
    lines = pronunciations(300)
    found, by_data = regard.new(lines).model.config, {"vocab_size", "source_vocab_size", "pad_id"}
    assert found.model_dump(exclude=by_data) == chosen(lines, arch=None).model.model_dump(exclude=by_data)
    assert "with the settings of recipe:g2p-low;" in capsys.readouterr().err


def test_a_run_that_begins_with_a_model_keeps_its_vocabulary(tmp_path: Path) -> None:
    regard.train(sentences(100), tmp_path / "first", steps=1, device="cpu")
    second = regard.train(inflections(300), tmp_path / "second", from_=tmp_path / "first", steps=1, device="cpu")
    first = regard.load(tmp_path / "first")
    assert second.translator.tokenizer.backend_json == first.tokenizer.backend_json
    assert second.translator.model.config == first.model.config


@pytest.mark.slow
def test_inflections_are_learnt_without_an_option(tmp_path: Path) -> None:
    """The defaults of earlier versions wrote none of them right."""
    lines = inflections(1200)
    result = train(lines[:1000], tmp_path / "model", device="cpu")
    sources, targets = map(list, zip(*lines[1000:], strict=True))
    assert result.translator.evaluate(sources, targets)["exact_match"] > 0.9
