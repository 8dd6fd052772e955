"""The command `inspect`, on small models of every family: what it prints and writes, and what it refuses."""

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from running import command, refused

import regard
from random_models import TEXT, save_models
from regard.checkpoint import load_model
from regard.errors import DataError, SettingsError
from regard.inspection.drawing.figures import readable
from regard.pipelines.translator import Translator


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("look"))


@pytest.mark.parametrize("name", ["m", "two", "rnn", "lm", "mlm", "tag", "classify"])
def test_inspecting_every_family(
    folder: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    capsysbinary.readouterr()
    assert command("inspect", folder / name, TEXT) == 0
    shown = capsysbinary.readouterr().out.decode()
    assert "entropy" in shown
    assert "\x1b" not in shown  # no colours in a pipe
    for ending in ("html", "svg", "png", "json", "csv"):
        assert command("inspect", folder / name, TEXT, "-o", tmp_path / f"x.{ending}") == 0
    content = json.loads((tmp_path / "x.json").read_text())
    first = next(iter(content["attentions"]))
    kind = first.split(".")[0]
    matrix = numpy.array([[value or 0 for value in row] for row in content["attentions"][first]])
    assert matrix.shape == (
        len(content["tokens"][kind]["rows"]["spelled"]),
        len(content["tokens"][kind]["keys"]["spelled"]),
    )
    numpy.testing.assert_allclose(matrix.sum(axis=1), 1, atol=0.01)
    with (tmp_path / "x.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["head"] == first]
    written = sum(value is not None for row in content["attentions"][first] for value in row)
    assert len(rows) == written  # forbidden cells are not there
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "x.svg").read_text().startswith("<?xml")
    assert "</html>" in (tmp_path / "x.html").read_text()


@pytest.mark.parametrize(("name", "count"), [("rnn", 1), ("one", 6)])
def test_where_an_attention_has_one_head_its_picture_has_tokens(
    folder: Path, tmp_path: Path, name: str, count: int
) -> None:
    """All heads of such a model in one picture: there is room for what the rows and columns are."""
    seen = regard.load(folder / name).inspect(TEXT, "fed")  # type: ignore[union-attr,call-arg]
    drawn = [axes for axes in seen.figure().axes if axes.get_title()]
    assert [axes.get_title() for axes in drawn] == seen.head_names
    assert len(drawn) == count
    for axes in drawn:
        kind = axes.get_title().split(".")[0]
        labels = [[label.get_text() for label in of_axis.get_ticklabels()] for of_axis in (axes.yaxis, axes.xaxis)]
        assert labels == [[readable(token) for token in side(kind).spelled] for side in (seen.rows, seen.keys)]
    assert command("inspect", folder / name, TEXT, "--target", "fed", "-o", tmp_path / "x.svg") == 0
    assert [
        text for text in ("f", "d", "&lt;/s&gt;") if f">{text}</text>" not in (tmp_path / "x.svg").read_text()
    ] == []


def test_tokens_stand_where_they_stand_in_their_texts(folder: Path) -> None:
    for name in ("m", "two", "lm", "tag", "classify"):
        writes = name in ("m", "two")
        seen = regard.load(folder / name).inspect(TEXT, *["fed ab"] * writes)  # type: ignore[union-attr]
        for kind, tokens in seen.record.key_tokens.items():
            text = "fed ab" if kind == "decoder" and writes else TEXT
            placed = [token for token, place in zip(tokens.spelled, tokens.offsets, strict=True) if place is not None]
            assert "".join(placed).replace("▁", "") == text.replace(" ", "")  # all but symbols stand somewhere
            for token, place, word in zip(tokens.spelled, tokens.offsets, tokens.words, strict=True):
                if place is not None and token != "▁":
                    assert text[slice(*place)].strip() == token.replace("▁", "").strip()
                    if token.replace("▁", "").strip():
                        assert token.replace("▁", "") in text.split()[word]


@pytest.mark.parametrize("name", ["m", "two", "rnn", "lm", "mlm", "tag", "classify"])
@pytest.mark.parametrize("text", [TEXT, "ab  cde f", "ab 犬 cde"])
def test_the_tokens_on_the_page_are_the_text(folder: Path, browser: Any, name: str, text: str) -> None:
    """Copied, the tokens of a side are the text; and each token covers that part of the text which it was cut from."""
    writes = name in ("m", "two", "rnn")
    seen = regard.load(folder / name).inspect(text, *["fed ab c"] * writes)  # type: ignore[union-attr]
    page = browser.new_page()
    page.set_content(seen.html())
    page.wait_for_selector("body[data-ready=yes]")
    for kind in {head.split(".")[0]: head for head in seen.head_names}:
        page.select_option("#head", next(head for head in seen.head_names if head.startswith(kind)))
        page.wait_for_timeout(50)
        for side, tokens in (("row", seen.rows(kind)), ("key", seen.keys(kind))):
            is_source = not writes or kind == "encoder" or (kind, side) == ("cross", "key")
            shown = page.locator(f"#{side}-tokens bdi")
            pieces = shown.evaluate_all(
                "all => all.map(it => it.classList.contains('symbol') ? '' : it.textContent)"
            )  # fmt: skip
            assert len(pieces) == len(tokens)
            assert "".join(pieces) == (text if is_source else "fed ab c")
            letters = ""
            for count, token in enumerate(tokens.spelled, start=1):
                letters += "犬" if token == "<unk>" else "" if token in ("<s>", "</s>") else token.replace("▁", "")
                assert "".join(pieces[:count]).replace(" ", "") == letters
    page.close()


def test_words_of_a_head(folder: Path) -> None:
    translator = regard.load(folder / "m")
    assert isinstance(translator, Translator)
    matrix, rows, keys = translator.inspect(TEXT, "fed ab c").words("cross.1.2")
    assert (rows, keys) == (["fed", "ab", "c", "</s>"], ["ab", "cde", "</s>"])
    numpy.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-5)


def test_a_target_that_is_given_and_ranks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    translator = regard.load(folder / "m")
    assert isinstance(translator, Translator)
    forced = translator.inspect(TEXT, "fed")
    assert forced.target == "fed"
    assert forced.token_log_probs == pytest.approx(translator.score([TEXT], ["fed"])[0].token_log_probs, abs=1e-5)
    found = translator.translate([TEXT], n_best=3)[0].n_best
    assert [translator.inspect(TEXT, rank=rank).target for rank in (1, 2, 3)] == [one.text for one in found]
    with pytest.raises(SettingsError, match="rank must be from 1 to 1"):
        translator.inspect(TEXT, rank=0)
    with pytest.raises(DataError, match="text must have words"):
        translator.inspect("  ")
    assert "head must be one of the model's" in refused(capsys, "inspect", folder / "m", TEXT, "--head", "cross.9.9")
    assert "a head must be written" in refused(capsys, "inspect", folder / "m", TEXT, "--ablate", "x")
    assert re.search(
        "--flow .*got 'rolout'.*'rollout'", refused(capsys, "inspect", folder / "m", TEXT, "--flow", "rolout")
    )
    assert "must end in .html" in refused(capsys, "inspect", folder / "m", TEXT, "-o", "x.pdf")
    assert "must be in a folder that exists" in refused(
        capsys, "inspect", folder / "m", TEXT, "-o", folder / "no" / "x.svg"
    )
    assert re.search("`--target` needs .*lm does not", refused(capsys, "inspect", folder / "lm", TEXT, "--target", "x"))
    assert re.search("`hidden_states` .*got a recurrent", refused(capsys, "inspect", folder / "rnn", TEXT, "--lens"))


def test_what_a_model_writes_without_heads_is_what_it_writes_without_their_weights(folder: Path) -> None:
    translator = regard.load(folder / "two")
    assert isinstance(translator, Translator)
    names = ["cross.1.0", "encoder.0.2"]
    seen = translator.inspect(TEXT, ablate=names)
    assert [one.heads for one in seen.ablations] == [names, names[:1], names[1:]]
    again = load_model(folder / "two")
    model = again.model
    with torch.no_grad():
        model.decoder_layers[1].cross_attention.output_proj.weight[:, :4] = 0  # type: ignore[union-attr]
        model.encoder_layers[0].self_attention.output_proj.weight[:, 8:] = 0  # type: ignore[union-attr]
    cut = Translator(model, again.tokenizer, again.source_tokenizer)  # type: ignore[arg-type]
    assert seen.ablations[0].text == cut.translate([TEXT])[0].text
    assert seen.target is not None
    before, after = (part.score([TEXT], [seen.target])[0] for part in (translator, cut))
    change = (after.log_prob - before.log_prob) / len(after.tokens)
    assert seen.ablations[0].log_prob_change == pytest.approx(change, abs=1e-5)
    by_token = [a - b for a, b in zip(after.token_log_probs, before.token_log_probs, strict=True)]
    assert seen.ablations[0].token_changes == pytest.approx(by_token, abs=1e-5)
    assert translator.translate([TEXT])[0].text == seen.target  # nothing stays behind
    with pytest.raises(SettingsError, match="`ablate` needs a Transformer; got a recurrent"):
        regard.load(folder / "rnn").inspect(TEXT, ablate=["cross.0.0"])  # type: ignore[union-attr,call-arg]


@pytest.mark.parametrize("name", ["m", "lm", "tag", "mlm"])
def test_what_each_layer_would_say(folder: Path, capsysbinary: pytest.CaptureFixture[bytes], name: str) -> None:
    loaded = regard.load(folder / name)
    seen = loaded.inspect(TEXT, hidden_states=True)
    assert len(seen.lens) == 3
    assert all(0 <= probability <= 1 for layer in seen.lens for _, probability in layer)
    if isinstance(loaded, Translator):
        assert len(seen.lens[-1]) == len(seen.token_log_probs)
        for (_, best), written in zip(seen.lens[-1], seen.token_log_probs, strict=True):
            assert best >= math.exp(written) - 1e-3
    capsysbinary.readouterr()
    assert command("inspect", folder / name, TEXT, "--lens") == 0
    assert "embeddings" in capsysbinary.readouterr().out.decode()


@pytest.mark.parametrize("method", ["rollout", "flow", "gradient", "integrated-gradients"])
@pytest.mark.parametrize("name", ["m", "rnn", "lm", "tag", "classify"])
def test_flows(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, method: str) -> None:
    target = ("--target", "fed") if name in ("m", "rnn") else ()
    if name == "rnn" and method in ("rollout", "flow"):
        assert "got a recurrent model" in refused(capsys, "inspect", folder / name, TEXT, "--flow", method)
        return
    assert command("inspect", folder / name, TEXT, *target, "--flow", method, "-o", tmp_path / "x.json") == 0
    content = json.loads((tmp_path / "x.json").read_text())
    matrix = numpy.array([[value or 0 for value in row] for row in content["matrix"]])
    assert matrix.shape == (len(content["rows"]), len(content["keys"]))
    if method in ("rollout", "flow"):
        numpy.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-6)
    assert content["caveat"]
    for ending in ("png", "csv"):
        assert command("inspect", folder / name, TEXT, *target, "--flow", method, "-o", tmp_path / f"x.{ending}") == 0
    message = refused(capsys, "inspect", folder / name, TEXT, "--flow", method, "-o", tmp_path / "x.html")
    assert re.search(r"`--flow`.*\.json, \.csv, \.svg, \.png; got 'x\.html'", message)


def test_norms(folder: Path, tmp_path: Path) -> None:
    assert command("inspect", folder / "m", TEXT, "--norms", "-o", tmp_path / "x.json") == 0
    content = json.loads((tmp_path / "x.json").read_text())
    assert content["shows"] == "norms"
    plain = regard.load(folder / "m").inspect(TEXT)
    norms = numpy.array(content["attentions"]["cross.0.0"])
    numpy.testing.assert_allclose(norms.sum(axis=1), 1, atol=0.01)
    assert abs(norms - plain["cross.0.0"]).max() > 0.001


def test_links_between_tokens(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("inspect", folder / "m", TEXT, "--target", "fed ab", "--links")
    assert command(*arguments, "-o", tmp_path / "x.svg") == 0
    assert command(*arguments, "--head", "encoder.0.1", "-o", tmp_path / "x.png") == 0
    assert re.search(r"`--links` .*`-o FILE\.svg`", refused(capsys, *arguments, "-o", tmp_path / "x.html"))
    assert re.search(r"`--links` .*`-o FILE\.svg`", refused(capsys, *arguments))


def test_a_search_is_drawn(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("inspect", folder / "m", TEXT, "--search", "-o", tmp_path / "x.svg", "--set", "max_length=6") == 0
    assert "</s>" in (tmp_path / "x.svg").read_text().replace("&lt;", "<").replace("&gt;", ">")
    assert re.search(
        r"`--search` needs `-o`.*\.svg.*got no -o", refused(capsys, "inspect", folder / "m", TEXT, "--search")
    )


def test_unknown_words_in_a_target_that_is_given(folder: Path, tmp_path: Path) -> None:
    for method in ("gradient", "rollout"):
        assert command(
            "inspect", folder / "m", TEXT, "--target", "fed 狗 ab", "--flow", method, "-o", tmp_path / f"{method}.json"
        ) == 0  # fmt: skip
        content = json.loads((tmp_path / f"{method}.json").read_text())
        assert len(content["matrix"]) == len(content["rows"])
        assert "<unk>" in content["rows"]


def test_options_that_do_not_go_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flow = ("inspect", folder / "m", TEXT, "--flow", "rollout")
    for option in (
        ["--head", "cross.0.0"],
        ["--ablate", "cross.0.0"],
        ["--lens"],
        ["--norms"],
        ["--rank", "2"],
        ["--search"],
    ):
        message = refused(capsys, *flow, *option)
        assert re.search(f"`{option[0]}` has no effect with --flow.* Remove it", message)
    message = refused(capsys, "inspect", folder / "m", TEXT, "--search", "--target", "x", "-o", "x.svg")
    assert re.search("`--target` has no effect with --search.* Remove it", message)
    message = refused(capsys, "align", folder / "m", folder / "source", folder / "target", "--shifted")
    assert re.search("`--shifted` needs `--from`.*remove `--shifted`", message)


def test_what_is_too_long_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "abcdef " * 9
    assert "a text must have at most 39 tokens" in refused(capsys, "inspect", folder / "m", long)
    assert "text must have at most 39 tokens" in refused(capsys, "inspect", folder / "m", long, "--target", "fed")
    assert "target must have at most 40 tokens" in refused(capsys, "inspect", folder / "m", TEXT, "--target", long)
    for name in ("lm", "mlm", "tag", "classify"):
        assert "text must have at most 40 tokens" in refused(capsys, "inspect", folder / name, long)
    (tmp_path / "s").write_text(f"{TEXT}\n" * 4 + f"{long}\n")
    (tmp_path / "t").write_text(f"{TEXT}\n" * 5)
    assert "pair 5: a text must have at most" in refused(
        capsys, "heads", folder / "m", tmp_path / "s", tmp_path / "t", "--sentences", "3"
    )


def test_bfloat16(folder: Path) -> None:
    from regard.analysis.attribution import trace_flow

    translator = regard.load(folder / "m", precision="bfloat16")
    assert isinstance(translator, Translator)
    for method in ("gradient", "integrated-gradients", "rollout"):
        assert numpy.isfinite(trace_flow(translator, translator.inspect(TEXT, "fed"), method).matrix).all()
    assert len(translator.inspect(TEXT, "fed", hidden_states=True, ablate=["cross.0.0"]).heads) == 18


def test_masks_stand_nowhere_and_words_where_they_are(folder: Path) -> None:
    tokens = regard.load(folder / "mlm").inspect("ab <mask> cde").keys("encoder")  # type: ignore[union-attr]
    assert [token for token, place in zip(tokens.spelled, tokens.offsets, strict=True) if place is None] == [
        "<s>", "<mask>", "</s>",
    ]  # fmt: skip
    assert [word for word in tokens.words if word is not None] == [0, 0, 0, 2, 2, 2, 2]


def test_a_notebook_shows_it(folder: Path) -> None:
    shown = regard.load(folder / "m").inspect(TEXT)._repr_html_()
    assert shown.startswith('<iframe srcdoc="<!doctype html>')
    assert shown.count('"') == 6  # everything inside is escaped


def test_pictures_without_matplotlib(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    for name in [name for name in sys.modules if name.startswith(("matplotlib", "regard.inspection.drawing.pictures"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install 'regard[inspect]'" in refused(capsys, "inspect", folder / "m", TEXT, "-o", "x.svg")
    assert not Path("x.svg").exists()


@pytest.mark.filterwarnings("always")
def test_characters_without_a_font_are_told_in_one_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("regard.inspection.drawing.pictures.missing", lambda text: "犬" * ("cross" in text))
    assert command("inspect", folder / "rnn", TEXT, "-o", tmp_path / "x.png") == 0
    captured = capsys.readouterr()
    assert captured.out == f"wrote {tmp_path / 'x.png'}\n"
    assert captured.err.startswith("regard: no installed font has 犬 (CJK): boxes are drawn in their place. Install ")
    assert captured.err.count("\n") == 1
    assert command("inspect", folder / "rnn", TEXT, "-o", tmp_path / "x.svg") == 0
    assert capsys.readouterr().err == ""


def test_long_texts_in_a_terminal(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    seen = regard.load(folder / "m").inspect(TEXT, "abc def " * 4)
    for width in (40, 80, 200):
        lines = seen.terminal("decoder.0.0", width=width, colour=False).splitlines()
        assert max(map(len, lines)) <= width
    assert "\x1b[38;5;" in seen.terminal("decoder.0.0", colour=True)
