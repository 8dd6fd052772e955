import datetime
import sys
from collections import defaultdict

import pytest

from regard.data.synthetic import FIRST_DAY, LAST_DAY, LOCALES, date_forms, date_pairs, split_of
from regard.errors import MissingExtraError


def written(locale: str) -> set[str]:
    return {form(datetime.date(2016, 5, 3)) for form in date_forms(locale)}


def test_forms_as_people_write_them() -> None:
    assert len(LOCALES) >= 25
    assert "mardi 3 mai 2016" in written("fr")
    assert "3. Mai 2016" in written("de")
    assert "2016年5月3日" in written("ja")
    assert "May 3, '16" in written("en_US")


def test_ambiguous_forms_carry_their_locale() -> None:
    assert "en_US 5/3/16" in written("en_US")
    assert "en_GB 03/05/2016" in written("en_GB")
    assert not {"5/3/16", "03/05/2016"} & (written("en_US") | written("en_GB"))


def test_no_text_stands_for_two_dates() -> None:
    forms = [form for locale in LOCALES for form in date_forms(locale)]
    meanings: dict[str, set[datetime.date]] = defaultdict(set)
    # Every day of the year, with the years whose last two digits could be days or months, and the ends of the window.
    for year in (1969, 2003, 2010, 2012, 2068):
        for number in range(0, 365, 1 if year == 2010 else 5):
            day = datetime.date(year, 1, 1) + datetime.timedelta(number)
            for form in forms:
                meanings[form(day)].add(day)
    assert {text: days for text, days in meanings.items() if len(days) > 1} == {}


def test_two_digit_years_name_one_year_of_the_window() -> None:
    years = range(FIRST_DAY.year, LAST_DAY.year + 1)
    assert len({year % 100 for year in years}) == len(years)
    assert (FIRST_DAY.month, FIRST_DAY.day, LAST_DAY.month, LAST_DAY.day) == (1, 1, 12, 31)


def test_splits_share_no_calendar_date() -> None:
    seen = {split: set(date_pairs(split, 3000).targets) for split in ("train", "valid", "test")}
    assert not seen["train"] & seen["test"]
    assert not seen["train"] & seen["valid"]
    assert not seen["valid"] & seen["test"]
    for split, dates in seen.items():
        assert {split_of(datetime.date.fromisoformat(date)) for date in dates} == {split}


def test_pairs_are_distinct_and_follow_the_seed() -> None:
    pairs = date_pairs("test", 2000, seed=4)
    assert len(set(pairs.sources)) == len(pairs) == 2000
    assert pairs == date_pairs("test", 2000, seed=4)
    assert pairs != date_pairs("test", 2000, seed=5)


def test_all_locales_occur() -> None:
    text = date_pairs("train", 3000)
    for sign in ("年", "년", "мая", "ค.ศ.", "mai", "de maio", "מאי"):
        assert any(sign in source for source in text.sources)


def test_without_babel_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "babel", None)
    with pytest.raises(MissingExtraError, match=r"The dates task needs .* Run: pip install '\.\[demo\]' in a clone"):
        date_pairs("test", 1)
