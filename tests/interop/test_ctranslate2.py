"""CTranslate2's folders, held against the `ctranslate2` package; the real transliteration model gives its answers."""

import json
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from regard.checkpoint import LoadedModel, load_model, save_new
from regard.compiled.library import find
from regard.engines.engine_choice import compile_model
from regard.errors import ModelFolderError, RegardError
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.interop.ctranslate2.model_file import dequantized, read_variables
from regard.interop.formats import read_foreign, write_foreign
from regard.models.config import EncoderDecoderConfig, RotaryScalingConfig
from regard.models.registry import build
from regard.nn.quantization import quantized
from regard.pipelines.loading import load
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

ctranslate2 = pytest.importorskip("ctranslate2")

REAL = Path(__file__).parents[3] / "shared" / "data" / "transliteration_aren"
needs_real_model = pytest.mark.skipif(not REAL.is_dir(), reason="the shared data is not on this machine")


@pytest.fixture(scope="module")
def real() -> Translator:
    found = load(REAL / "ctranslate2_v2_aren-transliteration")
    assert isinstance(found, Translator)
    return found


@pytest.fixture(scope="module")
def answers() -> list[dict[str, Any]]:
    return json.loads((REAL / "aren_transliteration_reference.json").read_text(encoding="utf-8"))["items"]


@needs_real_model
def test_the_real_model_has_no_tensor_left_over_and_agrees_with_the_package() -> None:
    foreign = read_foreign(REAL / "ctranslate2_v2_aren-transliteration")
    assert foreign.account.left_over == []
    assert any("cut into" in note for note in foreign.notes), foreign.notes
    check = foreign.check()
    assert check is not None
    assert check.largest_difference < 2e-5
    assert check.first_difference is None


@needs_real_model
def test_the_real_weights_are_the_arrays_that_others_read() -> None:
    _, variables = read_variables(REAL / "ctranslate2_v2_aren-transliteration" / "model.bin")
    with np.load(REAL / "aren_transliteration_f32.npz") as arrays:
        assert {name.replace(".", "/") for name in arrays.files} <= variables.keys()
        for name in arrays.files:
            assert np.array_equal(arrays[name], variables[name.replace(".", "/")])


@needs_real_model
def test_greedy_answers_are_ctranslate2s(real: Translator, answers: list[dict[str, Any]]) -> None:
    for item, found in zip(answers, real.translate([item["source"] for item in answers], beam_size=1), strict=True):
        assert found.text == item["greedy"]
        # CTranslate2 divides by the number of tokens, the end symbol included.
        mean = sum(found.token_log_probs) / len(found.token_log_probs)
        assert mean == pytest.approx(item["greedy_score_lp1"], abs=1e-4)


@needs_real_model
@pytest.mark.parametrize("alpha", [0, 0.6])
def test_the_four_best_are_ctranslate2s(alpha: float, real: Translator, answers: list[dict[str, Any]]) -> None:
    """It allows no end symbol at the first step and divides its probability, up to 1.3e-4 here, among the other tokens."""
    words = [item["source"] for item in answers]
    found = real.translate(words, beam_size=4, n_best=4, length_penalty=alpha, length_norm="average")
    for item, translation in zip(answers, found, strict=True):
        expected = item[f"beam4_lp{alpha}"]
        assert [candidate.text for candidate in translation.n_best] == [text for text, _ in expected]
        for candidate, (_, score) in zip(translation.n_best, expected, strict=True):
            assert candidate.score == pytest.approx(score, abs=1e-4 if alpha else 1.3e-4)


@needs_real_model
def test_beam_scores_are_the_packages_under_the_same_rules(real: Translator, answers: list[dict[str, Any]]) -> None:
    """Without its rule that a first end symbol is impossible, CTranslate2's scores are sums of log-probabilities."""
    package = ctranslate2.Translator(str(REAL / "ctranslate2_v2_aren-transliteration"), compute_type="float32")
    words = [item["source"] for item in answers]
    settings = {"beam_size": 4, "num_hypotheses": 4, "length_penalty": 0, "return_scores": True}
    theirs = package.translate_batch([list(word) for word in words], min_decoding_length=0, **settings)
    for expected, found in zip(theirs, real.translate(words, beam_size=4, n_best=4, length_penalty=0), strict=True):
        assert [candidate.text for candidate in found.n_best] == ["".join(tokens) for tokens in expected.hypotheses]
        assert [candidate.score for candidate in found.n_best] == pytest.approx(expected.scores, abs=1e-5)


@needs_real_model
def test_forced_scores_are_ctranslate2s(real: Translator, answers: list[dict[str, Any]]) -> None:
    targets = ["".join(item["forced_tokens"][:-1]) for item in answers]
    for item, scored in zip(answers, real.score([item["source"] for item in answers], targets), strict=True):
        assert scored.token_log_probs == pytest.approx(item["forced_log_probs"], abs=1e-4)


@needs_real_model
def test_the_attention_is_ctranslate2s(real: Translator, answers: list[dict[str, Any]]) -> None:
    """It returns head 0 of the last layer."""
    from regard.inspection.alignment import cross_attention

    item = answers[0]
    source = torch.tensor(real.source_tokenizer.frame_source(real.source_tokenizer.encode(item["source"])))
    target = torch.tensor([*real.tokenizer.symbols.start_ids, *real.tokenizer.encode(item["greedy"])])
    weights = cross_attention(real.model, source, target)[-1][0]
    expected = torch.tensor(item["cross_attention"])
    torch.testing.assert_close(weights[: len(expected)].cpu(), expected, rtol=0, atol=1e-4)


@needs_real_model
def test_the_real_model_saved_as_ours_answers_alike(real: Translator, tmp_path: Path) -> None:
    save_new(tmp_path / "ours", real.model, real.tokenizer, real.source_tokenizer)
    again = load(tmp_path / "ours")
    assert isinstance(again, Translator)
    word = "آتزمون"
    assert again.translate([word]) == real.translate([word])


# ours, written and read again


LINES = ["the cat sat on the mat", "a dog ran over the hill", "birds sing"] * 3
CONFIGS: dict[str, dict[str, Any]] = {
    "post-norm": {},
    "pre-norm, gelu, two vocabularies": {
        "norm": "pre", "activation": "gelu", "tied_embeddings": "none", "source_vocab_size": 0, "output_bias": True,
    },
    "learned, embedding norm, silu": {"positions": "learned", "embedding_norm": "both", "activation": "silu"},
    "opennmt's sinusoids, unscaled, source tied": {
        "positions": "sinusoidal_opennmt", "scale_embeddings": False, "tied_embeddings": "source",
        "activation": "quick_gelu",
    },
    "one layer, halves": {"positions": "sinusoidal_halves", "num_encoder_layers": 1, "num_decoder_layers": 3,
                           "activation": "tanh"},
    "t5's distances": {"positions": "t5", "norm": "pre", "norm_kind": "rms", "norm_epsilon": 1e-6, "bias": False,
                       "gated": True, "head_dim": 5, "tied_embeddings": "source", "activation": "gelu_tanh"},
    "t5's distances, with biases": {"positions": "t5", "norm": "pre", "num_decoder_layers": 1},
    "narrow heads": {"head_dim": 3},
    "rotary": {"positions": "rotary", "rotary_base": 50.0},
    "rotary, of some dimensions, pre-norm": {"positions": "rotary", "rotary_dim": 2, "norm": "pre"},
    "rotary, scaled, wide heads": {"positions": "rotary", "head_dim": 6, "rotary_scaling": {"factor": 3.0}},
    "gated, post-norm, norms without means": {"gated": True, "norm_kind": "rms", "activation": "silu"},
}  # fmt: skip


def ours(name: str) -> LoadedModel:
    choices = dict(CONFIGS[name])
    tokenizer = Tokenizer.train(LINES, TokenizerConfig(vocab_size=60))
    source = tokenizer
    if "source_vocab_size" in choices:
        source = Tokenizer.train(LINES[:2], TokenizerConfig(vocab_size=40))
        choices["source_vocab_size"] = len(source)
    sizes = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 2, "num_decoder_layers": 2}
    torch.manual_seed(1)
    model = build(EncoderDecoderConfig(**sizes | {"vocab_size": len(tokenizer), "max_positions": 40} | choices)).eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    if model.config.positions == "t5":  # the package's layers have one table
        for layers in model.layer_stacks().values():
            tables = [layer.get_parameter("self_attention.attention.positions.table.weight") for layer in layers]
            for table in tables[1:]:
                table.data.copy_(tables[0])
    return LoadedModel(model, tokenizer, source)


@pytest.mark.parametrize("name", CONFIGS)
def test_ours_written_answers_alike_and_is_read_again(name: str, tmp_path: Path) -> None:
    loaded = ours(name)
    check = write_foreign(loaded, tmp_path / "ct2", "ctranslate2").check()
    assert check is not None
    assert check.largest_difference < 5e-5
    assert check.num_decoded > 10
    again = read_foreign(tmp_path / "ct2")
    assert again.account.left_over == []
    source, target = (torch.randint(5, 30, (2, length)) for length in (6, 5))
    torch.testing.assert_close(again.loaded.model(source, target), loaded.model(source, target), rtol=1e-4, atol=1e-4)


def test_what_is_never_written_is_kept_in_a_folder_of_ours(tmp_path: Path) -> None:
    loaded = ours("post-norm")
    symbols = loaded.tokenizer.symbols
    tokenizer = loaded.tokenizer.with_symbols(symbols.model_copy(update={"banned_ids": [*symbols.banned_ids, 9]}))
    write_foreign(LoadedModel(loaded.model, tokenizer, tokenizer), tmp_path / "ct2", "ctranslate2")
    again = read_foreign(tmp_path / "ct2").loaded.tokenizer.symbols.banned_ids
    assert again == tokenizer.symbols.banned_ids
    assert {symbols.pad_id, 9} <= set(again)


def test_the_check_decodes_without_what_is_never_written(tmp_path: Path) -> None:
    """With tokens that are never written, and an end symbol, that are likelier than all others."""
    loaded = ours("post-norm")
    symbols = loaded.tokenizer.symbols
    tokenizer = loaded.tokenizer.with_symbols(symbols.model_copy(update={"banned_ids": [*symbols.banned_ids, 9]}))
    for id in (9, symbols.eos_id):
        with torch.no_grad():
            for likely in (*symbols.banned_ids, id):
                loaded.model.output_embedding.weight[likely] *= 4
        written = write_foreign(LoadedModel(loaded.model, tokenizer, tokenizer), tmp_path / str(id), "ctranslate2")
        for foreign in (written, read_foreign(tmp_path / str(id))):
            check = foreign.check()
            assert check is not None
            assert check.agrees
            assert check.first_difference is None


def test_a_forced_first_token_is_a_prefix_of_every_target(tmp_path: Path) -> None:
    """CTranslate2's configuration has one token that a decoder starts from; what follows it is given with each text."""
    pytest.importorskip("transformers")
    from foreign_models import read

    loaded = read("bart, scaled, forced begin", tmp_path / "theirs").loaded
    assert loaded.tokenizer.symbols.start_ids == [2, 1]
    written = write_foreign(loaded, tmp_path / "ct2", "ctranslate2")
    assert any("target_prefix" in note and "'w1'" in note for note in written.notes)
    again = read_foreign(tmp_path / "ct2")
    assert again.loaded.tokenizer.symbols.start_ids == [2, 1]
    for foreign in (written, again):
        check = foreign.check()
        assert check is not None
        assert check.largest_difference < 5e-5
        assert check.num_decoded > 10
        assert check.first_difference is None


def test_sides_with_positions_up_to_different_lengths(tmp_path: Path) -> None:
    """The longer table is cut, and it is said."""
    from ctranslate2.specs.model_spec import ModelSpec

    loaded, save = ours("learned, embedding norm, silu"), ModelSpec.save

    def save_longer(spec: Any, folder: str) -> None:
        table = spec.encoder.position_encodings
        table.encodings.array = np.concatenate((table.encodings.array, np.ones((3, 12), dtype=np.float32)))
        save(spec, folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelSpec, "save", save_longer)
        write_foreign(loaded, tmp_path / "ct2", "ctranslate2")
    again = read_foreign(tmp_path / "ct2")
    assert again.loaded.model.config.max_positions == 40
    assert any("positions from 40 on" in note for note in again.notes)
    source, target = (torch.randint(5, 30, (2, length)) for length in (6, 5))
    torch.testing.assert_close(again.loaded.model(source, target), loaded.model(source, target), rtol=1e-4, atol=1e-4)


def write_quantised(loaded: LoadedModel, folder: Path, kind: str) -> None:
    """Write a folder whose weights the package has quantised."""
    from ctranslate2.specs.model_spec import ModelSpec

    save = ModelSpec.save

    def save_quantised(spec: Any, output: str) -> None:
        spec._quantize(kind)
        save(spec, output)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelSpec, "save", save_quantised)
        write_foreign(loaded, folder, "ctranslate2")


@pytest.mark.parametrize(("kind", "tolerance"), [("float16", 2e-2), ("bfloat16", 0.2), ("int16", 5e-2), ("int8", 0.3)])
def test_quantised_weights_are_read(kind: str, tolerance: float, tmp_path: Path) -> None:
    """Quantised by the package; in float32 arithmetic it then computes with the numbers that we read."""
    loaded = ours("post-norm")
    original = loaded.model
    write_quantised(loaded, tmp_path / "ct2", kind)
    foreign = read_foreign(tmp_path / "ct2")
    assert any(f"were {kind}" in note for note in foreign.notes) or kind == "bfloat16"
    check = foreign.check()
    assert check is not None
    assert check.largest_difference < 1e-4, "the package computes with other numbers than we read"
    source, target = (torch.randint(5, 30, (2, length)) for length in (6, 5))
    difference = (foreign.loaded.model(source, target) - original(source, target)).abs().max()
    assert 0 < difference < tolerance * 10


@pytest.mark.skipif(find().library is None, reason="there are no native layers")
def test_bytes_are_read_as_bytes(tmp_path: Path) -> None:
    """The engine computes with the package's own bytes, although they were float32 for a moment."""
    write_quantised(ours("post-norm"), tmp_path / "ct2", "int8")
    _, theirs = read_variables(tmp_path / "ct2" / "model.bin")
    foreign = read_foreign(tmp_path / "ct2")
    model = foreign.loaded.model
    assert any("int8" in note for note in foreign.notes)
    assert compile_model(model).dtype == torch.int8
    for ours_name, their_name in {
        "decoder_layers.0.feed_forward.inner_proj.weight": "decoder/layer_0/ffn/linear_0/weight",
        "encoder_layers.0.self_attention.output_proj.weight": "encoder/layer_0/self_attention/linear_1/weight",
    }.items():
        scales, rounded = quantized(model.get_parameter(ours_name).detach())
        assert (rounded.numpy() == theirs[their_name]).all()
        torch.testing.assert_close(1 / scales, torch.tensor(theirs[f"{their_name}_scale"]), rtol=1e-6, atol=0)


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan"), float("inf"), "few"])
def test_scales_that_cannot_be_divided_by_are_refused(wrong: Any) -> None:
    scale = np.ones(3 if wrong == "few" else 4, np.float32)
    if wrong != "few":
        scale[2] = wrong
    with pytest.raises(ModelFolderError, match=r"a/weight_scale must h(ave|old) .*; got"):
        dequantized({"a/weight": np.ones((4, 5), np.int8), "a/weight_scale": scale})


def test_a_beam_is_the_packages(tmp_path: Path) -> None:
    loaded = ours("post-norm")
    write_foreign(loaded, tmp_path / "ct2", "ctranslate2")
    translator = ctranslate2.Translator(str(tmp_path / "ct2"), compute_type="float32")
    ids = loaded.tokenizer.encode("the cat ran")
    (theirs,) = translator.translate_batch(
        [loaded.tokenizer.tokens(ids)], beam_size=3, num_hypotheses=3, length_penalty=0, max_decoding_length=8,
        return_scores=True, min_decoding_length=0,
    )  # fmt: skip
    rule, symbols = BeamSearch(BeamSettings(3, 3, 0.0), eos_id=3), TargetSymbols([2], 3)
    (mine,) = Decoding(loaded.model, [Request([*ids, 3], 8)], rule, symbols).run()
    assert [loaded.tokenizer.tokens(found.ids) for found in mine[:1]] == theirs.hypotheses[:1]
    assert mine[0].score == pytest.approx(theirs.scores[0], abs=1e-4)


# what must be refused


def test_a_cut_off_file_is_refused(tmp_path: Path) -> None:
    write_foreign(ours("post-norm"), tmp_path / "ct2", "ctranslate2")
    path = tmp_path / "ct2" / "model.bin"
    content = path.read_bytes()
    for length in (0, 3, 20, 500, len(content) - 5):
        path.write_bytes(content[:length])
        with pytest.raises(ModelFolderError, match=r"whole CTranslate2 model|binary version"):
            read_foreign(tmp_path / "ct2")
    path.write_bytes(struct.pack("<I", 99) + content[4:])
    with pytest.raises(ModelFolderError, match="binary version 2 to 6; got 99"):
        read_foreign(tmp_path / "ct2")


def test_a_folder_without_vocabulary_is_refused(tmp_path: Path) -> None:
    write_foreign(ours("post-norm"), tmp_path / "ct2", "ctranslate2")
    for path in (tmp_path / "ct2").glob("*vocabulary*"):
        path.unlink()
    with pytest.raises(ModelFolderError, match="must hold source_vocabulary"):
        read_foreign(tmp_path / "ct2")


def test_what_ctranslate2_lacks_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    loaded = ours("post-norm")
    scaling = RotaryScalingConfig(factor=2, training_length=20)
    for changed, message in (
        ({"positions": "alibi"}, "positions must be"),
        ({"positions": "rotary", "rotary_scaling": scaling}, "rotary_scaling must be linear"),
    ):
        config = loaded.model.config.model_copy(update=changed)
        with pytest.raises(ModelFolderError, match=message):
            write_foreign(loaded._replace(model=build(config)), tmp_path / "ct2", "ctranslate2")
        assert not (tmp_path / "ct2").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rotary_interleave": 1}, "rotary_interleave must be 0"),
        ({"rotary_interleave": None}, "rotary_interleave must be 0 .*got none"),
        ({"rotary_scaling_type": 1}, "rotary_scaling_type must be 0, linear"),
        ({"decoder/layer_1/self_attention/rotary_base": 3.0}, "rotary_base must be equal in all layers"),
        ({"encoder/layer_1/self_attention/rotary_dim": None}, "rotary_dim must be equal in all layers"),
        ({"rotary_dim": 3}, "rotary_dim must be even"),
        ({"rotary_dim": 30_000_000}, "rotary_dim"),
        ({"rotary_base": float("nan")}, "rotary_base"),
    ],
)
def test_rotary_positions_that_ours_has_not_are_refused(
    changes: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_foreign(ours("rotary"), tmp_path / "ct2", "ctranslate2")
    name, variables = read_variables(tmp_path / "ct2" / "model.bin")
    for key, value in changes.items():
        for attention in {each.rpartition("/")[0] for each in variables if each.endswith("rotary_dim")}:
            if "/" not in key or key.startswith(attention):
                full = key if "/" in key else f"{attention}/{key}"
                if value is None:
                    del variables[full]
                else:
                    variables[full] = np.array(value)
    monkeypatch.setattr("regard.interop.ctranslate2.reader.read_variables", lambda _: (name, variables))
    with pytest.raises(RegardError, match=message):
        read_foreign(tmp_path / "ct2")


@needs_real_model
def test_a_folder_of_ours_with_two_vocabularies_needs_both(tmp_path: Path) -> None:
    found = read_foreign(REAL / "ctranslate2_v2_aren-transliteration").loaded
    save_new(tmp_path / "ours", *found)
    (tmp_path / "ours" / "source_tokenizer.json").unlink()
    with pytest.raises(ModelFolderError, match=r"source_tokenizer\.json must be the tokenizer"):
        load_model(tmp_path / "ours")
    shutil.copy(tmp_path / "ours" / "tokenizer.json", tmp_path / "ours" / "source_tokenizer.json")
    with pytest.raises(
        ModelFolderError, match=r"tokenizer\.json must be the tokenizer that the model was trained with"
    ):
        load_model(tmp_path / "ours")


# folders that other converters have written


def marian_by_transformers(tmp_path: Path, **choices: Any) -> tuple[Any, Path]:
    """A random MarianMT model, converted by the package's converter for `transformers`."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(3)
    config = transformers.MarianConfig(
        vocab_size=28, d_model=18, encoder_layers=1, decoder_layers=1, encoder_attention_heads=3,
        decoder_attention_heads=3, encoder_ffn_dim=20, decoder_ffn_dim=20, max_position_embeddings=64,
        activation_function="swish", pad_token_id=27, eos_token_id=0, decoder_start_token_id=27, **choices,
    )  # fmt: skip
    model = transformers.MarianMTModel(config).eval()
    for name, parameter in model.named_parameters():
        if "embed_positions" not in name:
            parameter.data += 0.15 * torch.randn_like(parameter)
    model.model.shared.weight.data[27] = 0
    loader = ctranslate2.converters.transformers.MarianMTLoader()
    tokens = ["</s>", "<unk>", *(f"w{index}" for index in range(25)), "<pad>"]
    tokenizer = type("Tokens", (), {
        "get_vocab": lambda self: {token: id for id, token in enumerate(tokens)}, "bos_token": None, "eos_token": "</s>",
        "unk_token": "<unk>", "pad_token": "<pad>", "vocab_files_names": {},
    })()  # fmt: skip
    spec = loader(model, tokenizer)
    spec.validate()
    spec.optimize()
    (tmp_path / "ct2").mkdir()
    spec.save(str(tmp_path / "ct2"))
    return model, tmp_path / "ct2"


def read_as_the_package_computes(folder: Path, *, end: int) -> Any:
    """The model of a folder, whose sources end with a symbol; it was compared with the package."""
    foreign = read_foreign(folder)
    assert foreign.account.left_over == []
    assert foreign.loaded.source_tokenizer.symbols.source_end_ids == [end]
    check = foreign.check()
    assert check is not None
    assert check.largest_difference < 2e-5
    assert check.first_difference is None
    return foreign.loaded.model


@pytest.mark.parametrize("is_scaled", [True, False])
def test_marian_as_converted_from_transformers(is_scaled: bool, tmp_path: Path) -> None:
    """The scale of embeddings is a number there, the end of sources is the tokenizer's to add, and it starts from zero."""
    theirs, folder = marian_by_transformers(tmp_path, scale_embedding=is_scaled)
    ours = read_as_the_package_computes(folder, end=0)
    assert ours.config.scale_embeddings is is_scaled
    source, target = torch.randint(2, 27, (2, 6)), torch.randint(2, 27, (2, 5))
    target[:, 0] = 27
    with torch.no_grad():
        expected = theirs(input_ids=source, decoder_input_ids=target).logits
    torch.testing.assert_close(ours(source, target)[..., :27], expected[..., :27], rtol=1e-3, atol=1e-4)


def test_a_folder_of_ours_brings_its_tokenizers(tmp_path: Path) -> None:
    loaded = ours("pre-norm, gelu, two vocabularies")
    write_foreign(loaded, tmp_path / "ct2", "ctranslate2")
    again = read_foreign(tmp_path / "ct2").loaded
    for text in ("the cat ran", "birds sing on the hill"):
        assert again.source_tokenizer.encode(text) == loaded.source_tokenizer.encode(text)
        assert again.tokenizer.encode(text) == loaded.tokenizer.encode(text)
        assert again.tokenizer.decode(again.tokenizer.encode(text)) == text


def test_damaged_vocabularies_are_refused(tmp_path: Path) -> None:
    write_foreign(ours("post-norm"), tmp_path / "ct2", "ctranslate2")
    path = tmp_path / "ct2" / "shared_vocabulary.json"
    content = path.read_bytes()
    for damaged in (content[:50], b"\xff\xfe", b"{}", b"[1, 2]", b"[]"):
        path.write_bytes(damaged)
        with pytest.raises(ModelFolderError):
            read_foreign(tmp_path / "ct2")
