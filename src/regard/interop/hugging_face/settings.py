"""Settings of Hugging Face's configurations that change nothing in what a model computes, and the meaning of generation
settings.

What a reader of a format asks for is understood. What is listed here is without effect. Any other setting is refused by its name
(`ForeignConfig.refuse_others`), as a later version of a model, or somebody's own, may compute otherwise where it is set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig

WITHOUT_EFFECT = {
    # what the file is of
    "model_type", "architectures", "transformers_version", "torch_dtype", "dtype", "_name_or_path", "_commit_hash", "license",
    "_attn_implementation", "_attn_implementation_autoset", "attn_implementation", "is_encoder_decoder",
    "keys_to_ignore_at_inference",
    # labels and heads; what our heads need is asked for
    "id2label", "label2id", "num_labels", "_num_labels", "finetuning_task", "task_specific_params",
    "summary_type", "summary_use_proj", "summary_activation", "summary_proj_to_labels",
    "summary_first_dropout", "summary_last_dropout", "directionality", "pooler_fc_size",
    "pooler_num_attention_heads", "pooler_num_fc_layers", "pooler_size_per_head",
    "pooler_type",
    # training
    "initializer_range", "initializer_factor", "init_std", "gradient_checkpointing", "classifier_dropout", "classif_dropout",
    "hidden_dropout", "seq_classif_dropout", "qa_dropout", "embd_pdrop", "activation_dropout", "encoder_layerdrop",
    "decoder_layerdrop", "layerdrop", "replacing_rate", "save_step", "tf_legacy_loss", "predict_special_tokens",
    # how it is computed, with the same numbers; what it returns
    "use_cache", "chunk_size_feed_forward", "reorder_and_upcast_attn", "torchscript", "use_bfloat16", "return_dict",
    "output_hidden_states", "output_attentions", "output_scores", "output_past", "return_dict_in_generate",
    # of positions: the tables are in the file
    "sinusoidal_pos_embds", "static_position_embeddings", "extra_pos_embeddings", "n_ctx", "n_special", "tie_weights_",
    # of Llama and BLOOM: how they were trained on several devices, and names that nothing reads
    "pretraining_tp", "slow_but_exact", "max_sequence_length", "attention_softmax_in_fp32", "bias_dropout_fusion",
    "masked_softmax_fusion", "skip_bias_add", "offset_alibi",
    # of output biases: they are in the file
    "add_bias_logits",
    # of tokenizers and pipelines
    "tokenizer_class", "model_max_length", "prefix", "sep_token_id", "cls_token_id", "mask_token_id",
}  # fmt: skip
"""Settings that do not change what a model computes."""
IDS = ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id")
"""Settings that every class of `transformers` may have; readers ask for those that their models need."""
SYMBOLS = (*IDS, "forced_bos_token_id", "bad_words_ids", "suppress_tokens")
"""Generation settings that are part of a model of ours: its symbols, and what it never writes."""
CHOICES: dict[str, Any] = {
    "num_beams": 1, "num_beam_groups": 1, "diversity_penalty": 0.0, "length_penalty": 1.0, "early_stopping": False,
    "min_length": 0, "max_length": 20, "min_new_tokens": 0, "max_new_tokens": None, "no_repeat_ngram_size": 0,
    "repetition_penalty": 1.0, "do_sample": False, "temperature": 1.0, "top_k": 50, "top_p": 1.0, "min_p": 0.0,
    "typical_p": 1.0, "epsilon_cutoff": 0.0, "eta_cutoff": 0.0, "num_return_sequences": 1, "stop_strings": [],
    "max_time": None, "penalty_alpha": 0.0,
}  # fmt: skip
"""Generation settings that checkpoints may have, with the values that ask for nothing: the defaults of `transformers`. In Regard
they are arguments of `translate` and `generate`.
"""
GENERATION_WITHOUT_EFFECT = {
    # scores of ours are always normalised; the end symbol is forced only at a text's largest length (docs/convert.md)
    "renormalize_logits", "remove_invalid_values", "forced_eos_token_id",
    # the same texts, computed in another way
    "use_cache", "use_mtp", "cache_implementation", "cache_config", "max_cache_len", "disable_compile", "compile_config",
    "continuous_batching_config", "low_memory", "prefill_chunk_size", "is_assistant", "num_assistant_tokens",
    "num_assistant_tokens_schedule", "assistant_confidence_threshold", "assistant_early_exit", "assistant_lookbehind",
    "assistant_ensemble_weight", "target_lookbehind", "prompt_lookup_num_tokens", "max_matching_ngram_size", "speculation_type",
    # what it returns, and where it comes from
    "output_attentions", "output_hidden_states", "output_scores", "output_logits", "return_dict_in_generate",
    "_from_model_config", "transformers_version",
}  # fmt: skip
UNSUPPORTED = {"encoder_no_repeat_ngram_size": 0, "encoder_repetition_penalty": 1.0, "guidance_scale": 1.0}
"""Generation settings that Regard does not have, with the values by which they change nothing. Full dumps have them, as those of
both halves of `EncoderDecoderModel`.
"""
T5_ALIASES = {
    "hidden_size": "d_model", "num_attention_heads": "num_heads", "num_hidden_layers": "num_layers", "head_dim": "d_kv",
}  # fmt: skip
OF_TWO_SIDES = {
    "hidden_size": "d_model", "num_attention_heads": "encoder_attention_heads", "num_hidden_layers": "encoder_layers",
}  # fmt: skip
ALIASES: dict[str, dict[str, str]] = {
    "distilbert": {"hidden_size": "dim", "num_attention_heads": "n_heads", "num_hidden_layers": "n_layers"},
    "gpt2": {
        "hidden_size": "n_embd", "max_position_embeddings": "n_positions", "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    },
    "bloom": {"n_embed": "hidden_size", "num_hidden_layers": "n_layer", "num_attention_heads": "n_head"},
    **dict.fromkeys(("marian", "bart", "m2m_100", "mbart", "pegasus"), OF_TWO_SIDES),
    "t5": T5_ALIASES, "mt5": T5_ALIASES, "umt5": T5_ALIASES,
}  # fmt: skip
"""Other names that `transformers` reads settings under, by the type of model."""


def with_standard_names(values: Mapping[str, Any], where: object) -> dict[str, Any]:
    """A configuration whose settings have the names that the readers ask for.

    Raises:
        ModelFolderError: a setting has other values under its two names.
    """
    named = dict(values)
    model_type = named.get("model_type")
    for alias, name in ALIASES.get(model_type, {}).items() if isinstance(model_type, str) else ():
        value = named.pop(alias, None)
        if value is not None and named.setdefault(name, value) != value:
            raise ModelFolderError(f"{where}: {alias} and {name} must be equal; got {value!r} and {named[name]!r}.")
    if named.pop("force_bos_token_to_be_generated", False) and named.get("forced_bos_token_id") is None:
        named["forced_bos_token_id"] = named.get("bos_token_id")  # its old name
    return named


def of_generation(config: ForeignConfig) -> set[str]:
    """The keys of a configuration's generation settings that are not refused."""
    off = {key for key, value in UNSUPPORTED.items() if config.values.get(key) == value}
    return GENERATION_WITHOUT_EFFECT | CHOICES.keys() | off


def check_others(config: ForeignConfig, generation: ForeignConfig) -> None:
    """Make sure that nothing is set that no reader asked for and that may have an effect.

    Args:
        generation: what `generation_config.json` holds.
    Raises:
        ModelFolderError: something is.
    """
    config.refuse_others(WITHOUT_EFFECT | of_generation(config) | set(IDS))
    generation.refuse_others(of_generation(generation) | set(SYMBOLS))


def generation_notes(values: Mapping[str, Any]) -> list[str]:
    """Notes for the user on generation settings, which are chosen anew for each call."""
    return [
        f"{key} is not kept: it is chosen when text is generated"
        for key, default in sorted(CHOICES.items())
        if values.get(key) not in (None, default)
    ]


def never_written(config: ForeignConfig) -> tuple[list[int], list[str]]:
    """The tokens that a decoder never writes, and notes on those rules that ours does not have.

    Raises:
        ModelFolderError: they are no lists of ids.
    """
    words, notes = config.get("bad_words_ids", []), []
    if not all(isinstance(word, list) for word in words):
        raise ModelFolderError(f"{config.place('bad_words_ids')}: bad_words_ids must be lists of ids; got {words!r}.")
    for word in words:
        config.ids("bad_words_ids", word)
    suppressed = config.ids("suppress_tokens", config.get("suppress_tokens", []))
    if any(len(word) > 1 for word in words):
        notes.append("bad_words_ids of several tokens are not kept: only single tokens can be banned")
    return sorted({*(word[0] for word in words if len(word) == 1), *suppressed}), notes


def first_end(config: ForeignConfig) -> list[str]:
    """Let the first of several end symbols be the only one. Returns notes for the user.

    Raises:
        ModelFolderError: there is none, or they are no ids.
    """
    ends = config.values.get("eos_token_id")
    if not isinstance(ends, list):
        return []
    if not config.ids("eos_token_id", ends):
        raise ModelFolderError(f"{config.place('eos_token_id')}: eos_token_id must be an id, or several; got [].")
    config.values["eos_token_id"] = ends[0]
    return [f"of several end symbols the first ends a text: {ends[0]}"]


def name_of(config: ForeignConfig, id: int) -> str | None:
    """The file and the key that the id of a symbol is from; None: it is in neither."""
    for key in (*SYMBOLS, "unk_token_id"):
        value = config.values.get(key)
        if id in (value if isinstance(value, list) else [value]) or [id] in (value if isinstance(value, list) else []):
            return f"{config.place(key)}: {key}"
    return None


def start_ids(config: ForeignConfig, start: int) -> list[int]:
    """The ids that a decoder has read before it writes.

    Args:
        start: the token that it starts from.
    """
    forced = config.id("forced_bos_token_id")
    return [start] if forced is None else [start, forced]
