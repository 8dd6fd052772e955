"""Draws the diagrams of "The Transformer in 150 lines": `python docs/guide/pictures/draw_06.py`."""

from diagrams import FAINT, KEY, LINE, QUERY, VALUE, Diagram

ENCODER, DECODER = 160, 520


def draw_model() -> None:
    """The whole model, with what gives each attention its queries, keys and values."""
    found = Diagram(720, 660, "The Transformer: encoder, decoder, and what gives queries, keys and values")
    for middle, name, words in (
        (ENCODER, "source ids", "c b a </s>"),
        (DECODER, "target ids, moved by one", "<s> a b c"),
    ):
        found.text(middle, 650, words, colour=FAINT)
        found.text(middle, 631, name)
        found.arrow((middle, 616), (middle, 602))
        found.box(middle, 572, "Embedding, × √d")
        found.arrow((middle, 572), (middle, 558))
        found.box(middle, 528, "+ PositionalEncoding")
    _layer(found, ENCODER, -1, 528, ("MultiHeadAttention", "FeedForward"))
    top = _layer(found, DECODER, 1, 528, ("MultiHeadAttention", "MultiHeadAttention", "FeedForward"))
    found.text(ENCODER - 112, 274, "EncoderLayer × N", colour=FAINT, anchor="start", size=12)
    found.text(DECODER - 112, top - 6, "DecoderLayer × N", colour=FAINT, anchor="start", size=12)
    found.arrow((ENCODER, 292), (ENCODER, 262), (330, 262), head=False)
    found.text(ENCODER + 8, 256, "encoded source", anchor="start", size=12)
    for x, y, colour in ((330, 352, KEY), (342, 364, VALUE)):
        found.arrow((330, 262), (x, 262), (x, y), (DECODER - 95, y), colour=colour)
    found.text(370, 346, "key", colour=KEY, size=12)
    found.text(374, 379, "value", colour=VALUE, size=12)
    found.text(DECODER - 64, 506, "causal", colour=FAINT, anchor="end", size=12)
    found.arrow((DECODER, top + 12), (DECODER, 74))
    found.box(DECODER, 44, "× Embedding, transposed", width=190)
    found.arrow((DECODER, 44), (DECODER, 30))
    found.text(DECODER, 22, "logits of the next token: a b c </s>")
    found.save("06-model")


def _layer(found: Diagram, middle: float, side: int, y: float, names: tuple[str, ...]) -> float:
    """The sublayers of a layer, each with its residual on one side, from `y` upwards; where the top of its frame is."""
    begin = y - 8
    for index, name in enumerate(names):
        top = y - 76
        is_attention = name.startswith("Multi")
        bar = y - 18
        found.arrow((middle, y), (middle, bar), head=False)
        if is_attention:
            is_cross = index == 1
            inputs = (
                ((0, "query", QUERY),) if is_cross else ((-60, "query", QUERY), (0, "key", KEY), (60, "value", VALUE))
            )
            for offset, word, colour in inputs:
                found.arrow((middle, bar), (middle + offset, bar), (middle + offset, top + 30), colour=colour)
                found.text(middle + offset + 4, bar - 8, word, colour=colour, anchor="start", size=12)
        else:
            found.arrow((middle, bar), (middle, top + 30))
        found.box(middle, top, name, width=190)
        found.arrow((middle, top), (middle, top - 12))
        found.box(middle, top - 42, "Residual: add, norm", width=190)
        out = middle + side * 103
        found.arrow((middle, y - 9), (out, y - 9), (out, top - 27), (middle + side * 95, top - 27))
        y = top - 42
    found.frame(middle - 114, y - 12, 228, begin - y + 12)
    return y - 12


def draw_attention() -> None:
    """Multi-head attention of 7 positions, 32 numbers each, in 4 heads: how shapes change."""
    found = Diagram(720, 430, "Multi-head attention: projections, heads, weights, contexts, and their concatenation")
    columns = ((130, "query", QUERY, "x"), (360, "key", KEY, "source"), (590, "value", VALUE, "source"))
    for middle, name, colour, origin in columns:
        found.text(middle, 420, f"{origin}: batch 7 32")
        found.arrow((middle, 405), (middle, 390), colour=colour)
        found.box(middle, 360, f"{name}_proj, split in 4", width=180, colour=colour)
        found.text(middle + 8, 350, "batch 4 7 8", colour=FAINT, anchor="start", size=12)
    found.arrow((130, 360), (130, 310), colour=QUERY)
    found.arrow((360, 360), (360, 325), (220, 325), (220, 310), colour=KEY)
    found.box(175, 280, "query · key / √8", width=190)
    found.text(183, 272, "scores: batch 4 7 7", colour=FAINT, anchor="start", size=12)
    found.arrow((175, 280), (175, 254))
    found.box(175, 224, "mask, then softmax over keys", width=230)
    found.text(183, 216, "weights: batch 4 7 7, rows sum to 1", colour=FAINT, anchor="start", size=12)
    found.arrow((175, 224), (175, 198), colour=LINE)
    found.arrow((590, 360), (590, 183), (280, 183), colour=VALUE)
    found.box(175, 168, "weights × value", width=210)
    found.text(183, 160, "contexts: batch 4 7 8", colour=FAINT, anchor="start", size=12)
    found.arrow((175, 168), (175, 142))
    found.box(175, 112, "heads side by side", width=190)
    found.text(183, 104, "batch 7 32", colour=FAINT, anchor="start", size=12)
    found.arrow((175, 112), (175, 86))
    found.box(175, 56, "output_proj", width=190)
    found.arrow((175, 56), (175, 38))
    found.text(175, 28, "batch 7 32")
    found.save("06-attention")


def draw_shift() -> None:
    """The target, read and written at the same positions, moved by one."""
    found = Diagram(460, 290, "The target moved by one: what the decoder reads, and what it should write")
    places = (150, 235, 320, 405)
    found.box(277, 130, "decoder", width=330)
    for name, y in (("writes", 50), ("reads", 250)):
        found.text(55, y, name, colour=FAINT)
    for place, read, label in zip(places, ("<s>", "b", "a", "c"), ("b", "a", "c", "</s>"), strict=True):
        found.box(place, 230, read, width=64)
        found.box(place, 30, label, width=64)
        seen = place <= places[2]
        found.arrow((place, 230), (place, 162), colour=KEY if seen else LINE)
        found.arrow((place, 130), (place, 62), colour=QUERY if place == places[2] else LINE)
    found.text(277, 284, "the third position sees what is orange", colour=FAINT, size=13)
    found.text(277, 20, "the same tokens, moved by one", colour=FAINT, size=13)
    found.save("06-shift")


if __name__ == "__main__":
    draw_model()
    draw_attention()
    draw_shift()
