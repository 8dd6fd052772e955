# # Translate
#
# A model that turns English dates into ISO 8601: trained in less than a minute on two cores, measured on dates that it
# has not seen, and asked. Instead of dates, give pairs of sentences: nothing else changes.

# %pip install --quiet regard

# ## Pairs
#
# A pair is a source and its target. Files work the same: `regard.train("pairs.tsv", "model")`.

# +
import datetime
import random
import tempfile
from pathlib import Path

import regard

days = [datetime.date(2000, 1, 1) + datetime.timedelta(days=number) for number in range(7_000)]
random.Random(1).shuffle(days)
pairs = [(f"{day:%B} {day.day}, {day.year}", day.isoformat()) for day in days]
for source, target in pairs[:3]:
    print(f"{source:>20} -> {target}")
# -

# ## Train
#
# One layer on each side is enough here. `regard.train(pairs, "model")` alone chooses the sizes by what the pairs look
# like.

# +
STEPS = 500
SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 1, "num_decoder_layers": 1}

training, valid, test = pairs[:-300], pairs[-300:-200], pairs[-200:]
model = Path(tempfile.mkdtemp()) / "model"
result = regard.train(
    training,
    model,
    valid=valid,
    steps=STEPS,
    batch_tokens=1024,
    learning_rate=0.005,
    dropout=0.0,
    kind="characters",
    **SIZES,
)
# -

# ## Measure
#
# The model has not seen these dates. A target counts if every character is right.

# +
translator = regard.load(model, kind=regard.Translator)
scores = translator.evaluate([source for source, _ in test], [target for _, target in test])
print(f"exact match on {len(test)} dates: {scores['exact_match']:.1%}")
# -

# ## Ask
#
# A translation has a text, a score, and the log-probability of every token. `n_best` asks for more than one.

# +
for found in translator.translate(["May 4, 2016", "February 29, 2012"], beam_size=3, n_best=2):
    print([(each.text, round(each.score, 2)) for each in found.n_best])

print([round(each, 2) for each in translator.translate("May 4, 2016").token_log_probs])
# -

# From here: [a model of your own](../docs/training.md), [settings of the search](../docs/generation.md), and
# [looking inside](3_look_inside.ipynb).
