"""The command `generate`: continue a prompt with a language model."""

from __future__ import annotations

from typing import Annotated

import typer

from regard.cli.in_parts import PartOptions, answer_in_parts, divisible, input_file
from regard.cli.input import input_lines
from regard.cli.option_types import Model, ModelOptions, about_model, prepare_process, refuse_given
from regard.cli.output import print_result
from regard.errors import SettingsError


@divisible()
@about_model("ensemble", "precision", "source_language", "target_language")
def generate(
    model_options: ModelOptions,
    model: Model,
    prompt: Annotated[
        list[str] | None, typer.Option(help="Text to continue, \\n for a line break; may be repeated.")
    ] = None,
    prompts: Annotated[
        str | None, typer.Option(help="A file of prompts, one on each line; - is standard input.", metavar="FILE")
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
    in_parts: PartOptions | None = None,
) -> None:
    """Continue a prompt with a language model (--arch decoder)."""
    from regard.generation.options import TextOptions
    from regard.parts.answers import GeneratedRows, continued

    if temperature == 0:
        greedy = "at --temperature 0, which always takes the likeliest token"
        refuse_given("top_k", "top_p", "min_p", "typical", "seed", because=greedy)
    if prompt and prompts:
        raise SettingsError("`--prompt` and `--prompts` both say what to continue; remove one of them.")
    options = TextOptions(
        max_tokens=max_tokens, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p, typical=typical,
        seed=seed, stop_at_line=stop_at_line,
    )  # fmt: skip
    answer = GeneratedRows(model_options.choice(model), as_json, options)
    prepare_process(model_options.threads)
    if in_parts:
        if prompts is None:
            raise SettingsError("`--parts` needs `--prompts FILE`, the prompts that are divided.")
        if not (as_json or stop_at_line):
            raise SettingsError("`--parts` needs `--json` or `--stop-at-line`: each prompt has one line of output.")
        answer_in_parts("generate", answer, [input_file(prompts, in_parts.column)], in_parts)
        return
    asked = list(input_lines(prompts)) if prompts is not None else prompt or [""]
    texts = [text.replace("\\n", "\n") for text in asked]
    for begun, found in zip(texts, answer.loaded.generate(texts, options), strict=True):
        print_result(continued(begun, found, as_json=as_json))
