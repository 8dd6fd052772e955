"""Language models, classifiers, taggers and masked language models through the commands."""

import itertools
import json
import random
import re
from pathlib import Path

import pytest
from running import command, refused

import regard
from regard.errors import DataError

SMALL = ["--set", "model.model_dim=32", "--set", "model.ff_dim=64", "--set", "model.num_heads=2", "--set", "model.num_layers=1",
         "--set", "model.dropout=0.0", "--precision", "float32", "--set", "training.warmup_steps=20",
         "--set", "training.average_decay=0.9"]  # fmt: skip


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of each kind, trained by the command on a task that can be learnt."""
    folder, rng = tmp_path_factory.mktemp("families"), random.Random(1)
    # The alphabet, again and again, from any letter on: what follows is certain.
    letters = "abcdefghij"
    starts = [rng.randrange(10) for _ in range(300)]
    (folder / "text").write_text("".join(f"{(letters * 3)[start : start + 15]}\n" for start in starts))
    # A class is whether an x occurs; a tag is whether a word begins with a vowel.
    words = ["".join(rng.choices("abcdefgx", k=rng.randint(1, 3))) for _ in range(1200)]
    texts = [words[i : i + 4] for i in range(0, 1200, 4)]
    (folder / "classes.tsv").write_text(
        "".join(f"{'yes' if 'x' in ''.join(t) else 'no'}\t{' '.join(t)}\n" for t in texts)
    )
    rows = ["".join(f"{w}\t{'VOWEL' if w[0] in 'ae' else 'OTHER'}\n" for w in t) + "\n" for t in texts]
    (folder / "tags.tsv").write_text("".join(rows))
    characters = ["--set", "tokenizer.kind=characters", "--set", "tokenizer.vocab_size=40"]
    for name, data, kind in (
        ("lm", "text", ["--arch", "decoder", "--steps", "150", "--set", "training.learning_rate=0.01"]),
        ("classify", "classes.tsv", ["--arch", "encoder", "--task", "classify", "--steps", "250", *characters]),
        ("tag", "tags.tsv", ["--arch", "encoder", "--task", "tag", "--steps", "300", *characters]),
        ("mlm", "text", ["--arch", "encoder", "--task", "mlm", "--steps", "600", *characters]),
    ):
        rate = [] if name == "lm" else ["--set", "training.learning_rate=0.005", "--set", "training.label_smoothing=0"]
        assert command("train", folder / data, "-o", folder / name, *kind, *rate, *SMALL) == 0
    return folder


def test_a_language_model_learns_and_goes_on(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = json.loads((work / "lm" / "results.json").read_text())
    # 14 of 16 tokens are certain; the first of each line and, for now and then, the line's end are not
    assert results["token_accuracy"] > 0.85
    assert command("generate", work / "lm", "--prompt", "cdef", "--max-tokens", "6", "--temperature", "0") == 0
    assert capsys.readouterr().out == "cdefghijab\n"
    assert command("generate", work / "lm", "--max-tokens", "40", "--seed", "3", "--json", "--stop-at-line") == 0
    first = json.loads(capsys.readouterr().out)
    assert command("generate", work / "lm", "--max-tokens", "40", "--seed", "3", "--json", "--stop-at-line") == 0
    assert json.loads(capsys.readouterr().out) == first
    assert "\n" not in first["text"]
    assert command("evaluate", work / "lm", work / "text", "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["nats_per_character"] == pytest.approx(scores["nats_per_token"], rel=1e-6)
    assert scores["bits_per_byte"] == pytest.approx(scores["nats_per_token"] / 0.6931472, rel=1e-6)
    model = regard.load(work / "lm", device="cpu")
    assert isinstance(model, regard.LanguageModel)
    for lines, predicted in ((["ab"], 2), (["", "ab"], 3)):  # but for the first character, nothing being before it
        scores = model.evaluate(lines)
        assert scores["num_tokens"] == predicted
        assert scores["nats_per_character"] == pytest.approx(scores["nats_per_token"])


def test_a_language_model_writes_past_its_window(work: Path) -> None:
    model = regard.load(work / "lm", device="cpu")
    assert isinstance(model, regard.LanguageModel)
    (text,) = model.generate(["abc"], max_tokens=300, temperature=0)
    assert len(text) == 300
    prompts = ["cde", "a\nb", ""]
    together = model.generate(prompts, max_tokens=20, seed=5)
    assert together[0] == model.generate(prompts[:1], max_tokens=20, seed=5)[0]


def test_a_classifier_learns_and_predicts(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads((work / "classify" / "results.json").read_text())["accuracy"] > 0.9
    (work / "input").write_text("a x b\nab cd\n")
    assert command("predict", work / "classify", work / "input", "--json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["labels"] for row in rows] == [["yes"], ["no"]]
    assert all(0.5 < row["probs"][0] <= 1 for row in rows)
    assert command("evaluate", work / "classify", work / "classes.tsv") == 0
    assert "accuracy" in capsys.readouterr().out


def test_each_class_has_its_scores(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("evaluate", work / "classify", work / "classes.tsv", "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    counts = scores["confusion"]
    assert {label: sum(row.values()) for label, row in counts.items()} == {
        label: score["num_right"] for label, score in scores["labels"].items()
    }
    for label, score in scores["labels"].items():
        assert score["recall"] == counts[label][label] / score["num_right"]
        assert score["precision"] == counts[label][label] / score["num_predicted"]
    assert command("evaluate", work / "classify", work / "classes.tsv") == 0
    shown = capsys.readouterr().out.splitlines()
    head = next(line for line in shown if line.startswith("label"))
    assert head.split() == ["label", "precision", "recall", "F1", "right", "predicted"]
    assert "right, predicted:" in "\n".join(shown)
    results = json.loads((work / "classify" / "results.json").read_text())
    assert set(results["labels"]) == set(results["confusion"]) == {"yes", "no"}
    page = (work / "classify" / "report.html").read_text()
    assert "<h2>Each label</h2>" in page
    assert "<h2>Which label was taken for which</h2>" in page
    assert "target tokens/s" not in page


def test_the_class_stands_at_the_head_of_an_inspection(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = regard.load(work / "classify", device="cpu")
    assert isinstance(model, regard.Predictor)
    (prediction,) = model.predict(["a x b"])
    other = 1 - prediction.probs[0]
    line = f"class: yes, probability {prediction.probs[0]:.2f} (no {other:.2f})"
    assert command("inspect", work / "classify", "a x b") == 0
    assert capsys.readouterr().out.splitlines()[0] == line
    for ending in ("html", "json"):
        assert command("inspect", work / "classify", "a x b", "-o", tmp_path / f"page.{ending}") == 0
    assert f'"says":"{line}"' in (tmp_path / "page.html").read_text()
    said = json.loads((tmp_path / "page.json").read_text())["predicted"]
    assert [row["label"] for row in said] == ["yes", "no"]
    assert sum(row["prob"] for row in said) == pytest.approx(1, abs=1e-3)
    capsys.readouterr()
    assert command("inspect", work / "tag", "ab cd") == 0
    assert capsys.readouterr().out.startswith("tags: VOWEL ")
    assert command("inspect", work / "mlm", "abcde<mask>ghij") == 0
    assert capsys.readouterr().out.startswith("masks: ")
    assert command("inspect", work / "mlm", "abcdefghij") == 0
    assert capsys.readouterr().out.startswith("\nencoder.")


def test_tokens_are_counted_and_blank_lines_and_headers_told(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (work / "classes.tsv").read_text()
    (tmp_path / "data.tsv").write_text("\n" + rows + "\n\n")
    (tmp_path / "valid.tsv").write_text("yes\ta x\n\nno\tab\n")
    options = ["--arch", "encoder", "--task", "classify", "--steps", "2", *SMALL]
    capsys.readouterr()
    assert (
        command("train", tmp_path / "data.tsv", "--valid", tmp_path / "valid.tsv", "-o", tmp_path / "m", *options) == 0
    )
    shown = " ".join(capsys.readouterr().err.split())
    assert f"300 texts from {tmp_path}/data.tsv (3 blank left out)" in shown
    assert f"2 texts from {tmp_path}/valid.tsv (1 blank left out)" in shown
    assert command("train", tmp_path / "data.tsv", "-o", tmp_path / "held", *options) == 0
    shown = " ".join(capsys.readouterr().err.split())
    assert "290 texts from" in shown
    assert "(3 blank left out)" in shown
    result = regard.train([tmp_path / "data.tsv"], tmp_path / "n", arch="encoder", task="classify",
                          settings={"training": {"steps": 2}, "model": {"num_layers": 1}})  # fmt: skip
    assert result.run.num_tokens > 2 * 290  # more than texts: each has words
    (tmp_path / "data.tsv").write_text("label\ttext\n" + rows)
    message = refused(capsys, "train", tmp_path / "data.tsv", "-o", tmp_path / "o", *options)
    assert re.search(r"data\.tsv, line 1: .*got 'label\\ttext', a header\. Remove", message)
    (tmp_path / "data.tsv").write_text("mood\tremark\n" + rows)
    assert command("train", tmp_path / "data.tsv", "-o", tmp_path / "o", *options) == 0
    assert "'mood', occurs there only" in " ".join(capsys.readouterr().err.split())


def test_a_tagger_gives_every_word_a_tag(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads((work / "tag" / "results.json").read_text())["accuracy"] > 0.95
    (work / "input").write_text("ab  cd ex\nfab\n")
    assert command("predict", work / "tag", work / "input") == 0
    assert capsys.readouterr().out == "VOWEL OTHER VOWEL\nOTHER\n"
    assert command("evaluate", work / "tag", work / "tags.tsv", "--json") == 0
    assert json.loads(capsys.readouterr().out)["macro_f1"] > 0.95


def test_a_masked_language_model_fills_masks(work: Path) -> None:
    results = json.loads((work / "mlm" / "results.json").read_text())
    assert results["accuracy"] > 0.8
    model = regard.load(work / "mlm", device="cpu")
    assert isinstance(model, regard.Predictor)
    with pytest.raises(DataError, match=r"text 1 .*<mask>.*got 'abc'"):
        model.predict(["abc"])
    (prediction,) = model.predict(["abcde<mask>ghij"])
    assert len(prediction.labels) == len(prediction.probs) == 1


@pytest.mark.parametrize("name", ["lm", "classify", "tag", "mlm"])
def test_info_and_card_of_every_kind(work: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("info", work / name) == 0
    assert "parameters" in capsys.readouterr().out
    card = (work / name / "README.md").read_text()
    assert "## Scores" in card
    assert f"--arch {'decoder' if name == 'lm' else 'encoder'}" in card


def test_a_card_holds_the_settings_that_train_the_model_again(work: Path, tmp_path: Path) -> None:
    card = (work / "tag" / "README.md").read_text()
    (tmp_path / "config.yaml").write_text(card.split("```yaml\n")[1].split("```")[0])
    options = ["--arch", "encoder", "--task", "tag", "--config", tmp_path / "config.yaml"]
    assert command("train", work / "tags.tsv", "-o", tmp_path / "again", *options) == 0
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == (work / "tag" / "model.safetensors").read_bytes()


def test_a_model_is_told_from_its_command(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "translate", work / "lm", work / "text")
    assert re.search("`regard translate` needs .*lm is a language model.*`regard generate [^`]*lm", message)
    message = refused(capsys, "generate", work / "tag")
    assert re.search("`regard generate` needs .*tag is .*arch encoder.*`regard predict [^`]*tag`", message)


@pytest.mark.parametrize("name", ["lm", "tag"])
def test_options_of_translating_are_refused_where_nothing_is_translated(
    work: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refused(capsys, "evaluate", work / name, work / "text", "--beam", "7", "--set", "bogus=1", "--lowercase")
    assert re.search(f"lowercase, beam_size, bogus .*a model that translates; .*{name}", message)
    message = refused(
        capsys, "evaluate", work / name, work / "text", "--set", "device=auto"
    )  # an option, but not of decoding
    assert re.search(f" device .*a model that translates; .*{name}", message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--arch", "gpt"], "arch .*got 'gpt'.*decoder, encoder, encoder-decoder, encoder-decoder-classifier, rnn"),
        (["--arch", "encoder"], "--arch encoder.*--task.*mlm, classify, tag"),
        (["--arch", "encoder", "--task", "clasify"], "--task.*got clasify.*'classify'"),
        (["--task", "mlm"], "--task mlm.*--arch encoder-decoder.*Use `--arch encoder`"),
        (["--arch", "decoder", "--preset", "big"], "preset .*got 'big'"),
        (["--arch", "decoder", "--set", "model.num_encoder_layers=2"], "model .*got 'num_encoder_layers'"),
        (["--arch", "encoder", "--task", "classify"], "line 1: a line must be label, tab, text; got"),
    ],
)
def test_what_cannot_be_trained(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert re.search(message, refused(capsys, "train", work / "text", "-o", tmp_path / "model", *options))
    assert not (tmp_path / "model").exists()


def test_labels_that_were_not_trained_on(work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.tsv").write_text("maybe\tab\n")
    message = refused(capsys, "evaluate", work / "classify", tmp_path / "other.tsv")
    assert re.search(r"other\.tsv: a label .*got 'maybe'.*no, yes", message)
    (tmp_path / "one.tsv").write_text("yes\tab\nyes\tx\n")
    message = refused(
        capsys, "train", tmp_path / "one.tsv", "-o", tmp_path / "m", "--arch", "encoder", "--task", "classify"
    )
    assert "must have at least 2 different labels; got ['yes']" in message


def test_prompts_out_of_range(work: Path) -> None:
    model = regard.load(work / "lm", device="cpu")
    assert isinstance(model, regard.LanguageModel)
    assert model.generate("abc", max_tokens=5) == model.generate(["abc"], max_tokens=5)[0]
    with pytest.raises(DataError, match="prompt 1 must have at most 64 tokens; got 91"):
        model.generate(["abc" * 30])


def test_the_histogram_demo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from regard.demos import histogram

    monkeypatch.setattr(histogram, "NUM_TRAINING_TEXTS", 2000)
    assert command("demo", "histogram", "-o", tmp_path / "model", "--steps", "30") == 0
    out = capsys.readouterr().out
    assert "letters counted right in 2,000 held-out sequences: " in out
    page = (tmp_path / "model" / "report.html").read_text()
    assert page.count("set by hand</text>") == len(histogram.DRAWN)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert re.search("TASK .*got 'histgram'.*'histogram'", refused(capsys, "demo", "histgram"))


def test_a_recurrent_model_trains_translates_and_aligns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(2)
    words = ["".join(rng.choices("abcd", k=rng.randint(2, 5))) for _ in range(800)]
    (tmp_path / "pairs.tsv").write_text("".join(f"{word}\t{word[::-1]}\n" for word in words))
    options = ["--set", "model.model_dim=32", "--set", "model.dropout=0", "--set", "tokenizer.kind=characters", "--precision",
               "float32", "--set", "training.learning_rate=0.01", "--set", "training.warmup_steps=20", "--steps", "250",
               "--set", "training.average_decay=0.9", "--set", "model.teacher_forcing=0.9"]  # fmt: skip
    assert command("train", tmp_path / "pairs.tsv", "-o", tmp_path / "model", "--arch", "rnn", *options) == 0
    assert json.loads((tmp_path / "model" / "results.json").read_text())["exact_match"] > 0.9
    (tmp_path / "input").write_text("abcd\n")
    capsys.readouterr()
    assert command("translate", tmp_path / "model", tmp_path / "input", "--beam", "3") == 0
    assert capsys.readouterr().out == "dcba\n"
    translator = regard.load(tmp_path / "model", device="cpu")
    assert isinstance(translator, regard.Translator)
    alignment = translator.align("abcd")
    assert len(alignment.weights) == len(alignment.target_tokens)
    assert all(abs(sum(row) - 1) < 1e-4 for row in alignment.weights)


def test_a_mask_stands_where_training_had_it(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids of a text with a mask are those of the whole text with one id replaced."""
    from regard.pipelines.predictor import Predictor
    from regard.text.tokenizer import Tokenizer
    from regard.text.tokenizer_config import TokenizerConfig

    tokenizer = Tokenizer.train(["the cat dog " * 9], TokenizerConfig(vocab_size=40, with_mask=True))
    model = regard.load(work / "mlm", device="cpu").model
    seen = []
    monkeypatch.setattr(type(model), "forward", lambda self, ids: seen.append(ids[0].tolist()) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Predictor(model, tokenizer).predict(["the <mask> dog"])  # type: ignore[arg-type]
    whole = [tokenizer.bos_id, *tokenizer.encode("the cat dog"), tokenizer.eos_id]
    assert len(whole) == 5
    assert seen[0] == [tokenizer.mask_id if i == 2 else id for i, id in enumerate(whole)]


def test_a_label_that_occurs_once_is_not_held_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{'rare' if i == 0 else 'ab'[i % 2]}\tthe cat number {i}\n" for i in range(40)]
    (tmp_path / "data.tsv").write_text("".join(rows))
    for seed in range(3):
        options = ["--arch", "encoder", "--task", "classify", "--steps", "2", "--seed", str(seed), *SMALL]
        assert command("train", tmp_path / "data.tsv", "-o", tmp_path / f"m{seed}", *options) == 0
    (tmp_path / "all.tsv").write_text("".join(f"l{i}\tthe cat\n" for i in range(40)))
    message = refused(
        capsys, "train", tmp_path / "all.tsv", "-o", tmp_path / "n", "--arch", "encoder", "--task", "classify"
    )
    assert re.search(r"all\.tsv .*hold out.*labels.*--valid", message)


def test_long_and_blank_lines_of_a_masked_language_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("a cat runs far " * 40 + "\n" + "a dog\n" * 20 + "\n" * 200)
    options = ["--arch", "encoder", "--task", "mlm", "--steps", "2", "--set", "model.max_positions=16", *SMALL]
    assert command("train", tmp_path / "text", "-o", tmp_path / "m", *options) == 0
    captured = capsys.readouterr()
    assert "1 text of" in captured.out + captured.err
    assert "evaluate" not in captured.out.split("Next:")[1]
    (tmp_path / "other").write_text("犬 猫\n")
    message = refused(
        capsys, "train", tmp_path / "text", "--valid", tmp_path / "other", "-o", tmp_path / "n", *options,
        "--set", "tokenizer.kind=words",
    )  # fmt: skip
    assert re.search("other must share a word with .*text", message)


@pytest.mark.parametrize("options", [["--seed", "99999999999999999"], ["--device", "meta"], ["--temperature", "-1"]])
def test_options_out_of_range(work: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    assert "Traceback" not in refused(capsys, "generate", work / "lm", *options)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Words in one alphabet and, letter by letter, in another; models that know one of the two."""
    folder, rng = tmp_path_factory.mktemp("pairs"), random.Random(2)
    words = ["".join(rng.choices("abcdef", k=rng.randint(2, 6))) for _ in range(900)]
    (folder / "source").write_text("".join(f"{word}\n" for word in words))
    (folder / "target").write_text("".join(f"{word.translate(str.maketrans('abcdef', 'αβγδεζ'))}\n" for word in words))
    return folder


CHARACTERS = ["--set", "tokenizer.kind=characters", "--set", "tokenizer.vocab_size=40"]
QUICK = ["--set", "training.learning_rate=0.005", "--set", "training.label_smoothing=0",
         "--set", "training.batch_tokens=512"]  # fmt: skip


def test_two_vocabularies(pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    encoders = ["--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1"]
    small = [word.replace("num_layers", "num_encoder_layers") for word in SMALL]
    assert command(
        "train", pairs / "source", pairs / "target", "-o", pairs / "two", "--steps", "250", "--set",
        "tokenizer.shared=false", *CHARACTERS, *QUICK, *small, *encoders,
    ) == 0  # fmt: skip
    translator = regard.load(pairs / "two")
    assert len(translator.source_tokenizer) < len(translator.tokenizer) + 3
    assert "α" not in translator.source_tokenizer.tokens(range(len(translator.source_tokenizer)))
    assert translator.model.source_embedding is not translator.model.target_embedding
    found = translator.evaluate(["abc", "fed", "cab"], ["αβγ", "ζεδ", "γαβ"])
    assert found["exact_match"] == 1.0
    assert [row.tokens for row in translator.score(["abc"], ["αβγ"])] == [["▁", "α", "β", "γ", "</s>"]]
    alignment = translator.align("abc")
    assert alignment.source_tokens[-2:] == ["c", "</s>"]
    capsys.readouterr()
    assert command("convert", pairs / "two", pairs / "ct2", "--to", "ctranslate2") == 0
    assert "greedily: none" in capsys.readouterr().out
    assert "norm must be post" in refused(capsys, "convert", pairs / "two", pairs / "marian", "--to", "marian")


def test_characters_to_phones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["".join(word) for length in (2, 3) for word in itertools.product("abcdef", repeat=length)]
    phones = {letter: f"{letter}ː" for letter in "abcdef"}
    pairs = [f"{word}\t{' '.join(phones[letter] for letter in word)}\n" for word in words]
    (tmp_path / "pairs.tsv").write_text("".join(pairs), encoding="utf-8")
    kinds = ["--set", "tokenizer.shared=false", "--set", "tokenizer.target_kind=words"]
    small = [word.replace("num_layers", "num_encoder_layers") for word in SMALL]
    encoders = ["--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1"]
    assert command(
        "train", tmp_path / "pairs.tsv", "-o", tmp_path / "phones", "--steps", "200", *kinds, *CHARACTERS, *QUICK,
        *small, *encoders,
    ) == 0  # fmt: skip
    translator = regard.load(tmp_path / "phones")
    assert translator.translate(["fad"])[0].tokens == ["▁fː", "▁aː", "▁dː"]  # of a length that was trained
    assert "shared: true" in refused(
        capsys, "train", tmp_path / "pairs.tsv", "-o", tmp_path / "x", "--set", "tokenizer.target_kind=words"
    )


def test_an_encoder_decoder_is_put_together_from_pretrained_parts(
    pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alike = ["--set", "model.norm=pre", "--set", "model.activation=gelu", "--set", "model.norm_epsilon=0.00001",
             "--set", "model.max_positions=32"]  # fmt: skip
    for name, data, kind in (
        ("encoder", "source", ["--arch", "encoder", "--task", "mlm"]),
        ("decoder", "target", ["--arch", "decoder"]),
    ):
        assert (
            command("train", pairs / data, "-o", pairs / name, *kind, "--steps", "60", *CHARACTERS, *SMALL, *alike) == 0
        )
    parts = ["--encoder", pairs / "encoder", "--decoder", pairs / "decoder"]
    training = ["--precision", "float32", "--set", "training.warmup_steps=20", "--set", "training.average_decay=0.9"]
    base = ["train", pairs / "source", pairs / "target", "-o"]
    assert command(*base, pairs / "both", *parts, "--steps", "200", *QUICK, *training) == 0
    assert "new cross-attention" in capsys.readouterr().err
    found = regard.load(pairs / "both").evaluate(["abc", "fed", "cab"], ["αβγ", "ζεδ", "γαβ"])
    assert found["exact_match"] == 1.0
    base.append(pairs / "new")
    assert re.search("`--encoder`.*`--decoder`.*missing", refused(capsys, *base, "--encoder", pairs / "encoder"))
    message = refused(capsys, *base, *parts, "--set", "model.model_dim=64")
    assert "model.model_dim comes from the pretrained models" in message
    message = refused(capsys, *base, *parts, "--arch", "rnn")
    assert re.search("`--encoder`.*`--decoder`.*encoder-decoder; got rnn", message)
    swapped = ["--encoder", pairs / "decoder", "--decoder", pairs / "encoder"]
    assert re.search("`--encoder` .*arch encoder; got decoder", refused(capsys, *base, *swapped))
