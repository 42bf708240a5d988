"""What `ask` does: a question in plain words, read, said back and answered as `estimate` answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from flopcast.cli.output import Output


def run_ask(words: Sequence[str], *, output: Output, explain: bool) -> int:
    from flopcast.ask.phrase import phrase_question
    from flopcast.cli.commands import run_estimate

    question, runs, command = phrase_question(" ".join(words))
    print(f"read as: {command}", file=sys.stderr)
    return run_estimate(dict(question.given()), scenario=None, output=output, explain=explain, runs=runs)
