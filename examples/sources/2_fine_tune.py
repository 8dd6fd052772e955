# # Fine-tune
#
# A model that you have learns something new: first with all of its weights, then with an adapter of a few kilobytes that
# leaves the model as it is.

# %pip install --quiet regard

# ## A model to begin with
#
# It writes words backwards. Yours may be a folder of Hugging Face's, Marian's or CTranslate2's instead, such as
# `opus-mt-en-de`.

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
backwards = [(word, word[::-1]) for word in words]

work = Path(tempfile.mkdtemp())
options = {"batch_tokens": 1024, "learning_rate": 0.005}
regard.train(backwards, work / "base", steps=STEPS, dropout=0.0, kind="characters", **options, **SIZES)
base = regard.load(work / "base", kind=regard.Translator)
print("base:", base.translate("abcdef").text)
# -

# ## New data
#
# Now the vowels are to be doubled, too. There are fewer pairs than before.

# +
doubled = [(word, word[::-1].replace("a", "aa").replace("e", "ee")) for word in words[:1_500]]
training, test = doubled[:-200], doubled[-200:]
sources, targets = [source for source, _ in test], [target for _, target in test]


def exact_match(translator: regard.Translator) -> str:
    """The share of the test words that are right."""
    return f"{translator.evaluate(sources, targets)['exact_match']:.1%}"


print("base on the new task:", exact_match(base))
# -

# ## All weights learn

# +
regard.train(training, work / "all", from_=work / "base", steps=STEPS, **options)
tuned = regard.load(work / "all", kind=regard.Translator)
print("all weights:", exact_match(tuned), tuned.translate("abcdef").text)
# -

# ## An adapter learns
#
# Each linear map gets a small map beside it: output = x Wᵀ + scale (x Aᵀ) Bᵀ, where W stays (LoRA, Hu et al. 2021). The
# folder has A and B alone.

# +
regard.train(training, work / "adapter", from_=work / "base", steps=STEPS, batch_tokens=1024, rank=8)
adapted = regard.load(work / "base", kind=regard.Translator, adapter=work / "adapter")
print("adapter:", exact_match(adapted), adapted.translate("abcdef").text)
for name, file in (("base", "base/model.safetensors"), ("adapter", "adapter/adapter.safetensors")):
    print(f"{name:>8}: {(work / file).stat().st_size / 1000:,.0f} kB")
# -

# One model can serve several adapters in one batch: [fine-tuning](../docs/fine-tuning.md) says how, and explains frozen
# parts, teachers and tags.
