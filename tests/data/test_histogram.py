from regard.data.synthetic import HELD_OUT_LENGTHS, histogram_texts


def test_labels_are_counts_and_splits_share_nothing() -> None:
    parts = {split: histogram_texts(split, 300) for split in ("train", "valid", "test")}  # type: ignore[arg-type]
    for text in parts.values():
        for letters, counts in zip(text.texts, text.labels, strict=True):
            assert counts == [str(letters.count(letter)) for letter in letters]
    seen = [{"".join(letters) for letters in text.texts} for text in parts.values()]
    assert sum(map(len, seen)) == len(set.union(*seen)) == 900


def test_held_out_lengths_are_for_testing_only() -> None:
    for split in ("train", "valid"):
        assert not {len(letters) for letters in histogram_texts(split, 500).texts} & HELD_OUT_LENGTHS  # type: ignore[arg-type]
    assert {len(letters) for letters in histogram_texts("test", 500).texts} >= HELD_OUT_LENGTHS
