"""The command `regard`, and `python -m regard`."""

import signal
import sys


def main() -> None:
    """Run the command of this process. Ctrl-C ends it without a traceback while its modules are imported, and at its end."""
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # in a background, it is ignored
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from regard.cli.main import run

    if is_usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run()
    except SystemExit as ended:
        if (several := sys.modules.get("regard.training.distributed")) is not None and not isinstance(ended.code, str):
            several.end_at_once(ended.code or 0)
        raise
    finally:
        if is_usual:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
