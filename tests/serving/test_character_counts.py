"""Characters are counted for each key, and by all processes of a server together."""

from pathlib import Path

from regard.serving.character_counts import CharacterCounts
from regard.serving.shared_state import SharedState


def test_counts_of_several_processes_are_added(tmp_path: Path) -> None:
    one, other = (CharacterCounts(SharedState(tmp_path / "state")) for _ in range(2))
    one.add(b"first", 5)
    one.add(b"second", 7)
    other.add(b"first", 11)
    assert other.total(b"first") == 11  # what this process knows
    one.write()
    assert {each.total(b"first") for each in (one, other)} == {16}
    assert {each.total(b"second") for each in (one, other)} == {7}
    one.write()  # nothing is counted twice
    assert other.total(b"first") == 16


def test_without_keys_there_is_one_count() -> None:
    counts = CharacterCounts(SharedState())
    counts.add(None, 3)
    counts.add(None, 4)
    assert counts.total(None) == 7
    assert counts.total(b"other") == 0
