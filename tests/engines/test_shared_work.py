"""Several threads for one call of the layers in C: the same numbers, to the last bit, and threads that harm nobody."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from compiled_layers import compile_into
from torch import nn

from regard.compiled.library import Library, find, find_in
from regard.engines.native_beam import NativeBeamSearch
from regard.engines.native_transformer import NativeTransformer
from regard.engines.structures import NativeLinear
from regard.generation import threads
from regard.generation.decoding import Decoding
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSettings
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder

FOUND = find()
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(FOUND.library is None, reason=f"native layers: {FOUND.reason}")
SIZES: dict[str, Any] = {"vocab_size": 61, "model_dim": 40, "num_heads": 4, "ff_dim": 70, "max_positions": 60}
DTYPES = (torch.float32, torch.bfloat16, torch.int8)


@pytest.fixture(scope="module")
def eager(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library that divides even the smallest work."""
    folder = tmp_path_factory.mktemp("library")
    compile_into(folder, "-DWORTH=1")
    library = find_in(folder).library
    assert library is not None
    return library


@pytest.fixture
def set_threads() -> Iterator[Any]:
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_linear_map(eager: Library, set_threads: Any, dtype: torch.dtype) -> None:
    """Panels that are not whole, more threads than panels, and more rows than are rounded at once."""
    for inputs, outputs, rows in ((7, 1, 1), (33, 100, 5), (64, 333, 130)):
        linear, x, found = NativeLinear(eager, [nn.Linear(inputs, outputs)], dtype), torch.randn(rows, inputs), []
        for number in (1, 2, 3, 7):
            set_threads(number)
            found.append(linear(x))
        assert all(torch.equal(each, found[0]) for each in found)


def test_small_numbers_are_flushed_as_the_caller_has_it(eager: Library, set_threads: Any) -> None:
    """`torch.set_flush_denormal` is a setting of a thread. The others that help it have it, too."""
    linear = NativeLinear(eager, [nn.Linear(8, 4000, bias=False)])
    x = torch.full((3, 8), 1e-39)
    set_threads(3)
    kept = linear(x)  # the helpers are there from here on
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor flushes nothing")
    try:
        flushed = [linear(x) for _ in range(50)]
        set_threads(1)
        alone = linear(x)
    finally:
        torch.set_flush_denormal(False)
    assert not torch.equal(alone, kept)
    assert all(torch.equal(each, alone) for each in flushed)


def decoded(model: Any, requests: list[Request], beams: int) -> list[list[Hypothesis]]:
    symbols = TargetSymbols([2] if model._plain.reads_source else [], 3, 0, (0, 1, 2))
    rule = NativeBeamSearch(BeamSettings(beams, beams), 3)
    return Decoding(model, requests, rule, symbols, batch_size=3).run()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "alibi", "t5"])
@pytest.mark.parametrize("num_kv_heads", [4, 2])
def test_a_model(eager: Library, set_threads: Any, dtype: torch.dtype, positions: str, num_kv_heads: int) -> None:
    """Prompts, sources and steps of beam search with several sentences; heads that share keys, and biases of heads."""
    torch.manual_seed(3)
    sizes = SIZES | {"positions": positions, "num_kv_heads": num_kv_heads}
    models: list[Any] = [Decoder(DecoderConfig(num_layers=2, **sizes))]
    if positions in ("sinusoidal", "rotary"):
        models.append(EncoderDecoder(EncoderDecoderConfig(num_encoder_layers=2, num_decoder_layers=2, **sizes)))
    requests = [Request([*range(4, 4 + length), 3], 9) for length in (1, 12, 5, 30)]
    for plain in models:
        model, found = NativeTransformer(plain.eval(), eager, dtype), []
        for number in (1, 2, 3, 7):
            set_threads(number)
            with torch.inference_mode():
                found.append(decoded(model, requests, 3))
        assert all(each == found[0] for each in found)


def test_eight_callers_at_once(eager: Library, set_threads: Any) -> None:
    """Threads that help one caller do not help another, nor mix their numbers."""
    set_threads(4)
    maps = [NativeLinear(eager, [nn.Linear(50, 200 + 10 * i)], DTYPES[i % 3]) for i in range(8)]
    inputs = [torch.randn(20, 50) for _ in maps]
    expected = [each(x) for each, x in zip(maps, inputs, strict=True)]

    def call(i: int) -> bool:
        torch.set_num_threads(4)
        return all(torch.equal(maps[i](inputs[i]), expected[i]) for _ in range(300))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(8)))


def test_who_decodes_side_by_side_may_use_the_threads_of_all(set_threads: Any) -> None:
    """PyTorch's are divided among them; the layers in C have as many as are free at each call."""
    set_threads(4)
    found: list[tuple[int, int]] = []
    with threads.side_by_side(2) as run:
        run([lambda: found.append((torch.get_num_threads(), threads.available_threads()))] * 2)
    assert found == [(2, 4), (2, 4)]
    assert threads.available_threads() == 4


SCRIPT = """
import os, signal, sys, time, torch
from pathlib import Path
from torch import nn
from regard.compiled.library import find_in
from regard.engines.structures import NativeLinear

torch.set_num_threads(1)
library = find_in(Path(sys.argv[1])).library
linear, x = NativeLinear(library, [nn.Linear(64, 400)]), torch.randn(9, 64)
alone = linear(x)
tasks = lambda: set(os.listdir("/proc/self/task"))
before = tasks()
torch.set_num_threads(3)
assert torch.equal(linear(x), alone)
helpers = tasks() - before
assert len(helpers) == 2, helpers
for helper in helpers:  # a signal finds a thread of the program
    status = Path(f"/proc/self/task/{helper}/status").read_text().split()
    assert int(status[status.index("SigBlk:") + 1], 16) >> (signal.SIGINT - 1) & 1
start = time.process_time()
time.sleep(0.5)
assert time.process_time() - start < 0.1, "threads that wait sleep"
child = os.fork()
if not child:
    torch.set_num_threads(3)
    good = torch.equal(linear(x), alone) and len(tasks()) == 3
    os._exit(0 if good else 1)
assert os.waitpid(child, 0)[1] == 0
assert torch.equal(linear(x), alone)
print("done")
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the threads of a process are counted on Linux")
def test_helpers_sleep_leave_signals_alone_and_are_started_anew_after_a_fork(eager: Library) -> None:
    folder = Path(eager.functions._name).parent
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.stdout == "done\n", done.stderr


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("gcc") is None, reason="GCC finds data races on Linux")
def test_there_is_no_data_race(tmp_path: Path) -> None:
    program, sources = tmp_path / "program", [ROOT / "native" / "threads.c", Path(__file__).with_name("shared_work.c")]
    flags = ["-std=gnu11", "-O1", "-g", "-fsanitize=thread", "-DWORTH=1", f"-I{ROOT / 'native'}", "-pthread"]
    built = subprocess.run(
        ["gcc", *flags, *map(str, sources), "-o", str(program), "-lm"], capture_output=True, text=True, check=False
    )
    if "tsan" in built.stderr:
        pytest.skip("GCC has no library for -fsanitize=thread")
    assert not built.returncode, built.stderr
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=120)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("this kernel lays memory out as the checker cannot read it")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", ""), built.stderr
