"""Former names of options still work, and say what they are called now."""

import pytest

from regard.generation.options import DecodingOptions


def test_a_former_name_warns_with_the_new_one() -> None:
    with pytest.warns(DeprecationWarning, match="the option risk is now minimum_bayes_risk"):
        former = DecodingOptions(risk="chrf")
    assert former == DecodingOptions(minimum_bayes_risk="chrf")
    with pytest.warns(DeprecationWarning, match="the option risk is now minimum_bayes_risk"):
        assert DecodingOptions().changed(risk="chrf") == former
