"""The snapshots of training behind a server: what the model looked at after each step."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from served import Running, Start
from test_interfaces import JSON, TEXT, send

from regard.checkpoint import load_model, save_new
from regard.pipelines.loading import load_as
from regard.pipelines.translator import Translator
from regard.training.state import snapshot_folder, snapshots


@pytest.fixture(scope="module")
def learnt(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with two snapshots, which are other models than it is."""
    path = tmp_path_factory.mktemp("learnt") / "tiny-en-de"
    shutil.copytree(folder, path)
    for step in (0, 20):
        loaded = load_model(path)
        torch.manual_seed(step)
        for parameter in loaded.model.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
        snapshot_folder(path).mkdir(parents=True, exist_ok=True)
        save_new(snapshot_folder(path) / f"step-{step:08d}", loaded.model, loaded.tokenizer)
    assert list(snapshots(path)) == [0, 20]
    return path


@pytest.fixture(scope="module")
def server_with_snapshots(start: Start, learnt: Path) -> Running:
    return start(learnt)


def test_each_snapshot_looks_as_it_would_alone(server_with_snapshots: Running, learnt: Path) -> None:
    def inspected(**more: object) -> tuple[int, dict]:
        body = json.dumps({"text": TEXT, "target_text": "xyz", "beam_size": 2, **more})
        return send(server_with_snapshots, "POST", "/api/v1/inspect", body, JSON)

    (model,) = send(server_with_snapshots, "GET", "/api/v1/models")[1]["models"]
    assert model["snapshots"] == [0, 20]
    changes = set()
    for step, path in (
        (0, snapshots(learnt)[0]),
        (20, snapshots(learnt)[20]),
        (None, learnt),
        (0, snapshots(learnt)[0]),
    ):
        translator = load_as(path, Translator, device="cpu")
        status, found = inspected() if step is None else inspected(snapshot=step)
        seen = translator.inspect(TEXT, "xyz")
        assert status == 200
        assert found["token_log_probs"] == pytest.approx(seen.token_log_probs, abs=1e-4)
        if step is not None:
            assert found["written"] == translator.translate(TEXT, beam_size=2).text
        _, looked_up = send(server_with_snapshots, "GET", f"/api/v1/inspect/{found['id']}/lookup/cross.0.1/1/2")
        assert looked_up["weights"] == pytest.approx(seen["cross.0.1"][1].filled(0).tolist(), abs=1e-4)
        changes.add(tuple(round(value, 3) for value in found["token_log_probs"]))
    assert len(changes) == 3
    assert inspected(snapshot=7)[0] == 404
    assert inspected(snapshot="x")[0] == 400
    assert inspected(snapshot=-1)[0] == 400
