"""The commands of docs/your-language.md, from top to bottom, with an NLLB of random weights."""

import random
import re
import shlex
from pathlib import Path

import pytest
from test_many_languages import LINES, made, pieces  # noqa: F401

import regard
from regard.cli.main import run
from regard.pipelines.translator import Translator

PAGE = Path(__file__).parents[2] / "docs" / "your-language.md"


def test_the_page_runs_from_top_to_bottom(pieces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    made("NLLB", pieces, tmp_path / "nllb")
    rng = random.Random(1)
    words = [word for line in LINES for word in line.split()]
    for name, count in (("train", 60), ("test", 8)):
        texts = [" ".join(rng.choices(words, k=rng.randint(2, 5))) for _ in range(count)]
        Path(f"{name}.tsv").write_text("".join(f"{text}\t{text[::-1].strip()}\n" for text in texts))
    Path("input.txt").write_text("the brown fox\n")
    page = PAGE.read_text(encoding="utf-8")
    _, code, *rest = re.findall(r"^ *```python\n(.*?)```", page, re.S | re.M)
    assert not rest
    name = "hf:facebook/nllb-200-distilled-600M"
    assert name in code
    exec(re.sub("^   ", "", code, flags=re.M).replace(name, "nllb"), {})
    commands = re.findall(r"^ {3}(regard .*)$", page, re.M)
    assert len(commands) == 9
    for command in commands:
        words = shlex.split(command)[1:]
        if words[0] == "serve":
            continue  # which does not end; tests/serving/ has its tests
        with pytest.raises(SystemExit) as ended:
            run([*words, *(["--steps", "2"] if words[0] == "train" else [])])
        assert ended.value.code == 0, command
    assert len(Path("output.txt").read_text().splitlines()) == 1
    adapted, back, fast = (regard.load(name, kind=Translator) for name in ("adapted", "back", "fast"))
    assert back.languages is not None
    assert (back.languages.source, back.languages.target) == ("eng_Latn", "deu_Latn")
    expected = adapted.translate("the brown fox", max_length=9).ids
    assert back.translate("the brown fox", max_length=9).ids == expected
    assert fast.translate("the brown fox", max_length=9).ids == expected
