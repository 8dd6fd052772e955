"""Word alignments as links between tokens, for training."""

from __future__ import annotations

from regard.data.corpus import NumberedPair
from regard.text.tokenizer import Tokenizer
from regard.text.words import Separators, first_word_character, word_spans


def token_links(pair: NumberedPair, source_tokenizer: Tokenizer, tokenizer: Tokenizer) -> list[int]:
    """The links of a pair between tokens, end to end: source token, target token, source token ...

    Every token of a source word is linked with every token of a target word that it is linked with.
    """
    if not pair.links:
        return []
    sources, targets = (
        _tokens_of_words(text, by, pair.separators)
        for text, by in ((pair.source, source_tokenizer), (pair.target, tokenizer))
    )
    first = len(source_tokenizer.symbols.source_begin_ids)
    return [
        number
        for source, target in dict.fromkeys(pair.links)
        for target_token in targets[target]
        for source_token in sources[source]
        for number in (first + source_token, target_token)
    ]


def _tokens_of_words(text: str, tokenizer: Tokenizer, separators: Separators) -> list[list[int]]:
    """The tokens of each word: the ones that hold the first character of a word."""
    spans = word_spans(text, separators)
    found: list[list[int]] = [[] for _ in spans]
    word = 0
    for token, (begin, end) in enumerate(tokenizer.offsets(text)):
        begin = first_word_character(text, begin, end, separators)
        while word + 1 < len(spans) and begin >= spans[word][1]:
            word += 1
        if begin < end and spans and spans[word][0] <= begin < spans[word][1]:
            found[word].append(token)
    return found
