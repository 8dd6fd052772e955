"""Train on a cluster of Ray: each of its workers calls `regard.train`, as each process of `torchrun` does.

python -m pip install 'ray[train]'; python examples/ray_train.py

Ray starts the workers and connects them. If one dies, Ray starts all of them again, and `resume=True` continues from the newest
checkpoint. With several machines, `--folder` is on a disk that all of them share.
"""

import argparse
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import ray
from ray.train import FailureConfig, RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer


def train(config: dict[str, Any]) -> None:
    """Train in one worker of several."""
    import regard

    regard.train(
        config["data"],
        config["output"],
        resume=True,
        steps=config["steps"],
        model_dim=32,
        num_heads=2,
        learning_rate=0.003,
        batch_tokens=512,
        precision="float32",
    )


def main() -> None:
    """Train with two workers, and print what the model's folder says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", help="of a cluster that runs; without it, Ray starts one in this machine")
    parser.add_argument("--folder", help="for data and output; without it, a temporary one of this machine")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    if options.address and not options.folder:
        parser.error("--address needs --folder, which all machines of the cluster can read and write")

    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder, rng = Path(name), random.Random(1)
        words = ["".join(rng.choices("abcdef", k=rng.randint(2, 8))) for _ in range(500)]
        (folder / "pairs.tsv").write_text("".join(f"{word}\t{word[::-1]}\n" for word in words), encoding="utf-8")
        ray.init(options.address, num_cpus=None if options.address else options.workers + 1)
        TorchTrainer(
            train,
            train_loop_config={"data": folder / "pairs.tsv", "output": folder / "model", "steps": options.steps},
            scaling_config=ScalingConfig(num_workers=options.workers, use_gpu=False),
            run_config=RunConfig(storage_path=str(folder / "ray"), failure_config=FailureConfig(max_failures=3)),
        ).fit()
        ray.shutdown()
        results = json.loads((folder / "model" / "results.json").read_text(encoding="utf-8"))
        print(f"{results['processes']} processes, {results['steps']['trained']} steps, chrF {results['chrf']:.1f}")


if __name__ == "__main__":
    main()
