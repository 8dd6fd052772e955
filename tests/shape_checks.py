"""The checker of types and shapes that runs in tests: beartype, which lets an int stand for a float, as Python does."""

from beartype import BeartypeConf, beartype

check = beartype(conf=BeartypeConf(is_pep484_tower=True))
