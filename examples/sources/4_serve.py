# # Serve
#
# A model behind HTTP: a page for people, and the interfaces of LibreTranslate, DeepL and OpenAI for programs that speak them.

# %pip install --quiet "regard[serve]"

# ## A model
#
# A small one, which copies words letter by letter. Yours comes from `regard train`.

# +
import json
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import regard

STEPS = 200
SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 1, "num_decoder_layers": 1}

rng = random.Random(1)
words = ["".join(rng.choices("abcdefgh", k=rng.randint(3, 7))) for _ in range(3_000)]
work = Path(tempfile.mkdtemp())
regard.train(
    [(word, word) for word in words],
    work / "model",
    steps=STEPS,
    batch_tokens=1024,
    learning_rate=0.005,
    dropout=0.0,
    kind="characters",
    **SIZES,
)
# -

# ## A server
#
# In a terminal this is `regard serve en-de=model --port 8000`. `/ready` answers as soon as the model can translate.

# +
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
address = f"http://127.0.0.1:{port}"
words_of_command = [sys.executable, "-m", "regard", "serve", f"en-de={work / 'model'}", "--port", str(port)]
server = subprocess.Popen(words_of_command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def is_ready() -> bool:
    """Whether the server answers."""
    try:
        return urllib.request.urlopen(f"{address}/ready", timeout=5).status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


while not is_ready():
    assert server.poll() is None, "the server has ended"
    time.sleep(0.1)
print("ready")
# -

# ## LibreTranslate's interface


# +
def answer(path: str, **fields: object) -> dict:
    """What the server answers to some fields, as JSON."""
    body = json.dumps(fields).encode()
    request = urllib.request.Request(f"{address}{path}", body, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=60))


print(answer("/translate", q="hgf", source="en", target="de"))
# -

# ## OpenAI's interface

# +
message = {"role": "user", "content": "abc"}
print(answer("/v1/chat/completions", model="en-de", messages=[message])["choices"][0]["message"])
# -

# ## Tokens and doubts
#
# Regard's own interface has more: other tokens that could have been written, alignments, all heads. `/docs` lists all paths,
# and `/` is the page that draws them.

# +
found = answer("/api/v1/translate", text="abc", source="en", target="de")
print(json.dumps(found, ensure_ascii=False)[:300])
page = urllib.request.urlopen(f"{address}/", timeout=60).read().decode()
print(page[:15])
# -

# ## The end
#
# SIGTERM lets running requests finish. [Serving](../docs/serving.md) explains keys, limits and operation.

# +
server.terminate()
print("exit status", server.wait(timeout=60))
# -
