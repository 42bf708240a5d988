"""`"1B 200B --on 1xA100 --mfu 100%"`: the arguments of `flopcast estimate` in one text -> `Question`."""

from __future__ import annotations

import shlex
from dataclasses import fields

from flopcast.ask.collect import Problems
from flopcast.describe import Question
from flopcast.errors import near_matches
from flopcast.units.numbers import fail

MAX_TEXT = 4000
POSITIONAL = ("model", "tokens")


def quoted_question(text: str, *, where: str) -> Question:
    """The question in a quoted command line; options are those of `flopcast estimate`."""
    if len(text) > MAX_TEXT:
        raise fail(where, text, f"at most {MAX_TEXT} characters long")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise fail(where, text, "arguments with closed quotes", str(error)) from None
    words = words[1:] if words[:1] == ["flopcast"] else words
    words = words[1:] if words[:1] == ["estimate"] else words
    return _read(words, text, where)


def _read(words: list[str], text: str, where: str) -> Question:
    known = {f"--{f.name.replace('_', '-')}": f.name for f in fields(Question) if f.name not in POSITIONAL}
    problems = Problems()
    values: dict[str, str] = {}
    rest, position = list(words), 0
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            if position >= len(POSITIONAL):
                problems.add(where, word, "MODEL and TOKENS, then options", "quote values that hold spaces")
            else:
                values[POSITIONAL[position]] = word
            position += 1
            continue
        option, equals, value = word.partition("=")
        if option not in known:
            close = near_matches(option, list(known))
            problems.add(
                where, option, "an option of `flopcast estimate`", f"did you mean {close[0]}?" if close else ""
            )
            if not equals and rest and not rest[0].startswith("--"):
                rest.pop(0)
        elif not equals and not rest:
            problems.add(where, option, "an option with a value")
        else:
            values[known[option]] = value if equals else rest.pop(0)
    if not values.get("model"):
        problems.add(where, text, "arguments that begin with MODEL, as of `flopcast estimate`")
    problems.raise_if_any()
    return Question(**values)
