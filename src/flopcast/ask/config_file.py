"""Reads a config.json (or the folder that holds it) as data: bounded in size and depth, nothing in it is run."""

from __future__ import annotations

import json
from typing import Any

from flopcast.ask.files import read_text
from flopcast.units.numbers import fail

MAX_BYTES = 4 * 2**20
MAX_DEPTH = 40
KINDS = {int: "a number", float: "a number", bool: "true or false", str: "text", list: "a list", type(None): "null"}


def load_config(path: str, *, where: str = "model") -> dict[str, Any]:
    """The object in `path`, or in `path/config.json`; raises BadInput for anything else."""
    what = "a config.json or a folder that holds one"
    text = read_text(path, where=where, what=what, most_bytes=MAX_BYTES, inside="config.json")
    return parse_config(text, shown=path, where=where)


def parse_config(text: str, *, shown: str, where: str = "model") -> dict[str, Any]:
    """A JSON object from text, at most MAX_DEPTH deep."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise fail(where, shown, "a JSON file", _why_no_json(error)) from None
    if not isinstance(value, dict):
        raise fail(where, shown, "a JSON object", f"it holds {KINDS.get(type(value), 'something else')}")
    if _depth(value) > MAX_DEPTH:
        raise fail(where, shown, f"nested at most {MAX_DEPTH} deep")
    return value


def _why_no_json(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}: {error.msg}"
    return "it nests too deep" if isinstance(error, RecursionError) else "it holds a number of thousands of digits"


def _depth(value: object) -> int:
    level, current = 0, [value]
    while current and level <= MAX_DEPTH + 1:
        level += 1
        current = [
            inner
            for outer in current
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return level
