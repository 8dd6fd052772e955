"""What is asked by many at once is answered as it is alone; nobody waits for another, and nothing takes the scheduler down."""

import asyncio
import random
import threading
from pathlib import Path
from typing import Any

import pytest
import torch

from regard.batching.job_errors import (
    BatchingError,
    DecodingFailedError,
    JobCancelledError,
    JobTimeoutError,
    QueueFullError,
    SchedulerClosedError,
)
from regard.batching.jobs import Job
from regard.batching.metrics import Metrics
from regard.batching.queue import Queue
from regard.batching.scheduler import Scheduler
from regard.documents.sentences import split
from regard.errors import DataError
from regard.generation.options import DecodingOptions
from regard.pipelines.translator import Translator
from regard.serving.character_counts import CharacterCounts
from regard.serving.directions import Direction
from regard.serving.inspection_cache import InspectionCache, InspectionRequest
from regard.serving.limits import Limits, ServingError, serving_error
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry
from regard.serving.shared_state import SharedState
from regard.serving.translation_request import TranslationRequest
from regard.serving.translation_service import TranslationService

WORDS = ["two", "dogs", "play", "a", "cat", "sleeps", "here", "on", "red", "mats"]
TEXTS = [" ".join(random.Random(seed).choices(WORDS, k=1 + seed % 9)) for seed in range(60)]
LATER = 1e9


@pytest.fixture(params=[1, 2, 5], ids=["one thread", "two threads", "five threads"])
def scheduler(translator: Translator, request: pytest.FixtureRequest) -> Any:
    made: list[Scheduler[Translator]] = []

    def make(**limits: Any) -> Scheduler[Translator]:
        made.append(Scheduler(translator, Metrics(), threads=request.param, **limits))
        return made[-1]

    before = torch.get_num_threads()
    yield make
    for each in made:
        each.queue.close()
        assert each.join(30)
    torch.set_num_threads(before)


def job(texts: list[str], seconds: float = LATER, **options: Any) -> Job:
    return Job(texts, DecodingOptions(max_length=20, **options), seconds)


def test_many_threads_with_many_options(scheduler: Any, translator: Translator) -> None:
    served = scheduler(batch_size=7)
    kinds: list[dict[str, Any]] = [
        {"beam_size": 1}, {"beam_size": 4}, {"beam_size": 4, "no_repeat_ngram": 2}, {"method": "sample", "seed": 3},
        {"beam_size": 1, "min_length": 3}, {"beam_size": 3, "n_best": 2, "length_penalty": 0.3},
    ]  # fmt: skip
    found: dict[tuple[int, int], list[str]] = {}

    def client(number: int) -> None:
        rng = random.Random(number)
        for turn in range(4):
            begin = rng.randrange(50)
            texts = TEXTS[begin : begin + 1 + rng.randrange(9)]
            asked = job(texts, **kinds[(number + turn) % len(kinds)])
            served.submit(asked)
            found[number, turn] = [future.result(60).text for future in asked.futures]

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 32
    for (number, turn), texts in found.items():
        rng = random.Random(number)
        for _ in range(turn):
            rng.randrange(50), rng.randrange(9)
        begin = rng.randrange(50)
        asked = TEXTS[begin : begin + 1 + rng.randrange(9)]
        wanted = translator.translate(asked, max_length=20, **kinds[(number + turn) % len(kinds)])
        assert texts == [each.text for each in wanted], (number, turn)
    served.queue.close()
    assert served.join(30)  # an answer is given before the round ends
    assert served.is_idle
    assert served.queue.num_waiting == served.num_active == 0


def test_a_short_request_is_not_kept_waiting_by_a_long_one(scheduler: Any) -> None:
    served = scheduler(batch_size=4)
    long, short = job(TEXTS * 10, beam_size=2), job(["a cat"], beam_size=2)
    done: list[str] = []
    served.submit(long)
    served.submit(short)
    long.futures[-1].add_done_callback(lambda _: done.append("long"))
    short.futures[0].add_done_callback(lambda _: done.append("short"))
    short.futures[0].result(60)
    assert sum(future.done() for future in long.futures) < 60
    long.futures[-1].result(120)
    assert done == ["short", "long"]


def test_one_overlong_sentence_fails_alone(scheduler: Any, translator: Translator) -> None:
    served = scheduler()
    asked = job(["a cat", "x" * 200, "two dogs"], beam_size=1)
    served.submit(asked)
    assert asked.futures[0].result(30).text == translator.translate("a cat", beam_size=1, max_length=20).text
    with pytest.raises(DataError, match="at most"):
        asked.futures[1].result(30)
    assert asked.futures[2].result(30).text == translator.translate("two dogs", beam_size=1, max_length=20).text


def test_sampling_does_not_depend_on_a_sentence_that_fails(scheduler: Any, translator: Translator) -> None:
    served = scheduler()
    asked = job(["a cat", "x" * 200, "two dogs"], method="sample", seed=4)
    served.submit(asked)
    wanted = translator.translate(["a cat", "", "two dogs"], method="sample", seed=4, max_length=20)
    assert [asked.futures[index].result(30).text for index in (0, 2)] == [wanted[0].text, wanted[2].text]


def test_a_full_queue_refuses_and_recovers(scheduler: Any) -> None:
    served = scheduler(batch_size=2, queue_size=100)
    first = job(TEXTS, beam_size=3)
    served.submit(first)
    with pytest.raises(QueueFullError, match="at most 100 may") as refused:
        served.submit(job(TEXTS[:50], beam_size=3))
    assert serving_error(refused.value).status == 429
    assert 1 <= refused.value.retry_after <= 60
    first.futures[-1].result(60)
    again = job(TEXTS[:50], beam_size=3)
    served.submit(again)
    again.futures[-1].result(60)


def test_what_is_cancelled_or_late_makes_room(scheduler: Any) -> None:
    served = scheduler(batch_size=2)
    gone, late = job(TEXTS * 50, beam_size=4), job(TEXTS * 50, 0.3, beam_size=4)
    for asked in (gone, late):
        served.submit(asked)
    gone.futures[0].result(30)
    served.queue.cancel(gone)
    with pytest.raises(JobTimeoutError, match=r"at most 0\.3 seconds") as over:
        late.futures[-1].result(30)
    assert serving_error(over.value).status == 504
    with pytest.raises(JobCancelledError, match="closed the connection"):
        gone.futures[-1].result(30)
    after = job(["a cat"], beam_size=4)
    served.submit(after)
    after.futures[0].result(30)
    assert served.queue.num_waiting == served.num_active == 0


def test_a_crash_answers_its_requests_and_decoding_goes_on(
    scheduler: Any, translator: Translator, monkeypatch: Any
) -> None:
    served = scheduler()
    real = type(translator.running(beam_size=1)).step
    fails = iter([True])

    def step(running: Any, *limit: Any) -> Any:
        if next(fails, False):
            raise MemoryError("no room")
        return real(running, *limit)

    monkeypatch.setattr(type(translator.running(beam_size=1)), "step", step)
    asked = job(["a cat", "two dogs"], beam_size=1)
    served.submit(asked)
    for future in asked.futures:
        with pytest.raises(DecodingFailedError, match="begun anew") as crashed:
            future.result(30)
        assert serving_error(crashed.value).status == 500
    again = job(["a cat"], beam_size=1)
    served.submit(again)
    again.futures[0].result(30)
    assert (served.queue.num_crashes, served.queue.last_crash) == (1, "MemoryError: no room")
    assert served.queue.num_waiting == 0


def test_progress_only_grows_and_ends_in_the_translation(scheduler: Any) -> None:
    served, told = scheduler(), []
    asked = job(["two dogs play here"], beam_size=3)
    asked.on_progress = lambda index, text: told.append((index, text))
    served.submit(asked)
    text = asked.futures[0].result(30).text
    assert told
    assert all(index == 0 and text.startswith(piece) for index, piece in told)


def test_a_call_between_steps(scheduler: Any, translator: Translator) -> None:
    served = scheduler()
    served.submit(job(TEXTS, beam_size=2))
    scored = served.call(lambda used: used.score(["a"], ["b"])[0].log_prob).result(30)
    assert scored == pytest.approx(translator.score(["a"], ["b"])[0].log_prob, abs=1e-5)
    with pytest.raises(ZeroDivisionError):
        served.call(lambda used: 1 / 0).result(30)


SPLIT = [
    ("One. Two!  Three?\nFour", ["One.", "Two!", "Three?", "Four"]),
    ("  He said: “Go.” She went.  ", ["He said: “Go.”", "She went."]),
    ("A title\n\nIts text. More", ["A title", "Its text.", "More"]),
    ("- one\n- two\n1. three", ["- one", "- two", "1. three"]),
    ("", []),
    (" \n\t ", []),
    ("今天。明天。", ["今天。", "明天。"]),
]


@pytest.mark.parametrize("with_library", [True, False])
@pytest.mark.parametrize(("text", "sentences"), SPLIT)
def test_texts_in_sentences(
    text: str, sentences: list[str], with_library: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from regard.documents import sentences as module

    if not with_library:
        monkeypatch.setattr(module, "_sentencex", lambda: None)
    pieces = split(text, "en", lambda sentence: True)
    assert pieces.sentences == sentences
    assert pieces.join(pieces.sentences) == text


@pytest.mark.parametrize("with_library", [True, False])
def test_whatever_a_text_is_its_pieces_are_it(with_library: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from regard.documents import sentences as module

    if not with_library:
        monkeypatch.setattr(module, "_sentencex", lambda: None)
    rng = random.Random(1)
    for _ in range(200):
        text = "".join(rng.choices("ab,;. !?\n\r\t-“”。\u2028\u00a0é😀1", k=rng.randrange(60)))
        pieces = split(text, None, lambda sentence: len(sentence) <= 7)
        assert pieces.join(pieces.sentences) == text
        assert all(len(sentence) <= 7 and sentence.strip() == sentence != "" for sentence in pieces.sentences)


def test_a_sentence_too_long_is_cut_at_commas_then_between_words() -> None:
    pieces = split("a b c d, e f; ghijklmnopq", "en", lambda sentence: len(sentence) <= 8)
    assert pieces.sentences == ["a b c d,", "e f;", "ghijk", "lmnopq"]
    assert pieces.num_cut == 1


def test_answers_are_joined_in_order(folder: Path, translator: Translator) -> None:
    registry = ModelRegistry(ModelFolders([(folder, Direction("en", "de"))], device="cpu"), Limits())
    service = TranslationService(registry, CharacterCounts(SharedState()))

    async def ask() -> list[Any]:
        return await service.submit(TranslationRequest(["A cat.  Two dogs!\n", "", "a"], "en", "de")).results()

    first, blank, last = asyncio.run(ask())
    assert first.text == f"{translator.translate('A cat.').text}  {translator.translate('Two dogs!').text}\n"
    assert (blank.text, last.text) == ("", translator.translate("a").text)
    registry.close()


def test_no_option_and_no_text_ends_the_engine(scheduler: Any) -> None:
    served = scheduler()
    for options in (
        {"max_ratio": 1e308},
        {"min_ratio": 1e308, "beam_size": 1},
        {"length_penalty": 100, "length_norm": "average"},
    ):
        asked = Job(["a b"], DecodingOptions(**options), LATER)
        served.submit(asked)
        assert asked.futures[0].exception(60) is None or isinstance(asked.futures[0].exception(), BatchingError)
    after = job(["a cat"], beam_size=1)
    served.submit(after)
    after.futures[0].result(30)


def test_a_failure_while_a_request_is_read_is_answered(scheduler: Any, monkeypatch: Any) -> None:
    served = scheduler()
    monkeypatch.setattr(DecodingOptions, "lengths", lambda *_: 1 / 0)
    asked = job(["a"], beam_size=1)
    served.submit(asked)
    with pytest.raises(DecodingFailedError, match="begun anew"):
        asked.futures[0].result(30)
    monkeypatch.undo()
    again = job(["a"], beam_size=1)
    served.submit(again)
    again.futures[0].result(30)
    assert served.queue.num_waiting == 0


def test_more_kinds_of_options_than_are_decoded_at_once(scheduler: Any) -> None:
    served = scheduler(batch_size=4)
    kinds = [job(TEXTS[:20], beam_size=2, length_penalty=0.1 * number) for number in range(1, 13)]
    answered: list[int] = []  # of which kind, in the order of the answers
    begin = threading.Event()
    for _ in served._workers:
        served.call(lambda _: begin.wait(60))
    for number, asked in enumerate(kinds):
        served.submit(asked)
        for future in asked.futures:
            future.add_done_callback(lambda _, number=number: answered.append(number))
    begin.set()
    for asked in kinds:
        for future in asked.futures:
            future.result(120)
    assert set(answered[answered.index(11) + 1 :]) - {11}  # the last kind had its turns before the others had ended


def test_stopping_answers_what_is_left(scheduler: Any) -> None:
    served = scheduler(batch_size=2)
    asked = job(TEXTS * 50, beam_size=4)
    served.submit(asked)
    asked.futures[0].result(30)
    served.queue.stop()
    assert served.join(30)
    with pytest.raises(SchedulerClosedError, match="shutting down"):
        asked.futures[-1].result(1)
    with pytest.raises(SchedulerClosedError, match="being replaced"):
        served.submit(job(["a"]))


def test_long_paragraphs_are_not_given_to_what_takes_the_square_of_their_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from regard.documents import sentences as module

    given: list[int] = []
    segment = module._sentencex()
    assert segment is not None

    def counted(language: str, text: str) -> Any:
        given.append(len(text))
        return segment(language, text)

    monkeypatch.setattr(module, "_sentencex", lambda: counted)
    for text in ("<!--" * 10_000, "One. Two! " * 10_000, "Short. " * 100 + "\n\n" + "Long! " * 20_000):
        pieces = split(text, "en", lambda sentence: len(sentence) <= 50_000)
        assert pieces.join(pieces.sentences) == text
    assert len(pieces.sentences) == 20_100
    assert max(given) <= 1_000


def test_long_texts_are_cut_in_few_tries() -> None:
    tries = []

    def fits(text: str) -> bool:
        tries.append(len(text))
        return len(text) <= 50

    for text in ("a," * 20_000, "a " * 20_000, "b" * 40_000, ". " * 5_000):
        tries.clear()
        pieces = split(text, "en", fits)
        assert pieces.join(pieces.sentences) == text
        assert all(len(sentence) <= 50 for sentence in pieces.sentences)
        assert sum(tries) < 60 * len(text)


def test_inspections_that_are_kept_have_a_bound(translator: Translator, monkeypatch: Any) -> None:
    kept = InspectionCache(SharedState())
    request = InspectionRequest("loading", Direction("en", "de"), "a", [5])
    seen = translator.inspect("a cat")
    names = [kept.add(request) for _ in range(5)]
    newest = [kept.add(request, seen) for _ in range(40)]
    assert [kept.made(name) for name in newest] == [None] * 8 + [seen] * 32
    assert kept.get(newest[7]) == request  # it can be made again
    assert [kept.made(name) for name in names] == [None] * 5  # they take no room
    monkeypatch.setattr("regard.serving.inspection_cache.MOST_BYTES", 3 * seen.record.num_bytes)
    kept.put(names[0], seen)
    assert 1 <= sum(kept.made(name) is not None for name in newest) <= 3
    assert kept.made(names[0]) is seen
    monkeypatch.setattr("regard.serving.inspection_cache.MOST_PROMISED", 44)
    newest.append(kept.add(request))
    with pytest.raises(ServingError, match="gone"):
        kept.get(names[0])
    assert kept.get(names[2]) == request
    monkeypatch.setattr("regard.serving.inspection_cache.CACHED_SECONDS", 0.0)
    with pytest.raises(ServingError, match="gone"):
        kept.get(names[2])


def test_texts_of_old_inspections_are_deleted_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "state.db"
    kept = InspectionCache(SharedState(file))
    old = kept.add(InspectionRequest("loading", Direction("en", "de"), "an old secret", None))
    assert b"an old secret" in file.read_bytes()
    monkeypatch.setattr("regard.serving.inspection_cache.CACHED_SECONDS", 0.0)
    kept.add(InspectionRequest("loading", Direction("en", "de"), "a new text", None))
    assert b"an old secret" not in file.read_bytes()
    assert b"a new text" in file.read_bytes()
    with pytest.raises(ServingError, match="gone"):
        kept.get(old)


def test_what_comes_ends_a_call_of_several_steps(translator: Translator) -> None:
    """After the step under way, so that a new sentence need not wait for the others to be done."""
    queue = Queue(translator, Metrics(), 10, 4)
    limits = [queue.new_limit() for _ in range(2)]
    for come in (lambda: queue.submit(job(["a cat"])), lambda: queue.call(lambda: 1), lambda: queue.cancel(job(["a"]))):
        for limit in limits:
            limit.clear()
        come()
        assert all(limit._flag.value for limit in limits)
