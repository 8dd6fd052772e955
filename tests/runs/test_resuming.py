"""What a run must have kept to be gone on with."""

from regard.runs.resuming import _is_default
from regard.runs.settings.run_settings import RunSettings


def test_a_setting_that_an_earlier_version_had_not_may_be_as_nothing_is_said() -> None:
    settings = RunSettings.build("tiny")
    assert _is_default(settings, "model.pruned_heads", {})
    assert _is_default(settings, "tokenizer.normalization", "NFC")
    assert not _is_default(settings, "model.pruned_heads", {"cross.0": [1]})
    assert not _is_default(settings, "tokenizer.normalization", "NFD")
    assert not _is_default(settings, "model.vocab_size", 8000)  # must always be given
    assert not _is_default(settings, "model.head_dim", 32)  # depends on others
    assert not _is_default(settings, "train.en", "0" * 64)  # a file
