"""The memory of a model, counted without making it, and the memory that is free."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from regard import memory
from regard.cli.main import run
from regard.errors import SettingsError
from regard.memory import check_room_to_train, free_bytes, lack_of_memory, meta_model, model_size
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, ModelConfig, RecurrentConfig
from regard.models.registry import build
from regard.runs.settings.run_settings import RunSettings
from regard.training.distributed import ALONE

SMALL: dict[str, Any] = {"vocab_size": 29, "model_dim": 12, "ff_dim": 20, "num_heads": 6}
CONFIGS: list[ModelConfig] = [
    EncoderDecoderConfig(**SMALL, num_encoder_layers=1, num_decoder_layers=3),
    EncoderDecoderConfig(
        **SMALL, num_encoder_layers=4, source_vocab_size=31, tied_embeddings="none", gated=True, norm_kind="rms"
    ),
    EncoderDecoderConfig(
        **SMALL, num_kv_heads=2, num_decoder_layers=2, output_bias=True, embedding_norm="both", bias=False
    ),
    DecoderConfig(**SMALL, positions="alibi"),
    DecoderConfig(**SMALL, positions="shaw", num_layers=1, windows=[4]),
    DecoderConfig(**SMALL, positions="sinusoidal_halves", max_positions=70),
    EncoderConfig(**SMALL, task="classify", labels=["a", "b"], positions="relative_key"),
    RecurrentConfig(vocab_size=29, model_dim=12, score="additive"),
    RecurrentConfig(vocab_size=29, source_vocab_size=31, model_dim=12, score="bilinear", cell="lstm"),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_model_is_counted_as_it_would_be(config: ModelConfig) -> None:
    state = torch.get_rng_state()
    shapes, size = meta_model(config), model_size(config)
    assert torch.equal(torch.get_rng_state(), state)
    whole = build(config)
    assert shapes.config == whole.config
    assert [(name, part.shape) for name, part in shapes.named_parameters()] == [
        (name, part.shape) for name, part in whole.named_parameters()
    ]
    assert size.num_parameters == sum(part.numel() for part in whole.parameters())
    tables = [part for name, part in whole.named_buffers() if name.endswith("waves")]
    assert size.fixed_bytes == sum(part.numel() * part.element_size() for part in tables)


def test_pruned_heads_have_no_room() -> None:
    config = EncoderDecoderConfig(**SMALL, num_kv_heads=3, pruned_heads={"cross.1": [0, 1], "encoder.0": [2, 3, 4, 5]})
    shapes = dict(meta_model(config).named_parameters())
    for name, part in build(config).named_parameters():
        assert shapes[name].shape == part.shape, name


def test_a_lack_is_told_in_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    config, cpu = EncoderDecoderConfig(**SMALL | {"vocab_size": 1000}), torch.device("cpu")
    size = model_size(config)
    needed = 4 * size.num_parameters + size.fixed_bytes
    monkeypatch.setattr(memory, "free_bytes", lambda device: needed)
    assert lack_of_memory(config, cpu) is None
    monkeypatch.setattr(memory, "free_bytes", lambda device: needed - 1)
    assert f"{size.num_parameters:,} parameters, which need at least 0.0 GB" in (lack_of_memory(config, cpu) or "")
    with pytest.raises(
        SettingsError, match=r"the model must fit into memory, .*; got .*GB are free on cpu\. Make it smaller"
    ):
        check_room_to_train(config, cpu, bytes_per_parameter=20)
    monkeypatch.setattr(memory, "free_bytes", lambda device: None)
    check_room_to_train(config, cpu, bytes_per_parameter=1e12)


def test_a_model_is_made_on_the_host_before_it_goes_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    config = EncoderDecoderConfig(**SMALL)
    monkeypatch.setattr(memory, "free_bytes", lambda device: 1000 if device.type == "cpu" else 10**12)
    with pytest.raises(SettingsError, match="free on cpu"):
        check_room_to_train(config, torch.device("cuda"), bytes_per_parameter=20)


def written(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_what_linux_says_is_read(tmp_path: Path) -> None:
    cpu = torch.device("cpu")
    written(
        tmp_path, "proc/meminfo", "MemTotal: 900 kB\nMemAvailable:     500 kB\nSwapFree: 20 kB\nHugePages_Total: 0\n"
    )
    assert free_bytes(cpu, tmp_path) == 520 << 10
    written(tmp_path, "sys/fs/cgroup/memory.max", "max\n")
    written(tmp_path, "sys/fs/cgroup/memory.current", "70000\n")
    written(tmp_path, "sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 10000\n")
    assert free_bytes(cpu, tmp_path) == 520 << 10
    written(tmp_path, "sys/fs/cgroup/memory.max", "100000\n")
    assert free_bytes(cpu, tmp_path) == 100_000 - 70_000 + 10_000
    for name, text in (("limit_in_bytes", "90000"), ("usage_in_bytes", "89000"), ("stat", "total_inactive_file 1")):
        written(tmp_path, f"sys/fs/cgroup/memory/memory.{name}", text)
    assert free_bytes(cpu, tmp_path) == 1001
    written(tmp_path, "sys/fs/cgroup/memory/memory.usage_in_bytes", "95000")
    assert free_bytes(cpu, tmp_path) == 0


def test_other_systems_say_what_they_have_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.os, "sysconf_names", {"SC_PHYS_PAGES": 1, "SC_PAGE_SIZE": 2}, raising=False)
    monkeypatch.setattr(memory.os, "sysconf", {"SC_PHYS_PAGES": 30, "SC_PAGE_SIZE": 4096}.__getitem__, raising=False)
    assert free_bytes(torch.device("cpu"), tmp_path) == 30 * 4096
    monkeypatch.setattr(memory.os, "sysconf_names", {}, raising=False)
    assert free_bytes(torch.device("cpu"), tmp_path) is None
    assert free_bytes(torch.device("meta"), tmp_path) is None


@pytest.mark.parametrize(
    "setting", ["model.ff_dim=1048576", "model.num_encoder_layers=10000", "tokenizer.vocab_size=9999999"]
)
def test_training_says_that_there_is_no_room_before_it_begins(
    setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pairs.tsv").write_text("a b\tc d\n" * 30)
    monkeypatch.setattr(memory, "free_bytes", lambda device: 10**8)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run(["train", "pairs.tsv", "-o", "m", "--steps", "1", "--set", setting])
    said = " ".join(capsys.readouterr().err.split())
    if setting.startswith("tokenizer"):  # thirty lines have no more tokens than there is room for
        assert ended.value.code == 0, said
        return
    assert ended.value.code == 2
    assert "the model must fit into memory" in said
    assert "parameters, which need at least" in said
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]


def test_numbers_that_are_none_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pairs.tsv").write_text("a b\tc d\n")
    for name, value in (("ff_dim", 8_000_000), ("max_positions", 3_000_000), ("num_encoder_layers", 10**9)):
        with pytest.raises(SystemExit):
            run(["train", str(tmp_path / "pairs.tsv"), "-o", str(tmp_path / "m"), "--set", f"model.{name}={value}"])
        assert f"model.{name} must be less than or equal to" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("training", "world", "shard", "expected"),
    [
        ({"precision": "float32"}, 1, False, 20),
        ({"precision": "float32", "average_decay": 0.0}, 1, False, 16),
        ({"precision": "bfloat16"}, 1, False, 24),
        ({"precision": "bfloat16"}, 4, False, 24),
        ({"precision": "bfloat16"}, 4, True, 5),
        ({"precision": "bfloat16"}, 64, True, 4),
    ],
)
def test_bytes_to_train_a_parameter(
    training: dict[str, Any], world: int, shard: bool, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/scaling.md says: sharded, a process holds the whole model at least once, when it makes it."""
    from regard.runs import run as room

    seen: list[float] = []
    monkeypatch.setattr(
        room, "check_room_to_train", lambda config, place, bytes_per_parameter: seen.append(bytes_per_parameter)
    )
    settings = RunSettings.build("tiny", {"training": training})
    room.check_room(settings, torch.device("cpu"), replace(ALONE, size=world), shard=shard)
    assert seen == [expected]
