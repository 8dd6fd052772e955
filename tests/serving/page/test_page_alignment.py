"""The panel of the alignment shows the weights that are, in heads whose weights are known beforehand and in those of a model."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from on_page import GRID, HEAD, LENS, MATRIX, SHARE, STEP, TOKEN, Shown, numbers, percent, readable
from playwright.sync_api import expect

from regard.inspection.inspection import Inspection
from regard.pipelines.translator import Translator

WORD = "abcde"  # tokens: ▁ a b c d e, and the end
SHOWN_AS = [*"␣abcde", "</s>"]
LOOKS = {
    "encoder.0.0": lambda row, key: float(key == row),
    "encoder.0.1": lambda row, key: float(key == max(row - 1, 0)),
    "decoder.0.0": lambda row, key: float(key == max(row - 1, 0)),
    "decoder.0.1": lambda row, key: (
        float(row == 0) if key == 0 and row in (0,) else {0: 0.75, 1: 0.25}.get(row - key, 0.0)
    ),
    "cross.0.0": lambda row, key: float(key == row),
    "cross.0.1": lambda row, key: float(key == 6) if row == 6 else 0.5 * (key - row in (0, 1)),
}
TEXT = "the old cat sleeps near Paris"


def test_cells_of_known_heads(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text=WORD)
    for head, looks in LOOKS.items():
        page.choose(HEAD, head)
        is_decoder = head.startswith("decoder")
        rows, keys = SHOWN_AS, ["<s>", *"␣abcde"] if is_decoder else SHOWN_AS
        page.press(MATRIX, *["ArrowUp"] * 2, "Home")
        row, key = rows.index(page.cell[0]), 0
        assert row in (0, 2)
        for step in ("", *["ArrowRight"] * 4, "ArrowDown", *["ArrowLeft"] * 3, "ArrowDown"):
            if step:
                move(page, step)
            row, key = row + (step == "ArrowDown"), key + (step == "ArrowRight") - (step == "ArrowLeft")
            wanted = None if is_decoder and key > row else looks(row, key)
            assert page.cell == (rows[row], wanted, keys[key])


def move(page: Shown, key: str) -> None:
    page.page.keyboard.press(key)
    page.drawn()


def test_the_ends_of_the_matrix_hold(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text=WORD, head="cross.0.1")
    page.press(MATRIX, "Home", "ArrowLeft", "ArrowUp")
    assert page.cell == ("␣", 0.5, "␣")
    page.press(MATRIX, "End")
    assert page.cell == ("␣", 0.0, "</s>")
    page.press(MATRIX, "ArrowRight", *["ArrowDown"] * 9)
    assert page.cell == ("</s>", 1.0, "</s>")
    page.press(MATRIX, "ArrowUp")
    assert page.cell == ("e", 0.5, "</s>")
    assert page.all(TOKEN).nth(5).get_attribute("aria-pressed") == "true"  # the other panels go along


def layout_of(page: Shown) -> Any:
    """Where the cells of the matrix are, once the page was drawn for its size."""
    page.page.evaluate("dispatchEvent(new Event('resize'))")
    page.drawn()
    return page.page.evaluate("regard.matrixLayout()")


def test_the_matrix_has_its_size_at_once(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text=WORD)
    assert page.all(MATRIX).bounding_box()["width"] > 7 * 20


def test_a_click_chooses_a_cell(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text=WORD, head="decoder.0.1")
    layout = layout_of(page)
    for row, key, weight in ((3, 2, 0.25), (4, 4, 0.75), (2, 0, 0.0), (1, 3, None)):
        page.page.click(MATRIX, position={axis: layout[side] + (place + 0.5) * layout["size"]
                                          for axis, side, place in (("x", "left", key), ("y", "top", row))})  # fmt: skip
        page.drawn()
        assert page.cell == (SHOWN_AS[row], weight, ["<s>", *"␣abcde"][key])


def test_what_is_drawn_is_as_dark_as_the_weight(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text=WORD, head="decoder.0.1", step=5, source=6)
    layout = layout_of(page)
    read = """([left, top, size]) => { const canvas = document.querySelector('#matrix'), ratio = devicePixelRatio;
        const copy = new OffscreenCanvas(canvas.width, canvas.height), pen = copy.getContext('2d', {willReadFrequently: true});
        pen.drawImage(canvas, 0, 0);
        return Array.from({length: 5}, (_, row) => Array.from({length: 5}, (_, key) => [...pen.getImageData(
            ratio * (left + (key + .5) * size), ratio * (top + (row + .5) * size), 1, 1).data].slice(0, 3))); }"""
    pixels = numpy.array(page.page.evaluate(read, [layout["left"], layout["top"], layout["size"]]), dtype=float)
    paper, heat, forbidden = (
        numpy.array(page.page.evaluate(f"""(() => {{
            const hex = getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim();
            return [1, 3, 5].map(place => parseInt(hex.slice(place, place + 2), 16)); }})()"""))
        for name in ("paper", "heat", "forbidden")
    )  # fmt: skip
    for row in range(5):
        for key in range(5):
            share = LOOKS["decoder.0.1"](row, key)
            wanted = forbidden if key > row else paper + share * (heat - paper)
            numpy.testing.assert_allclose(pixels[row, key], wanted, atol=2)


def mean_of(seen: Inspection, kind: str) -> numpy.ndarray:
    return numpy.mean([seen.record[name].filled(0) for name in seen.record if name.kind == kind], axis=0)


@pytest.mark.parametrize("head", ["mean", "encoder.0.1", "decoder.1.0", "cross.0.0", "cross.1.1"])
def test_cells_and_curves_of_a_model(opened: Any, learnt_url: str, learnt: Translator, head: str) -> None:
    seen = learnt.inspect(TEXT)
    kind = "cross" if head == "mean" else head.split(".")[0]
    weights = mean_of(seen, "cross") if head == "mean" else seen[head].filled(0)
    rows, keys = ([readable(each) for each in side.spelled] for side in (seen.rows(kind), seen.keys(kind)))
    page = opened(learnt_url, text=TEXT, step=4, head=head, **({"source": 4} if kind == "encoder" else {}))
    best = int(weights[4].argmax())
    said, weight, at = page.cell
    assert (said, at) == (rows[4], keys[best])
    assert weight == pytest.approx(weights[4, best], abs=0.0071)  # two decimals, of 254 levels
    page.press(MATRIX, "ArrowDown", "Home", "ArrowRight")
    said, weight, at = page.cell
    assert (said, at) == (rows[5], keys[1])
    assert weight == pytest.approx(weights[5, 1], abs=0.0071)
    for share in (0.3, 0.6, 0.9):
        page.slide(SHARE, share)
        of_row = {key: value for (row, key), value in page.curves.items() if row == 5}
        for key, value in of_row.items():
            assert value == pytest.approx(weights[5, key], abs=0.0026)
        held, rest = sum(of_row.values()), [weights[5, key] for key in range(len(keys)) if key not in of_row]
        assert held >= share - 0.02
        assert held - min(of_row.values()) < share + 0.02  # with one fewer they would not
        assert max(rest, default=0) <= min(of_row.values()) + 0.004
    page.slide(SHARE, 1)
    of_row = {key: value for (row, key), value in page.curves.items() if row == 5}
    assert (
        set(of_row) == {key for key, value in enumerate(weights[5]) if round(float(value) * 254) > 0} or head == "mean"
    )
    assert {row for row, _ in page.curves} == set(range(len(rows)))


def test_shares_of_known_weights(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text=WORD, head="decoder.0.1", step=3)
    for share, wanted in ((0.1, {3: 0.75}), (0.7, {3: 0.75}), (0.8, {3: 0.75, 2: 0.25}), (1, {3: 0.75, 2: 0.25})):
        page.slide(SHARE, share)
        found = {key: value for (row, key), value in page.curves.items() if row == 3}
        assert found == pytest.approx(wanted, abs=0.0026)
        assert page.text(".panel.matrix label .number") == f"{round(100 * share)} %"


def test_a_screen_reader_is_told_the_cells_about_the_chosen_one(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text=WORD, head="decoder.0.1", step=3, source=3)
    said = [each.get_attribute("aria-label") for each in page.all(GRID).all()]
    rows, keys = [*"␣abcde", "</s>"], ["<s>", *"␣abcde"]
    looks = LOOKS["decoder.0.1"]
    assert said == [
        f"{rows[row]} → {keys[key]} {'forbidden' if key > row else format(looks(row, key), '.2f')}"
        for row in range(1, 6) for key in range(1, 6)
    ]  # fmt: skip


def test_all_heads_can_be_chosen_and_keys_go_through_them(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text=WORD)
    expect(page.all(f"{HEAD} option")).to_have_count(13, timeout=10_000)  # a busy machine draws them late
    assert page.texts(f"{HEAD} option") == [
        "Encoder layer 0, head 0 (encoder.0.0)", "Encoder layer 0, head 1 (encoder.0.1)", "mean of encoder.0",
        "Layer 0, head 0 (decoder.0.0)", "Layer 0, head 1 (decoder.0.1)", "mean of decoder.0", "Layer 0, head 0 (cross.0.0)",
        "Layer 0, head 1 (cross.0.1)", "mean of cross.0", "mean", "rollout", "gradient", "integrated-gradients",
    ]  # fmt: skip
    page.choose(HEAD, "encoder.0.1")
    page.press(MATRIX, "n")
    assert page.page.input_value(HEAD) == "decoder.0.0"
    page.press(MATRIX, "PageDown")
    assert page.page.input_value(HEAD) == "cross.0.0"
    page.press(MATRIX, "p", "p")
    assert page.page.input_value(HEAD) == "decoder.0.0"


def test_steps_and_what_each_layer_would_say(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    seen, wanted = learnt.inspect(TEXT, hidden_states=True), learnt.translate(TEXT)
    assert page.all(LENS).count() == len(seen.lens) == 3
    page.page.focus(STEP)
    for step in range(len(wanted.tokens)):
        read = ["<s>", *wanted.tokens][step]
        place = f"about to write {readable(wanted.tokens[step])} ({percent(wanted.token_log_probs[step])}), has read up to {read}"
        assert (
            f"token {step + 1} of {len(wanted.tokens)} in the translation, counted from 1: {place.replace('▁', '')}"
            in page.text(".panel.layers")
        )
        assert page.page.get_attribute(STEP, "aria-valuetext") == readable(wanted.tokens[step])
        assert [token for token, _ in page.lens] == [readable(layer[step][0]) for layer in seen.lens]
        said = [numbers(share)[0] for _, share in page.lens]
        assert said == pytest.approx([100 * layer[step][1] for layer in seen.lens], abs=0.51)
        assert page.cell[0] == readable(wanted.tokens[step])
        assert page.text("#probability") == percent(wanted.token_log_probs[step])
        move(page, "ArrowRight")
    move(page, "ArrowRight")
    assert page.page.input_value(STEP) == str(len(wanted.tokens) - 1)
    move(page, "ArrowLeft")
    assert page.page.input_value(STEP) == str(len(wanted.tokens) - 2)


def test_the_steps_play_by_themselves(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="a")
    page.page.click("#play")
    expect(page.all(TOKEN).nth(1)).to_have_attribute("aria-pressed", "true", timeout=10_000)
    expect(page.all("#play")).to_have_attribute("aria-label", "Play", timeout=10_000)
    assert page.page.input_value(STEP) == "1"


def test_the_alignment_head_and_the_mean_of_a_layer(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    seen = learnt.inspect(TEXT, learnt.translate(TEXT).ids)
    page.click("#aligns")
    assert page.page.input_value(HEAD) == f"mean.cross.{learnt.align(TEXT).layer}"  # this model names no head
    assert page.page.get_attribute("#aligns", "aria-pressed") == "true"
    for site in ("cross.0", "encoder.1", "decoder.1"):
        page.choose(HEAD, f"mean.{site}")
        assert f"head=mean.{site}" in page.address
        mean = sum(seen[f"{site}.{head}"].filled(0) for head in range(2)) / 2
        page.click("#row-tokens bdi >> nth=2")
        page.click("#key-tokens bdi >> nth=1")
        assert page.cell[1] == pytest.approx(mean[2, 1], abs=0.0071)
    assert opened(page.address, beside=page).cell == page.cell


def test_curves_of_the_chosen_token_alone(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abcd", head="cross.0.1", share=1)
    whole = page.curves
    assert {row for row, _ in whole} == {0, 1, 2, 3, 4, 5}
    page.click("#alone")
    page.press(MATRIX, "ArrowDown")
    assert page.curves == {cell: weight for cell, weight in page.curves.items() if cell[0] == 1}
    assert page.curves == {(1, 1): 0.5, (1, 2): 0.5}
    assert opened(page.address, beside=page).curves == page.curves
