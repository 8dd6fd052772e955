"""Files that are translated on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from on_page import ERROR, STATUS, STOP, until

from regard.errors import DataError
from regard.pipelines.translator import Translator
from regard.text.lines import read_lines

SENTENCE = "the old cat sleeps near Paris"


@pytest.fixture(scope="module")
def two(serve: Any, learnt_folder: Path, copying_folder: Path) -> str:
    """A server with two models that translate."""
    return str(serve(learnt_folder, copying_folder.with_name("copy-fr-en")).url)


@pytest.fixture(scope="module", autouse=True)
def _second(copying_folder: Path) -> None:
    other = copying_folder.with_name("copy-fr-en")
    if not other.exists():
        other.symlink_to(copying_folder)


def test_all_lines_of_a_file_have_one_model(opened: Any, two: str, learnt: Translator, tmp_path: Path) -> None:
    page = opened(two, direction="en-de", beam=2)
    source = tmp_path / "lines.txt"
    source.write_text("a cat\n" * 120)
    waiting: list[Any] = []
    page.page.route("**/api/v1/translate", lambda route: waiting.append(route))
    with page.page.expect_download(timeout=60_000) as downloaded:
        page.page.set_input_files("#file", source)
        for _ in range(3):
            until(lambda: (page.page.wait_for_timeout(20), waiting)[1])
            page.page.select_option("#model", "fr-en")
            waiting.pop().continue_()
    assert downloaded.value.suggested_filename == "lines.de.txt"
    found = Path(downloaded.value.path()).read_text().split("\n")
    assert found == [*[learnt.translate("a cat", beam_size=2).text] * 120, ""]


def test_a_file_is_stopped(opened: Any, two: str, tmp_path: Path) -> None:
    page = opened(two, direction="en-de")
    source = tmp_path / "lines.txt"
    source.write_text("a cat\n" * 60)
    page.page.route("**/api/v1/translate", lambda route: None)  # which is never answered
    assert page.button(STOP).count() == 0
    page.page.set_input_files("#file", source)
    page.button(STOP).click()
    page.drawn()
    assert (page.text(STATUS), page.button(STOP).count(), page.exists(ERROR)) == ("", 0, False)
    page.page.unroute("**/api/v1/translate")


@pytest.mark.parametrize(
    ("content", "line"), [(b"Z\xfcrich\nab", 1), (b"ab\nCaf\xe9", 2), ("ab\ncd".encode("utf-16"), 0)]
)
def test_a_file_must_be_utf_8(opened: Any, two: str, tmp_path: Path, content: bytes, line: int) -> None:
    page = opened(two, direction="en-de")
    source = tmp_path / "lines.txt"
    source.write_bytes(content)
    with pytest.raises(DataError, match="must be UTF-8"):  # the command refuses it, too
        read_lines(source)
    page.page.set_input_files("#file", source)
    page.page.wait_for_selector(ERROR)
    said = page.text(ERROR)
    assert said.startswith(f"lines.txt, line {line}: text must be UTF-8" if line else "lines.txt: text must be UTF-8")
    assert ("UTF-16" in said) is (line == 0)
