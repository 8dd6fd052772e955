"""The command `generate`: continue a prompt with a language model."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from regard.cli.option_types import Adapter, Device, Engine, FromHub, Model, Threads, prepare_process, refuse_given
from regard.cli.output import print_result


def generate(
    model: Model,
    prompt: Annotated[
        list[str] | None, typer.Option(help="Text to continue, \\n for a line break; may be repeated.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many tokens to write.")] = 200,
    temperature: Annotated[
        float, typer.Option(min=0.0, help="0: always the likeliest token; 1: the model's own distribution.")
    ] = 0.8,
    top_k: Annotated[int | None, typer.Option(min=1, help="Draw from this many of the likeliest tokens only.")] = None,
    top_p: Annotated[
        float, typer.Option(help="Draw from the likeliest tokens whose probabilities add up to this only.")
    ] = 1.0,
    min_p: Annotated[
        float, typer.Option(help="Draw from tokens with at least this fraction of the highest probability.")
    ] = 0.0,
    typical: Annotated[
        float, typer.Option(help="Draw from the most typical tokens whose probabilities add up to this only.")
    ] = 1.0,
    stop_at_line: Annotated[bool, typer.Option("--stop-at-line", help="Stop at the first line break.")] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the random numbers.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each prompt: prompt, text.")] = False,
    engine: Engine = "auto",
    adapter: Adapter = None,
    from_hub: FromHub = False,
    threads: Threads = None,
    device: Device = "auto",
) -> None:
    """Continue a prompt with a language model (--arch decoder)."""
    from regard.pipelines.language_model import LanguageModel
    from regard.pipelines.loading import load_as

    if temperature == 0:
        greedy = "at --temperature 0, which always takes the likeliest token"
        refuse_given("top_k", "top_p", "min_p", "typical", "seed", because=greedy)
    prepare_process(threads)
    prompts = [text.replace("\\n", "\n") for text in prompt or [""]]
    texts = load_as(model, LanguageModel, device=device, adapter=adapter, engine=engine).generate(
        prompts,
        max_tokens=max_tokens,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
        typical=typical,
        seed=seed,
        stop_at_line=stop_at_line,
    )
    for begun, text in zip(prompts, texts, strict=True):
        print_result(json.dumps({"prompt": begun, "text": text}, ensure_ascii=False) if as_json else begun + text)
