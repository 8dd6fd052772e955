"""The parts of a tokenizer: the library's tokenizers, learning a vocabulary, and the division and spelling of texts."""
