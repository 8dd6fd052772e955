# # Look inside
#
# Each head of attention is a table: a row for every token that looks, a column for every token that is looked at. Here is a
# model that writes words backwards, and all of its tables.

# %pip install --quiet regard

# +
import random
import tempfile
from pathlib import Path

import regard

STEPS = 250
SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 1, "num_decoder_layers": 1}

rng = random.Random(1)
words = sorted({"".join(rng.choices("abcdefgh", k=rng.randint(3, 7))) for _ in range(4_000)})
rng.shuffle(words)
work = Path(tempfile.mkdtemp())
result = regard.train(
    [(word, word[::-1]) for word in words],
    work / "model",
    steps=STEPS,
    batch_tokens=1024,
    learning_rate=0.005,
    dropout=0.0,
    kind="characters",
    **SIZES,
)
translator = result.translator
# -

# ## All heads, in numbers
#
# The entropy of a row says over how many tokens it is spread: 0 nats is one token. The label names the pattern that a head
# follows, where it is a known one.

# +
seen = translator.inspect("fedcabg")
print(f"fedcabg -> {seen.target}")
for head in seen.heads:
    print(f"{head.name!s:<12} {head.label:<16} entropy {head.entropy:.2f} nats")
# -

# ## One head
#
# Of the heads between target and source, this one is the sharpest. Read a row from left to right: the letter that is
# written, and the letters that it looks at. Writing backwards is a diagonal from the upper right.

# +
sharpest = min((head for head in seen.heads if head.name.kind == "cross"), key=lambda head: head.entropy)
print(seen.terminal(str(sharpest.name), colour=False))
# -

# ## Which letter comes from where
#
# An alignment reads one table: of the head that was found to align best.

# +
alignment = translator.align("fedcabg", "gbacdef")
for number, row in enumerate(alignment.weights):
    print(number, " ".join(f"{weight:.2f}" for weight in row))
# -

# ## A page for the browser
#
# `page.html` is one file without a network: every head, with switches. What weights show, and what they do not, is the
# subject of [Inspection](../docs/inspection.md).

# +
seen.save(work / "page.html")
print(f"{(work / 'page.html').stat().st_size / 1000:,.0f} kB")
# -
