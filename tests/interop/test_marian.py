"""Marian's own files: made from a random MarianMT model of `transformers`, and read by CTranslate2's converter as well."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from student_files import binary

from regard.errors import ModelFolderError
from regard.interop.formats import read_foreign
from regard.pipelines.loading import load
from regard.pipelines.translator import Translator

transformers = pytest.importorskip("transformers")
pytest.importorskip("ctranslate2")

TOKENS = ["</s>", "<unk>", *(f"▁w{index}" for index in range(25))]
OPTIONS: dict[str, Any] = {
    "type": "transformer",
    "dim-emb": 18,
    "dim-vocabs": [27, 27],
    "enc-depth": 2,
    "dec-depth": 1,
    "transformer-heads": 3,
    "transformer-dim-ffn": 20,
    "transformer-ffn-activation": "swish",
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d",
    "transformer-decoder-autoreg": "self-attention",
    "transformer-no-projection": False,
    "transformer-guided-alignment-layer": "last",
    "tied-embeddings-all": True,
    "tied-embeddings": False,
}
LETTERS = {"q_proj": "q", "k_proj": "k", "v_proj": "v", "out_proj": "o"}


def arrays_of(model: Any, options: dict[str, Any], *, shared: bool = True) -> dict[str, np.ndarray]:
    """A MarianMT model under Marian's names: matrices transposed, vectors as rows, the padding token gone."""
    state = {name: tensor.detach().numpy() for name, tensor in model.state_dict().items()}
    arrays = {"decoder_ff_logit_out_b": state["final_logits_bias"][:, :-1]}
    if shared:
        arrays["Wemb"] = state["model.shared.weight"][:-1]
    else:
        for side in ("encoder", "decoder"):
            arrays[f"{side}_Wemb"] = state[f"model.{side}.embed_tokens.weight"][:-1]
        arrays["decoder_ff_logit_out_W"] = state["lm_head.weight"][:-1].T
    pre = "_pre" if options["transformer-preprocess"] == "n" else ""

    def norm(name: str, theirs: str) -> None:
        arrays[f"{name}_ln_scale{pre}"], arrays[f"{name}_ln_bias{pre}"] = (
            state[f"{theirs}.weight"][None],
            state[f"{theirs}.bias"][None],
        )

    for side, depth in (("encoder", options["enc-depth"]), ("decoder", options["dec-depth"])):
        for index in range(depth):
            theirs, ours = f"model.{side}.layers.{index}", f"{side}_l{index + 1}"
            kinds = [("self_attn", "self")] + ([("encoder_attn", "context")] if side == "decoder" else [])
            for kind, name in kinds:
                for projection, letter in LETTERS.items():
                    arrays[f"{ours}_{name}_W{letter}"] = state[f"{theirs}.{kind}.{projection}.weight"].T
                    arrays[f"{ours}_{name}_b{letter}"] = state[f"{theirs}.{kind}.{projection}.bias"][None]
                norm(f"{ours}_{name}_Wo", f"{theirs}.{kind}_layer_norm")
            for number in (1, 2):
                arrays[f"{ours}_ffn_W{number}"] = state[f"{theirs}.fc{number}.weight"].T
                arrays[f"{ours}_ffn_b{number}"] = state[f"{theirs}.fc{number}.bias"][None]
            norm(f"{ours}_ffn_ffn", f"{theirs}.final_layer_norm")
    return arrays


def write(folder: Path, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Path:
    text = yaml.safe_dump(options).encode() + b"\0"
    np.savez(folder / "model.npz", **arrays | {"special:model.yml": np.frombuffer(text, dtype=np.int8)})
    for name in ("vocab.yml",) if options["tied-embeddings-all"] else ("target.vocab.yml", "source.vocab.yml"):
        lines = [f'"{token}": {index}\n' for index, token in enumerate(TOKENS)]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder / "model.npz"


def marian_model(**choices: Any) -> Any:
    torch.manual_seed(2)
    config = transformers.MarianConfig(
        vocab_size=28, d_model=18, encoder_layers=2, decoder_layers=1, encoder_attention_heads=3,
        decoder_attention_heads=3, encoder_ffn_dim=20, decoder_ffn_dim=20, max_position_embeddings=64,
        activation_function="swish", scale_embedding=True, pad_token_id=27, eos_token_id=0, decoder_start_token_id=27,
        forced_eos_token_id=0, **choices,
    )  # fmt: skip
    model = transformers.MarianMTModel(config).eval()
    for name, parameter in model.named_parameters():
        if "embed_positions" not in name:
            parameter.data += 0.15 * torch.randn_like(parameter)
    for name, parameter in model.named_parameters():
        if "embed_tokens" in name or "shared" in name:
            parameter.data[27] = 0  # what Marian starts from
    model.final_logits_bias.normal_()
    return model


@pytest.mark.parametrize("kind", ["npz", "folder"])
def test_a_shared_vocabulary(kind: str, tmp_path: Path) -> None:
    theirs = marian_model()
    path = write(tmp_path, arrays_of(theirs, OPTIONS), OPTIONS)
    foreign = read_foreign(path if kind == "npz" else tmp_path)
    assert foreign.account.left_over == []
    source, target = torch.randint(2, 27, (2, 6)), torch.randint(2, 27, (2, 5))
    target[:, 0] = 27
    found = foreign.loaded.model(source, target)
    expected = theirs(input_ids=source, decoder_input_ids=target).logits
    # Marian's norms have an epsilon of 1e-6, those of `transformers` 1e-5.
    torch.testing.assert_close(found[..., :27], expected[..., :27], rtol=1e-3, atol=2e-4)
    assert (found[..., 27] < -9_000).all()
    check = foreign.check()
    assert check is not None
    assert check.against.startswith("CTranslate2")
    assert check.largest_difference < 5e-4
    assert check.first_difference is None


@pytest.mark.parametrize("packed", [False, True], ids=["bin", "bin.gz"])
@pytest.mark.parametrize("eight_bits", [False, True], ids=["float32", "intgemm8"])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_binary_with_self_attention_is_the_npz_of_its_numbers(
    norm: str, eight_bits: bool, packed: bool, tmp_path: Path
) -> None:
    """What `marian-conv` makes of an ordinary model; of bytes, the numbers that they stand for."""
    options, more = OPTIONS, {}
    if norm == "pre":
        options = OPTIONS | {
            "transformer-preprocess": "n",
            "transformer-postprocess": "da",
            "transformer-postprocess-top": "n",
        }
        more = {f"{side}_top_ln_{part}": np.full((1, 18), 1.3, np.float32)
                for side in ("encoder", "decoder") for part in ("scale", "bias")}  # fmt: skip
    content, meant = binary(arrays_of(marian_model(), options) | more, options, eight_bits=eight_bits)
    for folder in (as_npz := tmp_path / "npz", as_bin := tmp_path / "bin"):
        folder.mkdir()
        write(folder, {name: array for name, array in meant.items() if "Quant" not in name}, options)
    (as_bin / "model.npz").unlink()
    name = as_bin / ("model.bin.gz" if packed else "model.bin")
    name.write_bytes(gzip.compress(content) if packed else content)
    expected, found = read_foreign(as_npz), read_foreign(as_bin)
    assert found.account.left_over == []
    assert found.loaded.model.config == expected.loaded.model.config
    states = found.loaded.model.state_dict()
    torch.testing.assert_close(states, expected.loaded.model.state_dict(), rtol=1e-6, atol=1e-9)
    texts = ["w1 w5 w9", "w3"]
    assert [each.text for each in load(as_bin).translate(texts)] == [
        each.text for each in load(as_npz).translate(texts)
    ]


def test_two_vocabularies_are_told_apart_by_decoder_yml(tmp_path: Path) -> None:
    theirs = marian_model(share_encoder_decoder_embeddings=False, decoder_vocab_size=28, tie_word_embeddings=False)
    options = OPTIONS | {"tied-embeddings-all": False}
    write(tmp_path, arrays_of(theirs, options, shared=False), options)
    with pytest.raises(ModelFolderError, match="must say which vocabulary is the source's"):
        read_foreign(tmp_path)
    (tmp_path / "decoder.yml").write_text("vocabs: [source.vocab.yml, /elsewhere/target.vocab.yml]\n")
    check = read_foreign(tmp_path).check()
    assert check is not None
    assert check.largest_difference < 5e-4


def test_pre_norm(tmp_path: Path) -> None:
    """Norms in front of sublayers and after the last layer, which MarianMT does not have; CTranslate2 does."""
    options = OPTIONS | {
        "transformer-preprocess": "n",
        "transformer-postprocess": "da",
        "transformer-postprocess-top": "n",
    }
    arrays = arrays_of(marian_model(), options)
    for side in ("encoder", "decoder"):
        arrays |= {f"{side}_top_ln_scale": np.full((1, 18), 1.3, np.float32), f"{side}_top_ln_bias": np.ones((1, 18))}
    write(tmp_path, arrays, options)
    check = read_foreign(tmp_path).check()
    assert check is not None
    assert check.largest_difference < 5e-4


def test_texts_are_translated(tmp_path: Path) -> None:
    write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS)
    translator = load(tmp_path)
    assert isinstance(translator, Translator)
    (found,) = translator.translate(["▁w3 ▁w4 ▁w5"], max_length=6)
    assert found.tokens
    assert "<pad>" not in found.tokens
    scored = translator.score(["▁w3 ▁w4 ▁w5"], [found.text])
    assert sum(scored[0].token_log_probs) < 0


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"type": "amun"}, "type must be 'transformer' .*; got 'amun'"),
    ({"transformer-decoder-autoreg": "rnn"}, "dec-cell must be 'ssru' .*; got 'gru'"),
    ({"transformer-postprocess": "dhn"}, "must be .* or .*; got"),
    ({"transformer-ffn-activation": "gelu"}, "transformer-ffn-activation must be one of relu, swish; got 'gelu'"),
    ({"dim-vocabs": [30, 30]}, "must hold 30 tokens; got 27"),
    ({"enc-depth": 3}, "must hold the tensor encoder_l3_"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_what_we_cannot_represent_is_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS | change)
    with pytest.raises(ModelFolderError, match=message):
        read_foreign(tmp_path)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelFolderError, match=r"must be a whole \.npz"):
        read_foreign(path)
    np.savez(path, weights=np.ones(3))
    with pytest.raises(ModelFolderError, match=r"does not hold special:model\.yml"):
        read_foreign(path)
    np.savez(path, weights=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ModelFolderError, match=r"must be a Marian model|must be a whole"):
        read_foreign(path)


def test_plain_words_of_yaml_stay_words(tmp_path: Path) -> None:
    """Without quotes, YAML 1.1 would take them for truth values and numbers."""
    path = write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS)
    tokens = ["</s>", "<unk>", "no", "on", "yes", "true", "1985", "007", *(f"w{index}" for index in range(19))]
    (tmp_path / "vocab.yml").write_text("".join(f"{token}: {index}\n" for index, token in enumerate(tokens)))
    tokenizer = read_foreign(path).loaded.tokenizer
    assert tokenizer.encode("no on 1985 007 true") == [2, 3, 6, 7, 5]


@pytest.mark.parametrize("content", ["a: [", "[1, 2]", "", "a: b"])
def test_damaged_lists_are_refused(content: str, tmp_path: Path) -> None:
    path = write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS)
    for name in ("vocab.yml", "decoder.yml"):
        (tmp_path / name).write_text(content)
        with pytest.raises(ModelFolderError):
            read_foreign(path)
