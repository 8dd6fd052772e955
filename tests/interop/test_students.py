"""Mozilla's models for Firefox: files that `student_files` writes by the documented bytes, and its network in numpy.

No published file was tried, as none can be had where this is tested.
"""

import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from student_files import (
    FLOAT32,
    INTGEMM8,
    SYMBOLS,
    TEXT,
    Arrays,
    Student,
    binary,
    options,
    pack,
    pieces,
    quantized,
    weights,
    write,
)  # fmt: skip

from regard.checkpoint import load_model
from regard.errors import ModelFolderError
from regard.interop import marian_binary
from regard.interop.convert import convert
from regard.interop.formats import is_foreign, read_foreign, write_foreign
from regard.interop.marian_binary import read_binary
from regard.pipelines.loading import load
from regard.pipelines.translator import Translator

spm = pytest.importorskip("sentencepiece")

LINES = [
    "the quick brown fox jumps over the lazy dog",
    "ein Zug fährt nach Köln",
    "don't stop __init__ now",
    "1985, 3.14",
] * 40
VOCABULARY = pieces(LINES)
OTHER = pieces([line.upper() for line in LINES])
NAME = "vocab.enxx.spm"


def size_of(vocabulary: bytes) -> int:
    return int(spm.SentencePieceProcessor(model_proto=vocabulary).get_piece_size())


SIZE = size_of(VOCABULARY)


@pytest.fixture(scope="module")
def student(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Arrays]:
    """A folder of 8 bits with one vocabulary, and the numbers that it stands for."""
    content, meant = binary(weights(SIZE), options(SIZE), eight_bits=True)
    return write(tmp_path_factory.mktemp("students") / "enxx", content, {NAME: VOCABULARY}), meant


def logits_of(folder: Path, source: list[int], target: list[int]) -> np.ndarray:
    model = read_foreign(folder).loaded.model
    start = model.config.vocab_size - 1
    with torch.inference_mode():
        found = model(torch.tensor([source]), torch.tensor([[start, *target]]))[0, :, :-1]
    return np.asarray(found.numpy())


@pytest.mark.parametrize(
    ("kind", "eight_bits", "packed"),
    [
        ("shared", True, False), ("shared", False, True), ("two vocabularies", True, True), ("two vocabularies", False, False),
        ("pre-norm", True, False),
    ],
)  # fmt: skip
def test_logits_are_those_of_the_network_in_numpy(kind: str, eight_bits: bool, packed: bool, tmp_path: Path) -> None:
    target_size = size_of(OTHER) if kind == "two vocabularies" else None
    pre = kind == "pre-norm"
    norms = (
        {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}
        if pre
        else {}
    )
    content, meant = binary(
        weights(SIZE, target_size=target_size, pre=pre), options(SIZE, target_size, **norms), eight_bits=eight_bits
    )
    vocabularies = {NAME: VOCABULARY} if target_size is None else {"srcvocab.spm": VOCABULARY, "trgvocab.spm": OTHER}
    folder = write(tmp_path / "enxx", content, vocabularies, packed=packed)
    foreign = read_foreign(folder)
    assert foreign.account.left_over == []
    assert foreign.loaded.model.config.decoder_past == "ssru"
    source, target = [5, 280, 270, 265, 0], [271, 290, 260, 261, 262, 7, 269]
    expected = Student(meant, pre=pre).logits(source, target)
    np.testing.assert_allclose(
        logits_of(folder, source, target), expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max()
    )


def test_steps_with_a_cache_are_those_of_the_whole(student: tuple[Path, Arrays]) -> None:
    folder, meant = student
    model: Any = read_foreign(folder).loaded.model
    source, target = [5, 280, 270, 0], [271, 290, 260, 261]
    expected = Student(meant).logits(source, target)
    with torch.inference_mode():
        state = model.prefill(torch.tensor([source]))
        for position, id in enumerate([model.config.vocab_size - 1, *target]):
            logits, state = model.decode_step(torch.tensor([[id]]), state)
            np.testing.assert_allclose(logits[0, 0, :-1], expected[position], atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("engine", ["auto", "torch"])
def test_a_beam_of_four_is_that_of_numpy(engine: str, student: tuple[Path, Arrays]) -> None:
    """Hypotheses change places; each keeps the state of its own past. Two sentences share a batch."""
    folder, meant = student
    translator = load(folder, kind=Translator, engine=engine)
    texts = ["the lazy fox", "ein Zug fährt nach Köln", "don't"]
    found = translator.translate(texts, beam_size=4, length_norm="none", max_length=6, early_stopping=False)
    for text, translation in zip(texts, found, strict=True):
        source = translator.source_tokenizer.encode(text)
        target, score = Student(meant).beam([*source, 0], 4, 6, banned=1)
        assert translation.score == pytest.approx(score, abs=1e-4)
        assert translation.text == translator.tokenizer.decode(target)


def test_texts_are_cut_as_sentencepiece_cuts_them(student: tuple[Path, Arrays]) -> None:
    loaded = read_foreign(student[0]).loaded
    processor = spm.SentencePieceProcessor(model_proto=VOCABULARY)
    for text in (
        "the quick brown fox",
        "  two  spaces",
        "☃ bytes 文字",
        f"a{SYMBOLS[0]}b {SYMBOLS[2]}",
        "__source _done__",
        "",
    ):
        assert loaded.source_tokenizer.encode(text) == processor.encode(text)
        assert loaded.tokenizer.decode(processor.encode(text)) == processor.decode(processor.encode(text))
    symbols = loaded.tokenizer.symbols
    assert (symbols.eos_id, symbols.unk_id, symbols.banned_ids) == (0, 1, [1, SIZE])


def test_it_is_converted_and_loaded_again(student: tuple[Path, Arrays], tmp_path: Path) -> None:
    done = convert(student[0], tmp_path / "ours")
    lines = "\n".join(done.steps[0].lines(checked=True))
    assert "none of ours is left over" in lines
    assert "Regard computes in float32" in lines
    assert "NOT CHECKED: Regard knows no original implementation" in lines
    ours, theirs = load_model(tmp_path / "ours"), read_foreign(student[0]).loaded
    assert ours.model.config == theirs.model.config
    assert ours.model.config.alignment_head == "cross.1.0"  # type: ignore[attr-defined]
    ids = torch.tensor([[5, 280, 0]]), torch.tensor([[SIZE, 271]])
    assert torch.equal(ours.model(*ids), theirs.model(*ids))
    assert ours.tokenizer.encode("the lazy ☃") == theirs.tokenizer.encode("the lazy ☃")


def test_it_is_written_as_npz_and_as_nothing_else(student: tuple[Path, Arrays], tmp_path: Path) -> None:
    loaded = read_foreign(student[0]).loaded
    for format in ("marian", "ctranslate2", "onnx", "argos", "bart"):
        output = tmp_path / ("m.argosmodel" if format == "argos" else format)
        with pytest.raises(ModelFolderError, match=r"decoder_past must be self_attention to be written as"):
            write_foreign(loaded, output, format)
        assert not output.exists()
    loaded.model.config = loaded.model.config.model_copy(update={"alignment_head": "cross.0.0"})
    write_foreign(loaded, tmp_path / "npz", "marian-npz")
    again = read_foreign(tmp_path / "npz").loaded.model
    assert again.config == loaded.model.config
    ids = torch.tensor([[5, 280, 0]]), torch.tensor([[SIZE, 271]])
    torch.testing.assert_close(again(*ids), loaded.model(*ids))


# files that are wrong


def test_a_file_that_is_cut_off_is_refused_wherever_it_ends(student: tuple[Path, Arrays], tmp_path: Path) -> None:
    content = next(student[0].glob("model*")).read_bytes()
    cut = tmp_path / "model.bin"
    for length in [*range(8, 5000, 97), *range(5000, len(content), 4999), len(content) - 1]:
        cut.write_bytes(content[:length])
        with pytest.raises(ModelFolderError, match=r"model\.bin"):
            read_binary(cut)
    cut.write_bytes(content + b"\0")
    with pytest.raises(ModelFolderError, match="bytes of data; got"):
        read_binary(cut)


@pytest.mark.parametrize("number", [1 << 63, (1 << 64) - 1, 1 << 40, 1 << 31])
@pytest.mark.parametrize("place", range(1, 6))
@pytest.mark.parametrize("packed", [True, False])
def test_huge_numbers_cost_nothing(number: int, place: int, packed: bool, tmp_path: Path) -> None:
    """The count of tensors, and each number of the first header: nothing as large is made."""
    content = bytearray(pack([("weights", FLOAT32, (4, 5), bytes(80))]))
    struct.pack_into("<Q", content, 8 * place, number)
    (folder := tmp_path / "m").mkdir()
    write(folder, bytes(content), {}, packed=packed)
    path = next(folder.glob("model*"))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFolderError, match=r"must be|must have|must fit"):
            read_binary(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (("w", FLOAT32, (4, 5), bytes(79)), r"w of sizes \(4, 5\) must have 80 bytes; got 79"),
        (("w", INTGEMM8, (4, 5), bytes(20)), r"must have 24 bytes; got 20"),
        (("w", FLOAT32, (-1, 5), bytes(80)), r"sizes of w must be positive; got \(-1, 5\)"),
        (("w", FLOAT32, (0, 5), bytes(80)), r"must be positive"),
        (("w", FLOAT32, (2**31 - 1,) * 8, bytes(80)), r"must have [\d,]+ bytes; got 80"),
        (("w", FLOAT32, (1,) * 9, bytes(80)), r"the number of sizes of w must be at most 8; got 9"),
        (("w", 0x5101, (4, 5), bytes(80)), r"must be of type float16, .*; got type 0x5101.*marian-conv"),
        (("w", 0x1801, (4, 5), bytes(80)), r"got type 0x1801"),
        (("w", 0x0104, (4, 5), bytes(80)), r"got type 0x0104"),
        (("w", INTGEMM8, (4, 5), bytes(24)), r"the scale of w must be a positive number; got 0\.0"),
        (("w", INTGEMM8, (4, 5), bytes(20) + struct.pack("<f", float("nan"))), r"must be a positive number; got nan"),
        (("w" * 2000, FLOAT32, (4, 5), bytes(80)), r"the length of a name must be at most 1,024; got 2,001"),
    ],
    ids=lambda value: None if isinstance(value, tuple) else value[:40],
)
def test_a_tensor_that_contradicts_itself_is_refused(item: tuple[Any, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(pack([item]))
    with pytest.raises(ModelFolderError, match=message):
        read_binary(tmp_path / "model.bin")


def test_other_numbers_are_read(tmp_path: Path) -> None:
    half, double = np.arange(6, dtype=np.float16).reshape(2, 3), np.arange(6, dtype=np.float64).reshape(3, 2)
    small, scale = np.array([[-128, 127], [1, 2], [3, 4]], np.int16), struct.pack("<f", 1024)
    items = [
        ("half", 0x0402, (2, 3), half.tobytes()), ("double", 0x0408, (3, 2), double.tobytes()),
        ("layer_W1", 0x4102, (3, 2), small.T.tobytes() + scale), ("Wemb", 0x4102, (3, 2), small.tobytes() + scale),
    ]  # fmt: skip
    (tmp_path / "model.bin").write_bytes(pack(items))
    found = read_binary(tmp_path / "model.bin")
    for name, expected in {"half": half, "double": double, "layer_W1": small / 1024, "Wemb": small / 1024}.items():
        assert found[name].dtype == np.float32
        np.testing.assert_array_equal(found[name], expected)


def test_a_model_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(pack([("w", FLOAT32, (4, 5), bytes(80))]))
    monkeypatch.setattr(marian_binary, "free_bytes", lambda device: 100)
    with pytest.raises(ModelFolderError, match="must fit into memory"):
        read_binary(tmp_path / "model.bin")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dec-cell": "gru"}, "dec-cell must be 'ssru' .*; got 'gru'"),
        ({"dec-cell": None}, "dec-cell must be 'ssru' .*; got 'gru'"),
        (
            {"transformer-decoder-autoreg": "average-attention"},
            "must be one of self-attention, rnn; got 'average-attention'",
        ),
        ({"layer-normalization": True}, "layer-normalization must be"),
        ({"transformer-rnn-projection": True}, "transformer-rnn-projection must be"),
        ({"transformer-ffn-activation": "gelu"}, "must be one of relu, swish; got 'gelu'"),
        ({"transformer-guided-alignment-layer": "first"}, "transformer-guided-alignment-layer must be 'last'"),
        ({"transformer-guided-alignment-layer": "3"}, r"the number of a layer, from 1 to 2; got '3'"),
        ({"dim-vocabs": [310]}, r"dim-vocabs must be the sizes of two vocabularies; got \[310\]"),
        ({"dim-vocabs": [SIZE + 8, SIZE + 8]}, rf"must hold {SIZE + 8} tokens; got {SIZE}"),
        ({"dim-emb": 32}, "must have a part of shape"),
        ({"dec-depth": 3}, "must hold the tensor decoder_l3_"),
        ({"transformer-of-tomorrow": 1}, "transformer-of-tomorrow must be"),
    ],
    ids=str,
)
def test_options_that_we_cannot_represent_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    content, _ = binary(weights(SIZE), options(SIZE, **change), eight_bits=True)
    with pytest.raises(ModelFolderError, match=message):
        read_foreign(write(tmp_path / "m", content, {NAME: VOCABULARY}))


def test_tensors_that_are_wrong_are_refused(tmp_path: Path) -> None:
    """A missing one, one that nobody knows, one of other sizes."""
    given = weights(SIZE)
    for arrays, message in (
        (
            {name: x for name, x in given.items() if name != "decoder_l2_rnn_Wf"},
            "must hold the tensor decoder_l2_rnn_Wf",
        ),
        (given | {"decoder_l1_rnn_bf": np.zeros((1, 8), np.float32)}, "decoder_l1_rnn_bf must have a part of shape"),
    ):
        content, _ = binary(arrays, options(SIZE), eight_bits=True)
        with pytest.raises(ModelFolderError, match=message):
            read_foreign(write(tmp_path / "m", content, {NAME: VOCABULARY}))
    content, _ = binary(given | {"decoder_l1_of_tomorrow": np.ones((1, 4), np.float32)}, options(SIZE), eight_bits=True)
    assert read_foreign(write(tmp_path / "m", content, {NAME: VOCABULARY})).account.left_over == [
        "decoder_l1_of_tomorrow"
    ]


def test_a_folder_must_be_clear(student: tuple[Path, Arrays], tmp_path: Path) -> None:
    content = next(student[0].glob("model*")).read_bytes()
    folder = write(tmp_path / "m", content, {})
    with pytest.raises(ModelFolderError, match=r"must hold the model's vocabularies, .*\*vocab\*\.spm; got none"):
        read_foreign(folder)
    (folder / "vocab.en.spm").write_bytes(VOCABULARY)
    assert is_foreign(folder / "model.enxx.intgemm.alphas.bin")
    assert read_foreign(folder / "model.enxx.intgemm.alphas.bin").loaded.model.config.vocab_size == SIZE + 1
    (folder / "vocab.xx.spm").write_bytes(VOCABULARY)
    with pytest.raises(ModelFolderError, match="must say which vocabulary is the source's"):
        read_foreign(folder)
    (folder / "decoder.yml").write_text("vocabs: [vocab.en.spm, vocab.xx.spm]\n")
    assert read_foreign(folder)
    (folder / "vocab.xx.spm").write_bytes(VOCABULARY[: len(VOCABULARY) // 2])
    with pytest.raises(ModelFolderError, match=r"vocab\.xx\.spm"):
        read_foreign(folder)
    (folder / "model.xxen.intgemm.alphas.bin").write_bytes(content)
    with pytest.raises(ModelFolderError, match=r"must hold one Marian model; got model\.enxx"):
        read_foreign(folder)


def test_a_packed_file_that_is_damaged_is_refused(tmp_path: Path) -> None:
    content, _ = binary(weights(SIZE), options(SIZE), eight_bits=True)
    folder = write(tmp_path / "m", content, {NAME: VOCABULARY}, packed=True)
    for name in ("model.enxx.intgemm.alphas.bin.gz", f"{NAME}.gz"):
        whole = (folder / name).read_bytes()
        for damaged in (whole[: len(whole) // 2], whole[:200] + bytes(50) + whole[250:]):
            (folder / name).write_bytes(damaged)
            with pytest.raises(ModelFolderError, match=name):
                read_foreign(folder)
        (folder / name).write_bytes(whole)
    assert read_foreign(folder)


def test_the_data_means_what_the_network_reads() -> None:
    """The writer here, by hand: a matrix is turned, an embedding table is not, and the scale stands behind the bytes."""
    values = np.array([[1.0, -2.0, 0.5], [0.25, 0.0, 2.0]], np.float32)
    data, _ = quantized(values, "layer_W1")
    assert np.frombuffer(data, np.int8, 6).tolist() == [64, 16, -127, 0, 32, 127]
    assert struct.unpack("<f", data[6:]) == (63.5,)
    assert np.frombuffer(quantized(values, "Wemb")[0], np.int8, 6).tolist() == [64, -127, 32, 16, 0, 127]
    assert pack([("a", TEXT, (3,), b"abc")])[:16] == struct.pack("<QQ", 1, 1)
    assert len(pack([("a", TEXT, (3,), b"abc")])) % 256 == 3
