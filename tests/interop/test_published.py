"""`regard check-published`, against a folder that imitates the hub with small random models, wrong ones among them."""

from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from foreign_models import BERT, SEQ, transformers
from tokenizers import decoders, models, pre_tokenizers, trainers

from regard.analysis import published_models
from regard.cli.main import run
from regard.errors import SettingsError
from regard.interop.formats import read_foreign
from regard.interop.published import HARD_TEXTS, PUBLISHED, chosen

LINES = [*HARD_TEXTS[:12], "the lazy dog and the quick brown fox"] * 3


def of_bytes(folder: Path, *symbols: str) -> int:
    """A tokenizer of GPT-2's kind, whose last symbol ends a text. Returns the size of its vocabulary."""
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer, backend.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=[*symbols], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )  # fmt: skip
    backend.train_from_iterator(LINES, trainer)
    transformers.PreTrainedTokenizerFast(tokenizer_object=backend, eos_token=symbols[-1]).save_pretrained(folder)
    return backend.get_vocab_size()


def of_pieces(folder: Path) -> int:
    """A tokenizer of word pieces, as BERT's."""
    backend = tokenizers.BertWordPieceTokenizer(lowercase=True)
    backend.train_from_iterator(LINES, vocab_size=120, show_progress=False)
    backend.save_model(str(folder))
    transformers.BertTokenizerFast.from_pretrained(str(folder)).save_pretrained(folder)
    return backend.get_vocab_size()


def saved(model: Any, folder: Path) -> None:
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    model.eval().save_pretrained(folder)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies under the names of a language model, an encoder, and a model of pairs; a cut one, and one of an unknown type."""
    place = tmp_path_factory.mktemp("hub")
    folders = {name: place / model.hub_name for name, model in PUBLISHED.items()}
    torch.manual_seed(1)
    for name in ("gpt2", "distilgpt2"):
        folders[name].mkdir(parents=True)
        size = of_bytes(folders[name], "<|endoftext|>")
        config = transformers.GPT2Config(
            vocab_size=size, n_positions=120, n_embd=12, n_layer=1, n_head=3, bos_token_id=0, eos_token_id=0
        )
        saved(transformers.GPT2LMHeadModel(config), folders[name])
    for name in ("bert-base-uncased", "roberta-base"):
        folders[name].mkdir(parents=True)
        config = transformers.BertConfig(
            **BERT | {"vocab_size": of_pieces(folders[name]), "max_position_embeddings": 80}
        )
        saved(transformers.BertForMaskedLM(config), folders[name])
    folders["bart-base"].mkdir(parents=True)
    size = of_bytes(folders["bart-base"], "<pad>", "<s>", "<unk>", "</s>")
    ids = {"vocab_size": size, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 3, "forced_eos_token_id": 3,
           "decoder_start_token_id": 3, "d_model": 15, "max_position_embeddings": 120}  # fmt: skip
    bart = transformers.BartForConditionalGeneration(transformers.BartConfig(**SEQ | ids))
    bart.generation_config.update(num_beams=2, min_length=5, no_repeat_ngram_size=3, length_penalty=2.0)
    saved(bart, folders["bart-base"])
    whole = (folders["distilgpt2"] / "model.safetensors").read_bytes()
    (folders["distilgpt2"] / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    path = folders["roberta-base"] / "config.json"
    path.write_text(path.read_text().replace('"bert"', '"bort"'))
    return place


def checked(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[object, str, str]:
    """The exit status of the command, its output, and its messages."""
    with pytest.raises(SystemExit) as ended:
        run(["check-published", *map(str, words)])
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


def test_equal_models_are_a_table_and_success(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, table, messages = checked(capsys, "gpt2", "bert-base-uncased", "bart-base", "--from", hub)
    assert not code, table
    header, *rows, last = table.splitlines()
    assert header.split() == ["model", "commit", "logits", "differ", "texts", "beams", "result"]
    assert [row.split()[0] for row in rows] == ["gpt2", "bert-base-uncased", "bart-base"]
    assert [row.split()[4:] for row in rows] == [
        ["33/33", "3/3", "equal"],
        ["33/33", "equal"],
        ["33/33", "3/3", "equal"],
    ]
    assert last == "all are equal"
    assert max(map(len, table.splitlines())) <= 80
    assert "up to 1.7 GB of memory" in messages.splitlines()[0]  # before anything is read
    assert f"transformers {transformers.__version__}" in messages


def test_other_weights_and_another_tokenizer_are_found(
    hub: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read is changed, as by a reader with a mistake: all weights of one model, the merges of another."""

    def wrong(folder: Path) -> Any:
        foreign = read_foreign(folder)
        if folder.name == "gpt2":
            tokenizer = foreign.loaded.source_tokenizer
            monkeypatch.setattr(tokenizer, "encode", lambda text: [ord(each) % 200 + 3 for each in text])
        else:
            for parameter in foreign.loaded.model.parameters():
                parameter.data *= 0.7
        return foreign

    monkeypatch.setattr(published_models, "read_foreign", wrong)
    code, table, messages = checked(capsys, "gpt2", "bart-base", "--from", hub)
    assert code == 1
    gpt2, bart, *details = table.splitlines()[1:]
    assert gpt2.split()[4:] == ["0/33", "3/3", "DIFFERENT"]
    assert bart.split()[4] == "33/33"
    assert bart.split()[-1] == "DIFFERENT"
    assert "gpt2: other ids: 'a'" in details
    assert any(line.startswith("bart-base: logits differ by ") for line in details)
    assert sum(line.startswith("bart-base: another likeliest target: ") for line in details) >= 1
    assert "report a difference" in messages


def test_damaged_unknown_and_missing_copies_are_rows(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, table, _ = checked(capsys, "distilgpt2", "roberta-base", "t5-small", "gpt2", "--from", hub)
    assert code == 1
    rows = table.splitlines()[1:5]
    assert [row.split()[-1] for row in rows] == ["compared"] * 3 + ["equal"]
    damaged, unknown, missing = table.splitlines()[5:]
    assert "must be a whole safetensors file" in damaged
    assert "bort" in unknown
    assert "google-t5/t5-small must be a copy of google-t5/t5-small; it is not there" in missing


def test_the_hub_is_asked_for_the_revision(
    hub: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    commit = tmp_path / "snapshots" / "0123456789abcdef0123456789abcdef01234567"
    commit.parent.mkdir()
    commit.symlink_to(hub / PUBLISHED["gpt2"].hub_name)
    asked = []

    def download(name: str, *, revision: str, **named: object) -> str:
        asked.append((name, revision))
        return str(commit)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.setitem(PUBLISHED, "gpt2", PUBLISHED["gpt2"]._replace(revision="v9"))
    code, table, messages = checked(capsys, "gpt2")
    assert not code
    assert asked == [("openai-community/gpt2", "v9")]
    assert table.splitlines()[1].split()[1] == "0123456"
    assert "about 0.5 GB are downloaded" in messages


def test_an_unknown_name_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"got 'gtp2'\. Did you mean 'gpt2'\?"):
        chosen(["t5-small", "gtp2"])
    code, table, messages = checked(capsys, "bert", "--from", tmp_path)
    assert (code, table) == (2, "")
    assert "bert-base-uncased" in messages
    code, _, messages = checked(capsys, "gpt2", "--from", tmp_path / "no")
    assert code == 2
    assert "`--from` must be an existing folder" in messages


def test_the_list_has_the_sizes_and_needs_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    code, table, _ = checked(capsys, "--list")
    assert not code
    assert len(table.splitlines()) == 2 * len(PUBLISHED) >= 40
    assert max(map(len, table.splitlines())) <= 80
    assert len({*HARD_TEXTS}) == 33
    assert checked(capsys, "gpt2")[0] == 2  # needs the package
