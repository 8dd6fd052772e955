"""A splitter of texts into sentences in the form that Argos Translate runs: MiniSBD's, a network of characters in ONNX.

Ours is a convolution whose weights are rules. Each rule asks for kinds of characters at consecutive places, and fires where
all are there: a sentence ends

* at `.`, `!`, `?` or `…` before a space, with quotation marks or brackets closed in between, unless a small letter follows
  the space;
* but not at the `.` after a single capital, as in "J. Smith";
* at `。`, `！` or `？`, with no space needed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from regard.errors import MissingExtraError

ENDS, CLOSERS, WIDE_ENDS = ".!?…", "\"'”’»)]", "。！？"
PAD, SPACE, DOT, END, CLOSER, WIDE, CAPITAL, SMALL, OTHER = range(9)
"""The kinds of characters; the padding after a text is the first."""
NUM_KINDS, WIDTH, HERE = 9, 6, 3
"""The number of places that a rule sees, and the place among them that it decides about."""
LABELS = 3
"""The labels of a character: inside a token, end of a token, end of a sentence."""


def splitter_model() -> bytes:
    """The content of the ONNX file.

    Raises:
        MissingExtraError: `onnx` is not installed.
    """
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError("writing an Argos package", "convert") from error
    helper, numbers = onnx.helper, onnx.numpy_helper
    kinds, weights, biases = np.eye(NUM_KINDS, dtype=np.float32), *_convolution(_rules())
    ids = _ids()
    table = kinds[[kind for kind, _ in sorted({(kind, id) for _, (kind, id) in ids.items()}, key=lambda pair: pair[1])]]
    tensors = {"table": table, "weights": weights, "biases": biases,
               "slope": np.array([0, 0, 1], np.float32), "offset": np.array([0, -1, 0], np.float32)}  # fmt: skip
    nodes = [
        helper.make_node("Gather", ["table", "units"], ["kinds"]),
        helper.make_node("Transpose", ["kinds"], ["rows"], perm=[0, 2, 1]),
        helper.make_node("Conv", ["rows", "weights", "biases"], ["fired"], pads=[HERE, WIDTH - 1 - HERE]),
        helper.make_node("Transpose", ["fired"], ["rules"], perm=[0, 2, 1]),
        helper.make_node("ReduceMax", ["rules"], ["best"], axes=[2], keepdims=1),
        helper.make_node("Mul", ["best", "slope"], ["scaled"]),
        helper.make_node("Add", ["scaled", "offset"], ["labels"]),
    ]
    types, value = onnx.TensorProto, helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "sentences",
        [value("units", types.INT64, ["texts", "characters"]), value("features", types.FLOAT, ["texts", "characters", 1])],
        [value("labels", types.FLOAT, ["texts", "characters", LABELS])],
        [numbers.from_array(tensor, name) for name, tensor in tensors.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="regard")
    config = {"feat_funcs": ["end_of_para"], "max_seqlen": 1000, "batch_size": 1}
    units = {unit: id for unit, (_, id) in ids.items()}
    vocabulary = {"lang": "", "idx": 0, "cutoff": 0, "lower": False, "_unit2id": units}
    helper.set_model_props(
        model, {"lang_code": "", "config": json.dumps(config), "vocab": json.dumps(vocabulary), "lexicon": "null"}
    )
    return bytes(model.SerializeToString())


def _ids() -> dict[str, tuple[int, int]]:
    """The kind of each character that is not just any other, and its id. All of one kind share an id."""
    capitals = [character for character in map(chr, range(0x250)) if character.isupper()]
    cased = [*map(chr, range(0x41, 0x590)), *map(chr, range(0x1E00, 0x2000))]
    kinds = {"<PAD>": PAD, "<UNK>": OTHER, " ": SPACE, ".": DOT}
    kinds |= dict.fromkeys(ENDS[1:], END) | dict.fromkeys(CLOSERS, CLOSER) | dict.fromkeys(WIDE_ENDS, WIDE)
    kinds |= dict.fromkeys([*capitals, *(character for character in cased if character.isupper())], CAPITAL)
    kinds |= dict.fromkeys([character for character in cased if character.islower()], SMALL)
    order = [PAD, OTHER, SPACE, DOT, END, CLOSER, WIDE, CAPITAL, SMALL]
    return {unit: (kind, order.index(kind)) for unit, kind in kinds.items()}


Rule = dict[int, Sequence[int]]
"""The kinds that may stand at each place, counted from the character that may end a sentence."""


def _rules() -> list[Rule]:
    every = tuple(range(NUM_KINDS))
    no_small = tuple(kind for kind in every if kind != SMALL)
    followed: Rule = {1: (SPACE,), 2: no_small}
    last: Rule = {1: (PAD,)}
    no_capital = tuple(kind for kind in every if kind != CAPITAL)
    no_break = tuple(kind for kind in every if kind not in (SPACE, PAD, DOT, CLOSER))
    rules: list[Rule] = [{0: (WIDE,), 1: tuple(kind for kind in every if kind not in (CLOSER, WIDE))}]
    rules += [{-1: (WIDE,), 0: (CLOSER,)}]
    for after in (followed, last):
        rules += [
            {0: (END,)} | after,
            {-1: (END, DOT), 0: (CLOSER,)} | after,
            {-1: no_capital, 0: (DOT,)} | after,
            {-2: no_break, -1: (CAPITAL,), 0: (DOT,)} | after,
        ]
    return rules


def _convolution(rules: Sequence[Rule]) -> tuple[np.ndarray, np.ndarray]:
    """Weights and biases of filters, one for each rule: positive where all of its places suit, negative otherwise.

    Before a text and after its padding, all kinds are 0, and suit no rule.
    """
    weights = np.zeros((len(rules), NUM_KINDS, WIDTH), np.float32)
    for number, rule in enumerate(rules):
        for place, kinds in rule.items():
            weights[number, list(kinds), HERE + place] = 1
    return weights, np.array([0.5 - len(rule) for rule in rules], np.float32)
