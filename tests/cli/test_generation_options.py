"""The options of decoding, from the command line and from Python, on a small trained model."""

import io
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from running import command

import regard
from regard.data.batch import pad_right
from regard.errors import DataError, SettingsError
from regard.generation.options import DecodingOptions
from regard.inspection.alignment import cross_attention
from regard.pipelines import translator as translating
from regard.pipelines.translator import Translator

WORDS = ["abcdef", "gfe", "aabb", "", "cgca", "fedcba", "ggg", "badcab"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of different seeds with one tokenizer, which have begun to learn to write words backwards."""
    folder = tmp_path_factory.mktemp("models")
    generator = torch.Generator().manual_seed(3)
    words = ["".join("abcdefg"[i] for i in torch.randint(7, (2 + n % 6,), generator=generator)) for n in range(600)]
    (folder / "pairs.tsv").write_text("".join(f"{word}\t{word[::-1]}\n" for word in words))
    (folder / "valid.tsv").write_text("abc\tcba\ngfed\tdefg\n")
    (folder / "words").write_text("".join(f"{word}\n" for word in WORDS))
    for seed in ("1", "2"):
        code = command(
            "train", folder / "pairs.tsv", "--valid", folder / "valid.tsv", "-o", folder / f"m{seed}", "--seed", seed,
            "--steps", "150", "--precision", "float32", "--set", "model.model_dim=32", "--set", "model.ff_dim=64",
            "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1", "--set", "tokenizer.vocab_size=24",
            "--set", "training.batch_tokens=512", "--set", "training.warmup_steps=50", "--set", "training.learning_rate=0.005",
            "--set", "model.dropout=0.0",
        )  # fmt: skip
        assert code == 0
    return folder


@pytest.fixture(scope="module")
def translator(folder: Path) -> Translator:
    loaded = regard.load(folder / "m1")
    assert isinstance(loaded, Translator)
    return loaded


def test_scores_are_those_that_score_gives(translator: Translator) -> None:
    for translation in translator.translate(WORDS, n_best=3, length_norm="none"):
        for candidate in translation.n_best:
            if candidate.finish_reason == "eos" and translation.text:
                assert candidate.score == pytest.approx(sum(candidate.token_log_probs), abs=1e-4)


def test_forced_scores_agree_with_found_ones(translator: Translator) -> None:
    found = [t for t in translator.translate(WORDS) if t.text and t.finish_reason == "eos"]
    sources = [
        word for word, t in zip(WORDS, translator.translate(WORDS), strict=True) if t.text and t.finish_reason == "eos"
    ]
    for translation, forced in zip(found, translator.score(sources, [t.text for t in found]), strict=True):
        if forced.tokens[:-1] == translation.tokens:
            assert forced.token_log_probs == pytest.approx(translation.token_log_probs, abs=1e-4)


def test_a_file_is_translated_window_by_window(
    translator: Translator, folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    expected = [translation.text for translation in translator.translate(WORDS)]
    monkeypatch.setattr(translating, "WINDOW", 3)
    assert [t.text for t in translator.translate_lines(iter(WORDS))] == expected
    assert command("translate", folder / "m1", folder / "words") == 0
    assert capsysbinary.readouterr().out.decode().split("\n")[:-1] == expected
    (folder / "long").write_text("ab\n" * 4 + "a" * 2000 + "\n")
    assert command("translate", folder / "m1", folder / "long", "-o", folder / "out") == 2
    assert b"long, line 5: a text must have at most" in capsysbinary.readouterr().err
    assert not (folder / "out").exists()


def test_a_translation_grows_and_is_never_taken_back(translator: Translator) -> None:
    for word in WORDS:
        for options in ({}, {"beam_size": 1}, {"method": "sample", "seed": 3}):
            pieces = list(translator.stream(word, **options))
            assert "".join(pieces) == translator.translate([word], **options)[0].text
    greedy = list(translator.stream("abcdef", beam_size=1))
    assert len(greedy) > 2
    with pytest.raises(SettingsError, match=r"`stream` .*`n_best`.*remove `n_best`"):
        list(translator.stream("abc", n_best=2))


def test_the_stream_command(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert command("translate", folder / "m1", folder / "words", "--stream") == 0
    streamed = capsysbinary.readouterr().out
    assert command("translate", folder / "m1", folder / "words") == 0
    assert capsysbinary.readouterr().out == streamed


def test_a_stream_prints_texts_only(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert command("translate", folder / "m1", folder / "words", "--stream", "--json") == 2
    assert re.search(b"`--json` has no effect with --stream.* Remove it", capsysbinary.readouterr().err)
    (folder / "long").write_text("ab\n" + "a" * 2000 + "\n")
    assert command("translate", folder / "m1", folder / "long", "--stream") == 2
    assert b"a text must have at most" in capsysbinary.readouterr().err


def test_prefixes_and_required_phrases_from_files(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "prefixes").write_text("gg\n" * len(WORDS))
    assert command("translate", folder / "m1", folder / "words", "--prefixes", folder / "prefixes") == 0
    lines = capsysbinary.readouterr().out.decode().split("\n")[:-1]
    assert all(line.startswith("gg") for line, word in zip(lines, WORDS, strict=True) if word)
    (folder / "required").write_text("cc\ta\n" * len(WORDS))
    assert command("translate", folder / "m1", folder / "words", "--required", folder / "required", "--json") == 0
    for line in capsysbinary.readouterr().out.decode().split("\n")[:-1]:
        record = json.loads(line)
        if record["source"]:
            assert "a" in record["text"]
            assert (
                any(pair == ["c", "c"] for pair in zip(record["tokens"], record["tokens"][1:], strict=False))
                or "c" in record["text"]
            )
    (folder / "prefixes").write_text("a\n")
    assert command("translate", folder / "m1", folder / "words", "--prefixes", folder / "prefixes") == 2
    assert re.search(b"prefixes.*got 1 for 8", capsysbinary.readouterr().err)
    (folder / "prefixes").write_text("a\n" * 9)
    assert command("translate", folder / "m1", folder / "words", "--prefixes", folder / "prefixes") == 2
    assert re.search(b"prefixes.*got more than 8", capsysbinary.readouterr().err)


def test_what_else_can_be_told(translator: Translator) -> None:
    (told,) = translator.translate(["abcdef"], alternatives=3, alignment=True, trace=True)
    assert told.alternatives is not None
    assert told.alignment is not None
    assert told.trace is not None
    assert len(told.alternatives) == len(told.token_log_probs)
    for token, log_prob, likeliest in zip(told.tokens, told.token_log_probs, told.alternatives, strict=False):
        assert [value for _, value in likeliest] == sorted((value for _, value in likeliest), reverse=True)
        if token in dict(likeliest):
            assert dict(likeliest)[token] == pytest.approx(log_prob, abs=1e-4)
    assert len(told.alignment.links) == len(told.tokens)
    assert told.alignment.pharaoh.count("-") == len(told.tokens)
    spelled = ["abcdef"[first:last] for first, last in told.alignment.source_offsets]
    assert "".join(spelled) == "abcdef" or "".join(dict.fromkeys(spelled)) == "abcdef"
    assert len(told.trace) >= len(told.token_log_probs)
    plain = translator.translate(["abcdef"])[0]
    assert (plain.alternatives, plain.alignment, plain.trace) == (None, None, None)
    assert plain.text == told.text


@pytest.mark.parametrize("what", ["alternatives=3", "alignment=true", "trace=true"])
def test_what_lines_of_text_have_no_place_for_is_refused(
    what: str, folder: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert command("translate", folder / "m1", folder / "words", "--set", what) == 2
    name = what.split("=")[0]
    assert re.search(f"`{name}` needs `--json`.*remove `{name}`", capsysbinary.readouterr().err.decode())


def test_an_alignment_of_one_head(translator: Translator) -> None:
    heads = [translator.align("abcd", "dcba", layer=0, head=head).weights for head in range(4)]
    mean = translator.align("abcd", "dcba", layer=0).weights
    torch.testing.assert_close(torch.tensor(heads).mean(dim=0), torch.tensor(mean))
    with pytest.raises(SettingsError, match=r"head .*\[0, 1, 2, 3\].*got 99"):
        translator.align("abcd", "dcba", head=99)


def test_an_ensemble_of_folders(
    folder: Path, translator: Translator, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    both = regard.load(folder / "m1", others=[folder / "m2"])
    assert isinstance(both, Translator)
    (found,) = both.translate(["abcdef"], beam_size=1)
    other = regard.load(folder / "m2")
    assert isinstance(other, Translator)
    source = pad_right([translator.tokenizer.frame_source(translator.tokenizer.encode("abcdef"))], 0)
    target = torch.tensor([[translator.tokenizer.bos_id, *found.ids]])
    probs = [model(source, target).softmax(-1)[0] for model in (translator.model, other.model)]
    mean = (probs[0] + probs[1]) / 2
    for position, (id, log_prob) in enumerate(zip(found.ids, found.token_log_probs, strict=False)):
        assert log_prob == pytest.approx(mean[position, id].log().item(), abs=1e-4)
    arguments = ("translate", folder / "m1", folder / "words", "--ensemble", folder / "m2", "--beam", "1")
    assert command(*arguments) == 0
    assert capsysbinary.readouterr().out.decode().split("\n")[0] == found.text
    assert command("evaluate", folder / "m1", folder / "pairs.tsv", "--ensemble", folder / "m2", "--json") == 0
    assert "perplexity" not in json.loads(capsysbinary.readouterr().out)


def test_models_that_make_no_ensemble(folder: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (tmp_path / "pairs.tsv").write_text("".join(f"{i}{i}\t{i}\n" for i in range(100, 200)))
    assert command("train", tmp_path / "pairs.tsv", "-o", tmp_path / "m", "--steps", "1", "--set", "tokenizer.vocab_size=20",
                   "--set", "model.model_dim=8", "--set", "model.num_heads=2") == 0  # fmt: skip
    assert command("translate", folder / "m1", folder / "words", "--ensemble", tmp_path / "m") == 2
    assert re.search(b"ensemble.* one tokenizer.*--valid", capsysbinary.readouterr().err)


def test_samples_repeat_from_their_seed(translator: Translator) -> None:
    options = {"method": "sample", "temperature": 2.0, "n_best": 4}
    first = [[c.text for c in t.n_best] for t in translator.translate(WORDS, seed=5, **options)]
    assert first == [[c.text for c in t.n_best] for t in translator.translate(WORDS, seed=5, batch_size=2, **options)]
    assert first != [[c.text for c in t.n_best] for t in translator.translate(WORDS, seed=6, **options)]
    apart = translator.translate(["abcdef"], method="stochastic_beam", n_best=5)[0].n_best
    assert len({tuple(candidate.ids) for candidate in apart}) == 5


def test_several_workers_find_the_same(translator: Translator) -> None:
    threads, told = torch.get_num_threads(), []
    for options in ({}, {"method": "sample", "n_best": 2}, {"deterministic": True}):
        alone = translator.translate(WORDS, workers=1, **options)
        both = translator.translate(WORDS, workers=3, on_done=told.append, **options)
        assert [t.text for t in both] == [t.text for t in alone]
        assert [t.score for t in both] == pytest.approx([t.score for t in alone], abs=1e-5, rel=1e-6)
    assert sum(told) == 3 * sum(bool(word) for word in WORDS)
    assert torch.get_num_threads() == threads


def test_least_risk_chooses_among_candidates(translator: Translator) -> None:
    for method in ("sample", "beam"):
        (found,) = translator.translate(
            ["abcdef"], method=method, minimum_bayes_risk="chrf", num_candidates=8, n_best=2
        )
        assert found.n_best[0].score >= found.n_best[-1].score
        assert 0 <= found.score <= 100


def test_coverage_ranks_by_what_was_attended_to(translator: Translator) -> None:
    plain = translator.translate(["abcdef"], n_best=5)[0].n_best
    ranked = translator.translate(["abcdef"], n_best=5, coverage_penalty=0.7)[0].n_best
    assert {tuple(c.ids) for c in plain} == {tuple(c.ids) for c in ranked}
    scores = {tuple(c.ids): c.score for c in plain}
    for candidate in ranked:
        weights = cross_attention(
            translator.model,
            torch.tensor(translator.tokenizer.frame_source(translator.tokenizer.encode("abcdef"))),
            torch.tensor([translator.tokenizer.bos_id, *candidate.ids]),
        )[-1]
        attended = [
            sum(float(weights[:, t, s].mean()) for t in range(weights.shape[1])) for s in range(weights.shape[2])
        ]
        coverage = sum(math.log(min(total, 1.0)) for total in attended)
        assert candidate.score == pytest.approx(scores[tuple(candidate.ids)] + 0.7 * coverage, abs=1e-4)
    assert [c.score for c in ranked] == sorted((c.score for c in ranked), reverse=True)
    assert len(translator.translate(["abcdef"], coverage_penalty=0.7)[0].n_best) == 1


def test_in_bfloat16_and_each_on_its_own(folder: Path, translator: Translator) -> None:
    narrow = regard.load(folder / "m1", precision="bfloat16")
    assert isinstance(narrow, Translator)
    assert narrow.model.target_embedding.weight.dtype == torch.bfloat16
    alone = [narrow.translate([word], deterministic=True)[0] for word in WORDS]
    assert narrow.translate(WORDS, deterministic=True, batch_size=3) == alone  # to the last bit
    assert [t.text for t in translator.translate(WORDS, deterministic=True)] == [
        t.text for t in translator.translate(WORDS)
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam_sise": 3}, "option .*got 'beam_sise'.*'beam_size'"),
        ({"method": "beams"}, r"method must be beam, sample, stochastic_beam; got 'beams'. Did you mean 'beam'"),
        ({"beam_size": "many"}, r"beam_size must be a valid integer.*; got 'many'"),
        ({"minimum_bayes_risk": "blue"}, r"minimum_bayes_risk must be 'chrf' or 'bleu'; got 'blue'"),
        (
            {"minimum_bayes_risk": "chrf", "num_candidates": 2, "n_best": 3},
            "n_best must be at most num_candidates; got 3 and 2",
        ),
        (
            {"method": "sample", "coverage_penalty": 1.0},
            "coverage_penalty.*method=sample",
        ),
        ({"coverage_penalty": 1.0, "n_best": 9}, "n_best must be from 1 to beam_size; got n_best 9 and beam_size 5"),
        ({"method": "sample", "trace": True}, "trace.*method=sample.*method=beam"),
        ({"n_best": 0}, "n_best must be at least 1; got 0"),
        ({"no_repeat_ngram": 0}, "no_repeat_ngram must be at least 1; got 0"),
        ({"min_length": 5, "max_length": 4}, "min_length must be at most max_length; got 5 and 4"),
        ({"min_ratio": 2.0, "max_ratio": 1.5}, r"min_ratio must be at most max_ratio; got 2\.0 and 1\.5"),
        ({"max_ratio": 0}, "max_ratio must be greater than 0; got 0"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        DecodingOptions(**options)


def test_requests_that_make_no_sense(translator: Translator) -> None:
    with pytest.raises(DataError, match=r"`required` .*got 1 for 2"):
        translator.translate(["a", "b"], required=[["c"]])
    with pytest.raises(SettingsError, match=r"`required` needs beam search.*method=sample"):
        translator.translate(["a"], required=[["c"]], method="sample")
    with pytest.raises(SettingsError, match="precision must be float32, bfloat16, auto; got 'float23'"):
        regard.load("anything", precision="float23")


@pytest.mark.parametrize(
    ("changes", "message"), [(["beam"], b"--set must be key=value"), (["beam_sise=3"], b"Did you mean 'beam_size'")]
)
def test_set_on_the_command_line(
    folder: Path, changes: list[str], message: bytes, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert (
        command("translate", folder / "m1", folder / "words", *(x for change in changes for x in ("--set", change)))
        == 2
    )
    assert message in capsysbinary.readouterr().err


def test_lengths(translator: Translator) -> None:
    for translation in translator.translate(["abcdef"], min_length=12, max_length=14, n_best=3)[0].n_best:
        assert 12 <= len(translation.token_log_probs) <= 14
    (short,) = translator.translate(["abcdef"], max_ratio=0.4)  # 7 tokens with the end, or 8 with a leading space
    assert len(short.token_log_probs) <= 4
    (long,) = translator.translate(["abcdef"], min_ratio=2.0, max_ratio=3.0)
    assert len(long.token_log_probs) >= 14


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (0, 70)),  # 2 * 3 + 64
        ({"max_ratio": 1.5}, (0, 5)),
        ({"max_ratio": 0.1}, (0, 1)),
        ({"min_length": 8, "max_ratio": 1.0}, (8, 8)),
        ({"min_length": 80}, (80, 80)),
        ({"min_ratio": 30.0}, (90, 90)),
        ({"min_ratio": 4.0, "max_length": 9}, (9, 9)),
        ({"min_length": 8, "max_length": 9, "max_ratio": 20.0}, (8, 9)),
        ({"max_length": 99}, (0, 99)),
        ({"min_length": 200}, (100, 100)),
        ({"min_ratio": 1e308, "max_ratio": 1e308}, (100, 100)),
    ],
)
def test_the_shortest_target_counts_more_than_limits_by_the_source(
    options: dict[str, Any], expected: tuple[int, int]
) -> None:
    """Of a source of 3 tokens, by a model of 100 positions."""
    assert DecodingOptions(**options).lengths(3, 100) == expected


@pytest.mark.parametrize("engine", ["torch", "native"])
def test_a_minimum_holds_whatever_the_ratio(engine: str, translator: Translator) -> None:
    translator.use_engine(engine)
    try:
        options: dict[str, Any]
        for options in ({"beam_size": 1}, {}, {"repetition_penalty": 1.01}, {"method": "sample", "seed": 1}):
            (found,) = translator.translate(["ab"], min_length=9, max_ratio=1.0, **options)
            assert len(found.token_log_probs) == 9
    finally:
        translator.use_engine("auto")


def test_what_is_typed_is_answered_line_by_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO(b"abc\n" + b"a" * 3000 + b"\nggg\n")))
    assert command("translate", folder / "m1") == 0
    printed = capsysbinary.readouterr()
    assert len(printed.out.decode().split("\n")) == 3
    assert b"a text must have at most" in printed.err
    assert re.search(b"m1 is ready.*Ctrl-D", printed.err)


def test_changed_weights_are_noticed(folder: Path) -> None:
    translator = regard.load(folder / "m1")
    assert isinstance(translator, Translator)
    before = translator.translate(["abcdef"])[0]
    with torch.no_grad():
        translator.model.target_embedding.weight.mul_(-1)
    assert translator.translate(["abcdef"])[0].token_log_probs != before.token_log_probs


def test_the_hypothesis_nearest_to_a_reference(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the beam, the one with the highest BLEU of sacrebleu; where all are equal, the best."""
    from sacrebleu.metrics.bleu import BLEU

    translator = regard.load(folder / "m1")
    assert isinstance(translator, Translator)
    found = [translator.translate(word, beam_size=4, n_best=4).n_best for word in WORDS]
    references = [each[place % len(each)].text for place, each in enumerate(found)]
    (tmp_path / "references").write_text("".join(f"{word}\n" for word in references))
    output, metric = tmp_path / "out", BLEU(effective_order=True)
    base = ["translate", folder / "m1", folder / "words", "--beam", "4"]
    assert command(*base, "--nearest-to", tmp_path / "references", "-o", output) == 0
    written = output.read_text().split("\n")[:-1]
    for candidates, reference, text in zip(found, references, written, strict=True):
        scores = [metric.sentence_score(each.text, [reference]).score for each in candidates]
        assert text == candidates[scores.index(max(scores))].text
    assert written != [candidates[0].text for candidates in found]
    (tmp_path / "few").write_text("x\n")
    for options, message in (
        (["--nearest-to", tmp_path / "few"], "must have a reference for each line"),
        (["--nearest-to", tmp_path / "references", "--beam", "1"], "`--beam 2` or more"),
        (["--nearest-to", tmp_path / "references", "--n-best", "2"], "without `--n-best`"),
    ):
        capsys.readouterr()
        assert command(*base, *options) == 2
        assert message in capsys.readouterr().err
