"""Translate with Argos Translate, in an environment that has it: `python run_argos.py PACKAGE FROM TO < lines > lines`.

Nothing of the network is needed; what it would fetch raises an error.
"""

import json
import os
import socket
import sys
import tempfile


def main() -> None:
    package_path, source, target = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = home

        def refuse(*_: object, **__: object) -> None:
            raise OSError("the network was asked for")

        socket.socket.connect = refuse  # type: ignore[method-assign, assignment]
        from argostranslate import package, translate

        package.install_from_path(package_path)
        found = [translate.translate(line, source, target) for line in json.load(sys.stdin)]
    json.dump(found, sys.stdout)


main()
