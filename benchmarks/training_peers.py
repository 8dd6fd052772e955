"""Other people's trainers for `training.py`: Hugging Face's `Seq2SeqTrainer`, and JoeyNMT in a process of its own.

Each is a callable that trains for a few steps and returns target tokens per second, warm-up steps not counted. Both are
used as their documentation says: their own batches, their own optimizer, their own precautions.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import yaml
from torch.utils.data import DataLoader

from regard.data.corpus import ParallelText
from regard.data.sequences import EncodedPairs
from regard.models.config import EncoderDecoderConfig
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import BOS, EOS, PAD, UNK

Rows = Sequence[np.ndarray]


def missing_for_hugging_face() -> str | None:
    """What is not installed, in words, or nothing."""
    try:
        import accelerate  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed: pip install transformers accelerate"
    return None


def grouped_batches(pairs: EncodedPairs, rows: int) -> list[np.ndarray]:
    """The batches of one epoch as `train_sampling_strategy="group_by_length"` makes them."""
    from transformers.trainer_pt_utils import LengthGroupedSampler

    generator = torch.Generator().manual_seed(1)
    order = np.array(list(LengthGroupedSampler(rows, lengths=pairs.sources.lengths.tolist(), generator=generator)))
    return [order[start : start + rows] for start in range(0, len(order) - rows + 1, rows)]


def marian(config: EncoderDecoderConfig, attention: str) -> Any:
    from transformers import MarianConfig, MarianMTModel

    sides = {
        f"{side}_{name}": value
        for side, layers in (("encoder", config.num_encoder_layers), ("decoder", config.num_decoder_layers))
        for name, value in (("layers", layers), ("ffn_dim", config.ff_dim), ("attention_heads", config.num_heads))
    }
    return MarianMTModel._from_config(
        MarianConfig(
            vocab_size=config.vocab_size,
            d_model=config.model_dim,
            max_position_embeddings=config.max_positions,
            activation_function="relu",
            dropout=config.dropout,
            attention_dropout=0.0,
            scale_embedding=True,
            share_encoder_decoder_embeddings=True,
            tie_word_embeddings=True,
            pad_token_id=0,
            bos_token_id=2,
            eos_token_id=3,
            forced_eos_token_id=3,
            decoder_start_token_id=2,
            **sides,
        ),
        attn_implementation=attention,
    )


def _clock(warmup: int, steps: int) -> Any:
    """A callback that notes when the counted steps begin and end."""
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        times: dict[int, float]

        def __init__(self) -> None:
            self.times = {}

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.times[state.global_step] = time.perf_counter()

        @property
        def seconds(self) -> float:
            return self.times[warmup + steps] - self.times[warmup]

    return Clock()


class HuggingFace:
    """A `MarianMTModel` in a `Seq2SeqTrainer`: a new one for each round, and its first steps are not counted.

    Args:
        batches: what is counted.
        warmup: steps before that, on the first of the batches.
    """

    def __init__(
        self,
        config: EncoderDecoderConfig,
        tokenizer: Tokenizer,
        pairs: EncodedPairs,
        batches: Rows,
        *,
        attention: str,
        bf16: bool,
        warmup: int = 1,
    ) -> None:
        from transformers import PreTrainedTokenizerFast

        self.config, self.attention, self.bf16, self.warmup = config, attention, bf16, warmup
        self.rows, self.steps = len(batches[0]), len(batches)
        rows = np.concatenate([*(batches[i % len(batches)] for i in range(warmup)), *batches]).tolist()
        self.examples = [{"input_ids": pairs.sources[i].tolist(), "labels": pairs.targets[i].tolist()} for i in rows]
        sizes = [len(batches[i % len(batches)]) for i in range(warmup)] + [len(batch) for batch in batches]
        self.cuts = np.split(np.arange(len(rows)), np.cumsum(sizes)[:-1])
        self.num_tokens = sum(len(pairs.targets[i]) for batch in batches for i in batch.tolist())
        backend = tokenizers.Tokenizer.from_str(tokenizer.backend_json)
        self.tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=backend, pad_token=PAD, unk_token=UNK, bos_token=BOS, eos_token=EOS
        )

    def __call__(self) -> float:
        from transformers import DataCollatorForSeq2Seq, PrinterCallback, Seq2SeqTrainer, Seq2SeqTrainingArguments

        torch.manual_seed(1)
        model, clock = marian(self.config, self.attention), _clock(self.warmup, self.steps)
        with tempfile.TemporaryDirectory() as folder:
            arguments = Seq2SeqTrainingArguments(
                folder,
                per_device_train_batch_size=self.rows,
                max_steps=self.warmup + self.steps,
                train_sampling_strategy="sequential",  # the batches were chosen before
                learning_rate=1e-4,
                label_smoothing_factor=0.1,
                bf16=self.bf16,
                use_cpu=True,
                dataloader_pin_memory=False,
                report_to="none",
                save_strategy="no",
                disable_tqdm=True,
            )
            collator = DataCollatorForSeq2Seq(self.tokenizer, model=model)
            trainer = Seq2SeqTrainer(
                model,
                arguments,
                data_collator=collator,
                train_dataset=self.examples,
                processing_class=self.tokenizer,
                callbacks=[clock],
            )
            trainer.remove_callback(PrinterCallback)
            if any(len(cut) != self.rows for cut in self.cuts):  # somebody else's batches, not of one size
                loader = DataLoader(self.examples, batch_sampler=self.cuts, collate_fn=collator)
                trainer.get_train_dataloader = lambda: loader
            trainer.train()
        return self.num_tokens / clock.seconds


class JoeyNMT:
    """`python -m joeynmt train` on files that hold the same subwords; its own log says how fast it was.

    Its log counts target tokens with the end symbol and without padding, over the time since its last line, so the first
    line is the warm-up and the second is what is measured. Its batches are not sorted by length, and may overstep
    their budget by one sentence. It computes in float32: on a CPU it turns `fp16` off.

    Args:
        keeps_memory: whether glibc is told what `keep_freed_memory` tells it.
    """

    def __init__(
        self,
        python: str,
        config: EncoderDecoderConfig,
        tokenizer: Tokenizer,
        text: ParallelText,
        *,
        batch_tokens: int,
        steps: int,
        keeps_memory: bool,
    ) -> None:
        self.python, self.config, self.batch_tokens, self.steps = python, config, batch_tokens, steps
        self.allocator = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**31 - 1)} if keeps_memory else {}
        self._folder = tempfile.TemporaryDirectory()  # lives as long as this object
        self.folder = Path(self._folder.name)
        for side, lines in (("source", text.sources), ("target", text.targets)):
            cut = [" ".join(tokenizer.tokens(ids)) for ids in tokenizer.encode_batch(lines)]
            for name, kept in (("train", cut), ("dev", cut[:10])):
                (self.folder / f"{name}.{side}").write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        pieces = tokenizer.tokens(range(4, len(tokenizer)))
        (self.folder / "vocabulary").write_text("".join(f"{piece}\n" for piece in pieces), encoding="utf-8")
        self.settings = self.folder / "config.yaml"
        self.settings.write_text(yaml.safe_dump(self._configuration()), encoding="utf-8")

    def _configuration(self) -> dict[str, Any]:
        config, folder = self.config, self.folder

        def stack(num_layers: int) -> dict[str, Any]:
            return {
                "type": "transformer",
                "num_layers": num_layers,
                "num_heads": config.num_heads,
                "hidden_size": config.model_dim,
                "ff_size": config.ff_dim,
                "dropout": config.dropout,
                "layer_norm": config.norm,
                "embeddings": {"embedding_dim": config.model_dim, "scale": True, "dropout": config.dropout},
            }

        sides = {
            key: {"lang": side, "level": "word", "voc_file": str(folder / "vocabulary")}
            for key, side in (("src", "source"), ("trg", "target"))
        }
        symbols = {"pad_id": 1, "unk_id": 0, "bos_id": 2, "eos_id": 3}
        files = {name: str(folder / name) for name in ("train", "dev")}
        return {
            "name": "benchmark",
            "joeynmt_version": "2.3.0",
            "model_dir": str(folder / "model"),
            "use_cuda": False,
            "fp16": False,
            "data": {**files, **sides, "dataset_type": "plain", "special_symbols": symbols},
            "testing": {},
            "training": {
                "optimizer": "adam",
                "learning_rate": 1e-4,
                "learning_rate_min": 1e-9,
                "scheduling": "warmupinversesquareroot",
                "learning_rate_warmup": 4000,
                "clip_grad_norm": 1.0,
                "label_smoothing": 0.1,
                "normalization": "tokens",
                "batch_type": "token",
                "batch_size": self.batch_tokens,
                "updates": 2 * self.steps,
                "epochs": 100,
                "logging_freq": self.steps,
                "validation_freq": 1000 * self.steps,
                "overwrite": True,
            },
            "model": {
                "initializer": "xavier_uniform",
                "embed_initializer": "xavier_uniform",
                "tied_embeddings": True,
                "tied_softmax": True,
                "encoder": stack(config.num_encoder_layers),
                "decoder": stack(config.num_decoder_layers),
            },
        }

    def __call__(self) -> float:
        command = [self.python, "-m", "joeynmt", "train", str(self.settings), "--skip-test"]
        threads = str(torch.get_num_threads())
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, **self.allocator}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.folder, check=False)
        rates = re.findall(r"Tokens per Sec: +(\d+)", done.stdout + done.stderr)
        if done.returncode or len(rates) < 2:
            raise RuntimeError(f"JoeyNMT ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
        return float(rates[-1])

    @property
    def num_parameters(self) -> int:
        """As its log of the last run says."""
        log = (self.folder / "model" / "train.log").read_text(encoding="utf-8")
        return int(re.findall(r"Total params: (\d+)", log)[-1])


def unsorted_batches(lengths: Sequence[np.ndarray], batch_tokens: int) -> list[np.ndarray]:
    """The batches of one epoch as JoeyNMT's `batch_type: token` makes them: in random order, full when over the budget."""
    order = np.random.default_rng(1).permutation(len(lengths[0]))
    longest_side = np.max(lengths, axis=0)[order].tolist()
    batches, start, longest = [], 0, 0
    for end, length in enumerate(longest_side, start=1):
        longest = max(longest, length)
        if longest * (end - start) >= batch_tokens:
            batches.append(order[start:end])
            start, longest = end, 0
    return batches
