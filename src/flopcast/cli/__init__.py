"""The command line: parse, call one function, show.

Belongs here: options, screens, JSON documents, exit codes (0 answered, 1 answered "no", 2 bad input).
Does not: any figure; whatever is shown comes from the rooms before. Heavy imports stay inside the commands.
"""

from __future__ import annotations

import io
import os
import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    from flopcast.cli.app import run

    if sys.stdout is None or sys.stderr is None:
        sys.exit(2)  # nobody can read an answer
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = run(sys.argv[1:])
    except Exception as error:
        if os.environ.get("FLOPCAST_DEBUG"):
            raise
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        print(f"internal error: {said}\nThis is a bug in flopcast. FLOPCAST_DEBUG=1 shows where", file=sys.stderr)
        code = 2
    sys.exit(code)
