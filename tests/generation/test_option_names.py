"""Former names of options still work, and say what they are called now; a text in place of a list is named,
and one that is no Unicode.
"""

from typing import Any

import pytest

from regard.errors import SettingsError
from regard.generation.options import DecodingOptions, TextOptions


def test_a_former_name_warns_with_the_new_one() -> None:
    with pytest.warns(DeprecationWarning, match="the option risk is now minimum_bayes_risk"):
        former = DecodingOptions(risk="chrf")
    assert former == DecodingOptions(minimum_bayes_risk="chrf")
    with pytest.warns(DeprecationWarning, match="the option risk is now minimum_bayes_risk"):
        assert DecodingOptions().changed(risk="chrf") == former


@pytest.mark.parametrize(
    ("kind", "name"), [(DecodingOptions, "banned"), (DecodingOptions, "vocabulary"), (TextOptions, "stop")]
)
def test_a_text_in_place_of_a_list(kind: Any, name: str) -> None:
    for text, hint in (("homme", r"\[homme\]"), ("a, b", r'\["a, b"\]'), ("12", r'\["12"\]')):
        with pytest.raises(SettingsError, match=rf"^{name} must be a list; got '{text}'\. Write {hint}\.$"):
            kind(**{name: text})
    with pytest.raises(SettingsError, match=rf"^{name} must be a list; got 5\.$"):
        kind(**{name: 5})


@pytest.mark.parametrize(
    ("kind", "name"), [(DecodingOptions, "banned"), (DecodingOptions, "vocabulary"), (TextOptions, "stop")]
)
def test_half_a_surrogate_pair(kind: Any, name: str) -> None:
    with pytest.raises(SettingsError, match=rf"^{name} must be valid Unicode; got 'a\\ud800'\.$"):
        kind(**{name: ["fine", "a\ud800"]})
