"""The container and the unit run the command that there is, with options that it has."""

import configparser
import re
import shlex
from pathlib import Path

import typer

from regard.cli.main import app

DEPLOY = Path(__file__).parents[2] / "deploy"


def parsed(words: list[str]) -> dict[str, object]:
    """What the command line of `serve` makes of words."""
    command = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    return command.make_context("serve", words).params


def test_the_container() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    steps = [line.partition(" ")[::2] for line in lines if line and not line.startswith("#")]
    names = [name for name, _ in steps]
    assert names[0] == "FROM"
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert dict(steps)["USER"] not in ("root", "0")
    entry = re.findall(r'"([^"]+)"', dict(steps)["ENTRYPOINT"])
    default = re.findall(r'"([^"]+)"', dict(steps)["CMD"])
    assert entry[:2] == ["regard", "serve"]
    found = parsed([*entry[2:], *default])
    assert (found["host"], found["port"], list(found["models"])) == ("0.0.0.0", 8000, ["/models/model"])  # type: ignore[call-overload]
    assert str(found["port"]) == dict(steps)["EXPOSE"]
    assert f":{found['port']}/ready" in dict(steps)["HEALTHCHECK"]
    for source in re.findall(r"^COPY (.+) \S+$", text, re.M):
        assert all((DEPLOY.parent / name).exists() for name in source.split())


def test_the_unit() -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / "regard.service")
    service = unit["Service"]
    program, name, *words = shlex.split(service["ExecStart"])
    assert (Path(program).name, name) == ("regard", "serve")
    assert parsed(words)["host"] == "127.0.0.1"
    assert (service["KillSignal"], service["ExecReload"].split()[1]) == ("SIGTERM", "-HUP")
    assert (service["DynamicUser"], service["ProtectSystem"]) == ("yes", "strict")
