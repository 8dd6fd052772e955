"""The command `compare`, and several references of `evaluate`."""

import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from running import command, outcome, refused
from sacrebleu.metrics.chrf import CHRF

import regard
from random_models import save_models
from regard.errors import DataError, MissingExtraError, ModelFolderError, SettingsError
from regard.evaluation.text_metrics import ADDED, add_metric


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("compare"))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A test set of 30 sentences, and translations: in `base` two of three are right, in `new` five of six."""
    references = [f"der hund nummer {number} läuft schnell" for number in range(30)]
    write(tmp_path / "source", [f"dog number {number} runs fast" for number in range(30)])
    write(tmp_path / "target", references)
    write(tmp_path / "base", ["die katze" if n % 3 == 0 else text for n, text in enumerate(references)])
    write(tmp_path / "new", ["die katze" if n % 6 == 1 else text for n, text in enumerate(references)])
    return tmp_path


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_models_have_the_scores_that_evaluate_gives(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, options = (folder / "source", folder / "target"), ("--beam", "2", "--set", "no_repeat_ngram=2", "--lowercase")
    _, out, _ = outcome(capsys, "compare", folder / "m", folder / "rnn", *data, *options, "--json")
    found = json.loads(out)
    assert [system["name"] for system in found["systems"]] == [str(folder / "m"), str(folder / "rnn")]
    assert found["baseline"] == str(folder / "m")
    for system in found["systems"]:
        _, out, _ = outcome(capsys, "evaluate", system["name"], *data, *options, "--json")
        alone = json.loads(out)
        for name in ("bleu", "chrf", "exact_match"):
            assert system["scores"][name]["score"] == pytest.approx(alone[name])
        assert found["signatures"] == alone["signatures"]
    translator = regard.load(folder / "rnn")
    texts = [row["systems"][1]["texts"] for row in found["sentences"]]
    assert isinstance(translator, regard.Translator)
    sources = (folder / "source").read_text().splitlines()
    assert texts == [[each.text] for each in translator.translate(sources, beam_size=2, no_repeat_ngram=2)]


def test_scores_and_sentences_of_files(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, new, source, target = (files / name for name in ("base", "new", "source", "target"))
    found = regard.compare([base, new], [source, target])
    exact = [system.scores["exact_match"] for system in found.systems]
    assert (exact[0].score, exact[1].score) == (pytest.approx(20 / 30), pytest.approx(25 / 30))
    assert exact[1].p is None  # 10 lines are wrong in base alone, 5 in new alone: fewer than 20 differ
    sentences = found.sentences(found.systems[1])
    assert sorted(sentence.line for sentence in sentences[:10]) == [number + 1 for number in range(0, 30, 3)]
    assert sorted(sentence.line for sentence in sentences[10:]) == [number + 1 for number in range(1, 30, 6)]
    differences = [sentence.difference for sentence in sentences]
    assert differences == sorted(differences, reverse=True)
    metric, best = CHRF(), sentences[0]
    assert best.texts == ("die katze", best.references[0])
    assert best.chrf == pytest.approx((metric.sentence_score("die katze", best.references).score, 100))
    code, out, _ = outcome(capsys, "compare", base, new, source, target)
    assert code == 0
    assert out.count("better, line ") == out.count("worse, line ") == 3
    assert "66.67 ±" in out
    assert "+16.67" in out
    assert "fewer than 20 sentences differ" in out


def test_one_file_of_pairs(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = zip(*((files / name).read_text().splitlines() for name in ("source", "target")), strict=True)
    write(files / "pairs.tsv", ["\t".join(row) for row in rows])
    _, one, _ = outcome(capsys, "compare", files / "base", files / "new", files / "pairs.tsv", "--json")
    _, two, _ = outcome(capsys, "compare", files / "base", files / "new", files / "source", files / "target", "--json")
    assert json.loads(one)["systems"] == json.loads(two)["systems"]


def test_the_terminal_shows_at_most_80_columns_and_no_control_characters(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_metric("a_metric_with_a_very_long_name", lambda texts, references: 123456.789)
    try:
        hostile = "\x1b[31m" + "非常に長い文" * 30 + " " + "w" * 200 + " \u202e words" * 20
        for name in ("base", "new", "source", "target"):
            lines = (files / name).read_text().splitlines()
            write(files / name, [*lines[:-1], "x" if name == "base" else hostile])
        long = files / ("n" * 120)
        (files / "new").rename(long)
        systems = f"{files / 'base'},{long}", f"{long},{files / 'base'}", long
        code, out, _ = outcome(capsys, "compare", *systems, files / "source", files / "target")
    finally:
        del ADDED["a_metric_with_a_very_long_name"]
    assert code == 0
    assert max(map(cell_len, out.split("\n"))) <= 80
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b[31m" in out


def test_runs_are_averaged(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = f"{files / 'base'},{files / 'new'}", files / "target"
    _, out, _ = outcome(capsys, "compare", *runs, files / "source", files / "target", "--json")
    base, right = json.loads(out)["systems"]
    assert base["scores"]["exact_match"]["runs"] == pytest.approx([20 / 30, 25 / 30])
    assert base["scores"]["exact_match"]["score"] == pytest.approx(0.75)
    assert base["scores"]["exact_match"]["deviation"] == pytest.approx((5 / 30) / 2**0.5)
    assert right["scores"]["exact_match"]["deviation"] is None
    sentence = json.loads(out)["sentences"][0]["systems"][0]
    assert sentence["texts"] == ["die katze", "der hund nummer 0 läuft schnell"]
    assert 50 < sentence["chrf"] < 60
    _, shown, _ = outcome(capsys, "compare", *runs, files / "source", files / "target")
    assert "sd" in shown
    assert "What other seeds would give" in shown


def test_a_name_with_commas_that_exists_is_one_run(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "new").rename(files / "new,old")
    _, out, _ = outcome(
        capsys, "compare", files / "base", files / "new,old", files / "source", files / "target", "--json"
    )
    assert json.loads(out)["systems"][1]["runs"] == [str(files / "new,old")]


def test_a_system_beside_itself(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = outcome(capsys, "compare", files / "base", files / "base", files / "source", files / "target")
    assert f"{files / 'base'} (2)".replace("\n", "") in out.replace("\n", "")
    assert "every sentence has the same chrF" in " ".join(out.split())
    assert out.count("1.000\n") == 3
    assert "*\n" not in out


def test_a_difference_that_counts_has_a_star(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(files / "bad", ["x"] * 30)
    _, out, _ = outcome(capsys, "compare", files / "bad", files / "target", files / "source", files / "target")
    assert out.count("0.001 *\n") == 3


def test_blank_lines_and_line_separators_keep_their_places(tmp_path: Path) -> None:
    write(tmp_path / "s", ["one", "", "two \u2028 more", "three"])
    write(tmp_path / "t", ["eins", "", "zwei \u2028 mehr", "drei"])
    write(tmp_path / "a", ["eins", "left out", "zwei \u2028 mehr", ""])
    write(tmp_path / "b", ["", "", "zwei", "drei"])
    write(tmp_path / "more", ["uno", "", "", "tres"])
    found = regard.compare(
        [tmp_path / "a", tmp_path / "b"], [tmp_path / "s", tmp_path / "t"], references=tmp_path / "more"
    )
    assert found.lines == [1, 3, 4]
    assert found.references == [["eins", "uno"], ["zwei \u2028 mehr"], ["drei", "tres"]]
    assert found.systems[0].texts == [["eins", "zwei \u2028 mehr", ""]]
    assert [system.scores["exact_match"].score for system in found.systems] == pytest.approx([2 / 3, 1 / 3])
    assert [sentence.line for sentence in found.sentences(found.systems[1])] == [4, 3, 1]
    assert not found.bleu_counts  # no reference has four tokens


def test_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("s", "a"), ("t", "b"), ("x", "b"), ("y", "c")):
        write(tmp_path / name, [text])
    code, out, _ = outcome(capsys, "compare", *(tmp_path / name for name in "xyst"))
    assert code == 0
    assert "1 sentence of " in out
    assert "±" not in out.partition("±: half")[0]
    assert "*" not in out.partition("±: half")[0]
    assert "No BLEU: no reference has the 4 tokens" in " ".join(out.split())


def test_a_page_is_written(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(files / "new", ["<script>" + line for line in (files / "new").read_text().splitlines()])
    page = files / "page.html"
    code, out, error = outcome(
        capsys, "compare", files / "base", files / "new", files / "source", files / "target", "-o", page, "--json"
    )
    assert code == 0
    assert json.loads(out)["num_sentences"] == 30
    assert f"wrote {page}" in error
    html = page.read_text(encoding="utf-8")
    assert "<script" not in html
    assert "<mark>&lt;script&gt;" in html
    assert html.count("<article>") == 30


def test_metrics_that_were_added_are_scored_without_a_test(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_metric("letters", lambda texts, references: float(sum(map(len, texts))))
    try:
        systems = files / "base", files / "new"
        _, out, _ = outcome(capsys, "compare", *systems, files / "source", files / "target", "--json")
    finally:
        del ADDED["letters"]
    letters = [sum(map(len, system.read_text().splitlines())) for system in systems]
    found = [system["scores"]["letters"] for system in json.loads(out)["systems"]]
    assert [each["score"] for each in found] == letters
    assert found[1]["difference"] == letters[1] - letters[0]
    assert found[1]["p"] is None


def test_evaluate_takes_more_references(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = folder / "source", folder / "target"
    assert command("translate", folder / "m", folder / "source", "-o", tmp_path / "own") == 0
    texts = (tmp_path / "own").read_text().split("\n")[:-1]
    num_written = sum(map(bool, texts))  # a random model leaves many lines blank
    assert 0 < num_written < 12
    write(tmp_path / "own", texts)
    write(tmp_path / "other", ["x"] * 12)
    _, out, _ = outcome(capsys, "evaluate", folder / "m", *data, "--json")
    alone = json.loads(out)
    more = "--references", tmp_path / "own", "--references", tmp_path / "other"
    _, out, _ = outcome(capsys, "evaluate", folder / "m", *data, *more, "--json")
    found = json.loads(out)
    assert (alone["exact_match"], found["exact_match"]) == (0, pytest.approx(num_written / 12))
    assert found["chrf"] > alone["chrf"]
    assert found["perplexity"] == alone["perplexity"]
    assert "nrefs:var" in found["signatures"]["bleu"]


def test_evaluate_refuses_references_of_other_models(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = refused(capsys, "evaluate", folder / "lm", folder / "source", "--references", folder / "target")
    assert "`evaluate` takes references only with a model that translates" in error


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "base source target",
            "`compare` needs at least two systems, and then the data; got 1 (base) before source target.",
        ),
        ("source target", "got 0 before source target. For example: regard compare base new test.en test.de"),
        ("pairs.tsv", "got 0 before pairs.tsv"),
        ("base pairs.tsv", "got 1 (base) before pairs.tsv"),
        ("base,,new base source target", "a system must be a name, or the names of its runs; got 'base,,new'."),
        ("base short source target", "short must have as many lines as source + target, 30; got 29. Line N"),
        (
            "base none source target",
            "a system must be a model folder or a text file of translations; got none, which does",
        ),
        ("base own/none source target", "which does not exist. On the Hugging Face hub: hf:own/none"),
        ("base pairs.tsv source target", "pairs.tsv must be a text file with one text per line; got a file of pairs."),
        (
            "base new source short",
            "parallel files must have the same number of lines; got 30 in source and 29 in short",
        ),
        ("base new source target --references short", "short must have as many lines as source + target, 30; got 29."),
        ("base new source target --references pairs.tsv", "pairs.tsv must be a text file with one text per line;"),
        ("base new source target --references none", "none must be a readable text file; got: No such file"),
        ("base new source target --beam 2", "beam_size must be left out: all systems are files of translations."),
        ("base new source target --set nonsense=2", "nonsense"),
        (
            "base new source target --tokenize nonsense",
            "tokenize must be one of sacrebleu's tokenizers; got 'nonsense'.",
        ),
        (
            "base new source target -o page.pdf",
            "the output must end in .html; got 'page.pdf'. For numbers, use --json.",
        ),
        ("base new source target -o none/page.html", "-o must be in a folder that exists; got none/page.html."),
        ("base new source target --comet none.ckpt", "--comet must be a checkpoint of COMET on this machine, such as"),
        ("base {lm} source target", "is a language model (arch decoder). Leave it out, and use `regard generate "),
        ("base {classify} source target", "is a predictor (arch encoder). Leave it out, and use `regard predict "),
        ("base {empty} source target", "config.json"),
    ],
)
def test_what_compare_refuses(
    words: str,
    expected: str,
    folder: Path,
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(files / "short", ["x"] * 29)
    write(files / "pairs.tsv", ["a\tb"] * 30)
    (files / "empty").mkdir()
    monkeypatch.chdir(files)
    filled = words.format(lm=folder / "lm", classify=folder / "classify", empty="empty")
    assert expected in refused(capsys, "compare", *filled.split())


def test_errors_have_classes(folder: Path, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = [files / "source", files / "target"]
    systems = [files / "base", files / "new"]
    with pytest.raises(SettingsError, match=r"at least two systems; got one, .*base\. The first is the baseline"):
        regard.compare(systems[:1], data)
    with pytest.raises(SettingsError, match=r"at least two systems; got none"):
        regard.compare([], data)
    with pytest.raises(SettingsError, match=r"systems must be a list; got 'base' \(str\). Write \['base'\]"):
        regard.compare("base", data)
    with pytest.raises(SettingsError, match=r"the names of its runs; got ''"):
        regard.compare([systems, []], data)
    with pytest.raises(
        SettingsError, match=r"`compare` needs a model that turns one text into another; .*lm is a language"
    ):
        regard.compare([systems[0], folder / "lm"], data)
    with pytest.raises(DataError, match="which does not exist"):
        regard.compare([systems[0], files / "none"], data)
    (files / "empty").mkdir()
    with pytest.raises(ModelFolderError, match=r"config\.json"):
        regard.compare([systems[0], files / "empty"], data)
    write(files / "model.ckpt", ["weights"])
    monkeypatch.setitem(__import__("sys").modules, "comet", None)
    with pytest.raises(MissingExtraError, match=r"--comet needs .*unbabel-comet"):
        regard.compare(systems, data, comet=files / "model.ckpt")
