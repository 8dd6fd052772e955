"""Makes decoding requests of texts and options: ids, lengths, prefixes and required phrases, each checked."""

from __future__ import annotations

from collections.abc import Sequence

from regard.errors import DataError, SettingsError
from regard.generation.options import DecodingOptions
from regard.generation.request import Request, seed_of
from regard.text.encoded_sentence import EncodedSentence, text_of
from regard.text.length_limits import check_lengths
from regard.text.tokenizer import Tokenizer


def encode_sources(
    tokenizer: Tokenizer,
    texts: Sequence[str | EncodedSentence],
    max_positions: int,
    first: int = 1,
    directed: Sequence[Tokenizer] | None = None,
) -> list[list[int]]:
    """The ids of each text, with the symbols that an encoder expects around them.

    Args:
        first: the number of the first line, for messages.
        directed: for each text, the tokenizer whose symbols it has; None: `tokenizer`.
    Raises:
        DataError: a text is longer than the model can read.
    """
    framing = [tokenizer] * len(texts) if directed is None else directed
    room = max_positions - max(
        (len(each.frame_source([])) for each in {id(each): each for each in framing}.values()), default=0
    )
    unread = [text for text in texts if isinstance(text, str)]
    check_lengths(unread, tokenizer, room, first=first)
    rows = iter(tokenizer.encode_batch(unread))
    sources = [
        each.frame_source(next(rows) if isinstance(text, str) else text.ids)
        for text, each in zip(texts, framing, strict=True)
    ]
    for number, ids in enumerate(sources, start=first):
        if len(ids) > max_positions:
            length = len(ids) - max_positions + room
            raise DataError(
                f"line {number}: a text must have at most {room} tokens; got {length}. Split it into sentences."
            )
    return sources


def make_requests(
    tokenizer: Tokenizer,
    options: DecodingOptions,
    max_positions: int,
    texts: Sequence[str | EncodedSentence],
    sources: Sequence[Sequence[int]],
    prefixes: Sequence[str] | None,
    required: Sequence[Sequence[str]] | None,
    first: int,
) -> list[Request | None]:
    """The request for each text; None for a blank one.

    Args:
        tokenizer: of the targets.
        first: the number of the first line, for messages and random choices.
    Raises:
        DataError: not as many prefixes or lists of phrases as texts, or prefixes or phrases that cannot be written, or not
            together.
        SettingsError: required phrases and a method other than beam search.
    """
    for name, given in (("prefixes", prefixes), ("required", required)):
        if given is not None and len(given) != len(texts):
            raise DataError(f"`{name}` needs one entry for each text; got {len(given)} for {len(texts)} texts.")
    if required is not None and options.method != "beam":
        raise SettingsError(f"`required` needs beam search; remove `method={options.method}` or `required`.")
    found: list[Request | None] = []
    for index, (text, source_ids) in enumerate(zip(texts, sources, strict=True)):
        if not text_of(text).strip():
            found.append(None)
            continue
        shortest, longest = options.lengths(len(source_ids), max_positions)
        try:
            prefix_ids = (
                tuple(ids_to_write("prefix", prefixes[index], tokenizer)) if prefixes and prefixes[index] else ()
            )
            phrases = [
                tuple(_ids_of_phrase(each, tokenizer, options)) for each in (required[index] if required else ())
            ]
            seed = seed_of(options.seed, first - 1 + index)
            found.append(Request(source_ids, longest, shortest, prefix_ids, tuple(phrases), seed))
        except SettingsError as error:
            raise DataError(f"line {first + index}: {error}") from error
    return found


def ids_to_write(what: str, text: str, tokenizer: Tokenizer) -> list[int]:
    """The ids of a text that a translation must have.

    Args:
        what: the text is, in messages: `prefix`.
    Raises:
        SettingsError: it has unknown tokens, which would be written as nothing.
    """
    ids = tokenizer.encode(text)
    if tokenizer.unk_id in ids:
        raise SettingsError(f"{what} {text!r} cannot be written: it is not in the model's vocabulary.")
    return ids


def _ids_of_phrase(phrase: str, tokenizer: Tokenizer, options: DecodingOptions) -> list[int]:
    """The ids of a phrase that is required.

    Raises:
        SettingsError: something forbids it.
    """
    if not phrase.strip() or not (ids := ids_to_write("required phrase", phrase, tokenizer)):
        raise SettingsError("a required phrase must have words; got a blank one.")
    if options.banned and tokenizer.endings_of(options.banned).are_in(ids):
        banned = next(each for each in options.banned if tokenizer.endings_of([each]).are_in(ids))
        raise SettingsError(f"required phrase {phrase!r} cannot be written: {banned!r} is banned.")
    if options.vocabulary and not set(ids) <= {id for text in options.vocabulary for id in tokenizer.encode(text)}:
        raise SettingsError(f"required phrase {phrase!r} cannot be written: `vocabulary` does not have all of it.")
    size = options.no_repeat_ngram
    ngrams = [] if size is None else [tuple(ids[at : at + size]) for at in range(len(ids) - size + 1)]
    if len(set(ngrams)) < len(ngrams):
        raise SettingsError(f"required phrase {phrase!r} cannot be written: no_repeat_ngram={size} forbids it.")
    return ids


def check_words(text: str) -> None:
    """Make sure that there is something to look into.

    Raises:
        DataError: the text is blank.
    """
    if not text.strip():
        raise DataError("text must have words to be inspected; got a blank text.")
