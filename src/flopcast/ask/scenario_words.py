"""Words inside a scenario: each estimate and combination understood, every mistake gathered under its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from flopcast.ask.cluster import read_cluster
from flopcast.ask.collect import Problems
from flopcast.ask.resolve import resolve
from flopcast.describe import Question
from flopcast.errors import BadInput
from flopcast.units import parse_fraction

T = TypeVar("T")
MOST_DEVELOPMENT = 20.0


def check_words(
    estimates: Iterable[tuple[str, Question]], combinations: Iterable[str], problems: Problems
) -> None:  # fmt: skip
    """Adds what is wrong inside the estimates and combinations to the problems found so far.

    What is missing is not said again where a mistyped key stands for it.
    """
    unknown = [problem for problem in problems.found if problem.allowed == "a known key"]
    for name, question in estimates:
        before = len(problems.found)
        attempt_named(name, lambda question=question: resolve(question), problems)  # type: ignore[misc]
        meant = {p.hint for p in unknown if f".{name}." in p.where}
        kept = [p for p in problems.found[before:] if p.given or not _is_meant(p.where, meant)]
        problems.found[before:] = kept
    for on in combinations:
        attempt_named("combinations", lambda on=on: read_cluster(on), problems)  # type: ignore[misc]


def _is_meant(where: str, hints: set[str]) -> bool:
    """Whether a hint on a mistyped key names the field of this problem."""
    return f"did you mean `{where.rsplit('.', 1)[-1]}`?" in hints


def attempt_named(name: str, read: Callable[[], T], problems: Problems) -> T | None:
    """The result of `read`, or None after keeping its problems, each said to be in `name`."""
    try:
        return read()
    except BadInput as error:
        problems.found += [replace(problem, where=f"{name}.{problem.where}") for problem in error.problems]
        return None


def read_share(text: str, *, where: str) -> float:
    """A share of the main run, from nothing (`0`) to twenty times it.

    >>> read_share("50%", where="development_fraction"), read_share("0", where="development_fraction")
    (0.5, 0.0)
    """
    if text.strip().rstrip("% ") in ("0", "0.0"):
        return 0.0
    return parse_fraction(text, where=where, maximum=MOST_DEVELOPMENT)
