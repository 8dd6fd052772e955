"""A reader of Marian's own `.npz` and `.bin`, and a writer of `.npz`: the parameters by name, and the training options as YAML
in `special:model.yml`.

Mozilla's models for Firefox are such: a `.bin` of bytes, SentencePiece models as vocabularies, and a decoder with an SSRU
in the place of self-attention. The list of likely translations beside them (`lex*.bin`) is not read.

Marian's decoder reads a zero vector before the first token; ours reads the padding token, whose vector is zero, as
Hugging Face's conversion does.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.check import Reference
from regard.interop.foreign import Blueprint, ForeignModel
from regard.interop.hugging_face.bert import plain_layers, refuse
from regard.interop.mapping import PAD, TensorRef, add_zero_start, export_tensors
from regard.interop.marian_binary import SCALES, is_binary, read_binary
from regard.memory import free_bytes
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.names import is_file, is_folder
from regard.text.tokenizer import Symbols, Tokenizer
from regard.tokenizer_formats.sentence_piece_reader import sentence_pieces
from regard.tokenizer_formats.sentence_piece_writer import sentence_piece_model
from regard.tokenizer_formats.vocabulary_lists import vocabulary_list, whole_tokens

OPTIONS = "special:model.yml"
ACTIVATIONS = {"relu": "relu", "swish": "silu"}
"""The activations by Marian's names. Its gelu is swish(1.702 x), which is none of ours."""
PASTS = {"self-attention": "self_attention", "rnn": "ssru"}
"""The ways in which a decoder reads the tokens before, by Marian's names; an `rnn` may have other cells there."""
WAVES = {"self_attention": "sinusoidal_halves", "ssru": "sinusoidal_marian"}
"""The positions: Marian's own where nobody else reads a model; else those of `transformers` and CTranslate2, whose slower
waves are a little faster.
"""
MODEL_OPTIONS = ("transformer-", "lemma-", "factors-", "ulr", "tied-", "right-left", "input-types", "layer-norm")
"""The beginnings of names of options that may change what a model computes. The many others are of training and
decoding.
"""
WITHOUT_EFFECT = {
    # of averages
    *("transformer-aan-activation", "transformer-aan-depth", "transformer-aan-nogate", "transformer-dim-aan"),
    *("transformer-dropout", "transformer-dropout-attention", "transformer-dropout-ffn", "transformer-depth-scaling"),
    *("transformer-guided-alignment-layer", "tied-embeddings-src"),
    *("ulr-dim-emb", "ulr-dropout", "ulr-trainable-transformation"),
}
"""Options among them that change nothing: of other kinds of models, and of training."""
PIECES, SIDES = (".spm", ".spm.gz"), ("src", "trg")
"""The ends of the names of SentencePiece models, and the beginnings of those of one side."""
FORMAT = "marian-npz"
WRITTEN: dict[str, Any] = {
    "type": "transformer",
    "input-types": [],
    "right-left": False,
    "layer-normalization": False,
    "lemma-dim-emb": 0,
    "transformer-ffn-depth": 2,
    "transformer-no-projection": False,
    "transformer-tied-layers": [],
    "transformer-train-position-embeddings": False,
    "transformer-aan-activation": "swish",
    "transformer-aan-depth": 2,
    "transformer-aan-nogate": False,
    "ulr": False,
}
"""The options that are the same in all models that we write. Marian asks for each by its name, also for those that change
nothing.
"""
NORMS = {("", "dan", ""): "post", ("n", "da", "n"): "pre"}
"""The operations before a sublayer, after it, and after the last layer: d dropout, a residual sum, n norm."""


class _UniqueKeys(yaml.composer.Composer):
    """A composer of YAML whose keys are all different: of two tokens with one name, the library would keep the last."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """The keys and values of a mapping, before they are read.

        Raises:
            yaml.YAMLError: a key stands twice.
        """
        node = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                raise yaml.composer.ComposerError(None, None, f"the key {key.value} stands twice", key.start_mark)
            seen.add(str(key.value))
        return node


class _Loader(_UniqueKeys, yaml.SafeLoader):
    """A loader of Marian's options."""


class _StringLoader(_UniqueKeys, yaml.BaseLoader):
    """A loader that reads every value as a string."""


def read(path: Path) -> ForeignModel:
    """Read the model of an `.npz` or a `.bin`, with the vocabularies in its folder.

    Raises:
        ModelFolderError: the file is damaged, or the model is of a kind that we cannot represent.
    """
    arrays = _arrays(path)
    options = _options(arrays, path)
    config = _config(options, arrays, path)
    tokenizers, note = _tokenizers(path.parent, config)
    tensors = {name: torch.from_numpy(array.astype(np.float32)) for name, array in arrays.items() if name != OPTIONS}
    tensors.setdefault("decoder_ff_logit_out_b", torch.zeros(1, config.vocab_size - 1))
    add_zero_start(
        tensors, ("Wemb", "encoder_Wemb", "decoder_Wemb", "decoder_ff_logit_out_W"), "decoder_ff_logit_out_b"
    )
    explained = {
        "decoder_c_*": "of other architectures; nothing reads it",
        f"*{SCALES}": "scales for products of bytes; Regard computes in float32",
    }
    model, account = Blueprint(config, _refs, tokenizers["target"].symbols, explained=explained).build(
        tensors, where=str(path)
    )
    notes = [f"a padding token was added to the vocabulary: the zero vector that Marian's decoder starts from; {note}"]
    if any(name.endswith(SCALES) for name in arrays):
        notes.append(
            "it was made for products of bytes, whose rounding differs: Firefox may translate otherwise in places"
        )
    loaded = LoadedModel(model, tokenizers["target"], tokenizers["source"])
    is_known = path.suffix == ".npz" and config.decoder_past != "ssru"  # to CTranslate2
    reference = (lambda path: _reference(path, loaded)) if is_known else None
    return ForeignModel("Marian", loaded, account, notes, reference, path)


def model_file(path: Path) -> Path | None:
    """The file of a model: itself, or the only one in a folder; None: there is none.

    Raises:
        ModelFolderError: a folder holds several.
    """
    if is_file(path):
        return path if path.suffix == ".npz" or is_binary(path) else None
    if not is_folder(path):
        return None
    found = sorted(path.glob("*.npz")) or _unpacked_ones(file for file in path.glob("*.bin*") if is_binary(file))
    if len(found) > 1 and found[0].suffix != ".npz":
        raise ModelFolderError(
            f"{path} must hold one Marian model; got {', '.join(file.name for file in found[:4])}. Give the file."
        )
    return found[0] if len(found) == 1 else None


def _unpacked_ones(files: Iterable[Path]) -> list[Path]:
    """Files in order, without those that lie there unpacked as well."""
    found = sorted(files)
    return [file for file in found if file.suffix != ".gz" or file.with_suffix("") not in found]


def _reference(path: Path, loaded: LoadedModel) -> Reference:
    """A reference for Marian: CTranslate2's reading of the file, as Marian itself is no Python package."""
    import ctranslate2.converters

    from regard.interop.ctranslate2.reference import CTranslate2Reference

    files = [str(file) for file in _vocabulary_files(path.parent)]
    vocabularies = [
        tokenizer.tokens(range(len(tokenizer) - 1)) for tokenizer in (loaded.source_tokenizer, loaded.tokenizer)
    ]
    with tempfile.TemporaryDirectory() as aside:
        folder = Path(aside, "model")
        ctranslate2.converters.MarianConverter(str(path), files).convert(str(folder))
        banned_ids = loaded.tokenizer.symbols.banned_ids
        return CTranslate2Reference(folder, vocabularies[0], vocabularies[1], (False, True), banned_ids=banned_ids)


def _arrays(path: Path) -> dict[str, np.ndarray]:
    if path.suffix != ".npz":
        return read_binary(path)
    try:
        with zipfile.ZipFile(path) as archive:  # it may be packed, a thousandfold
            num_bytes = sum(entry.file_size for entry in archive.infolist())
        if (free := free_bytes(torch.device("cpu"))) is not None and num_bytes > free:
            raise ModelFolderError(
                f"{path} must fit into memory; got {num_bytes / 1e9:,.1f} GB, of {free / 1e9:,.1f} GB."
            )
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        raise ModelFolderError(f"{path} must be a whole .npz of numbers; got: {error}.") from error


def _options(arrays: dict[str, np.ndarray], path: Path) -> ForeignConfig:
    if OPTIONS not in arrays:
        raise ModelFolderError(f"{path} must be a Marian model; it does not hold {OPTIONS}.")
    try:
        options = yaml.load(arrays[OPTIONS].tobytes().rstrip(b"\0").decode("utf-8"), _Loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ModelFolderError(f"{path}: {OPTIONS} must be YAML; got: {' '.join(str(error).split())}.") from error
    if not isinstance(options, dict):
        raise ModelFolderError(f"{path}: {OPTIONS} must hold keys and values; got {options!r}.")
    return ForeignConfig(options, f"{path}: {OPTIONS}", inside=True)


def _config(options: ForeignConfig, arrays: dict[str, np.ndarray], path: Path) -> EncoderDecoderConfig:
    for key, allowed in {
        "type": "transformer",
        "transformer-train-position-embeddings": False,
        "transformer-no-projection": False,
        "factors-combine": "sum",
    }.items():
        options.refuse_unless(key, allowed)
    steps = [options.get(f"transformer-{name}", "") for name in ("preprocess", "postprocess", "postprocess-top")]
    if tuple(steps) not in NORMS:
        known = " or ".join(" ".join(repr(step) for step in allowed) for allowed in NORMS)
        raise ModelFolderError(
            f"{options.where}: transformer-preprocess, -postprocess and -postprocess-top must be {known}; got {steps}."
        )
    for key in ("transformer-ffn-depth", "transformer-decoder-ffn-depth"):
        if options.get(key, 2) not in (0, 2):
            options.refuse_unless(key, 2)
    ff_dim = options.require("transformer-dim-ffn")
    if options.get("transformer-decoder-dim-ffn", 0) not in (0, ff_dim):
        options.refuse_unless("transformer-decoder-dim-ffn", ff_dim)
    for key in ("lemma-dim-emb", "factors-dim-emb"):
        options.refuse_unless(key, 0)
    past = options.choose("transformer-decoder-autoreg", PASTS, "self-attention")
    if past == "ssru":
        options.refuse_unless("dec-cell", "ssru", default="gru")
    found_sizes = options.require("dim-vocabs", list)
    if len(found_sizes) != 2 or not all(isinstance(size, int) for size in found_sizes):
        raise ModelFolderError(f"dim-vocabs must be the sizes of two vocabularies; got {found_sizes!r}.")
    source_size, target_size = found_sizes
    is_shared = "Wemb" in arrays
    if is_shared:
        tied = "all" if options.get("tied-embeddings-all", True) or options.get("tied-embeddings", False) else "source"
    else:
        tied = "target" if options.get("tied-embeddings", False) else "none"
    config = EncoderDecoderConfig(
        vocab_size=target_size + 1,
        source_vocab_size=None if is_shared else source_size + 1,
        model_dim=options.require("dim-emb"),
        ff_dim=ff_dim,
        num_heads=options.require("transformer-heads"),
        num_encoder_layers=options.require("enc-depth"),
        num_decoder_layers=options.require("dec-depth"),
        decoder_past=past,
        alignment_head=_alignment_head(options) if past == "ssru" else None,
        activation=options.choose("transformer-ffn-activation", ACTIVATIONS, "swish"),
        norm=NORMS[tuple(steps)],
        norm_epsilon=1e-6,
        embedding_norm="both" if "n" in options.get("transformer-postprocess-emb", "d") else "none",
        positions=WAVES[past],
        max_positions=max(int(options.get("max-length", 1024)), 1024),
        output_bias=True,
        tied_embeddings=tied,
        pad_id=-1,
    )
    options.get("tied-embeddings-all"), options.get("tied-embeddings")  # the names of the tensors say it, too
    options.refuse_others(WITHOUT_EFFECT | {key for key in options.values if not str(key).startswith(MODEL_OPTIONS)})
    return config


def _alignment_head(options: ForeignConfig) -> str:
    """The head that Marian reads alignments from: the first of a layer, which it counts from 1."""
    layer = options.get("transformer-guided-alignment-layer")
    number = options.require("dec-depth") if layer in (None, "last") else layer
    depth = options.require("dec-depth")
    if not str(number).isdecimal() or not 1 <= int(number) <= int(depth):
        raise ModelFolderError(
            f"transformer-guided-alignment-layer must be 'last' or the number of a layer, from 1 to {depth}; got {layer!r}."
        )
    return f"cross.{int(number) - 1}.0"


def _refs(model: EncoderDecoder) -> dict[str, TensorRef]:
    config = model.config
    is_shared = config.tied_embeddings in ("all", "source")
    refs = {
        "source_embedding.weight": TensorRef("Wemb" if is_shared else "encoder_Wemb"),
        "target_embedding.weight": TensorRef("decoder_Wemb"),
        "output_embedding.weight": TensorRef("decoder_ff_logit_out_W", transposed=True),
        "output_bias": TensorRef("decoder_ff_logit_out_b", unsqueezed=True),
    }
    pre = "_pre" if config.norm == "pre" else ""
    for side, stack in (("source", "encoder"), ("target", "decoder")):
        refs |= _norm(f"{side}_norm", f"{stack}_emb", "_pre")
        refs |= _norm(f"{stack}_norm", f"{stack}_top")
    for side, num_layers in (("encoder", config.num_encoder_layers), ("decoder", config.num_decoder_layers)):
        for index in range(num_layers):
            ours, theirs = f"{side}_layers.{index}", f"{side}_l{index + 1}"
            if side == "decoder" and config.decoder_past == "ssru":
                refs |= _recurrence(ours, f"{theirs}_rnn", pre)
            else:
                refs |= _attention(f"{ours}.self_attention", f"{theirs}_self", pre)
            if side == "decoder":
                refs |= _attention(f"{ours}.cross_attention", f"{theirs}_context", pre)
            for number, projection in ((1, "inner_proj"), (2, "output_proj")):
                refs |= _linear(
                    f"{ours}.feed_forward.{projection}", f"{theirs}_ffn_W{number}", f"{theirs}_ffn_b{number}"
                )
            refs |= _norm(f"{ours}.feed_forward_residual.norm", f"{theirs}_ffn_ffn", pre)
    return refs


def _attention(ours: str, theirs: str, pre: str) -> dict[str, TensorRef]:
    refs = _norm(f"{ours}_residual.norm", f"{theirs}_Wo", pre)
    for projection, letter in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "o")):
        refs |= _linear(f"{ours}.{projection}_proj", f"{theirs}_W{letter}", f"{theirs}_b{letter}")
    return refs


def _recurrence(ours: str, theirs: str, pre: str) -> dict[str, TensorRef]:
    refs = _norm(f"{ours}.self_attention_residual.norm", theirs if pre else f"{theirs}_ffn", pre)
    refs[f"{ours}.recurrence.new_proj.weight"] = TensorRef(f"{theirs}_W", transposed=True)
    return refs | _linear(f"{ours}.recurrence.keep_proj", f"{theirs}_Wf", f"{theirs}_bf")


def _linear(ours: str, weight: str, bias: str) -> dict[str, TensorRef]:
    return {f"{ours}.weight": TensorRef(weight, transposed=True), f"{ours}.bias": TensorRef(bias, unsqueezed=True)}


def _norm(ours: str, theirs: str, pre: str = "") -> dict[str, TensorRef]:
    return {
        f"{ours}.weight": TensorRef(f"{theirs}_ln_scale{pre}", unsqueezed=True),
        f"{ours}.bias": TensorRef(f"{theirs}_ln_bias{pre}", unsqueezed=True),
    }


def _tokenizers(folder: Path, config: EncoderDecoderConfig) -> tuple[dict[str, Tokenizer], str]:
    """Read the tokenizers of both sides from the vocabularies in a model's folder, with the padding token added at the
    end.

    Raises:
        ModelFolderError: there is no vocabulary, or one of another size than the model's.
    """
    sizes = {"source": config.source_vocab_size or config.vocab_size, "target": config.vocab_size}
    files = _vocabulary_files(folder)
    found: dict[str, Tokenizer] = {}
    note = ""
    for side, path in zip(("source", "target"), files, strict=True):
        pieces = sentence_pieces(path) if path.name.endswith(PIECES) else None
        tokens = _listed(path) if pieces is None else pieces.get_vocab()
        vocabulary = [*vocabulary_list(tokens, path), PAD]
        if len(vocabulary) != sizes[side]:
            raise ModelFolderError(f"{path} must hold {sizes[side] - 1} tokens; got {len(vocabulary) - 1}.")
        ids = {token: id for id, token in enumerate(vocabulary)}
        end, unknown, pad_id = ids.get("</s>", 0), ids.get("<unk>", 1), len(vocabulary) - 1
        symbols = Symbols(
            pad_id=-1, unk_id=unknown, bos_id=end, eos_id=end, start_ids=[pad_id], source_end_ids=[end],
            banned_ids=[pad_id] if pieces is None else [unknown, pad_id], lines_end=False,
        )  # fmt: skip
        if pieces is None and (folder / f"{side}.spm").is_file():
            pieces = sentence_pieces(folder / f"{side}.spm")
        if pieces is not None:
            found[side] = Tokenizer(pieces, symbols, vocabulary)
        else:
            backend, note = whole_tokens(vocabulary, symbols)
            found[side] = Tokenizer(backend, symbols)
    return found, note or "texts are cut by the SentencePiece models beside it"


def _listed(path: Path) -> dict[str, int]:
    """The ids of the tokens of a list in YAML.

    Raises:
        ModelFolderError: it is none.
    """
    try:
        # Every token is a string: "no", "on" and "1985", too.
        content: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=_StringLoader)
        return {token: int(id) for token, id in content.items()}
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, AttributeError) as error:
        raise ModelFolderError(f"{path} must be YAML; got: {' '.join(str(error).split())}.") from error


def _vocabulary_files(folder: Path) -> tuple[Path, Path]:
    """Find the files of the source's vocabulary and the target's, the same one where they share it: lists in YAML, or
    SentencePiece models.

    With two files, their names say which is which (`srcvocab`, `trgvocab`), or `decoder.yml`, which Marian writes.

    Raises:
        ModelFolderError: there is none, or it is not clear which is which.
    """
    decoder = folder / "decoder.yml"
    if decoder.is_file():
        named = (yaml.load(decoder.read_text(encoding="utf-8"), _Loader) or {}).get("vocabs") or []
        files = [folder / Path(name).name for name in named]
        files = [file if file.is_file() else file.with_name(f"{file.name}.gz") for file in files]
    else:
        pieces = (file for file in folder.glob("*vocab*.spm*") if file.name.endswith(PIECES))
        files = sorted(folder.glob("*vocab*.yml")) or _unpacked_ones(pieces)
    if len(files) not in (1, 2) or not all(file.is_file() for file in files):
        raise ModelFolderError(
            f"{folder} must hold the model's vocabularies, *vocab*.yml or *vocab*.spm; got "
            f"{', '.join(file.name for file in files) or 'none'}."
        )
    is_clear = len(files) == 1 or all(file.name.startswith(side) for file, side in zip(files, SIDES, strict=True))
    if not is_clear and not decoder.is_file():
        raise ModelFolderError(
            f"{folder} must say which vocabulary is the source's; got {files[0].name} and {files[1].name}. "
            "Write decoder.yml with a line such as: vocabs: [source.yml, target.yml]"
        )
    return files[0], files[-1]


# writing


def write(loaded: LoadedModel, output: Path) -> ForeignModel:
    """Write the folder of a Marian model: `model.npz`, the vocabularies, `decoder.yml`, and SentencePiece models.

    Raises:
        ModelFolderError: Marian cannot represent the model: above all one whose decoder starts from a vector that is not zero.
    """
    model = loaded.model
    if not isinstance(model, EncoderDecoder):
        refuse(FORMAT, {"arch": (model.config.arch, "encoder-decoder")})
    assert isinstance(model, EncoderDecoder)
    config = model.config
    refuse(FORMAT, plain_layers(config, config.norm if (config.norm in NORMS.values()) else "post") | {
        "activation": (config.activation, config.activation if config.activation in ACTIVATIONS.values() else "relu or silu"),
        "positions": (config.positions, WAVES[config.decoder_past]),
        "scale_embeddings": (config.scale_embeddings, True),
        "embedding_norm": (config.embedding_norm, "none" if config.embedding_norm == "none" else "both"),
        "output_transform": (config.output_transform, False),
        "num_source_types": (config.num_source_types, 0),
    })  # fmt: skip
    sizes = _written_sizes(loaded, model)
    tensors = export_tensors(model, _refs(model))
    tensors.setdefault("decoder_ff_logit_out_b", torch.zeros(1, config.vocab_size))
    for name, side in (("Wemb", "target"), ("encoder_Wemb", "source"), ("decoder_Wemb", "target")):
        if name in tensors:
            tensors[name] = tensors[name][: sizes[side]]
    for name in ("decoder_ff_logit_out_b", "decoder_ff_logit_out_W"):
        if name in tensors:
            tensors[name] = tensors[name][:, : sizes["target"]]
    arrays: dict[str, Any] = {name: tensor.numpy() for name, tensor in tensors.items()}
    text = yaml.safe_dump(_written_options(config, sizes)).encode() + b"\0"
    arrays[OPTIONS] = np.frombuffer(text, dtype=np.int8)
    np.savez(output / "model.npz", **arrays)
    _write_vocabularies(loaded, output, sizes)
    found = read(output / "model.npz")
    notes = ["norms have an epsilon of 1e-6 there, whatever they had here"]
    reference = None if config.decoder_past == "ssru" else _reference_in_folder
    return ForeignModel(found.format, found.loaded, found.account, notes, reference, output)


def _reference_in_folder(folder: Path) -> Reference:
    path = folder / "model.npz"
    return _reference(path, read(path).loaded)


def _written_sizes(loaded: LoadedModel, model: EncoderDecoder) -> dict[str, int]:
    """The sizes of the vocabularies without the token that our decoder starts from.

    Raises:
        ModelFolderError: a vocabulary has another size than the model; or that token is not the last, or its vector not zero.
    """
    config, symbols = model.config, loaded.tokenizer.symbols
    start = config.vocab_size - 1
    if symbols.start_ids != [start] or start not in symbols.banned_ids:
        found = " ".join(loaded.tokenizer.tokens(symbols.start_ids))
        raise ModelFolderError(
            f"the decoder must start from the last token of the vocabulary, which is never written, to be written as {FORMAT}; "
            f"got {found}. Marian's starts from a zero vector, as models that were read from OPUS-MT do."
        )
    if model.target_embedding.weight[start].any():
        largest = float(model.target_embedding.weight[start].detach().abs().max())
        other = "marian" if loaded.tokenizer.vocabulary is None else "ctranslate2"
        raise ModelFolderError(
            f"the vector that the decoder starts from must be zero to be written as {FORMAT}; got numbers up to {largest:.2g}. "
            f"Training has changed it; try `--to {other}`."
        )
    sizes = {"source": config.source_vocab_size or config.vocab_size, "target": config.vocab_size}
    for side, tokenizer in (("source", loaded.source_tokenizer), ("target", loaded.tokenizer)):
        if len(tokenizer) != sizes[side]:
            raise ModelFolderError(
                f"the {side}'s vocabulary must have {sizes[side]:,} tokens, as the model has; got {len(tokenizer):,}."
            )
        names = tokenizer.tokens(range(len(tokenizer)))
        if missing := next((name for name in ("</s>", "<unk>") if name not in names), None):
            raise ModelFolderError(
                f"the {side}'s vocabulary must have {missing} to be written as {FORMAT}; it does not."
            )
        sizes[side] -= int(names[-1] == PAD or side == "target" or config.source_vocab_size is None)
    return sizes


def _written_options(config: EncoderDecoderConfig, sizes: dict[str, int]) -> dict[str, Any]:
    steps = next(steps for steps, norm in NORMS.items() if norm == config.norm)
    names = ("preprocess", "postprocess", "postprocess-top")
    return WRITTEN | {f"transformer-{name}": step for name, step in zip(names, steps, strict=True)} | {
        "dim-emb": config.model_dim,
        "dim-vocabs": [sizes["source"], sizes["target"]],
        "enc-depth": config.num_encoder_layers,
        "dec-depth": config.num_decoder_layers,
        "transformer-decoder-autoreg": next(name for name, ours in PASTS.items() if ours == config.decoder_past),
        "dec-cell": "ssru",
        "max-length": config.max_positions,
        "transformer-guided-alignment-layer": _alignment_layer(config),
        "tied-embeddings-all": config.tied_embeddings == "all",
        "tied-embeddings-src": config.tied_embeddings == "source",
        "tied-embeddings": config.tied_embeddings == "target",
        "transformer-heads": config.num_heads,
        "transformer-dim-ffn": config.ff_dim,
        "transformer-dim-aan": config.ff_dim,
        "transformer-ffn-activation": next(name for name, ours in ACTIVATIONS.items() if ours == config.activation),
        "transformer-postprocess-emb": "dn" if config.embedding_norm == "both" else "d",
    }  # fmt: skip


def _alignment_layer(config: EncoderDecoderConfig) -> str:
    """The layer whose first head Marian reads alignments from, counted from 1; the usual one, if ours is no first head."""
    _, layer, head = (config.alignment_head or "cross.-.-").split(".")
    return str(int(layer) + 1) if head == "0" else "last"


def _write_vocabularies(loaded: LoadedModel, output: Path, sizes: dict[str, int]) -> None:
    """Write a list of tokens for both sides, or one for each, and the SentencePiece models where texts are cut by such."""
    both = {"source": loaded.source_tokenizer, "target": loaded.tokenizer}
    lists = {side: tokenizer.tokens(range(sizes[side])) for side, tokenizer in both.items()}
    files = {side: "vocab.yml" if lists["source"] == lists["target"] else f"{side}.vocab.yml" for side in both}
    for side, tokenizer in both.items():
        lines = (f"{json.dumps(token, ensure_ascii=False)}: {id}\n" for id, token in enumerate(lists[side]))
        (output / files[side]).write_text("".join(lines), encoding="utf-8")
        if json.loads(tokenizer.backend_json)["model"]["type"] != "WordLevel":  # as of a vocabulary that came alone
            (output / f"{side}.spm").write_bytes(sentence_piece_model(tokenizer))
    decoder = {"models": ["model.npz"], "vocabs": [files["source"], files["target"]], "relative-paths": True}
    (output / "decoder.yml").write_text(yaml.safe_dump(decoder), encoding="utf-8")
