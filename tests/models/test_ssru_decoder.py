"""A decoder with an SSRU in the place of self-attention: it learns, decodes in a beam and in threads, and can be looked into."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from regard.analysis.attribution import trace_flow
from regard.checkpoint import LoadedModel, save_new
from regard.errors import SettingsError
from regard.inspection.residual_stream import read
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.pipelines.loading import load
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LETTERS = "abcdef"
TOKENIZER = Tokenizer.train([LETTERS], TokenizerConfig(kind="characters", vocab_size=50))
EOS = TOKENIZER.eos_id


def words(count: int, seed: int) -> list[str]:
    generator = torch.Generator().manual_seed(seed)
    picked = torch.randint(0, len(LETTERS), (count, 5), generator=generator)
    return ["".join(LETTERS[place] for place in row) for row in picked.tolist()]


def batch(texts: list[str]) -> tuple[Tensor, Tensor, Tensor]:
    ids = torch.tensor([TOKENIZER.encode(text) for text in texts])
    first, last = (torch.full((len(texts), 1), id) for id in (TOKENIZER.bos_id, EOS))
    return torch.cat((ids, last), 1), torch.cat((first, ids), 1), torch.cat((ids, last), 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learnt to copy five letters."""
    torch.manual_seed(0)
    config = EncoderDecoderConfig(
        vocab_size=len(TOKENIZER), model_dim=48, ff_dim=48, num_heads=4, num_encoder_layers=1, num_decoder_layers=1,
        dropout=0.0, norm="pre", decoder_past="ssru", max_positions=32,
    )  # fmt: skip
    model = EncoderDecoder(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    slower = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=200)
    for step in range(200):
        source, target, labels = batch(words(64, seed=step))
        loss = cross_entropy(model(source, target).flatten(0, 1), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slower.step()
    assert float(loss.detach()) < 0.01
    path = tmp_path_factory.mktemp("ssru") / "model"
    save_new(path, *LoadedModel(model.eval(), TOKENIZER, TOKENIZER))
    return path


def test_it_copies_in_every_way_of_decoding(folder: Path) -> None:
    texts = words(20, seed=1000)
    for engine, options in (("auto", {"beam_size": 1}), ("torch", {"beam_size": 4}), ("auto", {"beam_size": 5})):
        found = load(folder, kind=Translator, engine=engine).translate(texts, **options)  # type: ignore[arg-type]
        assert [each.text for each in found] == texts
    translator = load(folder, kind=Translator)
    scored = translator.score(texts, texts)
    best = translator.translate(texts, beam_size=4, length_norm="none")
    for mine, other in zip(scored, best, strict=True):
        assert sum(mine.token_log_probs) == pytest.approx(other.score, abs=1e-4)
    assert translator.translate("abcde", prefixes="ab").text == "abcde"


def test_threads_share_a_model(folder: Path) -> None:
    translator, texts = load(folder, kind=Translator), words(12, seed=7)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: translator.translate(text, beam_size=3).text, texts))
    assert found == texts


def test_the_layers_in_c_give_the_same_scores(folder: Path) -> None:
    """A beam whose hypotheses change places and end; sentences that join when others have ended."""
    texts = [text[:length] for text, length in zip(words(30, seed=9), [1, 5, 3, 2, 4] * 6, strict=True)]
    options: dict[str, Any] = {"beam_size": 4, "n_best": 4, "batch_size": 7, "max_length": 9}
    found = {
        engine: load(folder, kind=Translator, engine=engine).translate(texts, **options)
        for engine in ("torch", "native", "native-int8")
    }
    for each in found["torch"], found["native-int8"]:
        for ours, theirs in zip(found["native"], each, strict=True):
            assert ours.text == theirs.text
            assert ours.score == pytest.approx(theirs.score, abs=1e-4 if each is found["torch"] else 0.1)
    again = load(folder, kind=Translator, engine="native").translate(texts, **options | {"batch_size": 30})
    assert [each.score for each in again] == [each.score for each in found["native"]]  # in any batch, to the last bit


def test_what_can_be_looked_at(folder: Path) -> None:
    translator = load(folder, kind=Translator)
    seen = translator.inspect("abcde", hidden_states=True)
    assert {site.kind for site in seen.record.weights} == {"encoder", "cross"}
    assert seen.record.hidden_states["decoder"].shape == (2, 1 + len(TOKENIZER.encode("abcde")), 48)
    assert [place for _, place in translator.align("abcde").links] == list(range(len(TOKENIZER.encode("abcde"))))
    with pytest.raises(SettingsError, match=r"needs self-attention in the decoder; got an SSRU"):
        trace_flow(translator, seen, "rollout")
    with pytest.raises(SettingsError, match=r"parts need layers of attention; got an SSRU"):
        read(translator.model, [[5, EOS], [2, 5]])
    with pytest.raises(SettingsError, match=r"head must be one of the model's.*; got decoder\.0\.1"):
        translator.inspect("abcde", ablate=["decoder.0.1"])
