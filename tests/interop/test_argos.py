"""Argos packages: written, run as Argos Translate runs them, read again; hostile ones are refused.

Slow: the program itself on a model that was trained for a minute. `REGARD_ARGOS_PYTHON` names the Python of an environment with
`pip install argostranslate`.
"""

import io
import json
import os
import stat
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from test_sentence_piece_writer import LINES

from regard.checkpoint import LoadedModel, load_model, save_new
from regard.cli.main import run
from regard.errors import ModelFolderError, SettingsError
from regard.interop.argos import Plan
from regard.interop.foreign import ForeignModel
from regard.interop.formats import read_foreign, write_foreign
from regard.interop.sentence_splitter import splitter_model
from regard.models.config import EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.loading import load_as
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

ctranslate2 = pytest.importorskip("ctranslate2")
spm = pytest.importorskip("sentencepiece")
onnxruntime = pytest.importorskip("onnxruntime")

SHARED = Path(__file__).parents[3] / "shared" / "data" / "multi30k_ende"
FILES = ["README.md", "metadata.json", "minisbd/rules.onnx", "model/config.json", "model/model.bin"]


def ours(kind: str = "unigram", *, source_kind: str | None = None, **choices: Any) -> LoadedModel:
    """A random model whose likeliest tokens are likely, and whose unknown token would be likeliest of all."""
    tokenizer = Tokenizer.train(LINES, TokenizerConfig(kind=kind, vocab_size=150))
    source = Tokenizer.train(LINES[:14], TokenizerConfig(kind=source_kind, vocab_size=90)) if source_kind else tokenizer
    sizes = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 2, "num_decoder_layers": 1}
    if source_kind:
        sizes |= {"source_vocab_size": len(source)}
        choices |= {"tied_embeddings": "target"}
    torch.manual_seed(4)
    config = EncoderDecoderConfig(vocab_size=len(tokenizer), max_positions=64, output_bias=True, **sizes, **choices)
    model = build(config).eval()
    for parameter in model.parameters():
        parameter.data += 0.4 * torch.randn_like(parameter)
    for layer in model.decoder_layers:
        layer.cross_attention.output_proj.weight.data *= 6  # translations of different texts differ
    model.output_bias.data[[0, 1, 2]] = 30.0
    return LoadedModel(model, tokenizer, source)


def package(folder: Path, loaded: LoadedModel, **choices: Any) -> tuple[Path, ForeignModel]:
    path = folder / "en_de.argosmodel"
    return path, write_foreign(loaded, path, "argos", plan=Plan.of("en-de", **choices))


def run_as_argos(path: Path, folder: Path, lines: Sequence[str]) -> list[str]:
    """The steps of Argos Translate with a package, but for the splitter."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    (root,) = folder.iterdir()
    processor = spm.SentencePieceProcessor(model_file=str(root / "sentencepiece.model"))
    translator = ctranslate2.Translator(str(root / "model"), compute_type="float32", intra_threads=1)
    found = translator.translate_batch(
        [processor.encode(line, out_type=str) for line in lines], replace_unknowns=True, beam_size=4, length_penalty=0.2,
        max_batch_size=32, batch_type="tokens", max_decoding_length=12, min_decoding_length=0,
    )  # fmt: skip
    texts = [processor.decode_pieces(result.hypotheses[0]).replace("▁", " ").replace("_", " ") for result in found]
    return [text[1:] if text.startswith(" ") else text for text in texts]


CASES: dict[str, Callable[[], LoadedModel]] = {
    "one vocabulary": ours,
    "two vocabularies of two kinds": lambda: ours("bpe", source_kind="unigram"),
    "characters, pre-norm, embedding norms": lambda: ours("characters", norm="pre", embedding_norm="both"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_package_translates_as_regard_does(name: str, tmp_path: Path) -> None:
    loaded = CASES[name]()
    path, written = package(tmp_path, loaded)
    check = written.check()
    assert check is not None
    assert check.agrees
    assert check.largest_difference < 1e-3
    foreign = read_foreign(path)
    assert foreign.account.left_over == []
    assert foreign.loaded.tokenizer.symbols.banned_ids == [0, 1, 2]
    theirs = dict(foreign.loaded.model.named_parameters())
    for key, parameter in loaded.model.named_parameters():
        expected = parameter.detach().clone()
        expected[[0, 1, 2]] = -1e4 if key == "output_bias" else expected[[0, 1, 2]]
        step = expected.abs().amax(-1, keepdim=True) / 127 if expected.ndim == 2 else torch.tensor(1e-6)
        assert ((theirs[key] - expected).abs() <= step).all(), key
    lines = [*LINES[:7], *" ".join(LINES[:7]).split()]
    translator = load_as(path, Translator, engine="torch")
    options = {"beam_size": 4, "length_penalty": 0.2, "length_norm": "average", "max_length": 12}
    mine = [found.text.replace("_", " ") for found in translator.translate(lines, **options)]
    assert mine == run_as_argos(path, tmp_path / "installed", lines)
    assert len({*mine}) > 2


def test_the_content_of_a_package(tmp_path: Path) -> None:
    loaded = ours()
    path, written = package(tmp_path, loaded)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        metadata = json.loads(archive.read("translate-en_de-1_0/metadata.json"))
    assert {name.split("/")[0] for name in names} == {"translate-en_de-1_0"}
    assert {f"translate-en_de-1_0/{file}" for file in (*FILES, "sentencepiece.model")} <= {*names}
    assert not any("tokenizer.json" in name or ".name" in name for name in names)
    assert {key: metadata[key] for key in ("from_code", "to_code", "from_name", "to_name", "type")} == {
        "from_code": "en", "to_code": "de", "from_name": "English", "to_name": "German", "type": "translate",
    }  # fmt: skip
    assert written.path == path
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    again = tmp_path / "again.argosmodel"
    write_foreign(loaded, again, "argos", plan=Plan.of("en-de"))
    assert again.read_bytes() == path.read_bytes()


def test_an_installed_package_is_read(tmp_path: Path) -> None:
    path, _ = package(tmp_path, ours())
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    check = read_foreign(tmp_path / "translate-en_de-1_0").check()
    assert check is not None
    assert check.agrees


def test_an_imported_marian_model_becomes_a_package(tmp_path: Path) -> None:
    """Two SentencePiece models and one list of pieces, as OPUS-MT's; with tokens of languages it is refused."""
    transformers = pytest.importorskip("transformers")
    folder = tmp_path / "opus"
    for side, lines in (("source", LINES), ("target", LINES[::-2])):
        made = io.BytesIO()
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=made, vocab_size=110, hard_vocab_limit=False, minloglevel=2
        )
        folder.mkdir(exist_ok=True)
        (folder / f"{side}.spm").write_bytes(made.getvalue())
    processors = [spm.SentencePieceProcessor(model_file=str(folder / f"{side}.spm")) for side in ("source", "target")]
    pieces = sorted({each.id_to_piece(id) for each in processors for id in range(3, len(each))})
    tokens = ["</s>", "<unk>", *pieces, "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(tokens)}))
    torch.manual_seed(2)
    size = len(tokens)
    config = transformers.MarianConfig(
        vocab_size=size, d_model=12, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=20, decoder_ffn_dim=20, max_position_embeddings=64, init_std=0.5,
        pad_token_id=size - 1, eos_token_id=0, decoder_start_token_id=size - 1, forced_eos_token_id=0,
        bad_words_ids=[[size - 1]],
    )  # fmt: skip
    model = transformers.MarianMTModel(config).eval()
    model.save_pretrained(folder)
    path, written = package(tmp_path, read_foreign(folder).loaded, pairs=[(line, line) for line in LINES[:5]])
    check = written.check()
    assert check is not None
    assert check.agrees
    lines = ["The quick brown fox", "Wie geht es dir?", "naïve café", "the lazy dog off foo"]
    options = {"beam_size": 4, "length_penalty": 0.2, "length_norm": "average", "max_length": 12}
    mine = load_as(path, Translator, engine="torch").translate(lines, **options)
    assert [found.text for found in mine] == run_as_argos(path, tmp_path / "installed", lines)
    tokens[2] = ">>deu<<"
    (folder / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(tokens)}))
    with pytest.raises(ModelFolderError, match=r"added.*>>deu<<|several languages"):
        package(tmp_path / "other", read_foreign(folder).loaded)


# what cannot be written


def test_what_a_package_cannot_say_is_refused_by_name(tmp_path: Path) -> None:
    loaded = ours()
    words = Tokenizer.train(LINES, TokenizerConfig(kind="words", vocab_size=150))
    decomposed = Tokenizer.train(LINES, TokenizerConfig(kind="unigram", vocab_size=150, normalization="NFD"))
    symbols = loaded.tokenizer.symbols
    two = loaded.tokenizer.with_symbols(symbols.model_copy(update={"start_ids": [2, 7]}))
    before = loaded.tokenizer.with_symbols(symbols.model_copy(update={"source_begin_ids": [9]}))
    alibi = build(loaded.model.config.model_copy(update={"positions": "alibi"}))
    changes: list[tuple[dict[str, Any], str]] = [
        ({"source_tokenizer": words}, "kind.*words"),
        ({"tokenizer": decomposed}, "joined as SentencePiece"),
        ({"source_tokenizer": decomposed}, "normalization.*NFD"),
        ({"tokenizer": two}, "decoder starts from.*one at most"),
        ({"source_tokenizer": before}, "before a source.*one at most"),
        ({"model": alibi}, "positions must be"),
    ]
    for change, named in changes:
        with pytest.raises(ModelFolderError, match=named):
            package(tmp_path, loaded._replace(**change))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("direction", [None, "en", "english-german", "en-de-fr", "e1-de", "-de", ""])
def test_a_direction_names_two_languages(direction: str | None) -> None:
    with pytest.raises(SettingsError, match=r"direction must be.*en-de.*--direction"):
        Plan.of(direction)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    save_new(Path("m"), ours().model, ours().tokenizer)
    Path("pairs.tsv").write_text("".join(f"{line}\t{line}\n" for line in LINES[:4]))
    Path("text").write_text("The lazy dog\n")

    def output(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            run(arguments)
        assert ended.value.code == code
        captured = capsys.readouterr()
        return captured.out if code == 0 else captured.err

    convert = ("convert", "m", "x.argosmodel", "--to", "argos")
    assert "--direction" in output(*convert, code=2)
    assert "must end in .argosmodel; got x" in output("convert", "m", "x", *convert[3:], "--direction", "en-de", code=2)
    assert "`--direction` needs `--to argos`" in output("convert", "m", "x", "--direction", "en-de", code=2)
    said = output(*convert, "--direction", "EN-de", "--valid", "pairs.tsv")
    assert "x.argosmodel: Argos, written" in said
    assert "greedily: none" in said
    assert "must be new" in output(*convert, "--direction", "en-de", code=2)
    assert "en to de" in output("convert", "x.argosmodel", "back")
    settings = ("text", "--max-length", "9", "--beam", "4", "--engine", "torch")  # with eight bits, near ties differ
    assert output("translate", "x.argosmodel", *settings) == output("translate", "back", *settings)
    assert "encoder-decoder" in output("info", "x.argosmodel")


# hostile packages


def zipped(
    path: Path, content: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] = lambda entry: None
) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            change(entry)
            archive.writestr(entry, data)
    return path


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path, _ = package(tmp_path_factory.mktemp("argos"), ours())
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


ROOT = "translate-en_de-1_0"


@pytest.mark.parametrize(("changes", "named"), [
    ({f"{ROOT}/../../evil": b"x"}, r"inside its folder only; got 'translate-en_de-1_0/../../evil'"),
    ({"/etc/evil": b"x"}, r"inside its folder only; got '/etc/evil'"),
    ({f"{ROOT}/..\\evil": b"x"}, "inside its folder only"),
    ({"c:/evil": b"x"}, "inside its folder only"),
    ({"evil": b"x"}, "each file in a folder; got 'evil'"),
    ({"other/README.md": b"x"}, "one folder.*got 2 folders"),
    ({f"{ROOT}/zeros": bytes(40_000_000)}, r"at most 100 times its size.*0\.040 GB"),
    ({f"{ROOT}/{index}": b"" for index in range(1000)}, r"at most 1,000 files; got 1,0"),
    ({f"{ROOT}/metadata.json": None}, r"metadata\.json must be a file"),
    ({f"{ROOT}/metadata.json": b"[]"}, "must hold a JSON object"),
    ({f"{ROOT}/metadata.json": b'{"type": "sbd"}'}, "type must be 'translate'.*got 'sbd'"),
    ({f"{ROOT}/metadata.json": b'{"target_prefix": "__de__"}'}, "target_prefix must be ''.*got '__de__'"),
    ({f"{ROOT}/sentencepiece.model": None}, r"must hold sentencepiece\.model; it does not"),
    ({f"{ROOT}/sentencepiece.model": None, f"{ROOT}/bpe.model": b"x"}, r"bpe\.model, which Regard does not read"),
    ({f"{ROOT}/model/model.bin": None}, r"must hold model/model\.bin; it does not"),
    ({f"{ROOT}/model/model.bin": b"\6\0\0\0"}, "whole CTranslate2 model"),
    ({f"{ROOT}/model/shared_vocabulary.json": b'["a"]'}, "vocabulary must have"),
])  # fmt: skip
def test_hostile_packages_are_refused(
    changes: dict[str, bytes | None], named: str, content: dict[str, bytes], tmp_path: Path
) -> None:
    kept = {name: data for name, data in (content | changes).items() if data is not None}
    path = zipped(tmp_path / "x.argosmodel", kept)
    with pytest.raises(ModelFolderError, match=named) as caught:
        read_foreign(path)
    assert str(path) in str(caught.value)
    assert "/tmp/tmp" not in str(caught.value)
    assert [file.name for file in tmp_path.iterdir()] == ["x.argosmodel"]


def test_links_and_files_that_are_there_twice_are_refused(content: dict[str, bytes], tmp_path: Path) -> None:
    def link(entry: zipfile.ZipInfo) -> None:
        if entry.filename.endswith("metadata.json"):
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16

    with pytest.raises(ModelFolderError, match=r"inside its folder only; got '.*metadata.json'"):
        read_foreign(zipped(tmp_path / "x.argosmodel", content, link))
    path = zipped(tmp_path / "y.argosmodel", content)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(f"{ROOT}/metadata.json", "{}")
    with pytest.raises(ModelFolderError, match=r"each file once; got '.*metadata.json'"):
        read_foreign(path)


def test_cut_off_packages_are_refused(content: dict[str, bytes], tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.argosmodel", content)
    whole = path.read_bytes()
    for length in (0, 3, 100, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFolderError, match="must be a whole zip file"):
            read_foreign(path)
    path.write_bytes(whole[: len(whole) // 2] + bytes(50) + whole[len(whole) // 2 + 50 :])
    with pytest.raises(ModelFolderError, match="must be a whole zip file"):
        read_foreign(path)


def test_a_cut_off_sentencepiece_model_is_refused(content: dict[str, bytes], tmp_path: Path) -> None:
    """At any place, that between two pieces included, where the rest is a message of its own."""
    whole = content[f"{ROOT}/sentencepiece.model"]
    end = whole.index(b"\n", 30)
    for length in (1, 10, end, 500, len(whole) // 2):
        cut = content | {f"{ROOT}/sentencepiece.model": whole[:length]}
        with pytest.raises(ModelFolderError, match=r"must be a SentencePiece model.*Is it whole"):
            read_foreign(zipped(tmp_path / "x.argosmodel", cut))


# the splitter


def sentences(text: str) -> list[str]:
    """The sentences of a text, by the labels of its characters."""
    session = onnxruntime.InferenceSession(splitter_model(), providers=["CPUExecutionProvider"])
    ids = json.loads(session.get_modelmeta().custom_metadata_map["vocab"])["_unit2id"]
    units = np.array([[*(ids.get(character, ids["<UNK>"]) for character in text), ids["<PAD>"]]])
    features = np.zeros((1, len(text) + 1, 1), np.float32)
    (labels,) = session.run(None, {"units": units, "features": features})
    found, begin = [], 0
    for place, label in enumerate(labels[0].argmax(-1)[: len(text)]):
        if label == 2 or place == len(text) - 1:
            found.append(text[begin : place + 1].strip())
            begin = place + 1
    return found


@pytest.mark.parametrize("expected", [
    ["Hello there.", "How are you?", "Fine!"], ["J. Smith went home.", "He slept."], ["It costs 3.5 e.g. in Berlin."],
    ['"Go!" he said.', '"Yes."', "Ok"], ["No end", ], ["Wait... what?", "OK."], ["Це так.", "Ні."], ["(See there.)", "Then."],
])  # fmt: skip
def test_sentences_end_by_the_rules(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_wide_marks_need_no_space() -> None:
    assert sentences("你好。我很好！「是。」好") == ["你好。", "我很好！", "「是。", "」好"]


# the program itself


@pytest.mark.slow
@pytest.mark.skipif(
    "REGARD_ARGOS_PYTHON" not in os.environ, reason="REGARD_ARGOS_PYTHON names no Python with argostranslate"
)
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not on this machine")
def test_argos_translate_writes_what_regard_writes(tmp_path: Path) -> None:
    """500 sentences with the program's own settings, in float32 and without a network. Trains for a minute or two.

    CTranslate2 stops when four hypotheses have finished. A text of ours differs only where a later one is likelier.
    """
    from regard.runs.train import train

    for side in ("en", "de"):
        lines = (SHARED / f"train.{side}").read_text(encoding="utf-8").split("\n")[:8000]
        (tmp_path / f"train.{side}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = {
        "tokenizer": {"kind": "unigram", "vocab_size": 1000}, "training": {"steps": 300, "batch_tokens": 1024},
        "model": {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 2, "num_decoder_layers": 1,
                  "positions": "sinusoidal"},
    }  # fmt: skip
    train([tmp_path / "train.en", tmp_path / "train.de"], output=tmp_path / "model", settings=settings)
    path, _ = package(tmp_path, load_model(tmp_path / "model"))
    lines = (SHARED / "test_2016_flickr.en").read_text(encoding="utf-8").split("\n")[:500]
    options = {"beam_size": 4, "length_penalty": 0.2, "length_norm": "average", "max_length": 256}
    translator = load_as(path, Translator, engine="torch")
    mine = translator.translate(lines, **options)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["ARGOS_COMPUTE_TYPE"] = "float32"
    done = subprocess.run(
        [os.environ["REGARD_ARGOS_PYTHON"], str(Path(__file__).with_name("run_argos.py")), str(path), "en", "de"],
        input=json.dumps(lines), capture_output=True, text=True, env=environment, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    theirs = json.loads(done.stdout)
    differ = [
        (line, found, text)
        for line, found, text in zip(lines, mine, theirs, strict=True)
        if found.text.replace("_", " ") != text
    ]
    assert len(differ) <= 10, differ
    forced = translator.score([line for line, _, _ in differ], [text for _, _, text in differ]) if differ else []
    for (_, found, _), other in zip(differ, forced, strict=True):
        if found.finish_reason != "repetition_loop":  # which Regard ends
            assert found.score > sum(other.token_log_probs) / len(other.token_log_probs) ** 0.2
