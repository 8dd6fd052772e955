"""The commands that look inside, on small models of every family: what they print and write, and what they refuse."""

import csv
import json
import math
import random
from pathlib import Path

import numpy
import pytest
import torch

import regard
from regard.checkpoint import load_model, save_new
from regard.cli.main import run
from regard.errors import DataError, SettingsError
from regard.evaluation.alignment import read_alignments
from regard.inspection.ablation import gated, without
from regard.inspection.figures import readable
from regard.inspection.heads import LABELS
from regard.inspection.record import HeadName
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.families import build
from regard.text.tokenizer import Tokenizer, TokenizerConfig
from regard.workflow.translation.translator import Translator

SIZES = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "max_positions": 40}
TEXT = "ab cde"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of every family, and pairs of texts."""
    folder, rng = tmp_path_factory.mktemp("look"), random.Random(1)
    words = ["".join(rng.choices("abcdef", k=rng.randint(1, 4))) for _ in range(60)]
    lines = [" ".join(rng.choices(words, k=3)) for _ in range(12)]
    (folder / "source").write_text("".join(f"{line}\n" for line in lines))
    (folder / "target").write_text("".join(f"{' '.join(line.split()[::-1])}\n" for line in lines))
    tokenizer = Tokenizer.train(lines, TokenizerConfig(kind="characters", vocab_size=40, with_mask=True))
    own, sizes = Tokenizer.train(["fedcba "], TokenizerConfig(kind="characters", vocab_size=40)), len(tokenizer)
    torch.manual_seed(1)
    pair = {**SIZES, "num_encoder_layers": 2, "num_decoder_layers": 2}
    save_new(folder / "m", build(EncoderDecoderConfig(vocab_size=sizes, **pair)).eval(), tokenizer)
    two = EncoderDecoderConfig(
        vocab_size=len(own), source_vocab_size=sizes, tied_embeddings="target", positions="rotary", **pair
    )
    save_new(folder / "two", build(two).eval(), own, tokenizer)
    one = {**pair, "num_heads": 1}
    save_new(folder / "one", build(EncoderDecoderConfig(vocab_size=sizes, **one)).eval(), tokenizer)
    save_new(folder / "rnn", build(RecurrentConfig(vocab_size=sizes, model_dim=12)).eval(), tokenizer)
    save_new(folder / "lm", build(DecoderConfig(vocab_size=sizes, num_layers=2, **SIZES)).eval(), tokenizer)
    for task, labels in (("mlm", []), ("tag", ["x", "y"]), ("classify", ["x", "y"])):
        config = EncoderConfig(vocab_size=sizes, num_layers=2, task=task, labels=labels, **SIZES)
        save_new(folder / task, build(config).eval(), tokenizer)
    return folder


def command(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return int(ended.value.code or 0)


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert command(*words) == 2
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return captured.err


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
def test_the_tokens_on_the_page_are_the_text(folder: Path, name: str, text: str) -> None:
    """Copied, the tokens of a side are the text; and each token covers that part of the text which it was cut from."""
    writes = name in ("m", "two", "rnn")
    seen = regard.load(folder / name).inspect(text, *["fed ab c"] * writes)  # type: ignore[union-attr]
    data = json.loads(seen.html().split('id="data">')[1].split("</script>")[0])
    for side, shown in (("rows", seen.rows), ("keys", seen.keys)):
        assert data["pieces"][side].keys() == {head.split(".")[0] for head in seen.head_names}
        for kind, (place, pieces) in ((kind, found.values()) for kind, found in data["pieces"][side].items()):
            is_source = not writes or kind == "encoder" or (kind, side) == ("cross", "keys")
            assert place == ("text" if is_source else "target-text")
            assert len(pieces) == len(data[side][kind])
            assert "".join(pieces) == (text if is_source else "fed ab c")
            letters = ""
            for count, token in enumerate(shown(kind).spelled, start=1):
                letters += "犬" if token == "<unk>" else "" if token in ("<s>", "</s>") else token.replace("▁", "")
                if token != "▁":  # a space before a word may cover the word's first letter, too
                    assert "".join(pieces[:count]).replace(" ", "") == letters
    assert (data["target"] is None) == (not writes)


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
    assert "--flow must be one of ours" in refused(capsys, "inspect", folder / "m", TEXT, "--flow", "rolout")
    assert "must end in .html" in refused(capsys, "inspect", folder / "m", TEXT, "-o", "x.pdf")
    assert "must be in a folder that exists" in refused(
        capsys, "inspect", folder / "m", TEXT, "-o", folder / "no" / "x.svg"
    )
    assert "--target must be used with" in refused(capsys, "inspect", folder / "lm", TEXT, "--target", "x")
    assert "which has no" in refused(capsys, "inspect", folder / "rnn", TEXT, "--lens")


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
    with pytest.raises(SettingsError, match="ablate must name heads of a Transformer"):
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
    assert "a flow is written as" in refused(
        capsys, "inspect", folder / name, TEXT, "--flow", method, "-o", tmp_path / "x.html"
    )


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
    assert "--links must draw one head" in refused(capsys, *arguments, "-o", tmp_path / "x.html")
    assert "--links must draw one head" in refused(capsys, *arguments)


def test_a_search_is_drawn(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("inspect", folder / "m", TEXT, "--search", "-o", tmp_path / "x.svg", "--set", "max_length=6") == 0
    assert "</s>" in (tmp_path / "x.svg").read_text().replace("&lt;", "<").replace("&gt;", ">")
    assert "--search must have a picture to draw" in refused(capsys, "inspect", folder / "m", TEXT, "--search")


def test_ranking_heads(
    folder: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.workflow.inspection.heads.SHARES", (0.5,))
    files = folder / "source", folder / "target"
    assert command("heads", folder / "m", *files, "--sentences", "2", "-o", tmp_path / "r.json") == 0
    content = json.loads((tmp_path / "r.json").read_text())
    worth = [head["worth"] for head in content["heads"]]
    assert len(worth) == 18
    assert worth == sorted(worth, reverse=True)
    assert {head["label"] for head in content["heads"]} <= {*LABELS, "mixed"}
    assert len(content["bleu"]) == 4
    assert all(curve[0]["removed_percent"] == 0 for curve in content["bleu"].values())
    for ending in ("svg", "png", "html", "csv"):
        assert command(
            "heads", folder / "m", *files, "--sentences", "2", "--by", "gradient", "--no-curves", "-o", tmp_path / f"r.{ending}"
        ) == 0  # fmt: skip
    capsysbinary.readouterr()
    assert command("heads", folder / "m", *files, "--sentences", "2", "--by", "gradient") == 0
    shown = capsysbinary.readouterr().out.decode()
    assert "cross.1.2" in shown
    assert "by chance" in shown


def test_pruning_heads(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = folder / "source", folder / "target"
    options = ("--sentences", "4", "--prune", "0.25")
    assert command("heads", folder / "two", *files, *options, "-o", tmp_path / "smaller") == 0
    shown = capsys.readouterr().out
    assert "without 4 heads" in shown
    smaller, whole = regard.load(tmp_path / "smaller"), regard.load(folder / "two")
    assert isinstance(smaller, Translator)
    assert isinstance(whole, Translator)
    gone = [HeadName.parse(name) for name in (tmp_path / "smaller" / "README.md").read_text().split("--prune`: ")[1]
            .split(".\n")[0].split(", ")]  # fmt: skip
    assert len(gone) == 4
    with gated(whole.model, without(whole.model, gone)):
        expected = Translator(whole.model, whole.tokenizer, whole.source_tokenizer).translate([TEXT])[0]
    assert smaller.translate([TEXT])[0].text == expected.text
    assert smaller.translate([TEXT])[0].score == pytest.approx(expected.score, abs=1e-5)
    assert sum(p.numel() for p in smaller.model.parameters()) < sum(p.numel() for p in whole.model.parameters())
    assert not set(map(str, gone)) & set(smaller.inspect(TEXT).head_names)
    assert len(smaller.inspect(TEXT).head_names) == 14
    assert "must not hold a model yet" in refused(
        capsys, "heads", folder / "two", *files, *options, "-o", tmp_path / "smaller"
    )
    assert "--prune must have a folder" in refused(capsys, "heads", folder / "two", *files, "--prune", "0.5")
    assert "--by must be a measure of ours" in refused(capsys, "heads", folder / "two", *files, "--by", "gradients")
    assert "heads must be those of a Transformer" in refused(capsys, "heads", folder / "rnn", *files)


def test_a_pruned_model_is_converted(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = folder / "source", folder / "target"
    assert command("heads", folder / "m", *files, "--sentences", "2", "--prune", "0.5", "-o", tmp_path / "smaller") == 0
    capsys.readouterr()
    assert command("convert", tmp_path / "smaller", tmp_path / "ct2", "--to", "ctranslate2") == 0
    assert "65 of their tensors are 85 of ours" in capsys.readouterr().out  # all heads, some of which write zeros


def test_aligning(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = folder / "source", folder / "target"
    assert command("align", folder / "m", *files, "-o", tmp_path / "a") == 0
    found = read_alignments((tmp_path / "a").read_text().splitlines(), "a")
    assert len(found) == 12
    for row in found:
        assert sorted(target for _, target in row.sure) == [0, 1, 2]  # each target word has a source word
        assert all(0 <= source < 3 for source, _ in row.sure)
    capsys.readouterr()
    assert command("align", folder / "m", *files, "-o", tmp_path / "b", "--gold", tmp_path / "a") == 0
    assert "alignment error rate 0.00%" in capsys.readouterr().err  # what was found is among what is tried
    assert command("align", folder / "m", *files, "-o", tmp_path / "c", "--from", "cross.1.2", "--shifted") == 0
    assert command("align", folder / "m", *files, "-o", tmp_path / "d", "--reverse", folder / "rnn") == 0
    assert "--from must be cross-attention" in refused(capsys, "align", folder / "m", *files, "--from", "encoder.0")
    assert "Did you mean 'union'" in refused(capsys, "align", folder / "m", *files, "--symmetrize", "unin")


def test_a_pruned_model_in_every_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = folder / "source", folder / "target"
    assert command("heads", folder / "m", *files, "--sentences", "2", "--prune", "1.0", "-o", tmp_path / "one") == 0
    translator = regard.load(tmp_path / "one")
    assert isinstance(translator, Translator)
    left = {
        HeadName.parse(name).layer: HeadName.parse(name).head
        for name in translator.inspect(TEXT).head_names
        if "cross" in name
    }
    assert (
        translator.align(TEXT, "fed", layer=1, head=left[1]).weights == translator.align(TEXT, "fed", layer=1).weights
    )
    gone = next(head for head in range(3) if head != left[1])
    with pytest.raises(SettingsError, match=rf"head must be one that the layer has, of \[{left[1]}\]; got {gone}"):
        translator.align(TEXT, "fed", layer=1, head=gone)
    assert command("heads", folder / "m", *files, "--sentences", "2", "--prune", "0.4", "-o", tmp_path / "some") == 0
    (tmp_path / "lines").write_text(f"{TEXT}\n")
    for name in ("one", "some"):
        assert command("align", tmp_path / name, *files, "-o", tmp_path / "links") == 0
        for option in ("alignment=true", "coverage_penalty=0.2", "alternatives=2"):
            assert command("translate", tmp_path / name, tmp_path / "lines", "--json", "--set", option) == 0
    message = refused(capsys, "align", tmp_path / "one", *files, "--from", f"cross.1.{gone}")
    assert f"--from must be a head that the model has, of [{left[1]}] here" in message


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
        assert "show different things" in refused(capsys, *flow, *option)
    assert "--search and --target show different things" in refused(
        capsys, "inspect", folder / "m", TEXT, "--search", "--target", "x", "-o", "x.svg"
    )
    assert "--shifted needs --from" in refused(
        capsys, "align", folder / "m", folder / "source", folder / "target", "--shifted"
    )


def test_what_is_too_long_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "abcdef " * 9
    assert "a text must have at most 39 tokens" in refused(capsys, "inspect", folder / "m", long)
    assert "text must have at most 40 tokens" in refused(capsys, "inspect", folder / "m", long, "--target", "fed")
    assert "target must have at most 40 tokens" in refused(capsys, "inspect", folder / "m", TEXT, "--target", long)
    for name in ("lm", "mlm", "tag", "classify"):
        assert "text must have at most 40 tokens" in refused(capsys, "inspect", folder / name, long)
    (tmp_path / "s").write_text(f"{TEXT}\n" * 4 + f"{long}\n")
    (tmp_path / "t").write_text(f"{TEXT}\n" * 5)
    assert "pair 5: a text must have at most" in refused(
        capsys, "heads", folder / "m", tmp_path / "s", tmp_path / "t", "--sentences", "3"
    )


def test_bfloat16(folder: Path) -> None:
    from regard.workflow.inspection.flowing import trace_flow

    translator = regard.load(folder / "m", precision="bfloat16")
    assert isinstance(translator, Translator)
    for method in ("gradient", "integrated-gradients", "rollout"):
        assert numpy.isfinite(trace_flow(translator, TEXT, "fed", method=method).matrix).all()
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

    for name in [name for name in sys.modules if name.startswith(("matplotlib", "regard.inspection.pictures"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install 'regard[inspect]'" in refused(capsys, "inspect", folder / "m", TEXT, "-o", "x.svg")
    assert not Path("x.svg").exists()


@pytest.mark.filterwarnings("always")
def test_characters_without_a_font_are_told_in_one_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("regard.inspection.pictures.missing", lambda text: "犬" * ("cross" in text))
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
