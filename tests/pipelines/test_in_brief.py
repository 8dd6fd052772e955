"""How results show themselves: in a line, and in a notebook."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

import regard
from regard.inspection.alignment import Alignment
from regard.inspection.html_report import candidates_html
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Prediction, Predictor
from regard.pipelines.translation import Candidate, ForcedScore, Translation
from regard.pipelines.translator import Translator
from regard.runs.training_result import TrainingResult
from regard.text.tokenizer import Tokenizer
from regard.training.training_run import TrainingRun

SIZES = {"model_dim": 8, "ff_dim": 8, "num_heads": 2}
LONG = "a long text " * 100


def translator(letters: Tokenizer) -> Translator:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        config = EncoderDecoderConfig(vocab_size=len(letters), num_encoder_layers=1, num_decoder_layers=1, **SIZES)
        return Translator(build(config), letters)  # type: ignore[arg-type]


def test_models_are_told_in_a_line(letters: Tokenizer) -> None:
    size = len(letters)
    shown = repr(translator(letters))
    assert re.fullmatch(rf"Translator\(encoder-decoder, [\d,]+ parameters, vocabulary {size}, float32 on cpu\)", shown)
    language = build(DecoderConfig(vocab_size=size, num_layers=1, **SIZES))
    assert repr(LanguageModel(language, letters)).startswith("LanguageModel(decoder, ")  # type: ignore[arg-type]
    tagger = build(EncoderConfig(vocab_size=size, num_layers=1, task="tag", labels=["a"], **SIZES))
    assert repr(Predictor(tagger, letters)).startswith("Predictor(encoder, tag, ")  # type: ignore[arg-type]
    both = Translator(translator(letters).model, letters, None, [translator(letters).model])
    assert repr(both).endswith("on cpu, and 1 more models)")


def test_results_are_told_in_a_line(letters: Tokenizer) -> None:
    model = translator(letters)
    (translation,) = model.translate(["abc"], n_best=2, beam_size=2, max_length=4, alignment=True)
    assert re.fullmatch(
        r"Translation\('.*', score=-\d+\.\d{4}, \d tokens, \w+, with n_best of 2, alignment\)", repr(translation)
    )
    assert repr(translation.n_best[0]).startswith("Candidate('")
    seen = model.inspect("abc", "ab")
    run = TrainingRun(step=9, history=[{"step": step, "loss": 1.0} for step in range(1000)], snapshots=[{"a": LONG}])
    long = Candidate(LONG, -1.0, ["a"] * 300, [-1.0] * 300, "eos", [5] * 300)
    shown = [
        translation, seen, seen.record, seen.rows("cross"), model.align("abc", "ab"), model.score(["abc"], ["ab"])[0], run,
        model.inspect(("abc" * 40), "ab" * 40).keys("cross"), long,
        Translation(**vars(long), n_best=[long] * 5, trace=[], alternatives=[[("a", -1.0)]]),
        Prediction(LONG, ["A"] * 100, [0.5] * 100), ForcedScore(-2.0, ["a"] * 99, [-1.0] * 99),
        TrainingResult(Path("m"), run, None, {"bleu": 30.0, "chrf": 50.0, "exact_match": 0.1, "confusion": {LONG: {}}}),
    ]  # fmt: skip
    for thing in shown:
        line = repr(thing)
        assert line.startswith(type(thing).__name__)
        assert len(line) < 250, line
        assert "\n" not in line
    assert repr(shown[-1]) == "TrainingResult('m', step 0 of 9 kept: BLEU 30.00, chrF 50.00, exact match 10.00%)"
    assert repr(seen).startswith("Inspection('abc', 'ab', 6 heads of encoder-decoder")
    assert repr(Prediction("a\x1b[2J", ["yes"], [0.9])) == r"Prediction('a\x1b[2J': yes 0.90)"


def test_a_translation_shows_its_doubts_in_a_notebook(letters: Tokenizer) -> None:
    sure, unsure = -1e-9, -2.302585
    one = Candidate("a <b>&", -0.5, ["▁a", "▁<b>", "&"], [sure, unsure, sure, -0.1], "eos", [1, 2, 3])
    page = Translation(**vars(one), n_best=[one])._repr_html_()
    assert "<b>" not in page
    assert '<span style="background:rgba(201,118,27,0.63)" title="▁&lt;b&gt;: 0.100"> &lt;b&gt;</span>' in page
    assert '<span style="background:rgba(201,118,27,0.00)" title="▁a: 1.000">a</span>' in page
    assert re.sub("<[^>]+>", "", page.split("<bdi")[1].split("</bdi>")[0].partition(">")[2]) == "a &lt;b&gt;&amp;"
    assert page.count("<bdi") == page.count("</bdi>") == 1  # a script from right to left is kept to itself
    assert one._repr_html_() == page
    (found,) = translator(letters).translate(["abc"], n_best=3, beam_size=3, max_length=5, alignment=True)
    page = found._repr_html_()
    assert page.count("<bdi") == 3
    assert "<svg" in page
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "</bdi>" in candidates_html([("", 0.0, [], [])])


def test_pipelines_and_results_show_themselves_in_a_notebook(letters: Tokenizer, tmp_path: Path) -> None:
    model = translator(letters)
    alignment = model.align("abc", "ab")
    assert "<title>Alignment" in alignment._repr_html_()
    assert alignment._repr_html_().count("<svg") == alignment._repr_svg_().count("<svg") == 1
    assert ElementTree.fromstring(alignment._repr_svg_()).tag.endswith("svg")  # a picture of its own
    assert "prefers-color-scheme" in alignment._repr_svg_()
    page = model._repr_html_()
    assert '<th style="text-align:left">Translator</th>' in page
    assert "encoder-decoder" in page
    assert f"{len(letters):,} tokens" in page
    assert "float32 on cpu" in page
    rows = [("<i>yes", "<b>a"), ("no", "b a")] * 3
    predictor = regard.new(rows, arch="encoder", task="classify", num_layers=1, model_dim=8, num_heads=2, ff_dim=8)
    hostile = [
        predictor, predictor.predict("<b>a"), Prediction("<b>a", ["<i>yes"], [0.9], is_cut=True),
        ForcedScore(-1.0, ["▁<b>", "</s>"], [-0.5, -0.5]), Alignment(["<b>"], ["<i>"], [[1.0]], 0),
    ]  # fmt: skip
    for thing in hostile:
        page = thing._repr_html_()
        assert "<b>" not in page
        assert "<i>" not in page
        assert "&lt;" in page
        ElementTree.fromstring(page.replace("&nbsp;", " "))  # every element is closed
    assert "&lt;i&gt;yes 0.90" in hostile[2]._repr_html_()
    assert "(cut)" in hostile[2]._repr_html_()
    assert "-1.000" in hostile[3]._repr_html_()


def test_training_shows_its_scores_and_its_curve_in_a_notebook() -> None:
    run = TrainingRun(step=20, best_step=10, seconds=61.0)
    run.history = [{"step": 5, "loss": 3.0}, {"step": 10, "loss": 2.0}, {"step": 10, "valid_loss": 2.5}]
    page = TrainingResult(Path("<i>m"), run, None, {"bleu": 31.234})._repr_html_()
    assert "<i>" not in page
    assert re.search("BLEU</th><td[^>]*>31.23</td>", page)
    assert "20; kept: the weights of step 10" in page
    assert page.count("<polyline") == 1  # the training loss; the single validation is a dot
    assert page.count("<circle") == 1
    interrupted = TrainingResult(Path("m"), TrainingRun(), None, {})
    assert "<svg" not in interrupted._repr_html_()
    assert repr(interrupted) == "TrainingResult('m', step 0 of 0 kept: not measured)"


@pytest.mark.parametrize("name", ["Translator", "LanguageModel", "Predictor"])
def test_the_public_classes_have_reprs_of_their_own(name: str) -> None:
    assert getattr(regard, name).__repr__ is not object.__repr__
