"""The command line: parse, call one function, show.

Belongs here: options, screens, JSON documents, exit codes (0 answered, 1 answered "no", 2 bad input).
Does not: any figure; whatever is shown comes from the rooms before. Heavy imports stay inside the commands.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    from flopcast.cli.app import run

    sys.exit(run(sys.argv[1:]))
