"""One model in many threads, tasks and processes: everybody gets what they would get alone."""

import asyncio
import copy
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

from regard.analysis.attribution import trace_flow
from regard.checkpoint import save_new
from regard.compiled.library import find
from regard.generation.options import DecodingOptions
from regard.generation.threads import side_by_side
from regard.inspection.ablation import ablated_gates, gated
from regard.inspection.capture import capture
from regard.inspection.record import HeadName
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SIZES = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "max_positions": 40}
TEXTS = ["abcab", "bcacb", "cabba", "aabcc", "cba", "ab", "bbaacc", "c"]
ROUNDS = 6


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["abc"], TokenizerConfig(kind="characters", vocab_size=20))


def transformer(tokenizer: Tokenizer, seed: int = 1, **settings: object) -> Translator:
    torch.manual_seed(seed)
    layers = {"num_encoder_layers": 2, "num_decoder_layers": 2}
    return Translator(build(EncoderDecoderConfig(vocab_size=len(tokenizer), **SIZES, **layers, **settings)), tokenizer)


@pytest.fixture(scope="module")
def translator(tokenizer: Tokenizer) -> Translator:
    return transformer(tokenizer)


class Close(float):
    """A number that equals those that differ by rounding errors alone: sums may be computed in another order."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and abs(float(self) - float(other)) < 2e-5

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]


def comparable(value: Any) -> Any:
    """Results that can be compared."""
    if isinstance(value, float):
        return Close(value)
    if isinstance(value, numpy.ndarray):
        return comparable(numpy.ma.filled(value, -1.0).tolist())
    if isinstance(value, list | tuple):
        return [comparable(x) for x in value]
    if isinstance(value, dict):
        return {str(key): comparable(x) for key, x in value.items()}
    return comparable(vars(value)) if hasattr(value, "__dict__") else value


OPTIONS: dict[str, Any] = {"max_length": 7, "beam_size": 2}


def jobs(translator: Translator) -> dict[str, Callable[[str], Any]]:
    """What may be asked of a translator, by name."""
    return {
        "translate": lambda text: translator.translate([text], **OPTIONS),
        "alignment": lambda text: translator.translate([text], alignment=True, **OPTIONS),
        "coverage": lambda text: translator.translate([text], coverage_penalty=0.3, **OPTIONS),
        "workers": lambda text: translator.translate([text, text[::-1]], workers=2, **OPTIONS),
        "stream": lambda text: list(translator.stream(text, **OPTIONS)),
        "score": lambda text: translator.score([text], [text[::-1]]),
        "align": lambda text: translator.align(text, text[::-1]),
        "inspect": lambda text: dict(translator.inspect(text, text[::-1], hidden_states=True).record.weights),
        "states": lambda text: translator.inspect(text, text[::-1], hidden_states=True).record.hidden_states,
        "ablate": lambda text: [
            vars(ablation)
            for ablation in translator.inspect(text, ablate=["cross.1.0", "encoder.0.2"], **OPTIONS).ablations
        ],
        "gradients": lambda text: trace_flow(translator, translator.inspect(text, text[::-1]), "gradient").matrix,
    }


def in_threads(calls: list[tuple[Callable[[str], Any], str]], num_threads: int = 8) -> list[Any]:
    """The results of calls made from so many threads that begin together."""
    start = threading.Barrier(num_threads)
    results: list[Any] = [None] * len(calls)

    def work(first: int) -> None:
        start.wait()
        for index in range(first, len(calls), num_threads):
            call, text = calls[index]
            results[index] = comparable(call(text))

    with ThreadPoolExecutor(num_threads) as pool:
        list(pool.map(work, range(num_threads)))
    return results


@pytest.mark.parametrize("name", ["align", "inspect", "alignment", "coverage", "ablate", "states"])
def test_two_threads_with_texts_of_one_length_do_not_swap(translator: Translator, name: str) -> None:
    job = jobs(translator)[name]
    alone = {text: comparable(job(text)) for text in TEXTS[:2]}
    assert alone[TEXTS[0]] != alone[TEXTS[1]]
    calls = [(job, text) for _ in range(2 if name == "ablate" else ROUNDS) for text in TEXTS[:2]]
    assert in_threads(calls, 2) == [alone[text] for _, text in calls]


def test_eight_threads_that_ask_for_everything_get_what_they_get_alone(translator: Translator) -> None:
    calls = [(job, TEXTS[(i + n) % len(TEXTS)]) for n in range(2) for i, job in enumerate(jobs(translator).values())]
    assert in_threads(calls) == [comparable(call(text)) for call, text in calls]


def test_recurrent_models_and_two_translators_of_one_model(tokenizer: Tokenizer) -> None:
    torch.manual_seed(2)
    model = build(RecurrentConfig(vocab_size=len(tokenizer), model_dim=12))
    pair = [Translator(model, tokenizer), Translator(model, tokenizer)]
    calls = [
        (jobs(pair[n % 2])[name], TEXTS[n % len(TEXTS)])
        for n in range(16)
        for name in ("translate", "align", "gradients")
    ]
    assert in_threads(calls) == [comparable(call(text)) for call, text in calls]


def test_asyncio_threads(translator: Translator) -> None:
    job = jobs(translator)["align"]

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(asyncio.to_thread(job, text) for _ in range(ROUNDS) for text in TEXTS))

    assert comparable(asyncio.run(all_at_once())) == [comparable(job(text)) for _ in range(ROUNDS) for text in TEXTS]


def test_hooks_hold_in_their_own_thread_and_in_the_workers_it_starts(translator: Translator) -> None:
    model, texts = translator.model, ["abc", "cab", "bca", "acb"]
    whole = comparable(translator.translate(texts, **OPTIONS))
    with gated(model, ablated_gates(model, [HeadName("cross", 1, head) for head in range(3)])), capture(model) as seen:
        with ThreadPoolExecutor(1) as pool:
            assert comparable(pool.submit(lambda: translator.translate(texts, **OPTIONS)).result()) == whole
        assert not len(seen)
        here = comparable(translator.translate(texts, **OPTIONS))
        assert len(seen.calls("decoder_layers.1.cross_attention")) > 0
    with gated(model, ablated_gates(model, [HeadName("cross", 1, head) for head in range(3)])):
        beside = comparable(translator.translate(texts, workers=2, batch_size=1, **OPTIONS))
    assert (
        here == beside != whole
    )  # without its head, by the layers themselves and by the packed step, which the hooks reach, too
    assert comparable(translator.translate(texts, **OPTIONS)) == whole


def test_ablation_reaches_the_packed_step(translator: Translator) -> None:
    model = translator.model
    heads = [HeadName("decoder", 0, 1), HeadName("cross", 1, 2), HeadName("encoder", 1, 0)]
    with gated(model, ablated_gates(model, heads)):
        packed = translator.translate(TEXTS, **OPTIONS)
        with capture(model):  # whoever wants to see inputs gets the plain layers
            plain = translator.translate(TEXTS, **OPTIONS)
    assert comparable(packed) == comparable(plain) != comparable(translator.translate(TEXTS, **OPTIONS))


def test_a_used_translator_can_be_pickled(translator: Translator, tokenizer: Tokenizer) -> None:
    wanted = comparable(translator.translate(TEXTS, **OPTIONS))
    other = pickle.loads(pickle.dumps(translator))
    assert copy.deepcopy(translator).translate("ab").text == translator.translate("ab").text
    assert comparable(other.translate(TEXTS, **OPTIONS)) == wanted
    own = SIZES | {"num_layers": 1, "vocab_size": len(tokenizer)}
    language = LanguageModel(build(DecoderConfig(**own)), tokenizer)
    predictor = Predictor(build(EncoderConfig(**own, task="classify", labels=["x", "y"])), tokenizer)
    assert pickle.loads(pickle.dumps(language)).generate(["a"], max_tokens=3) == language.generate(["a"], max_tokens=3)
    assert comparable(pickle.loads(pickle.dumps(predictor)).predict(["ab"])) == comparable(predictor.predict(["ab"]))


def test_workers_have_their_share_of_threads_and_leave_the_rest_alone() -> None:
    seen: list[int] = []
    before = torch.get_num_threads()
    torch.set_num_threads(5)
    try:
        with side_by_side(2) as run:
            run([lambda: seen.append(torch.get_num_threads())] * 2)
            thread = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
            thread.start()
            thread.join()
        assert seen == [2, 2, 5]
        assert torch.get_num_threads() == 5
    finally:
        torch.set_num_threads(before)


@pytest.mark.skipif(find().library is None, reason=find().reason)
def test_layers_in_c_have_a_worker_for_each_thread(translator: Translator) -> None:
    """And texts become what they become with one."""
    texts = ["ab", "ba c", "c", "abc abc", "b"] * 7
    before, expected = torch.get_num_threads(), comparable(translator.translate(texts, **OPTIONS))
    options = DecodingOptions(batch_size=64)
    torch.set_num_threads(5)
    try:
        assert translator.engine == "native"
        assert [translator._decoder._num_workers(count, options) for count in (1, 7, 9, 1000)] == [1, 1, 2, 5]
        assert comparable(translator.translate(texts, **OPTIONS)) == expected
        translator.use_engine("torch")
        assert [translator._decoder._num_workers(count, options) for count in (9, 127, 128)] == [1, 1, 2]
    finally:
        torch.set_num_threads(before)
        translator.use_engine("auto")


def test_an_error_in_one_worker_ends_all() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), side_by_side(2) as run:
        run([fail, lambda: None])


FORKED = """
import os, sys, torch, regard
torch.set_num_threads(2)
translator = regard.load(sys.argv[1])
before = [found.text for found in translator.translate(["abcab"] * 8, max_length=7)]
torch.randn(600, 600) @ torch.randn(600, 600)  # now PyTorch has threads that a fork leaves behind
child = os.fork()
if child == 0:
    x = torch.randn(600, 600)
    answered = [found.text for found in translator.translate(["abcab"] * 8, max_length=7)] == before
    translator.align("ab", "ba")
    x @ x
    try:
        torch.set_num_threads(2)
        translator.translate(["ab"])
    except regard.RegardError as error:
        os._exit(7 if answered and "a forked process must use one PyTorch thread" in str(error) else 8)
    os._exit(9)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_answers(translator: Translator, tmp_path: Path) -> None:
    save_new(tmp_path / "m", translator.model, translator.tokenizer)
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "false"}
    environment.pop("OMP_NUM_THREADS", None)
    ended = subprocess.run(
        [sys.executable, "-c", FORKED, str(tmp_path / "m")],
        env=environment,
        timeout=100,
        check=False,
        capture_output=True,
    )
    assert ended.returncode == 7, ended.stderr.decode()
