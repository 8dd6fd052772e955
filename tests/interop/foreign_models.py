"""Models of `transformers` with random weights and unusual configurations, and folders of them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import tokenizers
import torch

from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.interop.foreign import ForeignModel
from regard.interop.formats import read_foreign

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

VOCAB = 29
BERT = {"vocab_size": VOCAB, "hidden_size": 15, "num_attention_heads": 3, "intermediate_size": 22,
        "num_hidden_layers": 2, "max_position_embeddings": 19, "pad_token_id": 0, "bos_token_id": 3,
        "eos_token_id": 2}  # fmt: skip
SEQ = {"vocab_size": VOCAB, "d_model": 18, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 3,
       "decoder_attention_heads": 3, "encoder_ffn_dim": 20, "decoder_ffn_dim": 20, "max_position_embeddings": 30,
       "bos_token_id": 1, "eos_token_id": 2, "forced_eos_token_id": 2}  # fmt: skip


def bert(name: str, **choices: Any) -> Callable[[], Any]:
    def make() -> Any:
        family = re.sub("(For.*|LMHeadModel|Model|Encoder|Decoder)$", "", name)
        values = dict(BERT)
        if family == "DistilBert":
            values = {"vocab_size": VOCAB, "dim": 15, "n_heads": 3, "hidden_dim": 22, "n_layers": 2,
                      "max_position_embeddings": 19, "pad_token_id": 0, "bos_token_id": 3, "eos_token_id": 2}  # fmt: skip
        config = getattr(transformers, f"{family}Config")(**values | choices)
        return getattr(transformers, name)(config)

    return make


def modern(name: str, **choices: Any) -> Callable[[], Any]:
    """ModernBert or EuroBert: texts of 9 tokens are longer than the windows."""

    def make() -> Any:
        values = BERT | {"hidden_size": 16, "num_attention_heads": 4, "num_hidden_layers": 4}
        if name.startswith("Modern"):
            values |= {"local_attention": 4, "cls_token_id": 3, "sep_token_id": 2}
        kind = getattr(transformers, name)
        return kind(kind.config_class(**values | choices))

    return make


def gpt2(**choices: Any) -> Callable[[], Any]:
    values = {"vocab_size": VOCAB, "n_positions": 30, "n_embd": 15, "n_layer": 2, "n_head": 3, "bos_token_id": 28,
              "eos_token_id": 28}  # fmt: skip
    return lambda: transformers.GPT2LMHeadModel(transformers.GPT2Config(**values | choices))


def marian(**choices: Any) -> Callable[[], Any]:
    values = SEQ | {"pad_token_id": 28, "decoder_start_token_id": 28, "scale_embedding": True,
                    "activation_function": "swish"}  # fmt: skip
    return lambda: transformers.MarianMTModel(transformers.MarianConfig(**values | choices))


def bart(**choices: Any) -> Callable[[], Any]:
    values = SEQ | {"pad_token_id": 0, "decoder_start_token_id": 2, "d_model": 15}
    return lambda: transformers.BartForConditionalGeneration(transformers.BartConfig(**values | choices))


def bart_classifier(**choices: Any) -> Callable[[], Any]:
    values = SEQ | {"pad_token_id": 1, "bos_token_id": 0, "decoder_start_token_id": 2, "d_model": 15, "num_labels": 3}
    return lambda: transformers.BartForSequenceClassification(transformers.BartConfig(**values | choices))


def fairseq(name: str, **choices: Any) -> Callable[[], Any]:
    """M2M100, MBart or Pegasus."""
    ids = {"pad_token_id": 1, "bos_token_id": 0, "decoder_start_token_id": 2, "scale_embedding": True}
    if name == "Pegasus":
        ids = {"pad_token_id": 0, "eos_token_id": 1, "forced_eos_token_id": 1, "decoder_start_token_id": 0}
    kind = getattr(transformers, f"{name}ForConditionalGeneration")
    return lambda: kind(getattr(transformers, f"{name}Config")(**SEQ | ids | choices))


def t5(name: str = "T5ForConditionalGeneration", **choices: Any) -> Callable[[], Any]:
    values = {"vocab_size": VOCAB, "d_model": 15, "d_kv": 4, "d_ff": 20, "num_layers": 2, "num_heads": 3,
              "num_decoder_layers": 1, "decoder_start_token_id": 0}  # fmt: skip
    cls = getattr(transformers, name)
    return lambda: cls(cls.config_class(**values | choices))


def pair(encoder: str, decoder: str, **choices: Any) -> Callable[[], Any]:
    def make() -> Any:
        sides = [getattr(transformers, f"{kind}Config")(**BERT | choices) for kind in (encoder, decoder)]
        config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(*sides)
        config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = 1, 0, 2
        return transformers.EncoderDecoderModel(config=config)

    return make


GEMMA = {"vocab_size": VOCAB, "hidden_size": 16, "num_attention_heads": 4, "num_hidden_layers": 2,
         "num_key_value_heads": 2, "head_dim": 6, "intermediate_size": 20, "bos_token_id": 1, "eos_token_id": 2,
         "max_position_embeddings": 40, "query_pre_attn_scalar": 9, "sliding_window": 3,
         "layer_types": ["sliding_attention", "full_attention"]}  # fmt: skip


def gemma(version: int = 3, **choices: Any) -> Callable[[], Any]:
    config = "Gemma3TextConfig" if version == 3 else "Gemma2Config"
    return lambda: getattr(transformers, f"Gemma{version}ForCausalLM")(getattr(transformers, config)(**GEMMA | choices))


def t5gemma(encoder: Mapping[str, Any] = MappingProxyType({}), **choices: Any) -> Callable[[], Any]:
    """Low bounds, so that leaving one out cannot go unnoticed.

    Args:
        encoder: what it has otherwise than the decoder.
    """

    def make() -> Any:
        whole = {key: choices[key] for key in ("tie_word_embeddings",) if key in choices}
        side = GEMMA | {"attn_logit_softcapping": 0.7, "final_logit_softcapping": 2.0} | choices
        sides = {
            name: transformers.T5GemmaModuleConfig(**side | dict(changes))
            for name, changes in (("encoder", encoder), ("decoder", {}))
        }
        config = transformers.T5GemmaConfig(vocab_size=VOCAB, **sides, **whole)
        config._attn_implementation = "eager"  # the others do not bound scores
        return transformers.T5GemmaForConditionalGeneration(config)

    return make


def decoder(name: str, **choices: Any) -> Callable[[], Any]:
    """A language model of Llama's kind or an older one."""

    def make() -> Any:
        values = {"vocab_size": VOCAB, "hidden_size": 16, "num_attention_heads": 4, "num_hidden_layers": 2,
                  "bos_token_id": 1, "eos_token_id": 2,
                  "seq_length" if name == "Bloom" else "max_position_embeddings": 40}  # fmt: skip
        if name not in ("OPT", "Bloom", "GPTNeoX"):
            values |= {"num_key_value_heads": 2, "intermediate_size": 20}
        config = getattr(transformers, f"{name}Config")(**values | choices)
        return getattr(transformers, f"{name}ForCausalLM")(config)

    return make


LLAMA3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8, "rope_theta": 500.0}  # fmt: skip
DECODERS: dict[str, Callable[[], Any]] = {
    "llama": decoder("Llama"),
    "llama, tied, with biases": decoder(
        "Llama", tie_word_embeddings=True, attention_bias=True, mlp_bias=True, num_key_value_heads=4, hidden_act="gelu"
    ),
    "llama 3.1": decoder("Llama", rope_parameters=LLAMA3, head_dim=6, pad_token_id=0, attention_bias=True),
    "llama, interpolated": decoder(
        "Llama", rope_parameters={"rope_type": "linear", "factor": 3.0, "rope_theta": 100.0}, mlp_bias=True
    ),
    "mistral": decoder("Mistral", sliding_window=3, head_dim=6, num_key_value_heads=1),
    "qwen 2": decoder("Qwen2", use_sliding_window=True, sliding_window=4, max_window_layers=1),
    "qwen 2, no windows": decoder("Qwen2", tie_word_embeddings=True),
    "qwen 3": decoder(
        "Qwen3", head_dim=6, use_sliding_window=True, sliding_window=3, attention_bias=True,
        layer_types=["sliding_attention", "full_attention"],
    ),
    "qwen 3, no windows": decoder("Qwen3", tie_word_embeddings=True, rms_norm_eps=0.01),
    "phi 3": decoder(
        "Phi3", pad_token_id=0, sliding_window=5,
        rope_parameters={"rope_type": "default", "rope_theta": 300.0, "partial_rotary_factor": 0.5},
    ),
    "gemma 3": gemma(rope_parameters={
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 300.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 7.0},
    }),
    "gemma 3, untied": gemma(
        tie_word_embeddings=False, attention_bias=True, hidden_activation="silu", num_hidden_layers=7, sliding_window=60,
        layer_types=None, query_pre_attn_scalar=6, num_key_value_heads=1,
    ),
    "gemma 2": gemma(2, attn_logit_softcapping=0.7, final_logit_softcapping=2.0, attn_implementation="eager"),
    "gemma 2, untied, one bound": gemma(
        2, tie_word_embeddings=False, attention_bias=True, num_hidden_layers=3, layer_types=None, attn_logit_softcapping=None,
        query_pre_attn_scalar=6, num_key_value_heads=4, rope_parameters={"rope_type": "default", "rope_theta": 70.0},
    ),
    "opt": decoder("OPT", ffn_dim=20, pad_token_id=0),
    "opt, untied, no biases": decoder(
        "OPT", ffn_dim=20, bos_token_id=2, tie_word_embeddings=False, enable_bias=False, activation_function="gelu_new"
    ),
    "bloom": decoder("Bloom", hidden_size=18, num_attention_heads=3),
    "bloom, untied": decoder("Bloom", pad_token_id=3, tie_word_embeddings=False, num_hidden_layers=1),
    "gpt-neox": decoder("GPTNeoX", intermediate_size=20, use_parallel_residual=False, rotary_pct=0.5),
    "gpt-neox, parallel": decoder("GPTNeoX", intermediate_size=20, rotary_pct=0.5, hidden_act="gelu_new"),
    "gpt-neox, tied, few biases": decoder(
        "GPTNeoX", intermediate_size=20, use_parallel_residual=False, hidden_act="relu", attention_bias=False,
        tie_word_embeddings=True, rope_parameters={"rope_type": "linear", "factor": 2.0, "partial_rotary_factor": 1.0},
    ),
}  # fmt: skip
"""Decoders, of which those without windows look at all of a text."""

MODELS: dict[str, Callable[[], Any]] = {
    "bert, no head": bert("BertModel"),
    "bert, no pooler": lambda: transformers.BertModel(transformers.BertConfig(**BERT), add_pooling_layer=False),
    "bert, chunks": bert("BertForMaskedLM", chunk_size_feed_forward=2),
    "bert decoder": bert("BertLMHeadModel", is_decoder=True, hidden_act="relu", chunk_size_feed_forward=3),
    "bert decoder, untied": bert("BertLMHeadModel", is_decoder=True, tie_word_embeddings=False),
    "bert, mlm, relu": bert("BertForMaskedLM", hidden_act="relu"),
    "bert, mlm, tanh": bert("BertForMaskedLM", hidden_act="tanh", num_hidden_layers=1),
    "bert, mlm, untied": bert("BertForMaskedLM", tie_word_embeddings=False),
    "bert, pretraining": bert("BertForPreTraining"),
    "bert, next sentence": bert("BertForNextSentencePrediction", num_hidden_layers=1),
    "bert, classes, one layer": bert("BertForSequenceClassification", num_labels=4, num_hidden_layers=1),
    "bert, several labels": bert(
        "BertForSequenceClassification", num_labels=3, problem_type="multi_label_classification", num_hidden_layers=1
    ),
    "bert, a number": bert("BertForSequenceClassification", num_labels=1, num_hidden_layers=1),
    "roberta, numbers": bert(
        "RobertaForSequenceClassification", num_labels=2, problem_type="regression", num_hidden_layers=1, pad_token_id=1
    ),
    "bert, tags": bert("BertForTokenClassification", num_labels=4),
    "bert, spans": bert("BertForQuestionAnswering", hidden_act="gelu_new"),
    "roberta, no head": bert("RobertaModel", pad_token_id=1),
    "roberta, mlm": bert("RobertaForMaskedLM", hidden_act="silu", pad_token_id=1, type_vocab_size=1),
    "roberta, classes": bert("RobertaForSequenceClassification", pad_token_id=1),
    "roberta, tags": bert("RobertaForTokenClassification", pad_token_id=2, num_labels=3),
    "xlm-roberta, mlm": bert("XLMRobertaForMaskedLM", pad_token_id=1),
    "camembert, spans": bert("CamembertForQuestionAnswering", pad_token_id=1),
    "distilbert, no head": bert("DistilBertModel"),
    "distilbert, mlm": bert("DistilBertForMaskedLM", activation="relu"),
    "distilbert, classes": bert("DistilBertForSequenceClassification", num_labels=3, seq_classif_dropout=0.0),
    "distilbert, tags": bert("DistilBertForTokenClassification"),
    "distilbert, spans": bert("DistilBertForQuestionAnswering"),
    "electra, mlm": bert("ElectraForMaskedLM", embedding_size=8, hidden_act="relu"),
    "electra, one width": bert("ElectraModel", embedding_size=15, num_hidden_layers=1),
    "electra, classes": bert("ElectraForSequenceClassification", embedding_size=8, num_labels=3, num_hidden_layers=1),
    "electra, tags": bert("ElectraForTokenClassification", embedding_size=15, num_labels=3, num_hidden_layers=1),
    "electra, spans": bert("ElectraForQuestionAnswering", embedding_size=20, num_hidden_layers=1),
    "albert, no head": bert("AlbertModel", embedding_size=8, num_hidden_layers=5, num_hidden_groups=3),
    "albert, mlm": bert("AlbertForMaskedLM", embedding_size=8, num_hidden_layers=3, hidden_act="gelu_new"),
    "albert, inner layers": bert("AlbertForMaskedLM", embedding_size=8, inner_group_num=2, tie_word_embeddings=False),
    "albert, pretraining": bert("AlbertForPreTraining", embedding_size=15),
    "albert, classes": bert("AlbertForSequenceClassification", embedding_size=8, num_labels=3),
    "albert, tags": bert("AlbertForTokenClassification", embedding_size=8, num_labels=3, num_hidden_groups=2),
    "albert, spans": bert("AlbertForQuestionAnswering", embedding_size=8, num_hidden_layers=1),
    "modernbert, mlm": modern("ModernBertForMaskedLM"),
    "modernbert, mlm, biases": modern(
        "ModernBertForMaskedLM", norm_bias=True, attention_bias=True, classifier_bias=True, hidden_activation="silu",
        tie_word_embeddings=False, classifier_activation="relu", num_hidden_layers=2,
    ),
    "modernbert, no head, linear": modern(
        "ModernBertModel", num_hidden_layers=2, mlp_bias=True, layer_types=["sliding_attention", "full_attention"],
        rope_parameters={
            "full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 50.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 5.0},
        },
    ),
    "modernbert, classes": modern("ModernBertForSequenceClassification", num_labels=3, num_hidden_layers=2),
    "modernbert, classes, mean": modern(
        "ModernBertForSequenceClassification", num_labels=3, num_hidden_layers=1, classifier_pooling="mean",
        decoder_bias=False,
    ),
    "modernbert, several labels": modern(
        "ModernBertForSequenceClassification", num_hidden_layers=1, problem_type="multi_label_classification"
    ),
    "modernbert, tags": modern("ModernBertForTokenClassification", num_labels=3, num_hidden_layers=1),
    "modernbert, spans": modern("ModernBertForQuestionAnswering", num_hidden_layers=1, classifier_bias=True),
    "eurobert, mlm": modern("EuroBertForMaskedLM", num_hidden_layers=2, num_key_value_heads=2, head_dim=6),
    "eurobert, mlm, tied, biases": modern(
        "EuroBertForMaskedLM", num_hidden_layers=1, attention_bias=True, mlp_bias=True, tie_word_embeddings=True
    ),
    "eurobert, no head": modern("EuroBertModel", num_hidden_layers=1, rope_parameters=LLAMA3),
    "eurobert, classes": modern("EuroBertForSequenceClassification", num_labels=3, num_hidden_layers=1),
    "eurobert, classes, mean": modern(
        "EuroBertForSequenceClassification", num_hidden_layers=1, classifier_pooling="mean"
    ),
    "eurobert, classes, first": modern(
        "EuroBertForSequenceClassification", num_hidden_layers=1, classifier_pooling="bos"
    ),
    "eurobert, a number": modern("EuroBertForSequenceClassification", num_labels=1, num_hidden_layers=1),
    "eurobert, tags": modern("EuroBertForTokenClassification", num_hidden_layers=1),
    "gpt2": gpt2(),
    "gpt2, scores by layer": gpt2(scale_attn_by_inverse_layer_idx=True, activation_function="quick_gelu"),
    "gpt2, undivided scores": gpt2(scale_attn_weights=False, n_layer=1, activation_function="gelu_fast"),
    "gpt2, one layer, untied, relu": gpt2(n_layer=1, tie_word_embeddings=False, activation_function="relu", n_inner=17),
    "bert-generation encoder": bert("BertGenerationEncoder", hidden_act="relu"),
    "bert-generation decoder": bert("BertGenerationDecoder", is_decoder=True),
    "bert-generation decoder, untied": bert("BertGenerationDecoder", is_decoder=True, tie_word_embeddings=False),
    "encoder-decoder of bert": pair("Bert", "Bert"),
    "encoder-decoder of bert-generation": pair("BertGeneration", "BertGeneration", hidden_act="relu"),
    "encoder-decoder of both": pair("Bert", "BertGeneration", type_vocab_size=3),
    "marian": marian(),
    "marian, unscaled, relu": marian(scale_embedding=False, activation_function="relu"),
    "marian, two vocabularies": marian(
        share_encoder_decoder_embeddings=False, vocab_size=41, decoder_vocab_size=VOCAB, tie_word_embeddings=True
    ),
    "marian, untied": marian(
        share_encoder_decoder_embeddings=False, vocab_size=41, decoder_vocab_size=VOCAB, tie_word_embeddings=False
    ),
    "marian, untied, one vocabulary": marian(tie_word_embeddings=False),
    "bart": bart(),
    "bart, untied": bart(tie_word_embeddings=False),
    "bart, scaled, forced begin": bart(scale_embedding=True, forced_bos_token_id=1, activation_function="gelu_new"),
    "bart, classes": bart_classifier(),
    "bart, several labels": bart_classifier(problem_type="multi_label_classification", scale_embedding=True),
    "bart, a number": bart_classifier(num_labels=1, activation_function="relu", decoder_layers=2),
    "m2m_100": fairseq("M2M100"),
    "m2m_100, unscaled, untied, gelu": fairseq(
        "M2M100", scale_embedding=False, tie_word_embeddings=False, activation_function="gelu"
    ),
    "mbart": fairseq("MBart"),
    "mbart, unscaled, relu, forced begin": fairseq(
        "MBart", scale_embedding=False, activation_function="relu", forced_bos_token_id=1, pad_token_id=5
    ),
    "pegasus": fairseq("Pegasus", activation_function="relu", scale_embedding=True),
    "pegasus, untied, gelu": fairseq("Pegasus", scale_embedding=False, tie_word_embeddings=False),
    "t5": t5(),
    "t5, gated": t5(feed_forward_proj="gated-gelu", num_layers=1),
    "t5, untied": t5(tie_word_embeddings=False, feed_forward_proj="gated-silu"),
    "t5gemma": t5gemma(),
    "t5gemma, untied": t5gemma(
        {"vocab_size": 37}, tie_word_embeddings=False, attention_bias=True, query_pre_attn_scalar=6,
        final_logit_softcapping=None, rope_parameters={"rope_type": "default", "rope_theta": 70.0},
    ),
    "t5gemma, more layers that write": t5gemma(
        {"num_hidden_layers": 1, "layer_types": ["full_attention"]}, layer_types=["full_attention"] * 2,
        attn_logit_softcapping=None, hidden_activation="silu",
    ),
    "umt5": t5("UMT5ForConditionalGeneration"),
    "t5 encoder": t5("T5EncoderModel", feed_forward_proj="gelu_new"),
}  # fmt: skip


def words(size: int) -> tokenizers.Tokenizer:
    names = {f"w{index}": index for index in range(size)}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(names, unk_token="w3"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return backend


def stored(name: str, folder: Path) -> Any:
    """A random model, written by `transformers`, with a tokenizer of numbered words."""
    torch.manual_seed(3)
    model = (MODELS | DECODERS)[name]().eval()
    for key, parameter in model.named_parameters():
        if "embed_positions" not in key or not name.startswith(("marian", "pegasus")):
            parameter.data += 0.15 * torch.randn_like(parameter)
    if name.startswith(("marian", "mbart", "pegasus")):
        model.final_logits_bias += torch.randn_like(model.final_logits_bias)
    if "forced begin" in name:
        model.generation_config.forced_bos_token_id = 1
    model.save_pretrained(folder)
    words(max(VOCAB, getattr(model.config, "vocab_size", VOCAB) if name.startswith("marian") else VOCAB)).save(
        str(folder / "tokenizer.json")
    )
    return model


def read(name: str, folder: Path) -> ForeignModel:
    stored(name, folder)
    return read_foreign(folder)


def beams(foreign: ForeignModel, theirs: Any, sources: torch.Tensor) -> tuple[list[list[int]], list[list[int]]]:
    """All hypotheses of a beam of 4 for each source, ours and theirs, without symbols: an exact search by the sum of
    log-probabilities.
    """
    symbols, longest = foreign.loaded.tokenizer.symbols, 9
    target = TargetSymbols(symbols.start_ids, symbols.eos_id, symbols.pad_id, tuple(symbols.banned_ids))
    settings = BeamSettings(beam_size=4, n_best=4, length_norm="none", early_stopping=False)
    requests = [Request(source, longest) for source in sources.tolist()]
    model: Any = foreign.loaded.model
    found = Decoding(model, requests, BeamSearch(settings, symbols.eos_id), target).run()
    first = len(symbols.start_ids)
    rows = theirs.generate(
        sources, attention_mask=torch.ones_like(sources), num_beams=4, num_return_sequences=4, do_sample=False,
        max_new_tokens=longest + first - 1, length_penalty=0.0, early_stopping="never", forced_eos_token_id=None,
    )[:, first:].tolist()  # fmt: skip
    expected = [row[: row.index(symbols.eos_id)] if symbols.eos_id in row else row for row in rows]
    return [list(hypothesis.ids) for hypotheses in found for hypothesis in hypotheses], expected
