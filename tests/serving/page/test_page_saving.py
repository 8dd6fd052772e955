"""Each panel gives what it shows as PNG, SVG, CSV and JSON; and each word that needs it has an explanation."""

from __future__ import annotations

import csv
import io
import json
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from on_page import HEAD, RANK, SEARCH, Shown, head_button, readable

from regard.pipelines.translator import Translator

TEXT = "the old cat sleeps near Paris"
PANELS = "translation", "alignment", "heads", "computed", "layers", "without", "search"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def page(opened: Any, learnt_url: str) -> Shown:
    shown: Shown = opened(learnt_url, text=TEXT, head="cross.1.0", off="cross.0.1", isExplained="true", step=2)
    shown.click(RANK)
    shown.click(SEARCH)
    return shown


def saved(page: Shown, name: str, kind: str) -> bytes:
    time.sleep(0.11)  # Chromium drops, without a word, the eleventh download of a second
    page.page.click(f'summary[aria-label="Save: {name}"]')
    with page.page.expect_download() as downloaded:
        page.page.click(f'button[aria-label="{name} as {kind}"]')
    assert downloaded.value.suggested_filename == f"{name}.{kind.lower()}"
    return Path(downloaded.value.path()).read_bytes()


def table(page: Shown, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(saved(page, name, "CSV").decode())))


def test_each_panel_is_saved_as_pictures(page: Shown) -> None:
    wanted = {
        "translation": page.tokens[0], "alignment": "looks", "heads": "cross.1.0", "computed": "Softmax",
        "layers": "embeddings", "without": "</s>", "search": "</s>",
    }  # fmt: skip
    for name in PANELS:
        drawing = ElementTree.fromstring(saved(page, name, "SVG"))
        words = {"".join(each.itertext()).strip("\u2068\u2069:; ") for each in drawing.iter(f"{SVG}text")}
        assert wanted[name] in words, name
        size = float(drawing.attrib["width"]), float(drawing.attrib["height"])
        for each in drawing.iter(f"{SVG}text"):
            assert 0 <= float(each.attrib["x"]) <= size[0]
            assert 0 <= float(each.attrib["y"]) <= size[1]
        picture = saved(page, name, "PNG")
        assert picture.startswith(b"\x89PNG")
        assert [int.from_bytes(picture[at : at + 4]) for at in (16, 20)] == [2 * length for length in size]
    drawing = ElementTree.fromstring(saved(page, "alignment", "SVG"))
    assert len(list(drawing.iter(f"{SVG}path"))) == len(page.curves)


def test_pictures_are_drawn_in_lines_and_have_no_buttons(page: Shown, learnt: Translator) -> None:
    for name in PANELS:
        drawing = ElementTree.fromstring(saved(page, name, "SVG"))
        assert list(drawing.iter(f"{SVG}image")) == [], name
        words = " ".join("".join(each.itertext()) for each in drawing.iter(f"{SVG}text"))
        for word in ("Switch", "Solo", "Choose a token", "Take it back", "?"):
            assert word not in words, name
    drawing = ElementTree.fromstring(saved(page, "alignment", "SVG"))
    found = learnt.inspect(TEXT, learnt.translate(TEXT).ids)["cross.1.0"].filled(0)
    rows, keys = found.shape
    cells = drawing.find(f"{SVG}g[@class='cells']")
    assert cells is not None
    shades: dict[tuple[int, int], int] = {}
    rects = [(rect, str(group.get("fill"))) for group in cells for rect in group]
    left, top = (min(float(rect.attrib[name]) for rect, _ in rects) for name in ("x", "y"))
    size = float(rects[0][0].attrib["height"])
    for rect, fill in rects:
        row, first = round((float(rect.attrib["y"]) - top) / size), round((float(rect.attrib["x"]) - left) / size)
        for key in range(first, first + round(float(rect.attrib["width"]) / size)):
            shades[row, key] = int(fill[1:3], 16)  # red: 255 where there is no weight, 29 where there is all
    assert shades.keys() == {(row, key) for row in range(rows) for key in range(keys)}
    for (row, key), red in shades.items():
        assert (255 - red) / (255 - 29) == pytest.approx(found[row, key], abs=0.01)
    labels = {"".join(each.itertext()).strip("\u2068\u2069") for each in drawing.iter(f"{SVG}text")}
    assert {readable(token) for token in learnt.translate(TEXT).tokens} <= labels


def test_pictures_say_which_head_is_off_and_which_is_chosen(page: Shown) -> None:
    drawing = ElementTree.fromstring(saved(page, "heads", "SVG"))
    off = [each for each in drawing.iter(f"{SVG}path") if each.get("fill") == "none"]
    assert len(off) == 1
    frames = [each for each in drawing.iter(f"{SVG}rect") if each.get("fill") == "none"]
    widths = sorted(float(each.attrib["stroke-width"]) for each in frames)
    assert len(frames) == page.all("button.cell").count()
    assert widths[-2] < widths[-1]  # one is chosen


def test_a_picture_has_what_is_scrolled_out_of_sight(page: Shown) -> None:
    scroll = "document.querySelector('.search .scroll').scrollTo"
    page.page.evaluate(f"{scroll}(0, 0)")
    first = saved(page, "search", "SVG")
    page.page.evaluate(f"{scroll}(200, 200)")
    assert saved(page, "search", "SVG") == first
    assert first.count(b"<text") == 2 * page.all("#tree g.node").count()


def test_the_numbers_of_each_panel(page: Shown, learnt: Translator) -> None:
    found = learnt.translate(TEXT, alternatives=5)
    seen = learnt.inspect(TEXT, found.text, hidden_states=True, ablate=["cross.0.1"])
    rows = table(page, "translation")
    assert [row["token"] for row in rows[::5]] == found.tokens
    assert [float(row["its_log_prob"]) for row in rows[:5]] == pytest.approx(
        [each[1] for each in found.alternatives[0]], abs=1e-4
    )
    sentences = json.loads(saved(page, "translation", "JSON"))
    assert sentences[0]["text"] == found.text

    weights = seen["cross.1.0"].filled(0)
    for row in table(page, "alignment"):
        assert float(row["weight"]) == pytest.approx(weights[int(row["row"]), int(row["key"])], abs=0.0021)
    content = json.loads(saved(page, "alignment", "JSON"))
    assert content["head"] == "cross.1.0"
    assert content["rows"] == seen.rows("cross").spelled

    heads = {row["head"]: row for row in table(page, "heads")}
    statistics = {str(each.name): each for each in seen.heads}
    (one,) = learnt.inspect(TEXT, found.text, ablate=["encoder.1.0"]).ablations
    assert heads.keys() == statistics.keys()
    assert float(heads["encoder.1.0"]["entropy"]) == pytest.approx(statistics["encoder.1.0"].entropy, abs=1e-4)
    assert float(heads["encoder.1.0"]["worth"]) == pytest.approx(-one.log_prob_change, abs=1e-4)
    assert heads["cross.1.0"]["offset"] == ""
    listed = {each["head"]: each for each in json.loads(saved(page, "heads", "JSON"))}
    assert [name for name, each in listed.items() if each["is_off"]] == ["cross.0.1"]
    assert listed["encoder.1.0"]["worth_by_token"] == pytest.approx([-change for change in one.token_changes], abs=1e-4)

    computed = table(page, "computed")
    assert [float(row["weight"]) for row in computed] == pytest.approx(weights[2].tolist(), abs=1e-4)
    assert json.loads(saved(page, "computed", "JSON"))["head"] == "cross.1.0"

    lens = [row for row in table(page, "layers") if row["step"] == "2"]
    assert [row["token"] for row in lens] == [layer[2][0] for layer in seen.lens]
    assert len(json.loads(saved(page, "layers", "JSON"))["layers"]) == len(seen.lens)

    changes = seen.ablations[0].token_changes
    assert [float(row["change"]) for row in table(page, "without")] == pytest.approx(changes, abs=1e-4)
    assert json.loads(saved(page, "without", "JSON"))["heads"] == ["cross.0.1"]

    trace = learnt.translate(TEXT, trace=True).trace
    assert trace is not None
    tried = table(page, "search")
    assert [row["fate"] for row in tried] == [each.fate for step in trace for each in step]
    assert len(json.loads(saved(page, "search", "JSON"))["trace"]) == len(trace)


def test_each_term_is_explained_in_one_place_inside_the_window(page: Shown) -> None:
    page.click(head_button("encoder.0.0"))
    page.page.set_viewport_size({"width": 360, "height": 700})
    terms = [
        str(each)
        for each in page.all("button.help").evaluate_all("all => all.map(each => each.getAttribute('popovertarget'))")
    ]
    assert len(terms) == len(set(terms)) >= 17
    for term in terms:
        page.page.click(f'button[popovertarget="{term}"]')
        page.drawn()
        box = page.page.locator(f"#{term}").bounding_box()
        assert box is not None, term
        assert 0 <= box["x"] <= 360 - box["width"], term
        assert 0 <= box["y"] <= 700 - box["height"], term
        page.page.keyboard.press("Escape")
        assert not page.page.is_visible(f"#{term}"), term
    assert page.page.input_value(HEAD) == "encoder.0.0"


def test_every_colour_has_a_legend(page: Shown) -> None:
    for panel in ("translate", "matrix", "heads", "computed", "without"):
        assert page.exists(f".panel.{panel} .legend"), panel
    strongest = page.all("#doubts .ramp i").last.evaluate("each => getComputedStyle(each).backgroundColor")
    assert strongest != page.all("#doubts .ramp i").first.evaluate("each => getComputedStyle(each).backgroundColor")
    assert readable(page.tokens[0])
