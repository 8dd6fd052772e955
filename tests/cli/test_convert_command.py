"""`regard convert`, and the other commands on models in other formats."""

import json
import re
import shutil
from pathlib import Path

import pytest
import tokenizers
import torch

from regard.checkpoint import save_new
from regard.cli.main import run
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

transformers = pytest.importorskip("transformers")
LINES = ["the cat sat on the mat", "a dog ran"]


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A random model folder `ours`, with trained-like interleaved sinusoids, in the folder that one stands in."""
    monkeypatch.chdir(tmp_path)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tokenizer = Tokenizer.train(LINES * 3, TokenizerConfig(vocab_size=60))
    torch.manual_seed(4)
    sizes = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 2, "num_decoder_layers": 1}
    model = build(EncoderDecoderConfig(vocab_size=len(tokenizer), max_positions=64, **sizes)).eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    save_new(Path("ours"), model, tokenizer)
    Path("text").write_text("\n".join(LINES) + "\n")
    return tmp_path


def output_of(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    assert ended.value.code == code
    captured = capsys.readouterr()
    return captured.out if code == 0 else captured.err


def test_there_and_back_again(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Interleaved sinusoids become Marian's by a change of basis; texts are translated to the same."""
    written = output_of(capsys, "convert", "ours", "marian", "--to", "marian")
    assert "marian: Hugging Face marian, written" in written
    assert "first differing token" in written
    assert "greedily: none" in written
    read = output_of(capsys, "convert", "marian", "again")
    assert "none of ours is left over" in read
    assert "largest difference of logits from transformers" in read
    assert "regard translate again" in read
    expected = output_of(capsys, "translate", "ours", "text", "--max-length", "8")
    assert output_of(capsys, "translate", "again", "text", "--max-length", "8") == expected
    assert output_of(capsys, "translate", "marian", "text", "--max-length", "8") == expected
    assert json.loads(output_of(capsys, "info", "marian", "--json"))["model"]["positions"] == "sinusoidal_halves"


def test_transformers_own_loaders_read_what_is_written(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import regard

    output_of(capsys, "convert", "ours", "marian", "--to", "marian", "--no-check")
    tokenizer = transformers.AutoTokenizer.from_pretrained("marian")
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained("marian")
    inputs = tokenizer(LINES, return_tensors="pt", padding=True)
    with torch.no_grad():
        found = model.generate(
            input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], num_beams=1, max_new_tokens=8
        )
    texts = tokenizer.batch_decode(found, skip_special_tokens=True)
    # The last token that `generate` may write is the end symbol, by force (`forced_eos_token_id`).
    mine = regard.load("ours").translate(LINES, beam_size=1, max_length=7)
    assert [text.strip() for text in texts] == [translation.text.strip() for translation in mine]


def test_every_tensor_is_listed(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output_of(capsys, "convert", "ours", "marian", "--to", "marian", "--no-check")
    listed = output_of(capsys, "convert", "marian", "again", "--list", "--no-check")
    assert "model.encoder.layers.1.fc1.weight" in listed
    assert "encoder_layers.1.feed_forward.inner_proj.weight" in listed
    assert "NOT CHECKED" not in listed


def test_lines_fit_a_terminal(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output_of(capsys, "convert", "ours", "marian", "--to", "marian", "--no-check")
    assert max(map(len, output_of(capsys, "convert", "marian", "again").splitlines())) <= 120


def test_mistakes_are_explained(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert re.search("Regard model.*--to.*marian", output_of(capsys, "convert", "ours", "new", code=2))
    assert "Did you mean 'marian'?" in output_of(capsys, "convert", "ours", "new", "--to", "marain", code=2)
    message = output_of(capsys, "convert", "ours", "new", "--to", "gpt2", code=2)
    assert re.search("arch encoder-decoder.*gpt2.*marian, encoder-decoder, .*ctranslate2, onnx", message)
    assert "nowhere must be an existing folder" in output_of(capsys, "convert", "nowhere", "new", code=2)
    Path("empty").mkdir()
    assert "must be a model folder" in output_of(capsys, "convert", "empty", "new", code=2)
    assert "must be new or empty" in output_of(capsys, "convert", "ours", ".", "--to", "marian", code=2)
    assert not Path("new").exists()


def test_a_model_that_answers_otherwise_is_not_written(
    ours: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from regard.interop import check

    monkeypatch.setattr(check, "TOLERANCE", 0.0)
    monkeypatch.setattr(check.Check, "agrees", property(lambda self: self.largest_difference == -1))
    message = output_of(capsys, "convert", "ours", "marian", "--to", "marian", code=2)
    assert re.search(r"transformers.*logits differ by \d.*Nothing was written.*--no-check", message)
    assert sorted(path.name for path in ours.iterdir()) == ["ours", "text"]


def test_tensors_that_nothing_reads_are_named_as_a_cause(
    ours: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from safetensors.torch import load_file, save_file

    from regard.interop import check

    output_of(capsys, "convert", "ours", "marian", "--to", "marian", "--no-check")
    tensors = load_file("marian/model.safetensors")
    save_file(tensors | {"model.adapter": torch.ones(2)}, "marian/model.safetensors", metadata={"format": "pt"})
    monkeypatch.setattr(check.Check, "agrees", property(lambda self: self.largest_difference == -1))
    message = output_of(capsys, "convert", "marian", "again", code=2)
    assert re.search(r"tensors that were not read: model\.adapter\.", message)


def test_the_hub_is_asked_when_it_is_meant(
    ours: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `hf:`, or for all models of a command by `--from-hub`; never for a folder that is not there."""
    import huggingface_hub

    asked = []

    def download(name: str, **named: object) -> str:
        asked.append(name)
        return str(ours / "marian")

    output_of(capsys, "convert", "ours", "marian", "--to", "marian", "--no-check")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    short = ("text", "--max-length", "2", "--beam", "1")
    pairs = ("text", "text")
    for command, others in (
        (("translate", "me/mine", *short), ("--ensemble", "me/other")),
        (("evaluate", "me/mine", *pairs), ()),
        (("score", "me/mine", *pairs), ()),
        (("inspect", "me/mine", "the cat"), ()),
        (("info", "me/mine"), ()),
        (("align", "me/mine", *pairs, "--from", "cross.0"), ("--reverse", "me/other")),
        (("convert", "me/mine", "new", "--no-check"), ()),
    ):
        message = output_of(capsys, *command, *others, code=2)
        assert "me/mine must be an existing folder" in message
        assert "On the Hugging Face hub: hf:me/mine" in message
        assert asked == []
        by_name = [f"hf:{word}" if word.startswith("me/") else word for word in (*command, *others)]
        for way in (by_name, [*command, *others, "--from-hub"]):
            found = output_of(capsys, *way)
            assert found
            assert asked == ["me/mine", *("me/other" for word in others if word == "me/other")]
            asked.clear()
            if command[0] == "convert":
                shutil.rmtree("new")


def test_bert_fills_masks_and_gpt2_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders as `transformers` writes them, tokenizers included, used as they are."""
    monkeypatch.chdir(tmp_path)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "dog", "ran"]
    torch.manual_seed(0)
    bert = transformers.BertForMaskedLM(
        transformers.BertConfig(vocab_size=10, hidden_size=12, num_attention_heads=3, intermediate_size=16,
                                num_hidden_layers=1, max_position_embeddings=16)
    )  # fmt: skip
    bert.save_pretrained("bert")
    Path("bert/vocab.txt").write_text("\n".join(words) + "\n")
    Path("text").write_text("the [MASK] sat\nthe <mask> ran\n")
    rows = [json.loads(line) for line in output_of(capsys, "predict", "bert", "text", "--json").splitlines()]
    ids = torch.tensor([[2, 5, 4, 7, 3]])
    best = bert.eval()(input_ids=ids).logits[0, 2].softmax(-1).max(-1)
    assert rows[0]["labels"] == [words[int(best.indices)]]
    assert rows[0]["probs"][0] == pytest.approx(float(best.values.detach()), abs=1e-5)
    assert len(rows[1]["labels"]) == 1

    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    backend.train_from_iterator(
        LINES * 4,
        tokenizers.trainers.BpeTrainer(
            vocab_size=300, special_tokens=["<|endoftext|>"], show_progress=False,
            initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        ),
    )  # fmt: skip
    size = backend.get_vocab_size()
    gpt2 = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=size, n_embd=12, n_head=3, n_layer=1, n_positions=32, bos_token_id=0, eos_token_id=0
        )
    )
    gpt2.save_pretrained("gpt2")
    backend.save("gpt2/tokenizer.json")
    text = output_of(capsys, "generate", "gpt2", "--prompt", "the cat", "--max-tokens", "6", "--temperature", "0")
    start = torch.tensor([backend.encode("the cat").ids])
    with torch.no_grad():
        expected = gpt2.eval().generate(
            input_ids=start, attention_mask=torch.ones_like(start), max_new_tokens=6, do_sample=False, pad_token_id=0
        )
    assert text == backend.decode(expected[0].tolist()) + "\n"
    assert "perplexity" in output_of(capsys, "evaluate", "gpt2", "text")


@pytest.fixture
def wide(ours: Path) -> Path:
    """A model folder `wide`, with rows that are long enough to be stored in 8 bits."""
    tokenizer = Tokenizer.train(LINES * 3, TokenizerConfig(vocab_size=60))
    torch.manual_seed(5)
    sizes = {"model_dim": 64, "ff_dim": 72, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
    save_new(Path("wide"), build(EncoderDecoderConfig(vocab_size=len(tokenizer), max_positions=64, **sizes)), tokenizer)
    return ours


def test_what_8_bits_cost_is_measured_before_a_model_is_replaced(
    wide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--to", "regard-int8", "--overwrite", "--valid", "text", "text")
    elsewhere = output_of(capsys, "convert", "wide", "small", *options)
    (cost,) = re.findall(r"magnitude (\d\.\d+) on average", elsewhere)
    assert float(cost) > 0
    assert output_of(capsys, "convert", "wide", "wide", *options).splitlines()[:-1] == elsewhere.splitlines()[:-1]
    assert Path("wide/model.safetensors").read_bytes() == Path("small/model.safetensors").read_bytes()


def test_nothing_is_written_where_the_cost_cannot_be_measured(wide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("one").write_text("the cat\n")
    Path("long").write_text("the cat " * 60 + "\n")
    before = {path.name: path.read_bytes() for path in Path("wide").iterdir()}
    for files, message in ((("no", "text"), "no"), (("text", "one"), "lines"), (("one", "long"), "at most 63")):
        for place in ("new", "wide"):
            said = output_of(
                capsys, "convert", "wide", place, "--to", "regard-int8", "--valid", *files, "--overwrite", code=2
            )
            assert message in said
    tokenizer = Tokenizer.train(LINES * 3, TokenizerConfig(vocab_size=60))
    config = DecoderConfig(vocab_size=len(tokenizer), num_layers=1, model_dim=64, ff_dim=64, num_heads=2)
    save_new(Path("gpt"), build(config), tokenizer)
    said = output_of(capsys, "convert", "gpt", "new", "--to", "regard-int8", "--valid", "text", "text", code=2)
    assert "language model" in said
    assert not Path("new").exists()
    assert {path.name: path.read_bytes() for path in Path("wide").iterdir()} == before
    assert not list(Path().glob(".*"))


def test_options_without_effect_are_refused(wide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("wide", "new", "--to", "regard-int8"), ("adapter", "new", "--base", "wide")):
        assert "`--list` is for models" in output_of(capsys, "convert", *words, "--list", code=2)
    message = output_of(capsys, "convert", "adapter", "new", "--base", "wide", "--direction", "en-de", code=2)
    assert "`--direction` has no effect with `--base`" in message
    output_of(capsys, "convert", "ours", "marian", "--to", "marian", "--no-check")
    assert "fc1.weight" in output_of(capsys, "convert", "marian", "new", "--to", "regard-int8", "--list", "--no-check")
