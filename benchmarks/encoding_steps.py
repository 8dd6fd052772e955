"""The steps that `benchmarks/encoding.py` measures, each in a process of its own that prints what it found as JSON.

    python benchmarks/encoding_steps.py STEP '{"source": ..., "target": ..., "processes": 2, ...}'

The steps call the functions that `regard train` calls for its pairs. They count every text as large, so that also a small
one is stored. `REGARD_CACHE` names the folder of what is stored.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from regard.data import encoding
from regard.data.batching import batch_plans
from regard.data.corpus import Corpus, find_corpora
from regard.data.encoding import encode_corpora, learn_tokenizer
from regard.data.prefetching import num_encoding_processes, releasing
from regard.data.selection import DataConfig, select_pairs
from regard.data.store import EncodedCorpora, cache_folder
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

VOCABULARY = 8_000
BATCH_TOKENS, LONGEST = 4_096, 256
"""The size of a batch and the tokens that a side may have, which decide nothing here but the plan of an epoch."""
READ_AT_ONCE = 1 << 22
DAMAGED_PAIRS = 2_000


def silent(what: str, done: int, total: int) -> None: ...


def corpora_of(given: dict[str, Any]) -> list[Corpus]:
    return find_corpora([given["source"], given["target"]])


def tokenizer_of(corpora: list[Corpus]) -> Tokenizer:
    """The vocabulary of both sides: learnt, or found in the cache."""
    return learn_tokenizer(corpora, ["source", "target"], TokenizerConfig(vocab_size=VOCABULARY), silent)


def processor_seconds() -> tuple[float, float]:
    """The time that this process has used, and that those used which it began and which have ended."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


def learn(given: dict[str, Any]) -> dict[str, Any]:
    """Learn the vocabulary. The text is read once before, for its digest."""
    corpora = corpora_of(given)
    began = time.perf_counter()
    digests = [corpus.digest for corpus in corpora]
    read = time.perf_counter()
    tokenizer = tokenizer_of(corpora)
    return {
        "digest_seconds": read - began,
        "seconds": time.perf_counter() - read,
        "vocabulary": len(tokenizer),
        "digests": digests,
    }


def encode(given: dict[str, Any]) -> dict[str, Any]:
    """Encode all pairs, with a vocabulary that is there."""
    corpora = corpora_of(given)
    tokenizer = tokenizer_of(corpora)
    before, began = processor_seconds(), time.perf_counter()
    encoded = encode_corpora(corpora, tokenizer, None, silent)
    seconds = time.perf_counter() - began
    own, others = (now - earlier for now, earlier in zip(processor_seconds(), before, strict=True))
    return {
        "seconds": seconds,
        "main_processor_seconds": own,
        "worker_processor_seconds": others,
        "workers": num_encoding_processes(),
        "pairs": len(encoded.pairs),
        "key": encoded.digest,
    }


def start(given: dict[str, Any]) -> dict[str, Any]:
    """Begin again, with all in the cache; then plan the first epoch, and all batches of it.

    Args:
        given: `began`, the time at which this process was begun.
    """
    imported, corpora = time.time() - given["began"], corpora_of(given)
    began = time.perf_counter()
    digests = [corpus.digest for corpus in corpora]
    read = time.perf_counter()
    tokenizer = tokenizer_of(corpora)
    encoded = encode_corpora(corpora, tokenizer, None, not_again)
    found = time.perf_counter()
    seconds = time.time() - given["began"]
    pairs = encoded.pairs
    names = [corpus.name for corpus in corpora]
    selection, _ = select_pairs(pairs, encoded.part_sizes, names, DataConfig(), LONGEST)
    selected = time.perf_counter()
    num_batches, first = 0, 0.0
    plan = batch_plans(selection, pairs.lengths_of, BATCH_TOKENS, 1)
    for _, (epoch, _), _ in releasing(plan, pairs.release):
        if epoch:
            break
        num_batches, first = num_batches + 1, first or time.perf_counter()
    planned = time.perf_counter()
    return {
        "seconds": seconds,
        "import_seconds": imported,
        "digest_seconds": read - began,
        "found_seconds": found - read,
        "select_seconds": selected - found,
        "first_batch_seconds": first - selected,
        "plan_seconds": planned - selected,
        "batches": num_batches,
        "key": encoded.digest,
        "digests": digests,
    }


def not_again(what: str, done: int, total: int) -> None:
    raise RuntimeError(f"{what} again, though it was stored")


def check(given: dict[str, Any]) -> dict[str, Any]:
    """Compare what is stored with the text: its key, the sizes of its files, and pairs at random; and compute its digest.

    Args:
        given: `sample`, the number of pairs that are decoded.
    """
    corpora = corpora_of(given)
    tokenizer = tokenizer_of(corpora)
    encoded = encode_corpora(corpora, tokenizer, None, not_again)
    folder = folder_of(encoded)
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    sizes = {path.name: path.stat().st_size for path in folder.iterdir() if path.name != "about.json"}
    count = len(encoded.pairs)
    rows = sorted(np.random.default_rng(7).choice(count, min(given["sample"], count), replace=False).tolist())
    sides = (encoded.pairs.sources, given["source"]), (encoded.pairs.targets, given["target"])
    wrong = sum(
        tokenizer.decode(ids[row].tolist()) != text
        for ids, path in sides
        for row, text in zip(rows, lines_of(path, encoded.lines[rows].tolist()), strict=True)
    )
    began = time.perf_counter()
    digest = digest_of(folder)
    return {
        "folders": [path.name for path in folder.parent.iterdir()],
        "key": encoded.digest,
        "are_sizes_right": about["bytes"] == sizes,
        "bytes": sum(sizes.values()),
        "tokens": [len(ids.ids) for ids, _ in sides],
        "sampled": len(rows),
        "wrong": wrong,
        "stored_digest": digest,
        "stored_digest_seconds": time.perf_counter() - began,
    }


def folder_of(encoded: EncodedCorpora) -> Path:
    return cache_folder() / "corpora" / encoded.digest


def lines_of(path: str, numbers: list[int]) -> list[str]:
    """Some lines of a file, counted from 1; the numbers are sorted."""
    wanted = set(numbers)
    with Path(path).open("rb") as stream:
        return [line.decode().removesuffix("\n") for number, line in enumerate(stream, start=1) if number in wanted]


def digest_of(folder: Path) -> str:
    """A digest of all files of a stored corpus but for its record."""
    found = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.name != "about.json":
            with path.open("rb") as stream:
                while block := stream.read(READ_AT_ONCE):
                    found.update(block)
    return found.hexdigest()


def damage(given: dict[str, Any]) -> dict[str, Any]:
    """Damage a small stored corpus and its text in several ways; find out whether the next start notices.

    Args:
        given: `folder`, an empty one.
    """
    folder, paths = Path(given["folder"]), []
    for side in ("source", "target"):
        with Path(given[side]).open("rb") as stream:
            lines = [line for line, _ in zip(stream, range(DAMAGED_PAIRS), strict=False)]
        paths.append(folder / Path(given[side]).name)
        paths[-1].write_bytes(b"".join(lines))

    def encoded() -> tuple[EncodedCorpora, bool]:
        """The corpus, read anew, and whether it was encoded for that."""
        reports: list[str] = []
        corpora = find_corpora(paths)
        found = encode_corpora(corpora, tokenizer, None, lambda what, *_: reports.append(what))
        return found, bool(reports)

    tokenizer = tokenizer_of(find_corpora(paths))
    right, _ = encoded()
    ids, expected = folder_of(right) / "source.ids", right.pairs.sources.ids.tolist()
    content = ids.read_bytes()
    found = {}
    for name, damaged in (("cut", content[:-1]), ("byte", changed(content))):
        ids.write_bytes(damaged)
        again, was_made = encoded()
        is_right = again.pairs.sources.ids.tolist() == expected
        found[name] = {"is_noticed": was_made, "are_ids_right": is_right}
        ids.write_bytes(content)
    text = paths[0].read_bytes()
    paths[0].write_bytes(text.replace(b"e", b"o", 1))
    again, was_made = encoded()
    read = [tokenizer.decode(again.pairs.sources[row].tolist()) for row in range(len(again.pairs))]
    is_right = read == paths[0].read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return {**found, "text": {"is_noticed": was_made and again.digest != right.digest, "are_ids_right": is_right}}


def changed(content: bytes) -> bytes:
    """The bytes with one bit changed in the middle."""
    place = len(content) // 2
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


STEPS = {"learn": learn, "encode": encode, "start": start, "check": check, "damage": damage}

if __name__ == "__main__":
    asked = json.loads(sys.argv[2])
    # The number of processors decides how many processes encode, and how many threads the tokenizers have.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: asked["processes"]])
    encoding.LARGE_BYTES = 0  # a text of any size is stored
    print(json.dumps(STEPS[sys.argv[1]](asked)))
