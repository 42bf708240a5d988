"""Slips in a command line that a parser lets pass or misreads: a single option said twice, an amount below zero."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from flopcast.errors import BadInput, Problem

_NEGATIVE = re.compile(r"-(\.?\d\S*)")


def check_line(command: Any, arguments: Sequence[str]) -> None:
    """Raises BadInput for options that take one value and were given several, and for amounts such as `-7B`.

    Parameters: command, the parsed tree of commands; arguments, of which the first names one of them.
    """
    chosen = getattr(command, "commands", {}).get(arguments[0]) if arguments else None
    if chosen is None:
        return
    options = {name: option for option in chosen.params for name in option.opts if name.startswith("-")}
    problems = [*_negative(arguments[1:], options), *_repeated(arguments[1:], options)]
    if problems:
        raise BadInput(*problems)


def _takes_value(option: Any) -> bool:
    return not getattr(option, "is_flag", False)


def _words(arguments: Sequence[str], options: dict[str, Any]) -> Iterable[tuple[str, str | None]]:
    """Each argument with the value that it takes: (option, value), or (word, None)."""
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return
        name, equals, value = word.partition("=")
        option = options.get(name)
        if option is None or not _takes_value(option):
            yield word, None
        elif equals:
            yield name, value
        elif rest:
            yield name, rest.pop(0)


def _repeated(arguments: Sequence[str], options: dict[str, Any]) -> list[Problem]:
    given: dict[str, list[str]] = {}
    for name, value in _words(arguments, options):
        if value is not None and not options[name].multiple:
            given.setdefault(options[name].opts[0], []).append(value)
    hint = "the last one would silently win; leave the others out"
    several = {"--on": "flopcast compare takes several --on"}
    return [
        Problem(where=name.lstrip("-"), given=" and ".join(values), allowed="one value", hint=several.get(name, hint))
        for name, values in given.items()
        if len(values) > 1
    ]


def _negative(arguments: Sequence[str], options: dict[str, Any]) -> list[Problem]:
    found = []
    for word, value in _words(arguments, options):
        below = _NEGATIVE.fullmatch(word) if value is None else None
        if below:
            hint = f"a word that begins with a dash reads as an option: did you mean `{below[1]}`?"
            found.append(Problem(where="command line", given=word, allowed="an amount above zero", hint=hint))
    return found
