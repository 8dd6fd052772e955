"""The table of docs/results.md: what is measured here replaces what stood there only where it is at least as much."""

import json
from pathlib import Path
from typing import Any

import pytest

import results
from results import BEGIN, END, RUNS, Ensemble, Run, cells, place, table

SIMPLE = next(run for run in RUNS if isinstance(run, Run) and run.name == "SCAN simple")
LENGTH = next(run for run in RUNS if isinstance(run, Run) and run.lengths_told)
BOTH = next(run for run in RUNS if isinstance(run, Ensemble))
HEAD = ["| task | recipe | score | seeds | together | published | parameters | training, each |",
        "|---|---|---:|---:|---:|---:|---:|---:|"]  # fmt: skip


def record(work: Path, run: Run, seed: int, score: float, **more: Any) -> None:
    content = {
        "run": run.name,
        "recipe": run.recipe_digest,
        "seed": seed,
        "score": score,
        "seconds": 120,
        "parameters": 1000,
    }
    place(work, run.name, f"{seed}.json").write_text(json.dumps(content | more))


def standing(name: str, score: str, seeds: int, together: str = "") -> str:
    return f"| {name} | `recipe:x` | {score} | {seeds} | {together} | 1 | 1,000 | 1 min |"


def test_a_line_is_the_mean_and_the_spread_of_its_seeds(tmp_path: Path) -> None:
    for seed, score in enumerate([0.5, 0.25], start=1):
        record(tmp_path, SIMPLE, seed, score)
    line = "| SCAN simple | `recipe:scan-simple` | 37.50 ± 17.68 % exact | 2 |  | 99.8 (recurrent) | 1,000 | 2 min |"
    assert list(table(tmp_path, "")) == [*HEAD, line]


@pytest.mark.parametrize(("seeds_before", "stays"), [(3, True), (2, False), (1, False)])
def test_a_standing_line_stays_until_as_many_seeds_are_measured(tmp_path: Path, seeds_before: int, stays: bool) -> None:
    old = standing("SCAN simple", "99.00 % exact", seeds_before)
    other = standing("SCAN length", "20.00 % exact", 1)
    for seed in (1, 2):
        record(tmp_path, SIMPLE, seed, 0.5)
    simple, length = list(table(tmp_path, "\n".join([*HEAD, old, other])))[2:]
    assert (simple == old) is stays
    assert cells(simple)[4] == str(max(2, seeds_before))
    assert length == other


def test_a_line_with_models_together_is_not_lost_to_one_without(tmp_path: Path) -> None:
    run = BOTH.runs[0]
    old = standing(run.name, "12.00 % word errors", 1, together="11.00")
    record(tmp_path, run, 1, 0.2)
    assert list(table(tmp_path, old))[2:] == [old]
    place(tmp_path, run.name, "together.json").write_text(
        json.dumps({"run": run.name, "recipe": run.recipe_digest, "together": 0.1})
    )
    (line,) = list(table(tmp_path, old))[2:]
    assert cells(line)[3:6] == ["20.00 % word errors", "1", "10.00"]


def test_known_lengths_and_ensembles_have_lines_of_their_own(tmp_path: Path) -> None:
    record(tmp_path, LENGTH, 1, 0.2, lengths_told=0.6)
    place(tmp_path, BOTH.name, "together.json").write_text(
        json.dumps({"run": BOTH.name, "recipe": BOTH.recipe_digest, "together": 0.09})
    )
    assert [cells(line)[1:6] for line in list(table(tmp_path, ""))[2:]] == [
        [LENGTH.name, "`recipe:scan-length-single`", "20.00 % exact", "1", ""],
        [f"{LENGTH.name}, lengths told", "`recipe:scan-length-single`", "60.00 % exact", "1", ""],
        [BOTH.name, "", "", "6", "9.00"],
    ]


def test_what_was_measured_of_another_recipe_is_not_shown(tmp_path: Path) -> None:
    record(tmp_path, SIMPLE, 1, 0.5, recipe="another")
    content = {"run": BOTH.name, "recipe": "another", "together": 0.1}
    place(tmp_path, BOTH.name, "together.json").write_text(json.dumps(content))
    assert list(table(tmp_path, "")) == HEAD


def test_only_the_table_of_the_page_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, old = tmp_path / "results.md", standing("SCAN simple", "99.00 % exact", 1)
    page.write_text("\n".join(["before", BEGIN, *HEAD, old, END, "after", ""]))
    record(tmp_path, SIMPLE, 1, 0.5)
    (new,) = list(table(tmp_path, ""))[2:]
    monkeypatch.setattr(results, "PAGE", page)
    results.write_table(tmp_path)
    assert page.read_text() == "\n".join(["before", BEGIN, *HEAD, new, END, "after", ""])
    assert new != old


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The commands that a run gives; training leaves what the recipe says, evaluation says 0.75."""
    calls: list[tuple[str, ...]] = []

    def regard(*arguments: str) -> str:
        calls.append(arguments)
        if arguments[0] == "train":
            model = Path(arguments[arguments.index("-o") + 1])
            model.mkdir()
            facts = {"seconds": {"training": 60.0}, "sizes": {"num_parameters": 10}, "machine": {}}
            (model / "results.json").write_text(json.dumps(facts))
            if "multi30k" in str(arguments):
                (model.with_name(f"{model.name}.training") / "best" / "step-1").mkdir(parents=True)
        return json.dumps({"exact_match": 0.75, "bleu": 41.0})

    monkeypatch.setattr(results, "regard", regard)
    return calls


def test_a_run_is_carried_out_once_and_of_one_recipe(tmp_path: Path, calls: list[tuple[str, ...]]) -> None:
    for _ in range(2):
        results.carry_out(SIMPLE, 3, tmp_path / "data", tmp_path, ["--threads", "1"])
    assert [call[0] for call in calls] == ["train", "evaluate"]
    assert {"--seed", "3", "--threads", "1", "--resume"} <= set(calls[0])
    assert calls[1][1] == str(place(tmp_path, SIMPLE.name, 3))
    assert list(table(tmp_path, ""))[2].split(" | ")[2] == "75.00 % exact"
    record(tmp_path, SIMPLE, 3, 0.5, recipe="another")
    with pytest.raises(SystemExit, match=r"must be of .*scan-simple\.yaml as it is now; it is of another recipe"):
        results.carry_out(SIMPLE, 3, tmp_path / "data", tmp_path, [])


def test_the_mean_of_the_best_is_measured_where_they_are_kept(tmp_path: Path, calls: list[tuple[str, ...]]) -> None:
    run = next(run for run in RUNS if isinstance(run, Run) and run.recipe == "multi30k")
    results.carry_out(run, 1, tmp_path / "data", tmp_path, [])
    assert [call[0] for call in calls] == ["train", "average", "evaluate"]
    assert calls[2][1] == calls[1][calls[1].index("-o") + 1] == f"{place(tmp_path, run.name, 1)}.mean"


def test_models_decide_together_when_all_are_there(tmp_path: Path, calls: list[tuple[str, ...]]) -> None:
    recurrent, transformer = BOTH.runs
    for run in BOTH.runs:
        for seed in run.seeds:
            results.carry_out_together(BOTH, tmp_path, tmp_path, [])
            assert not calls
            record(tmp_path, run, seed, 0.1)
    place(tmp_path, BOTH.name, "together.json").write_text(json.dumps({"run": BOTH.name, "recipe": "another"}))
    results.carry_out_together(BOTH, tmp_path, tmp_path, [])
    (call,) = calls
    models = [str(place(tmp_path, run.name, seed)) for run in (recurrent, transformer) for seed in (1, 2, 3)]
    assert [word for word in call if word in models] == models
    assert call.count("--ensemble") == 5
    assert cells(list(table(tmp_path, ""))[-1])[5] == "25.00"  # of words wrong, where 75 % are right


def test_recipes_and_data_are_there(shared_data: Path) -> None:
    for run in RUNS:
        for part in run.runs if isinstance(run, Ensemble) else (run,):
            assert part.recipe_file.is_file()
            assert [
                name for name in (*part.training, *part.test, *part.valid) if not (shared_data / name).is_file()
            ] == []
