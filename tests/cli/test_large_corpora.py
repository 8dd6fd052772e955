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
    "classes": ["--arch", "encoder", "--task", "classify", "--set", "model.num_layers=1"],
    "tags": ["--arch", "encoder", "--task", "tag", "--set", "model.num_layers=1", "--set", "model.max_positions=8"],
}


def write_data(kind: str, folder: Path) -> list[str]:
    """Files of 200 texts, in two where texts need no other side; their names."""
    lines = [f"{'abcdefgh'[i % 7 : i % 7 + 2]} {i % 11} {'xyz' * (i % 3)}" for i in range(200)]
    if kind == "classes":
        lines = [f"{'even' if i % 2 else 'odd'}\t{line}" for i, line in enumerate(lines)]
    if kind == "tags":
        lines = ["\n".join(f"{word}\t{word[:1]}" for word in line.split()) + "\n" for line in lines]
    other = [line[::-1] for line in lines] if kind == "pairs" else lines[:30]
    for name, side in (("text", lines), ("other", other)):
        (folder / name).write_text("".join(f"{line}\n" for line in side))
    return [str(folder / "text"), str(folder / "other")]


@pytest.mark.parametrize("kind", KINDS)
def test_stored_corpora_give_the_run_of_held_ones(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "cache"))
    data = write_data(kind, tmp_path)
    weights, kept = {}, {}
    for name, large_bytes in (("held", 1 << 30), ("stored", 1), ("found again", 1)):
        monkeypatch.setattr(encoding, "LARGE_BYTES", large_bytes)
        with pytest.raises(SystemExit) as ended:
            run(["train", *data, "-o", str(tmp_path / name), *KINDS[kind], *SMALL])
        assert ended.value.code in (0, None)
        weights[name] = (tmp_path / name / "model.safetensors").read_bytes()
        kept[name] = [(path.name, path.stat().st_ino) for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len({*weights.values()}) == 1
    assert kept["held"] == []
    assert kept["stored"] == kept["found again"]
    assert "about.json" in dict(kept["stored"])
