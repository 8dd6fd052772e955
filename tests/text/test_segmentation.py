from collections import Counter
from random import Random

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import SettingsError
from regard.text.segmentation import BpeDropout, make_segmenters
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LINES = ["lower lowest newer newest wider widest", "low slow snow 2016 1999", "the lowest slope is slow"] * 3
BPE = Tokenizer.train(LINES, TokenizerConfig(vocab_size=70))
PHRASES = Tokenizer.train(LINES, TokenizerConfig(vocab_size=90, across_spaces=True))


@pytest.mark.parametrize("bpe", [BPE, PHRASES], ids=["words", "phrases"])
@given(text=st.text(alphabet="lowernstid 0129,xé▁", max_size=30), seed=st.integers(0, 99))
def test_the_text_stays_and_without_dropout_the_ids_do_too(bpe: Tokenizer, text: str, seed: int) -> None:
    ids = [*bpe.encode(text), bpe.eos_id]
    assert BpeDropout(bpe, 0.0, 999)(ids, Random(seed)) == ids
    cut = BpeDropout(bpe, 0.5, 999)(ids, Random(seed))
    assert bpe.decode(cut) == bpe.decode(ids)
    assert cut[-1] == bpe.eos_id
    assert len(cut) >= len(ids) or 1 in ids


def test_segmentations_come_as_often_as_from_the_library() -> None:
    """Its own dropout has no seed; ours must give the same distribution."""
    theirs = tokenizers.Tokenizer.from_str(BPE.backend_json)
    theirs.model.dropout = 0.3
    ids, ours, num = BPE.encode("lowest"), BpeDropout(BPE, 0.3, 999), 4000
    random = Random(1)
    found = Counter(tuple(ours(ids, random)) for _ in range(num))
    expected = Counter(tuple(encoding.ids) for encoding in theirs.encode_batch(["lowest"] * num))
    assert len(found) > 5
    for cut in found.keys() | expected.keys():
        share = (found[cut] + expected[cut]) / (2 * num)
        spread = (2 * share * (1 - share) / num) ** 0.5
        assert abs(found[cut] - expected[cut]) / num <= 5 * spread + 1 / num, cut


def test_what_would_be_too_long_stays() -> None:
    ids = BPE.encode("lowest newest")
    assert BpeDropout(BPE, 0.9, len(ids))(ids, Random(0)) == ids
    assert len(BpeDropout(BPE, 0.9, 999)(ids, Random(0))) > len(ids)


def test_other_kinds_are_left_as_they_are_and_refused_alone() -> None:
    unigram = Tokenizer.train(LINES, TokenizerConfig(kind="unigram", vocab_size=40))
    with pytest.raises(SettingsError, match=r"data\.bpe_dropout.*kind bpe; got unigram"):
        make_segmenters([unigram, unigram], 0.1, 9)
    characters = Tokenizer.train(LINES, TokenizerConfig(kind="characters", vocab_size=40))
    with pytest.raises(SettingsError, match=r"data\.bpe_dropout.*kind bpe; got characters and unigram"):
        make_segmenters([unigram, characters], 0.1, 9)
    for_words, for_phrases = make_segmenters([unigram, BPE], 0.9, 99)
    ids = BPE.encode("lowest newest")
    assert for_words(ids, Random(0)) == ids
    assert len(for_phrases(ids, Random(0))) > len(ids)
