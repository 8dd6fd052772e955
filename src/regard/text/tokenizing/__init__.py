"""What a tokenizer is made of: the library's tokenizers, how a vocabulary is learnt, and how texts are divided and spelled."""
