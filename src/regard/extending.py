"""Everything that a program of your own needs to extend the library, in one place.

    from regard.extending import Architecture, EncoderDecoder, EncoderDecoderConfig, Family, PairsTask, Translator, add_family

What is added is known to this process only: add it before `train` or `load`. Everything else finds it by its name then.
docs/extending.md describes each part, and `tests/extending/` has examples.
"""

from __future__ import annotations

from regard.checkpoint import LoadedModel
from regard.data.batch import Batch, LabelledBatch
from regard.evaluation.likelihood import label_likelihood, likelihood
from regard.evaluation.text_metrics import add_metric
from regard.generation.active_batch import ActiveBatch
from regard.generation.filters import Filter
from regard.generation.options import DecodingOptions, add_decoding_method
from regard.generation.request import Hypothesis, Request
from regard.generation.rules.rule import Rule
from regard.interop.foreign import ForeignModel
from regard.interop.formats import Format, add_format
from regard.interop.mapping import Account, TensorRef, load_tensors
from regard.models.config import (
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    ModelConfig,
    RecurrentConfig,
    TransformerConfig,
)
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import DecoderState, Model, PairModel, TokenModel
from regard.models.parts import add_position_scheme
from regard.models.recurrent import Recurrent, add_attention_score
from regard.models.registry import Architecture
from regard.nn.positions import AttentionPositions
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.runs.families import Family, add_family, add_task
from regard.runs.progress import RunDisplay
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.labels import ClassifyTask, TagTask
from regard.runs.tasks.pairs import PairsTask
from regard.runs.tasks.running_text import LanguageTask, MaskedTask
from regard.runs.tasks.task import Inputs, Task
from regard.text.tokenizer import Symbols, Tokenizer
from regard.training.training_run import Callback, Progress

__all__ = [
    "Account",
    "ActiveBatch",
    "Architecture",
    "AttentionPositions",
    "Batch",
    "Callback",
    "ClassifyTask",
    "Decoder",
    "DecoderConfig",
    "DecoderState",
    "DecodingOptions",
    "Encoder",
    "EncoderConfig",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "Family",
    "Filter",
    "ForeignModel",
    "Format",
    "Hypothesis",
    "Inputs",
    "LabelledBatch",
    "LanguageModel",
    "LanguageTask",
    "LoadedModel",
    "MaskedTask",
    "Model",
    "ModelConfig",
    "PairModel",
    "PairsTask",
    "Pipeline",
    "Predictor",
    "Progress",
    "Recurrent",
    "RecurrentConfig",
    "Request",
    "Rule",
    "RunDisplay",
    "RunSettings",
    "Symbols",
    "TagTask",
    "Task",
    "TensorRef",
    "TokenModel",
    "Tokenizer",
    "TransformerConfig",
    "Translator",
    "add_attention_score",
    "add_decoding_method",
    "add_family",
    "add_format",
    "add_metric",
    "add_position_scheme",
    "add_task",
    "label_likelihood",
    "likelihood",
    "load_tensors",
]
