"""Generators of synthetic tasks: dates as people write them, turned into ISO 8601.

"mardi 3 mai 2016", "3. Mai 2016", "2016年5月3日" and "May 3, '16" all become "2016-05-03". The forms come from the Unicode
Common Locale Data Repository (CLDR), through Babel.

Which forms are there. For each locale: CLDR's full, long, medium and short date, its forms for month and day names in full
and abbreviated, and for languages whose year comes last the medium form with the year as '16.

What makes a form ambiguous, and what we do. 3/5/16 is the third of May or the fifth of March, as the locale has it, and
Babel's locales disagree. A form without any letter, and which does not begin with a four-digit year, therefore carries
its locale as a first token ("en_US 3/5/16"), as the locale of a spreadsheet column is known to its user. All other
forms stand alone. Two-digit years are read as POSIX reads them (69 to 99 are 19xx, 00 to 68 are 20xx), and all dates
lie in that window, 1969 to 2068. A test checks that no text stands for two dates.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Callable
from functools import partial
from typing import Literal

from regard.data.corpus import ParallelText
from regard.data.labelled import LabelledText
from regard.errors import MissingExtraError

LOCALES = (
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en_GB", "en_US", "es", "et", "eu", "fi", "fr", "he", "hi", "hu",
    "id", "it", "ja", "ko", "lt", "lv", "nb", "nl", "pl", "pt_BR", "ro", "ru", "sk", "sl", "sv", "sw", "ta", "th", "tr",
    "uk", "vi", "zh",
)  # fmt: skip
FIRST_DAY, LAST_DAY = datetime.date(1969, 1, 1), datetime.date(2068, 12, 31)
SKELETONS = ("yMMMd", "yMMMMd", "yMMMEd", "yMMMMEEEEd", "yMd")
Split = Literal["train", "valid", "test"]
DateForm = Callable[[datetime.date], str]
"""A way to write a date in a locale, which stands in front where the form alone is ambiguous."""


def date_forms(locale: str) -> list[DateForm]:
    """All ways in which a locale writes dates.

    Raises:
        MissingExtraError: Babel is not installed.
    """
    try:
        from babel import Locale
        from babel.dates import format_date
    except ImportError as error:
        raise MissingExtraError("The dates task", "demo") from error
    parsed = Locale.parse(locale)
    patterns = [parsed.date_formats[width].pattern for width in ("full", "long", "medium", "short")]
    patterns += [parsed.datetime_skeletons[name].pattern for name in SKELETONS if name in parsed.datetime_skeletons]
    patterns += [
        re.sub(r"(?<!y)y(?!y)", "''yy", pattern) for pattern in patterns if re.search(r"MMM.*(?<!y)y$", pattern)
    ]

    def written(day: datetime.date, pattern: str) -> str:
        text = _plain(str(format_date(day, format=pattern, locale=parsed)))
        return f"{locale} {text}" if _is_ambiguous(text) else text

    return [partial(written, pattern=pattern) for pattern in dict.fromkeys(patterns)]


def split_of(day: datetime.date) -> Split:
    """The split that a calendar date belongs to, in all its forms: one date in ten is for validation, two for testing.

    The choice depends on the date alone, as if by drawing lots, so that no test date is seen in training in any form.
    """
    lot = random.Random(day.toordinal()).random()
    return "test" if lot < 0.2 else "valid" if lot < 0.3 else "train"


def date_pairs(split: Split, num_pairs: int, seed: int = 1) -> ParallelText:
    """Distinct pairs of a written date and its ISO form, drawn evenly over locales, their forms, and days.

    Args:
        num_pairs: well below the number of distinct texts, some millions in all, or drawing them takes for ever.
    """
    rng = random.Random(f"{split} {seed}")
    forms = {locale: date_forms(locale) for locale in LOCALES}
    pairs: dict[str, str] = {}
    while len(pairs) < num_pairs:
        day = datetime.date.fromordinal(rng.randint(FIRST_DAY.toordinal(), LAST_DAY.toordinal()))
        if split_of(day) == split:
            pairs[rng.choice(forms[rng.choice(LOCALES)])(day)] = day.isoformat()
    return ParallelText(list(pairs), list(pairs.values()), name=f"dates ({split})")


LETTERS = "abcdefgh"
LONGEST_HISTOGRAM, HIGHEST_COUNT = 20, 16
HELD_OUT_LENGTHS = frozenset({7, 14, 19})
"""The lengths that occur in the test split of the histogram task only."""


def histogram_texts(split: Split, num_texts: int, seed: int = 1) -> LabelledText:
    """Distinct sequences of letters, each letter labelled with how often it occurs in its sequence.

    Which split a sequence belongs to is drawn from the sequence alone; a length that is held out is always test. The
    letters of a sequence are not equally likely, so that high counts occur, up to 16: higher ones would be all but the
    same few sequences.

    Args:
        num_texts: well below the number of sequences there are.
    """
    rng = random.Random(f"histogram {split} {seed}")
    texts: dict[str, None] = {}
    while len(texts) < num_texts:
        odds = [rng.random() ** 6 for _ in LETTERS]
        text = "".join(rng.choices(LETTERS, odds, k=rng.randint(1, LONGEST_HISTOGRAM)))
        if _histogram_split(text) == split and max(map(text.count, text)) <= HIGHEST_COUNT:
            texts[text] = None
    counts = [[str(text.count(letter)) for letter in text] for text in texts]
    return LabelledText([list(text) for text in texts], counts, name=f"histogram ({split})")


def _histogram_split(text: str) -> Split:
    lot = random.Random(text).random()
    return "test" if len(text) in HELD_OUT_LENGTHS or lot < 0.1 else "valid" if lot < 0.2 else "train"


def _plain(text: str) -> str:
    """The text with ordinary spaces, and without the invisible marks of writing direction."""
    return re.sub(r"\s+", " ", re.sub(r"[\u200e\u200f\u061c]", "", text)).strip()


def _is_ambiguous(text: str) -> bool:
    """Whether the month is a number and the order of the parts not given by a four-digit year in front."""
    return not any(letter.isalpha() for letter in text) and not re.match(r"\d{4}\D", text)
