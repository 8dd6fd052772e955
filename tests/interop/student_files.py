"""Mozilla's models for Firefox, written by hand: random weights, Marian's bytes, and the network in plain numpy."""

import gzip
import io
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

FLOAT32, INTGEMM8, TEXT = 0x0404, 0x4101, 0x0101
DIM, INNER, HEADS, ENCODERS, DECODERS = 16, 24, 4, 2, 2
OPTIONS: dict[str, Any] = {
    "bert-train-type-embeddings": True, "dec-cell": "ssru", "dec-cell-base-depth": 2, "dec-cell-high-depth": 1,
    "dec-depth": DECODERS, "dim-emb": DIM, "enc-cell": "gru", "enc-cell-depth": 1, "enc-depth": ENCODERS,
    "enc-type": "bidirectional", "input-types": [], "layer-normalization": False, "lemma-dim-emb": 0, "right-left": False,
    "skip": False, "tied-embeddings": False, "tied-embeddings-all": True, "tied-embeddings-src": False,
    "transformer-aan-activation": "swish", "transformer-aan-depth": 2, "transformer-aan-nogate": False,
    "transformer-decoder-autoreg": "rnn", "transformer-dim-aan": 2048, "transformer-dim-ffn": INNER,
    "transformer-ffn-activation": "relu", "transformer-ffn-depth": 2, "transformer-guided-alignment-layer": "last",
    "transformer-heads": HEADS, "transformer-no-projection": False, "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d", "transformer-postprocess-top": "", "transformer-preprocess": "",
    "transformer-tied-layers": [], "transformer-train-position-embeddings": False, "type": "transformer", "ulr": False,
    "version": "v1.9.56",
}  # fmt: skip
SYMBOLS = ["__source__", "__target__", "__sep__"]
Arrays = dict[str, np.ndarray]


def pieces(lines: list[str], size: int = 340) -> bytes:
    """A SentencePiece model with the options of Mozilla's `spm-vocab.sh`."""
    import sentencepiece as spm

    made = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=made, vocab_size=size, bos_id=-1, eos_id=0, unk_id=1,
        user_defined_symbols=SYMBOLS, byte_fallback=True, hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    return made.getvalue()


def weights(size: int, *, target_size: int | None = None, pre: bool = False, seed: int = 0) -> Arrays:
    """Random parameters of a student, by Marian's names. With `target_size`, each side has its vocabulary."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int, scale: float = 0.35) -> np.ndarray:
        return (scale * rng.standard_normal(shape)).astype(np.float32)

    found: Arrays = {"decoder_ff_logit_out_b": normal(1, target_size or size)}
    if target_size is None:
        found["Wemb"] = normal(size, DIM)
    else:
        found |= {"encoder_Wemb": normal(size, DIM), "decoder_Wemb": normal(target_size, DIM)}

    def norm(name: str) -> None:
        suffix = "_pre" if pre and "_top" not in name else ""
        found[f"{name}_ln_scale{suffix}"], found[f"{name}_ln_bias{suffix}"] = 1 + normal(1, DIM), normal(1, DIM)

    def attention(name: str) -> None:
        for letter in "qkvo":
            found[f"{name}_W{letter}"], found[f"{name}_b{letter}"] = normal(DIM, DIM), normal(1, DIM)
        norm(f"{name}_Wo")

    for side, depth in (("encoder", ENCODERS), ("decoder", DECODERS)):
        for layer in (f"{side}_l{number}" for number in range(1, depth + 1)):
            if side == "encoder":
                attention(f"{layer}_self")
            else:
                found[f"{layer}_rnn_W"], found[f"{layer}_rnn_Wf"] = normal(DIM, DIM), normal(DIM, DIM)
                found[f"{layer}_rnn_bf"] = normal(1, DIM)
                norm(f"{layer}_rnn" if pre else f"{layer}_rnn_ffn")
                attention(f"{layer}_context")
            found[f"{layer}_ffn_W1"], found[f"{layer}_ffn_b1"] = normal(DIM, INNER), normal(1, INNER)
            found[f"{layer}_ffn_W2"], found[f"{layer}_ffn_b2"] = normal(INNER, DIM), normal(1, DIM)
            norm(f"{layer}_ffn_ffn")
        if pre:
            norm(f"{side}_top")
    return found


def options(size: int, target_size: int | None = None, **changes: Any) -> dict[str, Any]:
    """The options of a student."""
    own = {} if target_size is None else {"tied-embeddings": True, "tied-embeddings-all": False}
    return OPTIONS | own | {"dim-vocabs": [size, target_size or size]} | changes


def is_matrix(name: str) -> bool:
    """Whether marian-conv makes bytes of a tensor, which it does by the name."""
    return name[-3:-1] == "_W" or name.endswith("_W") or "Wemb" in name


def quantized(values: np.ndarray, name: str) -> tuple[bytes, np.ndarray]:
    """The data of a matrix as marian-conv stores it, and the numbers that it stands for."""
    scale = np.float32(127 / np.abs(values).max())
    integers = np.clip(np.rint(values * scale), -127, 127).astype(np.int8)
    stored = integers if "Wemb" in name else integers.T
    return stored.tobytes() + scale.tobytes(), integers.astype(np.float32) / scale


def binary(arrays: Mapping[str, np.ndarray], settings: Mapping[str, Any], *, eight_bits: bool) -> tuple[bytes, Arrays]:
    """A file's bytes, and the numbers that its tensors stand for. What is behind data means nothing, and is no zero."""
    items: list[tuple[str, int, tuple[int, ...], bytes]] = []
    meant: Arrays = {}
    scales = {
        f"{name}_QuantMultA": np.array([1.7], np.float32)
        for name in [*arrays, "none"]
        if is_matrix(name) or name == "none"
    }
    for name, values in sorted((dict(arrays) | (scales if eight_bits else {})).items()):
        if eight_bits and is_matrix(name):  # the scale of Wemb, too
            data, meant[name] = quantized(values, name)
            items.append((name, INTGEMM8, values.shape, data))
        else:
            meant[name] = values
            items.append((name, FLOAT32, values.shape, values.astype("<f4").tobytes()))
    items = [(name, kind, shape, data + b"\xa5" * (-len(data) % 256)) for name, kind, shape, data in items]
    text = yaml.safe_dump(dict(settings)).encode() + b"\0"
    items.append(("special:model.yml", TEXT, (len(text),), text))
    return pack(items), meant


def pack(items: list[tuple[str, int, tuple[int, ...], bytes]], version: int = 1) -> bytes:
    """Marian's binary format of some tensors, each with name, type, sizes and data."""
    spelled = [name.encode() + b"\0" for name, *_ in items]
    content = struct.pack("<QQ", version, len(items))
    for name, (_, kind, shape, data) in zip(spelled, items, strict=True):
        content += struct.pack("<QQQQ", len(name), kind, len(shape), len(data))
    content += b"".join(spelled)
    content += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    offset = ((len(content) + 8) // 256 + 1) * 256 - len(content) - 8
    return content + struct.pack("<Q", offset) + bytes(offset) + b"".join(data for *_, data in items)


def write(folder: Path, content: bytes, vocabularies: Mapping[str, bytes], *, packed: bool = False) -> Path:
    """A folder as the models are published: with a list of likely translations, which nobody needs."""
    folder.mkdir(exist_ok=True)
    files = {
        "model.enxx.intgemm.alphas.bin": content,
        "lex.50.50.enxx.s2t.bin": struct.pack("<Q", 0xF11A48D5013417F5) + b"x" * 90,
    }
    for name, data in (files | dict(vocabularies)).items():
        (folder / f"{name}.gz" if packed else folder / name).write_bytes(gzip.compress(data) if packed else data)
    return folder


class Student:
    """The network in float64, one sentence and one position at a time. Source: marian-dev, `models/transformer.h`."""

    def __init__(self, arrays: Arrays, *, pre: bool = False) -> None:
        self.arrays = {name: values.astype(np.float64) for name, values in arrays.items()}
        self.pre = pre

    def logits(self, source: list[int], target: list[int]) -> np.ndarray:
        """Logits of each token of a target, and of the one after it."""
        table = self.arrays.get("decoder_Wemb", self.arrays.get("Wemb"))
        assert table is not None
        encoded = self._encode(source)
        vectors = np.concatenate((np.zeros((1, DIM)), table[target]))
        x = vectors * DIM**0.5 + _waves(len(vectors))
        for number in range(1, DECODERS + 1):
            layer = f"decoder_l{number}"
            x = self._sublayer(f"{layer}_rnn", f"{layer}_rnn_ffn", x, lambda y, n=f"{layer}_rnn": self._ssru(n, y))
            x = self._sublayer(
                f"{layer}_context_Wo", f"{layer}_context_Wo", x,
                lambda y, n=f"{layer}_context": self._attention(n, y, encoded),
            )  # fmt: skip
            x = self._sublayer(f"{layer}_ffn_ffn", f"{layer}_ffn_ffn", x, lambda y, n=f"{layer}_ffn": self._inner(n, y))
        x = self._norm("decoder_top", x) if self.pre else x
        return np.asarray(x @ table.T + self.arrays["decoder_ff_logit_out_b"])

    def _encode(self, source: list[int]) -> np.ndarray:
        table = self.arrays.get("encoder_Wemb", self.arrays.get("Wemb"))
        assert table is not None
        x = table[source] * DIM**0.5 + _waves(len(source))
        for number in range(1, ENCODERS + 1):
            layer = f"encoder_l{number}"
            x = self._sublayer(
                f"{layer}_self_Wo", f"{layer}_self_Wo", x, lambda y, n=f"{layer}_self": self._attention(n, y, y)
            )
            x = self._sublayer(f"{layer}_ffn_ffn", f"{layer}_ffn_ffn", x, lambda y, n=f"{layer}_ffn": self._inner(n, y))
        return self._norm("encoder_top", x) if self.pre else x

    def _sublayer(self, before: str, after: str, x: np.ndarray, made: Any) -> np.ndarray:
        return x + made(self._norm(before, x, "_pre")) if self.pre else self._norm(after, x + made(x))

    def _norm(self, name: str, x: np.ndarray, suffix: str = "") -> np.ndarray:
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
        return np.asarray(x * self.arrays[f"{name}_ln_scale{suffix}"] + self.arrays[f"{name}_ln_bias{suffix}"])

    def _ssru(self, name: str, x: np.ndarray) -> np.ndarray:
        cell, found = np.zeros(DIM), []
        for row in x:
            gate = 1 / (1 + np.exp(-(row @ self.arrays[f"{name}_Wf"] + self.arrays[f"{name}_bf"][0])))
            cell = gate * cell + (1 - gate) * (row @ self.arrays[f"{name}_W"])
            found.append(np.maximum(cell, 0))
        return np.stack(found)

    def _attention(self, name: str, x: np.ndarray, seen: np.ndarray) -> np.ndarray:
        query, key, value = (
            (given @ self.arrays[f"{name}_W{letter}"] + self.arrays[f"{name}_b{letter}"]).reshape(
                -1, HEADS, DIM // HEADS
            )
            for letter, given in (("q", x), ("k", seen), ("v", seen))
        )
        scores = np.exp(np.einsum("qhd,khd->hqk", query, key) / (DIM // HEADS) ** 0.5)
        context = np.einsum("hqk,khd->qhd", scores / scores.sum(-1, keepdims=True), value).reshape(-1, DIM)
        return np.asarray(context @ self.arrays[f"{name}_Wo"] + self.arrays[f"{name}_bo"])

    def _inner(self, name: str, x: np.ndarray) -> np.ndarray:
        inner = np.maximum(x @ self.arrays[f"{name}_W1"] + self.arrays[f"{name}_b1"], 0)
        return np.asarray(inner @ self.arrays[f"{name}_W2"] + self.arrays[f"{name}_b2"])

    def beam(self, source: list[int], width: int, longest: int, banned: int) -> tuple[list[int], float]:
        """The best target by the sum of its log-probabilities, found by a beam that keeps finished ones beside it."""
        open_ones: list[tuple[float, list[int]]] = [(0.0, [])]
        done: list[tuple[float, list[int]]] = []
        for position in range(longest):
            candidates = []
            for score, target in open_ones:
                logits = self.logits(source, target)[-1]
                log_probs = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
                log_probs[banned] = -np.inf
                candidates += [(score + float(p), [*target, id]) for id, p in enumerate(log_probs)]
            candidates.sort(key=lambda found: -found[0])
            best = candidates[: 2 * width]
            done += [(score, target[:-1]) for score, target in best if target[-1] == 0]
            open_ones = [found for found in best if found[1][-1] != 0][:width]
            if position == longest - 1:
                done += open_ones
        score, target = max(done)
        return target, score


def _waves(length: int) -> np.ndarray:
    half = DIM // 2
    angles = np.arange(length)[:, None] * np.exp(-np.log(10000.0) / (half - 1) * np.arange(half))
    return np.concatenate((np.sin(angles), np.cos(angles)), axis=1)
