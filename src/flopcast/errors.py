"""The few exceptions that a user can meet.

Belongs here: exceptions for bad input, each problem with where, what was given, what is allowed and one hint.
Does not: "does not fit" or "not possible", which are results; broken invariants, which are assertions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One mistake in the input: where it stands, what was given, what is allowed, one hint."""

    where: str
    given: str
    allowed: str
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: cannot take `{self.given}`; expected {self.allowed}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class BadInput(Exception):  # noqa: N818 - the name says what it is to the person who reads it
    """The input has one mistake or several; all of them are in `problems`."""

    def __init__(self, *problems: Problem) -> None:
        self.problems: tuple[Problem, ...] = problems
        super().__init__("\n".join(str(problem) for problem in problems))


def near_matches(word: str, known: Iterable[str], count: int = 4) -> list[str]:
    """Known names that look like `word`, best first, whatever the letter case."""
    by_lower = {name.lower(): name for name in known}
    word = word.lower()
    close = get_close_matches(word, by_lower, n=count, cutoff=0.5)
    close += [name for name in by_lower if len(word) > 1 and word in name and name not in close]
    return [by_lower[name] for name in close[:count]]


def unknown_name(*, where: str, given: str, kind: str, known: Sequence[str], hint: str = "") -> BadInput:
    """The error for a name that is not known, with the nearest known names as the hint."""
    close = near_matches(given, known)
    said = f"did you mean {' or '.join(f'`{name}`' for name in close)}?" if close else ""
    return BadInput(
        Problem(where=where, given=given, allowed=f"a known {kind}", hint=" ".join(s for s in (said, hint) if s))
    )
