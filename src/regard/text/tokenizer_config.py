"""The settings of a tokenizer, and the special tokens that each has."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

PAD, UNK, BOS, EOS = SPECIAL_TOKENS = ("<pad>", "<unk>", "<s>", "</s>")
MASK = "<mask>"
LARGEST_VOCABULARY = 10_000_000
"""The largest vocabulary; training a tokenizer allocates memory for all tokens first."""
Kind = Literal["bpe", "unigram", "characters", "words"]


class TokenizerConfig(BaseModel):
    """The settings by which a vocabulary is learnt from text."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    kind: Kind = "bpe"
    target_kind: Kind | None = Field(
        default=None, description="kind of the target's tokenizer, if it differs; needs shared: false"
    )
    vocab_size: int = Field(
        default=8000,
        ge=8,
        le=LARGEST_VOCABULARY,
        description="largest number of tokens, the four special ones included",
    )
    normalization: Literal["NFC", "NFD"] = Field(
        default="NFC",
        description="Unicode normal form of the text; NFD separates accents from letters and splits Hangul",
    )
    split_digits: bool = Field(
        default=True, description="cut numbers into digits, so that unseen numbers are composed; not in kind words"
    )
    across_spaces: bool = Field(
        default=False, description="tokens of kind bpe may reach across spaces, so that frequent phrases become tokens"
    )
    leading_space: bool = Field(
        default=True, description="put a space before each text, so that its first word is tokenized like the others"
    )
    shared: bool = Field(default=True, description="one vocabulary for source and target; false: one for each")
    max_lines: int = Field(
        default=5_000_000,
        ge=1,
        description="lines of each side that the vocabulary is learned from, evenly spread over larger texts",
    )
    add: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(
        default=[], description="tokens that are never cut, beside the others"
    )
    with_mask: bool = Field(default=False, description="a fifth special token, <mask>, for masked language models")

    @model_validator(mode="after")
    def _go_together(self) -> TokenizerConfig:
        if self.target_kind is not None and self.shared:
            raise ValueError(
                f"`tokenizer.target_kind={self.target_kind}` needs separate vocabularies; got shared: true. "
                "Set `tokenizer.shared=false`."
            )
        if self.across_spaces and "bpe" not in (self.kind, self.target_kind):
            raise ValueError(f"`tokenizer.across_spaces` needs kind bpe; got {self.kind}.")
        return self

    @property
    def reaches_across_spaces(self) -> bool:
        """Whether tokens may reach across spaces, in this kind."""
        return self.across_spaces and self.kind == "bpe"

    @property
    def for_targets(self) -> TokenizerConfig:
        """The settings of the targets' vocabulary, where they have one of their own."""
        return self.model_copy(update={"kind": self.target_kind or self.kind, "target_kind": None})
