"""Collects problems, so that the asker hears of all mistakes at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flopcast.errors import BadInput, Problem

T = TypeVar("T")


class Problems:
    """Gathers the problems of several readings; `raise_if_any` reports them together."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def attempt(self, read: Callable[[], T]) -> T | None:
        """The result of `read`, or None after keeping what is wrong."""
        try:
            return read()
        except BadInput as error:
            self.found += [problem for problem in error.problems if problem not in self.found]
            return None

    def add(self, where: str, given: str, allowed: str, hint: str = "") -> None:
        self.found.append(Problem(where=where, given=given, allowed=allowed, hint=hint))

    def raise_if_any(self) -> None:
        if self.found:
            raise BadInput(*self.found)
