"""The container and the unit run the command that there is, with options that it has."""

import configparser
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from fnmatch import fnmatch
from pathlib import Path

import pytest
import typer
import yaml
from served import Start
from test_server import wait_for

from regard.cli.main import app
from regard.compiled.library import find

DEPLOY = Path(__file__).parents[2] / "deploy"
ROOT = DEPLOY.parent
Step = tuple[str, str]


def parsed(words: list[str]) -> dict[str, object]:
    """What the command line of `serve` makes of words."""
    command = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    return command.make_context("serve", words).params


def stages() -> dict[str, list[Step]]:
    """The instructions of each stage of the Dockerfile, name and arguments; of the last one under the name `last`."""
    text = re.sub(r"\\\n\s*", " ", (DEPLOY / "Dockerfile").read_text())
    found: dict[str, list[Step]] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, words = line.partition(" ")
        if name == "FROM":
            steps = found.setdefault(words.partition(" AS ")[2] or "last", [])
        steps.append((name, words))
    return found


def copied(steps: list[Step], to: Path) -> None:
    """Copy what a stage copies from the clone, without what the build leaves out, to a folder."""
    lines = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    ignored = [line.removeprefix("**/") for line in lines if line[:1] not in "#!*" or line.startswith("**/")]

    def left_out(folder: str, names: list[str]) -> list[str]:
        place = Path(folder).relative_to(ROOT)
        return [
            name for name in names if any(fnmatch(path, rule) for path in (name, str(place / name)) for rule in ignored)
        ]

    for name, words in steps:
        if name != "COPY" or words.startswith("--from"):
            continue
        *sources, target = words.split()
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, to / target, ignore=left_out)
            else:
                shutil.copy(ROOT / source, to / target)


def test_the_container() -> None:
    steps = stages()["last"]
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


def test_what_the_container_is_built_from(tmp_path: Path) -> None:
    copied(stages()["build"], tmp_path)
    settings = tomllib.loads((tmp_path / "pyproject.toml").read_text())
    named = ["hatch_build.py", settings["project"]["readme"], "LICENSE", settings["tool"]["hatch"]["version"]["path"]]
    needed = [*named, *(str(path.relative_to(ROOT)) for path in (ROOT / "native").iterdir() if path.is_file())]
    assert [name for name in needed if not (tmp_path / name).is_file()] == []
    assert not list(tmp_path.rglob("layers-*")), "what this machine compiled is not what the container's can run"


@pytest.mark.slow
def test_the_container_has_the_layers_in_c(tmp_path: Path) -> None:
    """The steps of the Dockerfile in an empty folder, with the files that it copies; but those that ask for Debian packages, for
    PyTorch and for the other libraries, which are there.
    """
    if find().library is None:
        pytest.skip(f"layers in C: {find().reason}")
    build, run, place = tmp_path / "build", tmp_path / "run", tmp_path / "site"
    build.mkdir()
    run.mkdir()
    copied(stages()["build"], build)
    copied(stages()["last"], run)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"

    def sh(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    for name, words in stages()["build"]:
        if name == "RUN" and not words.startswith("apt-get"):
            done = sh(words, build)
            if "No matching distribution found for hatchling" in done.stderr:
                pytest.skip("the registry of packages cannot be reached")
            assert done.returncode == 0, done.stderr
    shutil.copytree(build / "wheels", run / "wheels")
    (installing,) = [words for name, words in stages()["last"] if name == "RUN" and "wheels/" in words]
    options = f"--no-deps --target {shlex.quote(str(place))}"
    done = sh(installing.replace("pip install", f"pip install {options}"), run)
    assert done.returncode == 0, done.stderr
    assert list((place / "regard" / "engines").glob("layers-*"))
    environment["PYTHONPATH"] = str(place)
    code = "import regard, regard.compiled.library as l; print(regard.__file__); print(l.find().library is not None)"
    done = sh(f"python -c {shlex.quote(code)} && python -m regard serve --help", run)
    assert done.stdout.splitlines()[:2] == [str(place / "regard" / "__init__.py"), "True"], done.stderr


def test_the_unit() -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / "regard.service")
    service = unit["Service"]
    program, name, *words = shlex.split(service["ExecStart"])
    assert (Path(program).name, name) == ("regard", "serve")
    assert parsed(words)["host"] == "127.0.0.1"
    assert (service["KillSignal"], service["ExecReload"].split()[1]) == ("SIGTERM", "-HUP")
    assert service["KillMode"] == "mixed"  # SIGTERM to the server alone, which tells its processes
    assert (service["DynamicUser"], service["ProtectSystem"]) == ("yes", "strict")


def test_the_pods() -> None:
    deployment, service = yaml.safe_load_all((DEPLOY / "serve-deployment.yaml").read_text())
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    last = dict(stages()["last"])
    entry = re.findall(r'"([^"]+)"', last["ENTRYPOINT"])
    found = parsed([*entry[2:], *container["args"]])
    assert container["ports"] == [{"name": "http", "containerPort": found["port"]}]
    assert service["spec"]["ports"][0]["targetPort"] == "http"
    assert service["spec"]["selector"] == deployment["spec"]["selector"]["matchLabels"]
    assert f"--uid {pod['securityContext']['runAsUser']} " in " ".join(words for name, words in stages()["last"])
    mounts = {each["mountPath"]: each for each in container["volumeMounts"]}
    assert "/tmp" in mounts  # for the state that the processes share
    (model,) = found["models"]  # type: ignore[misc]
    assert str(Path(model).parent) in mounts
    assert pod["terminationGracePeriodSeconds"] > float(found["seconds"])  # type: ignore[arg-type]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in ("/ready", "/health")


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_in_front_of_two_servers(start: Start, folder: Path, tmp_path: Path) -> None:
    """Its recipe, with other ports. A stream arrives in pieces; where one server ends, the other one answers."""
    servers = [start(folder), start(folder)]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = (DEPLOY / "nginx.conf").read_text()
    asked = "server 127.0.0.1:8000 max_fails=3 fail_timeout=5s;"
    assert asked in text
    both = "\n".join(asked.replace("127.0.0.1:8000", each.url.removeprefix("http://")) for each in servers)
    text = text.replace(asked, both).replace("listen 8080;", f"listen 127.0.0.1:{port};")
    places = "".join(
        f"{name}_temp_path {tmp_path}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/errors; events {{}}\n"
        f"http {{ access_log off; {places}\n{text} }}"
    )
    nginx = subprocess.Popen(
        ["nginx", "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path)], stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"

    def ask(path: str, body: bytes | None = None) -> tuple[int, str, bytes]:
        request = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers["X-Request-ID"], answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("X-Request-ID", ""), error.read()
        except urllib.error.URLError:
            return 0, "", b""

    try:
        wait_for(lambda: ask("/ready")[0] == 200)
        body = json.dumps({"q": "two dogs", "source": "en", "target": "de"}).encode()
        answers = [ask("/translate", body) for _ in range(8)]
        assert {(status, content) for status, _, content in answers} == {(200, answers[0][2])}
        logs = [each.log for each in servers]
        wait_for(lambda: all(f"id={name}" in "".join(log.read_text() for log in logs) for _, name, _ in answers))
        assert ask("/metrics")[0] == 404
        assert ask("/translate", b"x" * 5_500_000)[0] == 413
        assert (
            ask("/api/v1/stream", json.dumps({"text": "two dogs", "beam_size": 1}).encode())[2].count(b"event: token")
            > 1
        )
        assert servers[0].stop() == 0
        assert {ask("/translate", body)[::2] for _ in range(8)} == {(200, answers[0][2])}
    finally:
        nginx.terminate()
        nginx.wait(10)
