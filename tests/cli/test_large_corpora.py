"""Training on corpora that count as large: the same run as on those held in memory, and quick to begin again."""

from pathlib import Path

import pytest

from regard.cli.main import run
from regard.data import encoding

SMALL = ["--set", "model.model_dim=16", "--set", "model.ff_dim=16", "--set", "model.num_heads=2", "--precision", "float32",
         "--steps", "4", "--set", "training.batch_tokens=96", "--set", "training.validate_every=2"]  # fmt: skip
KINDS = {
    "pairs": ["--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1"],
    "language": ["--arch", "decoder", "--set", "model.num_layers=1", "--set", "model.max_positions=16"],
    "masked": ["--arch", "encoder", "--task", "mlm", "--set", "model.num_layers=1", "--set", "model.max_positions=8"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_stored_corpora_give_the_run_of_held_ones(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "cache"))
    lines = [f"{'abcdefgh'[i % 7 : i % 7 + 2]} {i % 11} {'xyz' * (i % 3)}" for i in range(200)]
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "reversed").write_text("".join(f"{line[::-1]}\n" for line in lines))
    data = [tmp_path / "text", tmp_path / "reversed"] if kind == "pairs" else [tmp_path / "text"]
    weights, kept = {}, {}
    for name, large_bytes in (("held", 1 << 30), ("stored", 1), ("found again", 1)):
        monkeypatch.setattr(encoding, "LARGE_BYTES", large_bytes)
        with pytest.raises(SystemExit) as ended:
            run(["train", *map(str, data), "-o", str(tmp_path / name), *KINDS[kind], *SMALL])
        assert ended.value.code in (0, None)
        weights[name] = (tmp_path / name / "model.safetensors").read_bytes()
        kept[name] = [(path.name, path.stat().st_ino) for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len({*weights.values()}) == 1
    assert kept["held"] == []
    assert kept["stored"] == kept["found again"]
    assert "about.json" in dict(kept["stored"])
