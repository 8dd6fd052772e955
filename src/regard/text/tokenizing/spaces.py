"""Spaces of texts that are put together from tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tokenizers import decoders


def spaces_decoder(leading_space: bool, *before: decoders.Decoder) -> decoders.Decoder:
    """A decoder of tokens to text, where a token may hold several spaces: the library's `Metaspace` loses all of the
    first token's.

    Args:
        leading_space: whether the text was read as if a space stood before it.
        before: what is done to the tokens before they are put together.
    """
    strip = [decoders.Strip(" ", 1, 0)] if leading_space else []
    return decoders.Sequence([decoders.Replace("▁", " "), *before, decoders.Fuse(), *strip])


def begins_unknown(
    ids: Sequence[int], unk_id: int, special: Collection[int], spelled: Callable[[int], str | None]
) -> bool:
    """Whether an unknown piece comes before all that is written.

    Args:
        special: ids that are not written, the unknown one's may be among them.
        spelled: the token of an id, with `▁` for a space.
    """
    for id in ids:
        if id == unk_id:
            return True
        if id not in special and (spelled(id) or "").strip("▁ "):
            return False
    return False
