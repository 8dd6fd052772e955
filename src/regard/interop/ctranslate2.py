"""CTranslate2 model folders: read from their binary file, written through the package's own specification."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from regard.checkpoint import LoadedModel
from regard.errors import MissingExtraError, ModelFolderError
from regard.interop.check import Reference
from regard.interop.ctranslate2_file import dequantized, read_variables, read_vocabulary, vocabulary_tokens
from regard.interop.files import ForeignConfig, read_optional
from regard.interop.foreign import Blueprint, ForeignModel
from regard.interop.foreign_tokenizers import sentence_pieces, whole_tokens
from regard.interop.hugging_face.bert import refuse
from regard.interop.mapping import PAD, Account, Place, add_zero_start, write_out
from regard.models.config import ModelConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Symbols, Tokenizer

MODEL = "model.bin"
SPECIFICATIONS = ("TransformerBase", "TransformerBig", "TransformerSpec")
ACTIVATIONS = {0: "relu", 1: "gelu_tanh", 2: "silu", 3: "gelu"}
PIECES = ("spm.model", "sentencepiece.model")
"""Tokenizers that people keep beside a model."""


def read(folder: Path) -> ForeignModel:
    """The model of a folder.

    Raises:
        ModelFolderError: a file is damaged, or the model is of a kind that we cannot represent.
    """
    name, variables = read_variables(folder / MODEL)
    if name not in SPECIFICATIONS:
        raise ModelFolderError(f"{folder / MODEL} must be a Transformer with encoder and decoder; got {name!r}.")
    kinds = {str(array.dtype) for key, array in variables.items() if key.endswith("/weight") and array.ndim == 2}
    scalars = {key: array for key, array in variables.items() if array.ndim == 0}
    tensors = dequantized(variables)
    settings = ForeignConfig(read_optional(folder / "config.json"), folder / "config.json")
    tables = {
        "source": _first(
            tensors, "encoder/embeddings_0/weight", "encoder/embeddings/weight", where=str(folder / MODEL)
        ),
        "target": _first(tensors, "decoder/embeddings/weight", where=str(folder / MODEL)),
    }
    unk = settings.get("unk_token", "<unk>")
    vocabularies = {side: read_vocabulary(folder, side, len(table), unk) for side, table in tables.items()}
    names = {side: list(tokens) for side, tokens in vocabularies.items()}
    if scalars.get("decoder/start_from_zero_embedding", 0):
        _add_zero_start(tensors, vocabularies)
    symbols = {side: _symbols(settings, vocabularies[side], names[side]) for side in names}
    config = _config(scalars, tensors, settings, str(folder / MODEL))
    notes = [f"weights were {', '.join(sorted(kinds))}; they are float32 now"] if kinds != {"float32"} else []
    tokenizers = {}
    for side, tokens in vocabularies.items():
        tokenizers[side], note = _tokenizer(folder, side, tokens, symbols[side])
        if note and note not in notes:
            notes.append(note)
    blueprint = Blueprint(
        config,
        _places,
        symbols["target"],
        aliases={"encoder/embeddings_0/weight": ("encoder/embeddings/weight",)},
        explained={
            "*/encodings": "sinusoids, which ours computes",
            "decoder/alignment*": "which heads CTranslate2 shows; ours shows any",
        },
    )
    model, account = blueprint.build(tensors, where=str(folder / MODEL))
    loaded = LoadedModel(model, tokenizers["target"], tokenizers["source"])

    def reference(path: Path) -> Reference:
        return CTranslate2Reference(path, names["source"], names["target"], symbols["target"])

    return ForeignModel("CTranslate2", loaded, account, notes, reference, folder)


def _add_zero_start(tensors: dict[str, Tensor], vocabularies: dict[str, list[str]]) -> None:
    """A model of Marian's: its decoder starts from a zero vector, which becomes one more token's, in place."""
    decoder, encoder = "decoder/embeddings/weight", "encoder/embeddings_0/weight"
    tables = [decoder, "decoder/projection/weight"]
    if encoder in tensors and torch.equal(tensors[encoder], tensors[decoder]):
        tables.append(encoder)
        vocabularies["source"].append(PAD)
    vocabularies["target"].append(PAD)
    tensors.setdefault("decoder/projection/bias", torch.zeros(len(tensors[decoder])))
    add_zero_start(tensors, tables, "decoder/projection/bias")


def _config(
    scalars: dict[str, np.ndarray], tensors: dict[str, Tensor], settings: ForeignConfig, where: str
) -> ModelConfig:
    def flag(name: str, default: int = 0) -> int:
        return int(scalars.get(name, default))

    unknown = ("alibi", "rotary_dim", "parallel_residual", "num_heads_kv", "sliding_window")
    for name, value in scalars.items():
        if name.rpartition("/")[2] in unknown and value:
            raise ModelFolderError(f"{where}: {name} must be 0 to be represented in Regard; got {value}.")
    for name in tensors:
        if "relative" in name or "project_in" in name or "embeddings_1" in name or "/linear_0_noact" in name:
            raise ModelFolderError(f"{where}: {name} cannot be represented in Regard: positions that stand inside "
                                   "attention, gates and source factors are read from other formats only.")  # fmt: skip
    embedded = _first(tensors, "encoder/embeddings_0/weight", "encoder/embeddings/weight", where=where)
    target = tensors["decoder/embeddings/weight"]
    model_dim = int(target.shape[1])
    layers = {side: len({name.split("/")[1] for name in tensors if name.startswith(f"{side}/layer_") and name.count("/") > 2})
              for side in ("encoder", "decoder")}  # fmt: skip
    is_pre = bool(flag("encoder/pre_norm", 1))
    table = tensors.get("decoder/position_encodings/encodings")
    head_dim = scalars.get("encoder/layer_0/self_attention/head_dim")
    output = tensors.get("decoder/projection/weight", target)
    is_shared = embedded.shape == target.shape and torch.equal(embedded, target)
    is_tied = output.shape == target.shape and torch.equal(output, target)
    scaling = scalars.get(
        "encoder/scale_embeddings", scalars.get("encoder/embeddings_0/multiply_by_sqrt_depth", np.array(1))
    )
    if float(scaling) not in (0.0, 1.0):
        raise ModelFolderError(f"{where}: scale_embeddings must be 0 or 1; got {scaling}.")
    num_heads = flag("encoder/num_heads") or flag("num_heads")
    if not num_heads:
        num_heads = 8 if model_dim != 1024 else 16  # old files of TransformerBase and TransformerBig do not say it
    return ModelConfig(
        vocab_size=target.shape[0],
        source_vocab_size=None if is_shared else embedded.shape[0],
        model_dim=model_dim,
        ff_dim=tensors["encoder/layer_0/ffn/linear_0/weight"].shape[0],
        num_heads=num_heads,
        **({"head_dim": int(head_dim)} if head_dim is not None else {}),
        num_encoder_layers=layers["encoder"],
        num_decoder_layers=layers["decoder"],
        norm="pre" if is_pre else "post",
        norm_kind="layer" if "encoder/layer_0/ffn/layer_norm/beta" in tensors else "rms",
        norm_epsilon=settings.get("layer_norm_epsilon", 1e-5),
        activation=ForeignConfig({"activation": flag("encoder/activation")}, where).choose("activation", ACTIVATIONS, 0),
        positions=_positions(table),
        max_positions=1024 if table is None else table.shape[0],
        scale_embeddings=bool(scaling),
        embedding_norm="both" if "encoder/layernorm_embedding/gamma" in tensors else "none",
        output_bias="decoder/projection/bias" in tensors,
        tied_embeddings={(True, True): "all", (True, False): "source", (False, True): "target"}.get(
            (is_shared, is_tied), "none"
        ),
        pad_id=-1,
    )  # fmt: skip


def _positions(table: Tensor | None) -> Literal["sinusoidal_opennmt", "learned"]:
    """CTranslate2 computes OpenNMT's sinusoids where a model brings no table."""
    return "sinusoidal_opennmt" if table is None else "learned"


def _first(tensors: dict[str, Tensor], *names: str, where: str) -> Tensor:
    found = next((tensors[name] for name in names if name in tensors), None)
    if found is None:
        raise ModelFolderError(f"{where} must hold {names[0]}; it does not.")
    return found


def _places(model: nn.Module) -> dict[str, Place]:
    assert isinstance(model, EncoderDecoder)
    config = model.config
    names = {
        "source_embedding": "encoder/embeddings_0",
        "target_embedding": "decoder/embeddings",
        "output_embedding": "decoder/projection",
    }
    places = {f"{ours}.weight": Place(f"{theirs}/weight") for ours, theirs in names.items()}
    for side, theirs in (("source", "encoder"), ("target", "decoder")):
        places[f"{side}_positions.learned.table.weight"] = Place(f"{theirs}/position_encodings/encodings")
        places |= _norm(f"{side}_norm", f"{theirs}/layernorm_embedding")
        places |= _norm(f"{theirs}_norm", f"{theirs}/layer_norm")
    places["output_bias"] = Place("decoder/projection/bias")
    width = config.num_heads * config.head_dim
    for side, num_layers in (("encoder", config.num_encoder_layers), ("decoder", config.num_decoder_layers)):
        for index in range(num_layers):
            ours, theirs = f"{side}_layers.{index}", f"{side}/layer_{index}"
            places |= _attention(
                f"{ours}.self_attention", f"{theirs}/self_attention", [(0, 0), (0, 1), (0, 2), (1, 0)], width
            )
            if side == "decoder":
                places |= _attention(
                    f"{ours}.cross_attention", f"{theirs}/attention", [(0, 0), (1, 0), (1, 1), (2, 0)], width
                )
            places |= _norm(f"{ours}.feed_forward_residual.norm", f"{theirs}/ffn/layer_norm")
            for kind in ("weight", "bias"):
                places[f"{ours}.feed_forward.inner_proj.{kind}"] = Place(f"{theirs}/ffn/linear_0/{kind}")
                places[f"{ours}.feed_forward.output_proj.{kind}"] = Place(f"{theirs}/ffn/linear_1/{kind}")
    return places


def _attention(ours: str, theirs: str, blocks: list[tuple[int, int]], width: int) -> dict[str, Place]:
    """Query, key, value and output projections: in which of their linear maps, and as which block of it."""
    places = _norm(f"{ours}_residual.norm", f"{theirs}/layer_norm")
    for projection, (linear, block) in zip(("query", "key", "value", "output"), blocks, strict=True):
        for kind in ("weight", "bias"):
            places[f"{ours}.{projection}_proj.{kind}"] = Place(
                f"{theirs}/linear_{linear}/{kind}", first_row=block * width
            )
    return places


def _norm(ours: str, theirs: str) -> dict[str, Place]:
    return {f"{ours}.weight": Place(f"{theirs}/gamma"), f"{ours}.bias": Place(f"{theirs}/beta")}


def _symbols(settings: ForeignConfig, tokens: Sequence[str], their_tokens: Sequence[str]) -> Symbols:
    """The ids of a side's symbols; a token of ours that they do not have is what a decoder starts from."""
    starts_from_zero = len(tokens) > len(their_tokens)
    ids = {token: id for id, token in enumerate(tokens)}

    def id_of(key: str, default: str) -> int:
        token = settings.get(key, default)
        if token not in ids:
            raise ModelFolderError(f"{settings.where}: {key} must be a token of the vocabulary; got {token!r}.")
        return ids[token]

    end = id_of("eos_token", "</s>")
    begin = ids.get(settings.get("bos_token", "<s>"), end)
    start = ids.get(settings.get("decoder_start_token", "<s>"), begin)
    return Symbols(
        pad_id=-1,
        unk_id=ids.get(settings.get("unk_token", "<unk>"), 0),
        bos_id=begin,
        eos_id=end,
        start_ids=[len(tokens) - 1 if starts_from_zero else start],
        source_begin_ids=[begin] if settings.get("add_source_bos", False) else [],
        source_end_ids=[end] if settings.get("add_source_eos", False) else [],
        banned_ids=[len(tokens) - 1] if starts_from_zero else [],
        lines_end=False,
    )


def _tokenizer(folder: Path, side: str, tokens: list[str], symbols: Symbols) -> tuple[Tokenizer, str]:
    """The SentencePiece model that stands beside, or else the vocabulary alone."""
    for name in (f"{side}.spm", *PIECES):
        if (folder / name).is_file():
            return Tokenizer(sentence_pieces(folder / name), symbols, tokens), ""
    backend, note = whole_tokens(tokens, symbols)
    return Tokenizer(backend, symbols), note


class CTranslate2Reference:
    """The `ctranslate2` package's own answer, computed in float32."""

    what: Literal["log-probabilities"] = "log-probabilities"

    def __init__(
        self, folder: Path, source_tokens: Sequence[str], target_tokens: Sequence[str], symbols: Symbols
    ) -> None:
        import ctranslate2

        self.name = f"CTranslate2 {ctranslate2.__version__}"
        self.translator: Any = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
        self.source_tokens, self.target_tokens = list(source_tokens), list(target_tokens)
        self.target_ids = {token: id for id, token in enumerate(target_tokens)}
        self.symbols = symbols

    def values(self, sources: Sequence[Sequence[int]] | None, texts: Sequence[Sequence[int]]) -> list[Tensor]:
        """The log-probability of each target's tokens, and of its end symbol."""
        assert sources is not None
        read = [self._read(ids) for ids in sources]
        targets = [[self.target_tokens[id] for id in ids] for ids in texts]
        return [torch.tensor(result.log_probs) for result in self.translator.score_batch(read, targets)]

    def greedy(self, source: Sequence[int] | None, beginning: Sequence[int], num_tokens: int) -> list[int]:
        """CTranslate2's greedy translation."""
        assert source is not None
        (result,) = self.translator.translate_batch([self._read(source)], beam_size=1, max_decoding_length=num_tokens)
        return [self.target_ids[token] for token in result.hypotheses[0]]

    def _read(self, ids: Sequence[int]) -> list[str]:
        """Source tokens without those that CTranslate2 adds by itself."""
        begin, end = len(self.symbols.source_begin_ids), len(self.symbols.source_end_ids)
        return [self.source_tokens[id] for id in ids[begin : len(ids) - end]]


def write(loaded: LoadedModel, output: Path) -> ForeignModel:
    """An encoder-decoder of ours as a CTranslate2 folder, through the package's own specification writer.

    Raises:
        MissingExtraError: `ctranslate2` is not installed.
        ModelFolderError: the model has something that we do not write.
    """
    try:
        import ctranslate2
    except ImportError as error:
        raise MissingExtraError("writing CTranslate2 models", "convert") from error
    model = loaded.model
    if not isinstance(model, EncoderDecoder):
        refuse("ctranslate2", {"arch": (model.config.arch, "transformer")})
    assert isinstance(model, EncoderDecoder)
    config = model.config
    refuse("ctranslate2", {
        "norm": (config.norm in ("pre", "post"), True),
        "norm_kind": (config.norm_kind, "layer"),
        "gated": (config.gated, False),
        "bias": (config.bias, True),
        "num_kv_heads": (config.num_kv_heads or config.num_heads, config.num_heads),
        "head_dim": (config.head_dim * config.num_heads, config.model_dim),
        "embedding_norm": (config.embedding_norm in ("none", "both"), True),
        "output_transform": (config.output_transform, False),
        "num_source_types": (config.num_source_types, 0),
        "positions": (config.positions.startswith("sinusoidal") or config.positions == "learned", True),
    })  # fmt: skip
    specs = ctranslate2.specs
    activation = next(number for number, name in ACTIVATIONS.items() if name == config.activation)
    spec: Any = specs.TransformerSpec.from_config(
        (config.num_encoder_layers, config.num_decoder_layers),
        config.num_heads,
        pre_norm=config.norm == "pre",
        activation=specs.Activation(activation),
        layernorm_embedding=config.embedding_norm == "both",
    )
    spec.encoder.scale_embeddings = spec.decoder.scale_embeddings = config.scale_embeddings
    _fill(spec, model)
    symbols = loaded.tokenizer.symbols
    for side, tokenizer in (("source", loaded.source_tokenizer), ("target", loaded.tokenizer)):
        size = (config.source_vocab_size if side == "source" else None) or config.vocab_size
        getattr(spec, f"register_{side}_vocabulary")(_padded(tokenizer, size))
    names = loaded.tokenizer.tokens([symbols.unk_id, symbols.bos_id, symbols.eos_id, symbols.start_ids[0]])
    for key, token in zip(("unk_token", "bos_token", "eos_token", "decoder_start_token"), names, strict=True):
        setattr(spec.config, key, token)
    spec.config.add_source_bos = bool(symbols.source_begin_ids)
    spec.config.add_source_eos = bool(symbols.source_end_ids)
    spec.config.layer_norm_epsilon = config.norm_epsilon
    spec.validate()
    spec.optimize()
    spec.save(str(output))
    loaded.source_tokenizer.save(output / "tokenizer.json")
    if loaded.tokenizer is not loaded.source_tokenizer:
        loaded.tokenizer.save(output / "target_tokenizer.json")
    vocabularies = [vocabulary_tokens(output, side) for side in ("source", "target")]
    places = _places(model)
    account = Account([(places[name].name, name) for name, _ in model.named_parameters()])
    notes = ["cut texts into tokens with tokenizer.json before translating: CTranslate2 reads tokens"]
    if symbols.banned_ids:
        banned = ", ".join(loaded.tokenizer.tokens(symbols.banned_ids))
        notes.append(
            f"CTranslate2 keeps no list of tokens that are never written; pass suppress_sequences for {banned}"
        )

    def reference(path: Path) -> Reference:
        return CTranslate2Reference(path, vocabularies[0], vocabularies[1], symbols)

    return ForeignModel("CTranslate2", loaded, account, notes, reference, output)


def _fill(spec: Any, model: EncoderDecoder) -> None:
    """Set the variables of a specification from our parameters."""
    tensors = write_out(model, _places(model))
    for side, waves in (("encoder", model.source_positions.waves), ("decoder", model.target_positions.waves)):
        if waves is not None and model.config.positions != "sinusoidal_opennmt":
            tensors[f"{side}/position_encodings/encodings"] = waves.detach().cpu().clone()
    tensors.setdefault("decoder/embeddings/weight", model.target_embedding.weight.detach().cpu().clone())
    tensors.setdefault("decoder/projection/weight", model.output_embedding.weight.detach().cpu().clone())
    for name, tensor in tensors.items():
        scope = spec
        *parts, last = name.split("/")
        for part in parts:
            stem, _, number = part.rpartition("_")
            is_indexed = stem in ("layer", "linear", "embeddings") and number.isdigit()
            scope = _item(scope, stem, int(number)) if is_indexed else getattr(scope, part)
        setattr(scope, last, tensor.numpy())


def _item(scope: Any, stem: str, index: int) -> Any:
    """A numbered part of a specification: of a list, or an attribute with the number in its name."""
    return (
        getattr(scope, stem)[index]
        if isinstance(getattr(scope, stem, None), list)
        else getattr(scope, f"{stem}_{index}")
    )


def _padded(tokenizer: Tokenizer, size: int) -> list[str]:
    tokens = tokenizer.tokens(range(len(tokenizer)))
    return tokens + [f"<unused{index}>" for index in range(size - len(tokens))]
