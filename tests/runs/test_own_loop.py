"""Training loops that are not ours: a plain one in PyTorch moves the weights as `regard.train` does."""

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard.checkpoint import load_model
from regard.extending import Batch, LabelledBatch

WORDS = ["a b c d", "b c", "c a b e", "a a b", "c b b a", "b a c", "e c b", "c", "d d a", "e a"]
PAIRS = [(word, " ".join(reversed(word.split()))) for word in WORDS]
TAGGED = [(word.split(), [letter.upper() for letter in word.split()]) for word in WORDS]
CLASSES = [("short" if len(word) < 4 else "long", word) for word in WORDS]
TINY: dict[str, Any] = {
    "model_dim": 12, "ff_dim": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "kind": "words",
}  # fmt: skip
ONE: dict[str, Any] = {"model_dim": 12, "ff_dim": 16, "num_heads": 2, "num_layers": 1}
STEPS = 7
PLAIN: dict[str, Any] = {
    "steps": STEPS, "learning_rate": 1e-2, "warmup_steps": 1, "schedule": "constant", "average_decay": 0.0, "clip_norm": 0.5,
    "label_smoothing": 0.1, "adam_epsilon": 1e-4, "precision": "float32", "validate_every": STEPS, "seed": 3,
}  # fmt: skip
"""What a loop of a few lines does. A larger epsilon than usual: else gradients of nearly 0 decide by their sign."""


def text_file(folder: Path) -> Path:
    path = folder / "text.txt"
    path.write_text("".join(f"{word}\n" for word in WORDS))
    return path


MADE: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "pairs": (lambda folder: PAIRS, {**TINY, "dropout": 0.0}),
    "rnn": (lambda folder: PAIRS, {"arch": "rnn", "model_dim": 12, "kind": "words", "dropout": 0.0}),
    "own vocabularies": (lambda folder: PAIRS, {**TINY, "dropout": 0.0, "shared": False}),
    "decoder": (text_file, {**ONE, "arch": "decoder", "dropout": 0.0, "max_positions": 8}),
    "mlm": (text_file, {**ONE, "arch": "encoder", "task": "mlm", "dropout": 0.0, "kind": "words"}),
    "classify": (lambda folder: CLASSES, {**ONE, "arch": "encoder", "task": "classify", "dropout": 0.0}),
    "tag": (lambda folder: TAGGED, {**ONE, "arch": "encoder", "task": "tag", "dropout": 0.0, "kind": "words"}),
}


@pytest.mark.parametrize("kind", MADE)
def test_a_plain_loop_gives_the_weights_of_train(kind: str, tmp_path: Path) -> None:
    make, settings = MADE[kind]
    data = make(tmp_path)
    result = regard.train(data, tmp_path / "ours", valid=data, batch_tokens=16, metric="loss", **settings, **PLAIN)
    assert result.run.best_step == STEPS
    pipeline = regard.new(data, seed=3, device="cpu", **settings)
    before = {name: tensor.clone() for name, tensor in pipeline.model.state_dict().items()}
    model = pipeline.model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.98), eps=1e-4, weight_decay=0.0)
    for batch in itertools.islice(regard.batches(pipeline, data, batch_tokens=16, seed=3), STEPS):
        loss = model.loss(batch, smoothing=0.1) / batch.num_tokens
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    pipeline.save(tmp_path / "theirs")
    expected, found = (load_model(tmp_path / name).model.state_dict() for name in ("ours", "theirs"))
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, rtol=0, atol=1e-6)
    assert max(float((found[name] - before[name]).abs().max()) for name in found) > 1e-2
    assert (tmp_path / "ours" / "tokenizer.json").read_bytes() == (tmp_path / "theirs" / "tokenizer.json").read_bytes()


def test_what_was_trained_in_place_is_used_at_once(tmp_path: Path) -> None:
    """Translation computes with packed copies of the weights: they must not be those from before training."""
    translator = regard.new(PAIRS, **TINY, dropout=0.0)
    assert isinstance(translator, regard.Translator)
    sources = [source for source, _ in PAIRS]
    untrained = translator.translate(sources, beam_size=2)
    optimizer = torch.optim.AdamW(translator.model.parameters(), lr=1e-2)
    losses = []
    for batch in regard.batches(translator, PAIRS, batch_tokens=64, epochs=60):
        loss = translator.model.loss(batch) / batch.num_tokens
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 < 2 * losses[-1] + 1 < losses[0]
    translator.save(tmp_path / "m")
    here, stored = (each.translate(sources, beam_size=2) for each in (translator, regard.load(tmp_path / "m")))
    assert [each.text for each in here] == [each.text for each in stored]
    assert sum(each.text == target for each, (_, target) in zip(here, PAIRS, strict=True)) >= 8
    assert [each.text for each in untrained] != [each.text for each in here]


def epoch_rows(batches: Iterator[Any]) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for batch in batches:
        found.setdefault(batch.next_cursor[0], []).extend(batch.indices)
    return list(found.values())


@pytest.mark.parametrize("kind", ["pairs", "mlm", "classify", "tag"])
def test_an_epoch_reads_every_example_once(kind: str, tmp_path: Path) -> None:
    make, settings = MADE[kind]
    pipeline = regard.new(make(tmp_path), **settings)
    assert isinstance(pipeline, regard.Translator) == (kind == "pairs")
    epochs = epoch_rows(regard.batches(pipeline, make(tmp_path), batch_tokens=12, epochs=3))
    assert [sorted(rows) for rows in epochs] == [list(range(len(WORDS)))] * 3
    assert epochs[0] != epochs[1]


def test_an_epoch_of_running_text_has_as_many_tokens(tmp_path: Path) -> None:
    model = regard.new(text_file(tmp_path), **MADE["decoder"][1])
    stream = len(tmp_path.joinpath("text.txt").read_text())
    batches = list(regard.batches(model, text_file(tmp_path), batch_tokens=16, epochs=2))
    assert all(isinstance(batch, LabelledBatch) and batch.ids.shape == (2, 8) for batch in batches)
    assert 2 * stream <= sum(batch.num_tokens for batch in batches) < 2 * stream + 16
    rest = list(regard.batches(model, text_file(tmp_path), batch_tokens=16, epochs=2, start=batches[2].next_cursor))
    assert [batch.indices for batch in rest] == [batch.indices for batch in batches[3:]]


def test_batches_go_on_and_are_shared_among_processes() -> None:
    translator = regard.new(PAIRS, **TINY)
    whole = list(regard.batches(translator, PAIRS, batch_tokens=12, epochs=2))
    assert all(isinstance(batch, Batch) for batch in whole)
    rest = regard.batches(translator, PAIRS, batch_tokens=12, epochs=2, start=whole[3].next_cursor)
    assert [batch.indices for batch in rest] == [batch.indices for batch in whole[4:]]
    halves = [list(regard.batches(translator, PAIRS, batch_tokens=24, epochs=2, shard=(r, 2))) for r in (0, 1)]
    for both, of_one in zip(regard.batches(translator, PAIRS, batch_tokens=24, epochs=2), zip(*halves, strict=True),
                            strict=True):  # fmt: skip
        assert sorted(both.indices) == sorted(index for batch in of_one for index in batch.indices if batch.num_tokens)
    others = regard.batches(translator, PAIRS, batch_tokens=12, seed=2, epochs=2)
    assert [batch.indices for batch in others] != [batch.indices for batch in whole]
    assert len(list(itertools.islice(regard.batches(translator, PAIRS, batch_tokens=12), 100))) == 100


def test_settings_of_data_are_those_of_train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    translator = regard.new(PAIRS, **TINY)
    for name in ("one", "two"):
        (tmp_path / f"{name}.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    files = [tmp_path / "one.tsv", tmp_path / "two.tsv"]
    (rows,) = epoch_rows(regard.batches(translator, files, weights=[1, 3], epochs=1))
    assert [sum(row < 10 for row in rows), sum(row >= 10 for row in rows)] == [5, 15]
    capsys.readouterr()
    (short,) = epoch_rows(regard.batches(translator, PAIRS, max_tokens=4, epochs=1))
    assert sorted(short) == [index for index, word in enumerate(WORDS) if len(word.split()) < 4]
    assert "3 pairs" in capsys.readouterr().err, "what is left out is said"


def test_labels_are_those_of_the_model() -> None:
    """Also where the data have only some of them, and so would number them in another way."""
    model = regard.new(CLASSES, arch="encoder", task="classify", **ONE)
    assert model.model.class_names == ["long", "short"]
    some = [row for row in CLASSES if row[0] == "short"]
    (batch,) = regard.batches(model, some, epochs=1)
    assert batch.labels.tolist() == [1] * len(some)
    with pytest.raises(regard.DataError, match=r"a label must be one that .*; got 'shrt'\. Did you mean 'short'\?"):
        regard.batches(model, [*CLASSES, ("shrt", "a b")])


def test_a_file_a_table_and_pairs_give_the_same(tmp_path: Path) -> None:
    import pandas

    translator = regard.new(PAIRS, **TINY)
    (tmp_path / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    frame = pandas.DataFrame({"x": [source for source, _ in PAIRS], "y": [target for _, target in PAIRS]})
    found = [list(regard.batches(translator, data, columns=columns, batch_tokens=20, epochs=1))
             for data, columns in ((PAIRS, None), (str(tmp_path / "pairs.tsv"), None), (frame, ("x", "y")))]  # fmt: skip
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            assert torch.equal(one.source_ids, two.source_ids)
            assert torch.equal(one.labels, two.labels)


def test_a_foreign_model_is_saved_as_ours(tmp_path: Path) -> None:
    from regard.interop.formats import is_foreign

    regard.new(PAIRS, **TINY).save(tmp_path / "m")
    regard.convert(tmp_path / "m", tmp_path / "foreign", format="ctranslate2")
    assert is_foreign(tmp_path / "foreign")
    foreign = regard.load(tmp_path / "foreign")
    foreign.save(tmp_path / "again")
    assert not is_foreign(tmp_path / "again")
    for name, tensor in load_model(tmp_path / "again").model.state_dict().items():
        torch.testing.assert_close(tensor, foreign.model.state_dict()[name])
    (batch,) = regard.batches(foreign, PAIRS, epochs=1)
    assert torch.isfinite(foreign.model.loss(batch))


def test_a_model_with_an_adapter_is_saved_whole(tmp_path: Path) -> None:
    regard.new(PAIRS, **TINY).save(tmp_path / "m")
    adapter = {"rank": 2}
    settings = {"adapter": adapter, "training": {"steps": 5, "learning_rate": 0.1}}
    result = regard.train(PAIRS, tmp_path / "a", valid=PAIRS, from_=tmp_path / "m", settings=settings)
    result.translator.save(tmp_path / "whole")
    batch = next(regard.batches(result.translator, PAIRS))
    with torch.no_grad():
        base, adapted, whole = (
            float(each.model.loss(batch.to(each.device)))
            for each in (regard.load(tmp_path / "m"), result.translator, regard.load(tmp_path / "whole"))
        )
    assert whole == pytest.approx(adapted, rel=1e-5)
    assert abs(base - adapted) > 1e-2


def test_save_replaces_only_what_it_may(tmp_path: Path) -> None:
    first, second = (regard.new(PAIRS, **TINY, seed=seed) for seed in (1, 2))
    first.save(tmp_path / "m")
    with pytest.raises(regard.ModelFolderError, match="must not hold a model"):
        second.save(str(tmp_path / "m"))
    assert torch.equal(next(load_model(tmp_path / "m").model.parameters()), next(first.model.parameters()))
    second.save(tmp_path / "m", overwrite=True)
    assert torch.equal(next(load_model(tmp_path / "m").model.parameters()), next(second.model.parameters()))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(regard.ModelFolderError, match="must be new or empty"):
        second.save(tmp_path / "other", overwrite=True)
    assert isinstance(first, regard.Translator)
    ensemble = regard.load(tmp_path / "m", others=[tmp_path / "m"])
    with pytest.raises(regard.SettingsError, match="got an ensemble of 2"):
        ensemble.save(tmp_path / "n")
    assert not (tmp_path / "n").exists()


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"epochs": 0}, "epochs must be at least 1.*; got 0"),
        ({"batch_tokens": 0}, "training.batch_tokens must be .*; got 0"),
        ({"seed": -1}, "training.seed must be .*; got -1"),
        ({"steps": 5}, "training.steps has no effect on batches"),
        ({"alignments": ["a.txt"]}, "data.alignments has no effect on batches"),
        ({"tags": ["<bt>"]}, "data.tags must be tokens of the model; got .'<bt>'."),
        ({"max_token": 5}, r"got 'max_token'\. Did you mean 'max_tokens'"),
        ({"columns": ("x", "y")}, "`columns` needs a table"),
        *(
            ({"shard": shard}, r"shard must be \(r, n\), with r .*; got")
            for shard in ((3, 3), (0, 0), (-1, 3), (0, -1))
        ),
        *(({"start": start}, r"start must be an epoch and a number .*; got") for start in ((0, -1), (-1, 0))),
    ],
)
def test_batches_refuse_what_has_no_effect(named: dict[str, Any], message: str) -> None:
    translator = regard.new(PAIRS, **TINY)
    with pytest.raises(regard.SettingsError, match=message):
        regard.batches(translator, PAIRS, **named)


@pytest.mark.parametrize("tags", [None, ["<bt>"]])
def test_a_ratio_is_that_of_the_tokens_of_the_texts(tags: list[str] | None) -> None:
    """Neither end symbols nor tags count: with the symbols, 1 to 3 tokens are 2 to 4, or with a tag 3 to 4."""
    pairs = [("a", "a b c"), ("a b", "a b c d"), ("a b c", "a"), ("b", "c"), ("a b c", "a b"), ("d", "a b")]
    tagged = {} if tags is None else {"tags": tags}
    translator = regard.new(pairs, **TINY, **tagged)
    batches = regard.batches(translator, pairs, epochs=1, max_ratio=2.0, **tagged)
    assert sorted(index for batch in batches for index in batch.indices) == [1, 3, 4, 5]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"rank": 5}, "`adapter.rank` needs a model that it adapts"),
        ({"steps": 0}, "training.steps must be .*; got 0"),
        ({"max_ratio": -1}, "data.max_ratio must be .*; got -1"),
        ({"task": "tag"}, "`--task tag` does not go with"),
        ({"model_dims": 5}, "Did you mean 'model_dim'"),
        ({"device": "gpu"}, "device must be"),
    ],
)
def test_a_new_model_refuses_what_has_no_effect(named: dict[str, Any], message: str) -> None:
    with pytest.raises(regard.SettingsError, match=message):
        regard.new(PAIRS, **named)


def test_a_new_model_and_a_training_take_the_same_settings(tmp_path: Path) -> None:
    """One set of settings is enough, and with it both begin with the same vocabulary and weights."""
    settings: dict[str, Any] = {**TINY, **PLAIN, "steps": 1, "batch_tokens": 16, "max_tokens": 4, "weights": [1]}
    sections: dict[str, Any] = {"data": {"max_ratio": 3.0}, "training": {"label_smoothing": 0.1}}
    new = regard.new(PAIRS, settings=sections, **settings)
    assert isinstance(new, regard.Translator)
    settings |= {"learning_rate": 1e-30}
    result = regard.train(PAIRS, tmp_path / "m", valid=PAIRS, settings=sections, **settings)
    for name, tensor in result.translator.model.state_dict().items():
        torch.testing.assert_close(tensor, new.model.state_dict()[name], rtol=0, atol=1e-6)


def test_a_new_model_that_cannot_fit_is_refused() -> None:
    with pytest.raises(regard.SettingsError, match="must fit into memory"):
        regard.new(PAIRS, model_dim=1 << 17, ff_dim=1 << 17)


def test_no_pair_that_fits_is_an_error() -> None:
    translator = regard.new(PAIRS, **TINY, max_positions=8)
    with pytest.raises(regard.DataError):
        regard.batches(translator, [("a " * 20, "b"), ("c", "a " * 20)])


def documented(beginning: str) -> str:
    """The block of docs/training.md that begins so."""
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    (block,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.S) if block.startswith(beginning))
    return block


def test_the_documented_loop_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{source}\t{target}\n" for source, target in PAIRS * 20)
    (tmp_path / "pairs.tsv").write_text(rows)
    code = documented("import torch\nimport regard\n\ntranslator = regard.new(")
    assert len(code.splitlines()) <= 15
    with torch.random.fork_rng():
        exec(compile(code, "docs/training.md", "exec"), {})
    batch = next(regard.batches(regard.new("pairs.tsv"), "pairs.tsv"))
    with torch.no_grad():
        losses = [float(each.model.loss(batch)) for each in (regard.new("pairs.tsv"), regard.load("ours"))]
    assert losses[1] < 0.8 * losses[0]


@pytest.mark.parametrize(
    "make", [regard.new, lambda *data, **given: regard.train(*data, "never", dry_run=True, **given)]
)
def test_the_task_is_one(make: Callable[..., Any], tmp_path: Path) -> None:
    """As an argument, as a setting, or as both alike."""
    data = tmp_path / "texts.tsv"
    data.write_text("".join(f"pos\tgood film {number}\nneg\tbad film {number}\n" for number in range(20)))
    with pytest.raises(regard.SettingsError, match=r"`--task classify` contradicts the setting `model\.task: tag`"):
        make(data, arch="encoder", task="classify", settings={"model": {"task": "tag"}})
    with pytest.raises(regard.SettingsError, match="mlm, classify, tag"):
        make(data, arch="encoder")


def test_the_task_may_be_a_setting(tmp_path: Path) -> None:
    data = tmp_path / "texts.tsv"
    data.write_text("".join(f"pos\tgood film {number}\nneg\tbad film {number}\n" for number in range(20)))
    found = regard.new(data, arch="encoder", settings={"model": {"task": "classify"}})
    assert found.model.config.labels == ["neg", "pos"]
