"""Folders that earlier versions wrote still load, and answer the same. They are never written anew."""

import json
from pathlib import Path

import pytest

import regard

FOLDERS = sorted(path for path in (Path(__file__).parent / "stored").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_an_old_model_answers_as_it_did(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text())
    translator = regard.load(folder, device="cpu")
    assert isinstance(translator, regard.Translator)
    for row, translation in zip(
        expected, translator.translate([row["source"] for row in expected], beam_size=3), strict=True
    ):
        assert translation.text == row["text"]
        assert translation.score == pytest.approx(row["score"], abs=1e-5)
        assert translation.token_log_probs == pytest.approx(row["token_log_probs"], abs=1e-5)
