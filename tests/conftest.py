"""What all tests share. Shapes in signatures are checked at every call while tests run."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

gc.disable()  # until the tests are collected: all that is there then stays, and would be looked at again and again

os.environ["OMP_NUM_THREADS"] = "1"  # small tensors: a second thread costs more than it brings

# PyTorch's compiler finds again what it has compiled for another processor, which ATEN_CPU_CAPABILITY does not change.
COMPILED = f"regard-tests-compiled-{getattr(os, 'getuid', int)()}-{os.environ.get('ATEN_CPU_CAPABILITY', 'as-it-is')}"
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(Path(tempfile.gettempdir()) / COMPILED))

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # in a shell's background; programs that we start would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

if not os.environ.get("REGARD_TESTS_UNCHECKED"):  # tests/nn/test_tracing.py: the checks cannot be traced
    import shape_checks

    shape_checks.install()

import pytest
import torch
from hypothesis import settings

from forked import Forks
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

# Machines differ in speed: no deadline. Examples are derived from the test alone, so that every run is the same.
settings.register_profile("regard", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("regard")


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of all later looks for garbage: 7 % of the time went there."""
    gc.freeze()
    gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes may have the time in them (gzip): their argument names the test, so that all processes collect the same."""
    return argname if isinstance(val, bytes) else None


SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser; for one module, as asyncio cannot be used beside it."""
    from browser import launched

    with launched() as found:
        yield found


@pytest.fixture
def shared_data() -> Path:
    """Real data beside the project; a test that needs it is skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no real data at {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    with Forks() as forks:
        yield forks


@pytest.fixture
def make_model() -> Callable[..., EncoderDecoder]:
    """A small random model in evaluation mode, the same for the same settings."""

    def make(**settings: object) -> EncoderDecoder:
        small: dict[str, object] = {
            "vocab_size": 23,
            "model_dim": 12,
            "ff_dim": 20,
            "num_heads": 3,
            "num_encoder_layers": 2,
            "num_decoder_layers": 2,
            "dropout": 0.1,
        }
        with torch.random.fork_rng():
            torch.manual_seed(5)
            model = EncoderDecoder(EncoderDecoderConfig(**(small | settings)))
            # Norms and biases away from 1 and 0, so that leaving one out cannot go unnoticed.
            for parameter in model.parameters():
                if parameter.ndim == 1:
                    parameter.data += 0.3 * torch.randn_like(parameter)
        return model.eval()

    return make


@pytest.fixture
def letters() -> Tokenizer:
    """A tokenizer whose tokens are the letters a to j."""
    return Tokenizer.train(["a b c d e f g h i j abcdefghij"], TokenizerConfig(kind="characters", vocab_size=50))
