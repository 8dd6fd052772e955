"""The commands `heads` and `align`: rankings, pruned models and alignments, and what they refuse."""

import json
import re
import shutil
from pathlib import Path

import pytest
from running import command, outcome, refused

import regard
from random_models import TEXT, save_models
from regard.analysis.aligning import find_alignment_head
from regard.errors import SettingsError
from regard.evaluation.alignment_error import pharaoh, read_alignments, reversed_links, symmetrized
from regard.inspection.ablation import ablated_gates, gated
from regard.inspection.head_statistics import LABELS
from regard.inspection.record import HeadName
from regard.models.heads import alignment_head
from regard.pipelines.translator import Translator


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("look"))


def with_alignment_head(folder: Path, new: Path, head: str) -> Path:
    """A copy of a model folder that names an alignment head."""
    shutil.copytree(folder, new)
    config = json.loads((new / "config.json").read_text())
    config["model"]["alignment_head"] = head
    (new / "config.json").write_text(json.dumps(config))
    return new


def test_ranking_heads(
    folder: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.analysis.pruning.SHARES", (0.5,))
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
    with gated(whole.model, ablated_gates(whole.model, gone)):
        expected = Translator(whole.model, whole.tokenizer, whole.source_tokenizer).translate([TEXT])[0]
    assert smaller.translate([TEXT])[0].text == expected.text
    assert smaller.translate([TEXT])[0].score == pytest.approx(expected.score, abs=1e-5)
    assert sum(p.numel() for p in smaller.model.parameters()) < sum(p.numel() for p in whole.model.parameters())
    assert not set(map(str, gone)) & set(smaller.inspect(TEXT).head_names)
    assert len(smaller.inspect(TEXT).head_names) == 14
    message = refused(capsys, "heads", folder / "two", *files, *options, "-o", tmp_path / "smaller")
    assert re.search("must not hold a model; got .*smaller.*--overwrite", message)
    assert re.search("`--prune` .*`-o FOLDER`", refused(capsys, "heads", folder / "two", *files, "--prune", "0.5"))
    message = refused(capsys, "heads", folder / "two", *files, "--by", "gradients")
    assert re.search("--by .*got 'gradients'.*'gradient'", message)
    assert re.search("heads needs a Transformer; got a recurrent", refused(capsys, "heads", folder / "rnn", *files))


def test_pruning_the_heads_that_a_file_names(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, listed = [folder / "source", folder / "target"], tmp_path / "heads-off.txt"
    listed.write_text("cross.1.2\nencoder.0.1\ncross.1.2\n")
    options = ("--sentences", "2", "--prune", listed, "-o")
    assert command("heads", folder / "m", *files, *options, tmp_path / "smaller") == 0
    whole, smaller = (regard.load(path) for path in (folder / "m", tmp_path / "smaller"))
    assert isinstance(whole, Translator)
    assert isinstance(smaller, Translator)
    left = set(smaller.inspect(TEXT, "fed").head_names)
    assert set(whole.inspect(TEXT, "fed").head_names) - left == {"cross.1.2", "encoder.0.1"}
    gated = whole.inspect(TEXT, "fed", ablate=["cross.1.2", "encoder.0.1"]).ablations[0]
    assert smaller.translate(TEXT).text == gated.text
    for content, message in (("cross.7.1", "got cross.7.1"), ("", "is empty"), ("head 3", "kind.layer.head")):
        listed.write_text(content)
        assert re.search(message, refused(capsys, "heads", folder / "m", *files, *options, tmp_path / "other"))
    listed.write_text("cross.1.2")
    refused_by = refused(capsys, "heads", folder / "m", *files, *options, tmp_path / "other", "--by", "gradient")
    assert "`--by` has no effect with heads that a file names" in refused_by
    assert "cannot be read" in refused(
        capsys, "heads", folder / "m", *files, "--prune", "none.txt", "-o", tmp_path / "other"
    )


def test_pruning_the_alignment_head_finds_another(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, listed = [folder / "source", folder / "target"], tmp_path / "heads.txt"
    named = with_alignment_head(folder / "m", tmp_path / "named", "cross.1.2")
    for removed, found in (("encoder.0.1", "cross.1.2"), ("cross.1.2", None)):
        listed.write_text(removed)
        smaller = tmp_path / f"without-{removed}"
        code, _, told = outcome(capsys, "heads", named, *files, "--sentences", "6", "--prune", listed, "-o", smaller)
        assert code == 0
        translator = regard.load(smaller)
        assert isinstance(translator, Translator)
        held_out = ((folder / name).read_text().splitlines()[6:12] for name in ("source", "target"))
        assert translator.model.config.alignment_head == (found or find_alignment_head(translator, *held_out))
        assert alignment_head(translator.model) is not None
        assert ("alignment head cross.1.2" in told) == (found is None)
    listed.write_text("cross.1.2")
    assert command("heads", folder / "m", *files, "--sentences", "2", "--prune", listed, "-o", tmp_path / "none") == 0
    assert regard.load(tmp_path / "none").model.config.alignment_head is None  # as before: it names none


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
    message = refused(capsys, "align", folder / "m", *files, "--from", "encoder.0")
    assert re.search(r"--from .*cross\.0 to cross\.1; got encoder\.0", message)
    assert "Did you mean 'union'" in refused(capsys, "align", folder / "m", *files, "--symmetrize", "unin")


def test_the_other_direction_is_read_from_its_alignment_head(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = folder / "source", folder / "target"
    one, other = (with_alignment_head(folder / "m", tmp_path / head, head) for head in ("cross.0.1", "cross.1.2"))
    forward, backward = tmp_path / "forward", tmp_path / "backward"
    assert command("align", one, source, target, "-o", forward) == 0
    assert command("align", other, target, source, "-o", backward) == 0
    ours, theirs = (read_alignments(path.read_text().splitlines(), "") for path in (forward, backward))
    expected = [
        pharaoh(symmetrized(a.sure, reversed_links(b.sure), "union")) for a, b in zip(ours, theirs, strict=True)
    ]
    given = "align", one, source, target, "--symmetrize", "union", "--gold", forward
    code, shown, told = outcome(capsys, *given, "--reverse", other)
    assert (code, shown.splitlines()) == (0, expected)
    assert "alignment error rate" in told
    assert "read from" not in told
    assert "chosen on" not in told
    code, _, told = outcome(capsys, *given, "--reverse", folder / "m")  # it names no head: one is chosen on the gold
    assert code == 0
    assert "read from" in told
    assert "on the same pairs that the layer and head were chosen on" in told


def test_a_gold_standard_that_counts_from_one(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = folder / "source", folder / "target"
    assert command("align", folder / "m", *files, "-o", tmp_path / "a") == 0
    rows = [
        [tuple(map(int, link.split("-"))) for link in line.split()] for line in (tmp_path / "a").read_text().split("\n")
    ]
    (tmp_path / "b").write_text("\n".join(" ".join(f"{s + 1}-{t + 1}" for s, t in row) for row in rows))
    capsys.readouterr()
    assert command("align", folder / "m", *files, "--gold", tmp_path / "b", "--gold-from-one") == 0
    assert "alignment error rate 0.00%" in capsys.readouterr().err
    message = refused(capsys, "align", folder / "m", *files, "--gold", tmp_path / "b")
    wrong = r"b, line 1: a link must be of words that are there, 3 and 3; got \d-3, counted from 0\. Does the file count from 1"
    assert re.search(wrong, message)
    assert "--gold-from-one" in message
    (tmp_path / "b").write_text("0-0\n")
    message = refused(capsys, "align", folder / "m", *files, "--gold", tmp_path / "b")
    assert "b must have a line for each of the 12 pairs; got 1" in message
    assert "Did you mean 'spaces'" in refused(capsys, "align", folder / "m", *files, "--word-separators", "space")


def test_words_with_a_no_break_space_are_aligned(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s").write_text("ab\u00a0cd ef\n")
    (tmp_path / "t").write_text("fe\u00a0dc ba\n")
    for options, most in (((), 1), (("--word-separators", "whitespace"), 2)):
        assert command("align", folder / "m", tmp_path / "s", tmp_path / "t", *options) == 0
        links = capsys.readouterr().out.split()
        assert max(int(link.split("-")[1]) for link in links) == most


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
    with pytest.raises(SettingsError, match=rf"head .*\[{left[1]}\].*; got {gone}"):
        translator.align(TEXT, "fed", layer=1, head=gone)
    assert command("heads", folder / "m", *files, "--sentences", "2", "--prune", "0.4", "-o", tmp_path / "some") == 0
    (tmp_path / "lines").write_text(f"{TEXT}\n")
    for name in ("one", "some"):
        assert command("align", tmp_path / name, *files, "-o", tmp_path / "links") == 0
        for option in ("alignment=true", "coverage_penalty=0.2", "alternatives=2"):
            assert command("translate", tmp_path / name, tmp_path / "lines", "--json", "--set", option) == 0
    message = refused(capsys, "align", tmp_path / "one", *files, "--from", f"cross.1.{gone}")
    assert re.search(rf"--from .*\[{left[1]}\].*; got cross\.1\.{gone}", message)
