"""The pipeline of each family of models: the class that a loaded model of the family becomes."""

from __future__ import annotations

from regard.models.config import ModelConfig
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator

PIPELINES: dict[str, type[Pipeline]] = {
    "encoder-decoder": Translator,
    "rnn": Translator,
    "decoder": LanguageModel,
    "encoder": Predictor,
    "encoder-decoder-classifier": Predictor,
}


def pipeline_type(config: ModelConfig) -> type[Pipeline]:
    """The class of the pipelines of a configuration's family."""
    return PIPELINES[config.arch]
