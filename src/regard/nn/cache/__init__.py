"""The decoder cache: what a decoder keeps between steps, so that each step projects only its own tokens.

A `DecoderCache` owns the keys and values of what was read, layer by layer, the projected source, and what follows from both:
masks, positions and distances; of a layer with a recurrence, one state. `ContiguousCache` appends; `BeamCache` has
hypotheses that share their beginnings, branch and end. A `DecoderLayer` sees its own part of either, a `LayerCache`.
"""

from regard.nn.cache.beam_cache import BeamCache, BeamLayer
from regard.nn.cache.decoder_cache import (
    AfterPast,
    Cache,
    ContiguousCache,
    DecoderCache,
    LayerCache,
    Memory,
    NoCache,
    RunLayers,
    StateCache,
)
from regard.nn.cache.keys_values import KeysValues, LearnedPrefix

__all__ = [
    "AfterPast",
    "BeamCache",
    "BeamLayer",
    "Cache",
    "ContiguousCache",
    "DecoderCache",
    "KeysValues",
    "LayerCache",
    "LearnedPrefix",
    "Memory",
    "NoCache",
    "RunLayers",
    "StateCache",
]
