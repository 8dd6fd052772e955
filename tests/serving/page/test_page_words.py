"""The page's words: whose a query is, which tokens may not be looked at and why, and the numbers of layers and heads."""

from __future__ import annotations

import re
from typing import Any

import page_models
import pytest
import torch
from on_page import HEAD, MATRIX, Shown, readable

from regard.checkpoint import save_new
from regard.models.config import DecoderConfig, EncoderConfig
from regard.models.registry import build
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

TEXT = "the old cat sleeps near Paris"
WIDTH = 3


@pytest.fixture(scope="module")
def windowed(serve: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Models of each family with a layer that looks through a window."""
    path = tmp_path_factory.mktemp("windowed")
    tokenizer = Tokenizer.train(["abcdefgh"], TokenizerConfig(kind="characters", vocab_size=20))
    sizes = {"vocab_size": len(tokenizer), "model_dim": 8, "ff_dim": 8, "num_heads": 2, "windows": [None, WIDTH]}
    configs = {
        "letters": DecoderConfig(num_layers=2, **sizes),
        "moods": EncoderConfig(num_layers=2, task="classify", labels=["sad", "glad"], **sizes),
    }
    torch.manual_seed(5)
    for name, config in configs.items():
        save_new(path / name, build(config).eval(), tokenizer)
    page_models.copying(path / "en-de", window=WIDTH)
    return str(serve(path / "en-de", *(path / name for name in configs)).url)


def said(page: Shown, selector: str = "#mask") -> str:
    """A text without line breaks."""
    return re.sub(r"\s+", " ", page.text(selector)).strip()


def test_the_query_has_one_owner_in_every_panel(opened: Any, learnt_url: str, learnt: Translator) -> None:
    tokens = learnt.translate(TEXT).tokens
    page = opened(learnt_url, text=TEXT, head="decoder.1.0", isExplained="true")
    for row in (0, 2, len(tokens) - 1):
        page.take_token(row)
        page.wait(f"regard.state.inspection.lookup?.view.row === {row}")
        page.settled()
        written = readable(tokens[row])
        place = f"bout to write {written}, has read up to {readable(tokens[row - 1]) if row else '<s>'}"
        assert said(page, "#cell").startswith(f"A{place}: looks with ")
        assert said(page, "#place") == f"The query belongs to the place that is a{place}."
        assert f"A{place}: it may look at " in said(page)
        assert re.sub(r" \(.+?%\)", "", said(page, ".layers .controls")).endswith(f"a{place}")
        assert said(page, ".computed .strip span").startswith(f"query, about to write {written}")
    page.choose(HEAD, "encoder.1.0")
    page.page.wait_for_selector("#place")
    page.settled()
    assert said(page, "#place").startswith("The query belongs to the token ")


def test_the_mask_names_the_tokens_that_it_hides(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abc", head="decoder.0.1", step=1)
    why = "a place may not look at tokens that are not written yet. While the model translates, there are none."
    assert said(page).startswith(f"Hatched: {why}")
    assert said(page).endswith("About to write a, has read up to ␣: it may look at <s>, ␣, and not at a, b, c.")
    page.press(MATRIX, "ArrowDown", "ArrowDown")
    assert said(page).endswith("About to write c, has read up to b: it may look at <s>, ␣, a, b, and not at c.")
    page.press(MATRIX, "ArrowDown")
    assert said(page).endswith("About to write </s>, has read up to c: it may look at all of them.")
    assert page.exists("#legend .forbidden")
    page.choose(HEAD, "cross.0.0")
    assert said(page).startswith("No cell is hatched: the text is there from the start")
    assert "not written yet" in said(page)  # of the other heads
    assert not page.exists("#legend .forbidden")
    page.choose(HEAD, "encoder.0.0")
    assert said(page).startswith("No cell is hatched")
    page.choose(HEAD, "flow.rollout")
    assert not page.exists("#mask")


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("en-de", {"encoder.0.0": ["to each side"], "decoder.0.0": ["translates", "back"]}),
        ("letters", {"decoder.1.0": ["writes", "back"], "decoder.0.0": ["writes"]}),
        ("moods", {"encoder.1.1": ["to each side"], "encoder.0.1": []}),
    ],
)
def test_a_window_is_said(opened: Any, windowed: str, name: str, heads: dict[str, list[str]]) -> None:
    page = opened(windowed, direction=name, text="abcdefgh")
    for head, reasons in heads.items():
        page.choose(HEAD, head)
        assert [
            each for each in ("translates", "writes", "to each side", "back") if f" {each}" in said(page)
        ] == reasons
        has_window = {"to each side", "back"} & {*reasons}
        assert all(f"its own position, and {WIDTH - 1} {each}" in said(page) for each in has_window)


def test_layers_and_heads_are_numbered_as_their_names(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    names = [str(each) for each in learnt.inspect(TEXT).head_names]
    options = [each for each in page.texts(f"{HEAD} option") if "head" in each]
    assert len(options) == len(names)
    for option, name in zip(options, names, strict=True):
        _, layer, head = name.split(".")
        assert option.endswith(f"ayer {layer}, head {head} ({name})")
    for name in (names[0], names[-1]):
        page.choose(HEAD, name)
        _, layer, head = name.split(".")
        for selector in ("#shown-head", "#head-words"):
            assert f"ayer {layer}, head {head} ({name}): reads " in said(page, selector)
    sites = page.all(".site").evaluate_all("all => all.map(each => [each.innerText, each.ariaLabel])")
    assert sites == [
        [f"Layer {n}", f"Layer {n} ({kind}.{n})"] for kind in ("encoder", "decoder", "cross") for n in (0, 1)
    ]
    seen = page.page.inner_text("main")
    assert max(int(each) for each in re.findall(r"[Ll]ayer (\d+)", seen)) == 1


def test_what_ends_a_text_has_one_spelling_and_bars_stand_in_the_middle(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=TEXT, head="cross.0.0", off="cross.1.0", isExplained="true")
    assert page.texts(".changes .change bdi")[-1] == page.texts("#row-tokens bdi")[-1] == "</s>"
    page.page.wait_for_selector("#softmax")
    row = page.page.evaluate("""() => { const middle = it => { const {top, height} = it.getBoundingClientRect();
        return top + height / 2; }; const row = document.querySelector('#softmax tbody tr');
        return [middle(row), middle(row.querySelector('.track'))]; }""")
    assert abs(row[0] - row[1]) <= 1.5


def test_the_map_lights_the_attention_that_is_shown(opened: Any, learnt_url: str, windowed: str) -> None:
    page = opened(learnt_url, text=TEXT, step=1)
    first, second = (page.texts(f"#output .token >> nth={place}")[0] for place in (0, 1))

    def lit() -> list[str]:
        page.drawn()
        return [
            str(each) for each in page.all("#map .band.here").evaluate_all("all => all.map(each => each.dataset.site)")
        ]

    for head, other_side in (
        ("cross.1.0", True),
        ("decoder.1.1", False),
        ("encoder.0.1", False),
        ("mean.cross.0", None),
    ):
        page.choose(HEAD, head)
        assert lit() == [head.removeprefix("mean.").rpartition(".")[0] if other_side is not None else "cross.0"]
        assert page.all("#map .reads.here").count() == (0 if other_side is False else 1)
        if other_side is None:
            assert not page.exists("#origins")
            continue
        assert ("from the encoder" in said(page, "#origins")) is other_side
        if not head.startswith("encoder"):
            assert f"about to write {second}, has read up to {first}. " in said(page, "#origins")
            sides = page.texts("#map .side")
            assert [*sides[-5:]] == ["has read up to", first, "decoder", "about to write", second]
    page.choose(HEAD, "mean")
    assert lit() == ["cross.0", "cross.1"]
    page.choose(HEAD, "flow.rollout")
    assert lit() == []
    assert "all layers" in said(page, "#origins")
    letters = opened(windowed, direction="letters", text="abc", head="decoder.1.0")
    assert letters.all("#map .band.here").count() == 1
    assert letters.all("#map .reads").count() == 0
