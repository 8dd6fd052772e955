"""Layers in C: the same function as PyTorch's, on random configurations; and the same numbers in any batch, to the last bit."""

import os
import pickle
import random
import shutil
import subprocess
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from compiled_layers import builder, compile_into
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from regard.compiled import library
from regard.compiled.library import find, find_in
from regard.engines.engine_choice import CompiledModels, check_engine, compile_model, unsupported_reason
from regard.engines.native_beam import NativeBeamSearch
from regard.engines.native_layers import NativeLayers
from regard.engines.native_model import NativeModel
from regard.engines.native_transformer import NativeTransformer
from regard.engines.packed import PackedModel
from regard.engines.structures import NativeLinear
from regard.errors import SettingsError, ShapeError
from regard.generation.decoding import Decoding
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSettings
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.heads import Site, prune_heads
from regard.nn.hooks import forward_hooks

FOUND = find()
LIBRARY: Any = FOUND.library
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(LIBRARY is None, reason=f"native layers: {FOUND.reason}")
VOCAB_SIZE = 23
ACTIVATIONS = ["relu", "gelu", "gelu_tanh", "silu", "tanh", "quick_gelu"]
INSIDE = ["rotary", "alibi", "t5", "relative_key", "relative_key_query", "shaw"]
"""Positions that attention itself has."""


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """Everything that is written in C, in every combination."""
    num_kv_heads = draw(st.integers(1, 3))
    num_heads = num_kv_heads * draw(st.integers(1, 2))
    head_dim = 2 * draw(st.integers(1, 11))
    norm_kind = draw(st.sampled_from(["layer", "rms", "none"]))
    return {
        "vocab_size": VOCAB_SIZE,
        "model_dim": 2 * draw(st.integers(2, 30)),
        "num_heads": num_heads,
        "num_kv_heads": num_kv_heads,
        "head_dim": head_dim,
        "ff_dim": draw(st.integers(1, 70)),
        "norm": draw(st.sampled_from(["pre", "post", "sandwich"])),
        "norm_kind": norm_kind,
        "gated": draw(st.booleans()) and norm_kind != "none",  # both: states grow beyond what float32 can tell apart
        "bias": draw(st.booleans()),
        "activation": draw(st.sampled_from(ACTIVATIONS)),
        "query_key_norm": draw(st.booleans()),
        "score_cap": draw(st.sampled_from([None, None, 0.5, 3.0, 50.0])),
        "max_positions": 30,
    }


def windows(draw: st.DrawFn, num_layers: int) -> dict[str, Any]:
    """How far each layer looks, and rotary positions that differ where it does not look everywhere."""
    found = [draw(st.sampled_from([None, 1, 2, 5, 40])) for _ in range(num_layers)]
    return {"windows": draw(st.sampled_from([[], found])), "local_rotary_base": draw(st.sampled_from([None, 50.0]))}


many_windows = st.composite(windows)


def disturbed(model: Any) -> Any:
    """Norms and biases away from 1 and 0, so that leaving one out cannot go unnoticed."""
    for parameter in model.parameters():
        parameter.data += (0.3 if parameter.ndim == 1 else 0.05) * torch.randn_like(parameter)
    return model.eval()


def followed(model: Any, ids: torch.Tensor, *, beams: int, steps: int, seed: int) -> torch.Tensor:
    """The log-probabilities of some steps in which hypotheses branch and die, and a sentence leaves."""
    random_numbers = torch.Generator().manual_seed(seed)
    state, found = model.prefill(ids), []
    state = state.select(torch.arange(len(ids)), torch.zeros(len(ids), beams, dtype=torch.long))
    for step in range(steps):
        newest = torch.randint(4, VOCAB_SIZE, (len(ids), beams), generator=random_numbers)
        logits, state = model.decode_step(newest, state)
        found.append(logits.log_softmax(dim=-1))
        parents = torch.randint(0, beams, (len(ids), beams), generator=random_numbers)
        state = state.select(torch.arange(len(ids)), parents)
        if step == 1 and len(ids) > 1:
            state = state.release(torch.tensor([0]))
    return torch.cat(found)


def assert_near(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    """Without norms, log-probabilities of random models are large, and so are their roundings."""
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5 * max(20.0, float(theirs.abs().max())))


def some_sources(count: int, longest: int, seed: int = 1) -> torch.Tensor:
    rng = random.Random(seed)
    rows = [[rng.randrange(4, VOCAB_SIZE) for _ in range(rng.randint(1, longest))] for _ in range(count)]
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


@settings(max_examples=20)
@given(st.data(), st.sampled_from(["sinusoidal", "learned", "none", *INSIDE]), st.integers(1, 4), st.integers(1, 3))
def test_an_encoder_decoder(data: st.DataObject, positions: str, beams: int, num_layers: int) -> None:
    torch.manual_seed(3)
    config = data.draw(configurations()) | {"positions": positions, "num_decoder_layers": num_layers}
    config["output_transform"] = data.draw(st.booleans())
    config["logit_cap"] = data.draw(st.sampled_from([None, 2.0, 30.0]))
    config["decoder_past"] = data.draw(st.sampled_from(["self_attention", "ssru"]))
    if num_layers == 2:
        config |= data.draw(many_windows(2))
    model = disturbed(EncoderDecoder(EncoderDecoderConfig(num_encoder_layers=2, **config)))
    count, seed = data.draw(st.integers(1, 14)), data.draw(st.integers(0, 99))
    with torch.inference_mode():
        sources = some_sources(count, 9, seed)
        native = NativeTransformer(model, LIBRARY)
        ours, theirs = (followed(each, sources, beams=beams, steps=4, seed=seed) for each in (native, model))
    assert_near(ours, theirs)


@settings(max_examples=20)
@given(st.data(), st.sampled_from(["learned", *INSIDE]), st.integers(1, 7))
def test_a_decoder(data: st.DataObject, positions: str, count: int) -> None:
    """Prompts of different lengths, padded on the left, and what follows."""
    torch.manual_seed(4)
    config = data.draw(configurations()) | data.draw(many_windows(2))
    config["parallel_residual"] = config["norm"] != "post" and data.draw(st.booleans())
    config["logit_cap"] = data.draw(st.sampled_from([None, 2.0, 30.0]))
    model = disturbed(Decoder(DecoderConfig(num_layers=2, positions=positions, **config)))
    with torch.inference_mode():
        prompts = some_sources(count, data.draw(st.integers(1, 20))).flip(1)
        ours, theirs = (
            followed(each, prompts, beams=1, steps=5, seed=count) for each in (NativeTransformer(model, LIBRARY), model)
        )
    assert_near(ours, theirs)


@settings(max_examples=60)
@given(
    st.integers(1, 70), st.integers(1, 100), st.integers(1, 30), st.booleans(), st.sampled_from(["float32", "bfloat16"])
)
def test_a_linear_map(inputs: int, outputs: int, rows: int, bias: bool, dtype: str) -> None:
    """Linear maps are right at any size, with weights in both formats; and each row as if it were alone."""
    linear = nn.Linear(inputs, outputs, bias=bias)
    stored = getattr(torch, dtype)
    with torch.no_grad():
        linear.weight.copy_(linear.weight.to(stored).float())
    native, x = NativeLinear(LIBRARY, [linear], stored), torch.randn(rows, inputs)
    torch.testing.assert_close(native(x), linear(x).detach(), rtol=1e-5, atol=1e-5)
    assert torch.equal(native(x), torch.cat([native(row[None]) for row in x]))
    assert native(x[:0]).shape == (0, outputs)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"positions": "learned", "norm": "post"},
        {"positions": "rotary", "query_key_norm": True},
        {"positions": "t5"},
    ],
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_source_is_read_in_one_call(changes: dict[str, Any], side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Padding on either side, a source without tokens, one that is too long; and a class that reads its sources otherwise."""
    model = disturbed(make(**changes, max_positions=9))
    sources = some_sources(5, 9)
    sources = sources if side == "right" else torch.stack([row[row.argsort(stable=True)] for row in sources])
    calls: list[int] = []
    plain = NativeLayers.read_source
    monkeypatch.setattr(NativeLayers, "read_source", lambda *given: (calls.append(1), plain(*given))[1])

    def same(sources: torch.Tensor, model: EncoderDecoder = model) -> None:
        with torch.inference_mode():
            ours, theirs = (each.prefill(sources).memory for each in (NativeTransformer(model, LIBRARY), model))
        for found, expected in zip(ours, theirs, strict=True):
            assert torch.equal(found.mask, expected.mask)
            tokens = expected.mask[:, 0, 0, :, None]
            for x, y in zip(found.keys_values, expected.keys_values, strict=True):
                torch.testing.assert_close(x * tokens[:, None], y * tokens[:, None], rtol=1e-4, atol=1e-4)

    same(sources)
    assert calls == [1]
    same(torch.cat([sources, torch.zeros_like(sources[:1])]))
    for length in (9, 10):
        with (
            nullcontext()
            if length == 9
            else pytest.raises(ShapeError, match="at most max_positions = 9 tokens; got 10")
        ):
            same(torch.full((1, length), 5))
    assert calls == [1, 1]

    class Own(EncoderDecoder):
        def encode(self, *args: Any, **named: Any) -> Any:
            return 2 * super().encode(*args, **named)

    own = Own(model.config).eval()
    own.load_state_dict(model.state_dict())
    same(sources, own)
    assert calls == [1, 1]


def decode(model: Any, requests: list[Request], batch_size: int) -> list[list[Hypothesis]]:
    symbols = TargetSymbols([2], 3, 0, (0, 1, 2))
    return Decoding(model, requests, NativeBeamSearch(BeamSettings(3, 3), 3), symbols, batch_size=batch_size).run()


@pytest.mark.parametrize(
    ("positions", "changes"),
    [("sinusoidal", {}), ("sinusoidal", {"decoder_past": "ssru"}), ("none", {"score_cap": 2.0, "logit_cap": 3.0})]
    + [(positions, {"windows": [4, None], "query_key_norm": True}) for positions in INSIDE]
    + [
        ("learned", {"output_transform": True, "activation": activation, "embedding_norm": "both"})
        for activation in ACTIVATIONS
    ],
)
def test_scores_are_equal_in_any_batch(positions: str, changes: dict[str, Any]) -> None:
    """To the last bit: sources of other lengths, sentences that join late, and other numbers of rows change nothing."""
    torch.manual_seed(1)
    config = EncoderDecoderConfig(
        vocab_size=VOCAB_SIZE, model_dim=36, num_heads=3, ff_dim=50, num_encoder_layers=2, num_decoder_layers=2,
        positions=positions, max_positions=40, **{"activation": "gelu"} | changes,
    )  # fmt: skip
    model = NativeTransformer(disturbed(EncoderDecoder(config)), LIBRARY)
    rng = random.Random(2)
    requests = [
        Request([*rng.choices(range(4, VOCAB_SIZE), k=rng.randint(1, 12)), 3], rng.randint(3, 14)) for _ in range(30)
    ]
    alone = [decode(model, [request], 1)[0] for request in requests]
    assert len({str(each[0].ids) for each in alone}) > 10
    for batch_size in (2, 7, 30):
        found = decode(model, requests, batch_size)
        assert [[each.token_log_probs for each in of_one] for of_one in found] == [
            [each.token_log_probs for each in of_one] for of_one in alone
        ]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_at_all_sizes(activation: str) -> None:
    """From where they are 0 to where they are x, and through the middle."""
    config = EncoderDecoderConfig(
        vocab_size=VOCAB_SIZE, model_dim=2, num_heads=1, ff_dim=401, num_encoder_layers=1, num_decoder_layers=1,
        activation=activation, norm="pre", norm_kind="none", bias=False,
    )  # fmt: skip
    model = EncoderDecoder(config).eval()
    layer: Any = model.encoder_layers[0]
    with torch.no_grad():
        layer.self_attention.output_proj.weight.zero_()
        layer.feed_forward.inner_proj.weight.copy_(torch.linspace(-120, 120, 401)[:, None].expand(-1, 2))
        layer.feed_forward.output_proj.weight.copy_(torch.randn(2, 401) / 20)
        native = NativeLayers(LIBRARY, [layer], max_positions=4)
        for scale in (1e-3, 0.02, 0.3, 1.0, 30.0):
            x = scale * torch.randn(5, 3, 2)
            mask = torch.ones(5, 1, 1, 3, dtype=torch.bool)
            torch.testing.assert_close(native.encode(x, mask), layer(x, mask=mask), rtol=1e-5, atol=1e-5 * scale + 1e-6)


def make(**changes: Any) -> EncoderDecoder:
    sizes = {"model_dim": 12, "num_heads": 3, "ff_dim": 20, "num_encoder_layers": 1, "num_decoder_layers": 1}
    return EncoderDecoder(EncoderDecoderConfig(vocab_size=VOCAB_SIZE, **(sizes | changes))).eval()


def test_which_engine_decodes() -> None:
    assert isinstance(compile_model(make()), NativeModel)
    assert isinstance(compile_model(make(), "torch"), PackedModel)
    assert isinstance(compile_model(make(norm_kind="batch")), PackedModel)
    assert not isinstance(compile_model(make().to(torch.bfloat16)), NativeModel)
    with pytest.raises(SettingsError, match="modules `norm` of kind BatchNorm are not written in C"):
        compile_model(make(norm_kind="batch"), "native")
    with pytest.raises(SettingsError, match="values of another width than keys are not written in C"):
        compile_model(make(value_head_dim=3), "native")
    with pytest.raises(SettingsError, match="the model is not in float32"):
        compile_model(make().to(torch.bfloat16), "native")
    with pytest.raises(SettingsError, match=r"engine must be auto, .*native-int8; got 'nativ'\. Did you mean 'native'"):
        compile_model(make(), "nativ")


def test_who_wants_ctranslate2_is_told_the_way() -> None:
    with pytest.raises(SettingsError, match=r"got 'ctranslate2'\. `regard convert MODEL --to ctranslate2`"):
        check_engine("ctranslate2")


def test_weights_that_change_are_packed_anew_and_the_rest_is_pickled() -> None:
    model = make()
    models = CompiledModels([model])
    assert models.engine == "native"
    first = models.current()[0]
    assert models.current()[0] is first
    with torch.no_grad():
        model.output_embedding.weight += 1
    assert models.current()[0] is not first
    models.use("torch")
    assert models.engine == "torch"
    assert pickle.loads(pickle.dumps(models)).engine == "torch"


def test_a_model_changed_by_hand_decodes_as_it_is_now() -> None:
    """A module replaced, one of PyTorch's hooks, a method replaced: each is noticed while the model is in use, and again when it
    has gone.
    """
    torch.manual_seed(5)
    model = disturbed(make(num_decoder_layers=2))
    models, sources = CompiledModels([model]), some_sources(3, 5)

    def assert_same() -> None:
        with torch.inference_mode():
            assert_near(*(followed(each, sources, beams=2, steps=3, seed=1) for each in (models.current()[0], model)))

    assert_same()
    model.decoder_layers[0] = disturbed(make()).decoder_layers[0]
    assert_same()
    assert models.engine == "native"
    handle = model.decoder_layers[1].register_forward_hook(lambda module, inputs, output: output * 0.5)
    assert unsupported_reason(model) == "a PyTorch hook is set on DecoderLayer"
    assert models.engine == "torch"
    handle.remove()
    assert_same()
    assert models.engine == "native"
    plain = model.step_states
    model.step_states = lambda *args: (2 * plain(*args)[0], plain(*args)[1])  # type: ignore[method-assign]
    assert unsupported_reason(model) == "EncoderDecoder.step_states was replaced"
    assert models.engine == "torch"
    del model.step_states
    assert models.engine == "native"


def test_pruned_heads_differ_by_layer() -> None:
    torch.manual_seed(6)
    model = disturbed(make(num_decoder_layers=2, num_encoder_layers=2))
    prune_heads(
        model, {Site("encoder", 1): [0], Site("decoder", 0): [1], Site("cross", 0): [0], Site("cross", 1): [0, 2]}
    )
    sources = some_sources(4, 7)
    with torch.inference_mode():
        ours, theirs = (
            followed(each, sources, beams=3, steps=4, seed=2) for each in (compile_model(model, "native"), model)
        )
    assert_near(ours, theirs)


def test_hooks_see_and_change_as_without_c() -> None:
    torch.manual_seed(2)
    model = disturbed(make(num_decoder_layers=2))
    native, sources = NativeTransformer(model, LIBRARY), some_sources(3, 5)
    watched: Any = model.decoder_layers[1].self_attention.attention
    seen: list[Any] = []

    def without_a_head(context: torch.Tensor) -> torch.Tensor:
        return context * torch.tensor([1.0, 0.0, 1.0])[:, None, None]

    with torch.inference_mode():
        plain = followed(native, sources, beams=2, steps=3, seed=1)
        with forward_hooks(after={watched: without_a_head}):
            ours, theirs = (followed(each, sources, beams=2, steps=3, seed=1) for each in (native, model))
        with forward_hooks(before={watched: lambda *inputs: seen.append(inputs)}):
            followed(native, sources, beams=2, steps=3, seed=1)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    assert not torch.allclose(ours, plain, atol=1e-3)
    assert len(seen) == 3


def test_the_library_was_made_from_its_source() -> None:
    assert LIBRARY.functions.regard_source().decode() == builder().digest(), "`make native` compiles it anew"


@pytest.mark.parametrize(
    ("platform", "machine", "expected"),
    [
        ("linux-x86_64", "x86_64", "linux_x86_64"),
        ("linux-aarch64", "aarch64", "linux_aarch64"),
        ("macosx-10.9-universal2", "arm64", "macosx_10_9_arm64"),
        ("macosx-10.9-universal2", "x86_64", "macosx_10_9_x86_64"),
        ("macosx-11.0-arm64", "arm64", "macosx_11_0_arm64"),
        ("win-amd64", "AMD64", "win_amd64"),
    ],
)
def test_a_wheel_says_for_which_processor_it_was_compiled(
    platform: str, machine: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr("sysconfig.get_platform", lambda: platform)
    assert builder().platform_tag() == expected


def test_an_older_processor_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """REGARD_CPU holds back the layers in C alone."""
    assert LIBRARY is not None
    folder = Path(library.__file__).parent
    kinds = library.ON_ARM if library.platform.machine().lower() in library.ARM else library.ON_X86
    usable = [kind for kind in kinds if LIBRARY.functions.regard_can_run(kind.encode())]
    if (capability := torch.backends.cpu.get_cpu_capability()) == "AVX2":
        usable = [kind for kind in usable if not kind.startswith("avx512")]
    assert usable[-1] == kinds[-1]
    for chosen in usable:
        monkeypatch.setenv("REGARD_CPU", chosen)
        assert find_in(folder).reason == f"compiled for {chosen}"
    for wrong in ("sse", "avx512" if capability == "AVX2" else "neon" if kinds[-1] == "avx2" else "avx2"):
        monkeypatch.setenv("REGARD_CPU", wrong)
        with pytest.raises(SettingsError, match=f"must be {' or '.join(usable)} on this processor; got '{wrong}'"):
            find_in(folder)


@pytest.mark.skipif(library.platform.machine() != "x86_64", reason="of x86")
def test_a_processor_that_is_held_back_has_no_newer_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """ATEN_CPU_CAPABILITY=avx2 is a processor of 2013; one that has no AVX-512 uses the dot products that it has."""
    assert LIBRARY is not None
    functions = LIBRARY.functions
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    held_back = bool(functions.regard_can_run(b"avx512"))
    newest = "avxvnni" if functions.regard_can_run(b"avxvnni") and not held_back else "avx2"
    assert find_in(Path(library.__file__).parent).reason == f"compiled for {newest}"


def test_a_missing_or_damaged_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "__file__", str(tmp_path / "library.py"))
    find_once = library.find.__wrapped__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_once().library is None  # there need not be one
    assert "not compiled" in find_in(tmp_path).reason
    for kind in (*library.ON_X86, *library.ON_ARM):
        for suffix in (".so", ".dylib", ".dll"):
            (tmp_path / f"layers-{kind}{suffix}").write_text("no library")
    assert "cannot be loaded" in find_in(tmp_path).reason
    with pytest.warns(
        library.LibraryWarning, match=r"by PyTorch alone, which is slower: layers-.* cannot be loaded \(.*Compile"
    ):
        assert find_once().library is None


SANITIZED = """
import sys
from hypothesis import settings
settings.register_profile("sanitized", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("sanitized")
import test_int8
import test_native as tests
import test_native_recurrent as recurrent
import test_native_search as searches
from by_path import module_at
import regard.compiled.library as library
import regard.engines.native_beam as native_beam
tests.LIBRARY = searches.LIBRARY = recurrent.LIBRARY = library.find_in(__import__("pathlib").Path(sys.argv[1])).library
assert tests.LIBRARY is not None
native_beam.library_for = lambda *tensors: tests.LIBRARY
for name in ("test_an_encoder_decoder", "test_a_decoder", "test_a_linear_map"):
    getattr(tests, name)()
tests.test_scores_are_equal_in_any_batch("sinusoidal", {"decoder_past": "ssru"})
for positions in ("rotary", "relative_key_query", "shaw", "t5"):
    tests.test_scores_are_equal_in_any_batch(positions, {"output_transform": True, "windows": [4, None]})
test_int8.LIBRARY, test_int8.libraries = tests.LIBRARY, lambda patch: {"built": tests.LIBRARY}
test_int8.KINDS = {"built": (0, 1, 2, 3, 4)}
for name in ("test_every_kernel_gives_the_same_bits", "test_scores_are_equal_in_any_batch"):
    getattr(test_int8, name)()
searches.test_whole_steps_are_the_same_steps()
searches.test_sentences_that_come_and_go()
recurrent.test_a_model()
recurrent.test_whole_steps_are_the_same_steps()
training = module_at(__import__("pathlib").Path("tests/nn/test_native_training.py"))
training.native_training.find = lambda: library.FoundLibrary(tests.LIBRARY, "sanitized")
for dtype in training.DTYPES:
    for size in training.SIZES:
        training.test_what_is_kept_is_scaled_and_so_is_its_gradient(dtype, size, 0.3)
    for vocab in (1, 2, 15, 16, 17, 100, 5001):
        training.test_the_loss_is_pytorchs(dtype, vocab, 0.1, True)
training.test_labels_that_are_no_tokens_are_refused()
print("done")
"""


HOSTILE = """
import pathlib, sys, pytest
import regard.compiled.library as library
import regard.engines.native_beam as native_beam
sanitized = library.find_in(pathlib.Path(sys.argv[1]))
assert sanitized.library is not None
library.find_in = lambda folder: sanitized
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


def sanitized(folder: Path, program: str, *arguments: str) -> str:
    """The output of a program with libraries that stop at accesses outside of arrays and at undefined arithmetic."""
    compile_into(folder, "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")
    runtimes = []
    for name in ("libasan.so", "libstdc++.so.6"):  # PyTorch throws, and what catches that must be there from the start
        command = ["gcc", f"-print-file-name={name}"]
        runtimes.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    environment = os.environ | {
        "LD_PRELOAD": " ".join(runtimes), "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), *arguments],
        capture_output=True, text=True, env=environment, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-3000:]
    return done.stdout


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc and its sanitizers")
def test_under_sanitizers(tmp_path: Path) -> None:
    """On the shapes of the tests above."""
    assert sanitized(tmp_path, SANITIZED).endswith("done\n")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc and its sanitizers")
def test_hostile_folders_under_sanitizers(tmp_path: Path) -> None:
    assert "[100%]" in sanitized(tmp_path, HOSTILE, "tests/test_hostile_folders.py", "-k", "symbols or ids or weights")


@pytest.mark.parametrize("what", ["token", "position", "prefix", "banned"])
def test_what_is_beyond_a_table_is_refused(what: str) -> None:
    """No index of a caller's reaches memory that is not the model's: C looks at each, as PyTorch does."""
    torch.manual_seed(8)
    model = NativeTransformer(disturbed(make(positions="learned", max_positions=6)), LIBRARY)
    symbols = TargetSymbols([2], 3, 0, (0, 1, -7, VOCAB_SIZE, 10**12) if what == "banned" else (0, 1))
    with torch.inference_mode():
        if what in ("token", "position"):
            state = model.prefill(some_sources(2, 4))
            ids = torch.tensor([[5], [VOCAB_SIZE if what == "token" else 5]])

            def seven_steps() -> None:
                after = state
                for _ in range(7):
                    _, after = model.decode_step(ids, after)

            with pytest.raises(
                ShapeError, match=r"tokens must be below 23, and positions below 6|at most max_positions"
            ):
                seven_steps()
            return
        request = Request([5, 6, 3], 5, prefix_ids=(VOCAB_SIZE,) if what == "prefix" else ())
        decoding = Decoding(model, [request], NativeBeamSearch(BeamSettings(2, 2), 3), symbols, batch_size=1)
        if what == "prefix":
            with pytest.raises(ShapeError, match="the tokens of a prefix must be below 23; got 23"):
                decoding.run()
        else:
            assert decoding.run()[0][0].ids
