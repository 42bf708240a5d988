"""Slips of a command line that a parser would let pass."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("words", "where", "says"),
    [
        (["estimate", "7B", "1T", "--on", "8xA100", "--on", "8xH100"], "on", "flopcast compare"),
        (["estimate", "7B", "1T", "--on=8xA100", "--on=8xH100"], "on", "one value"),
        (["plan", "7B", "--on", "8xA100", "--price", "2/h", "--price", "3/h"], "price", "silently"),
        (["estimate", "-7B", "1T", "--on", "8xA100"], "command line", "did you mean `7B`"),
        (["estimate", "7B", "-1T", "--on", "8xA100"], "command line", "did you mean `1T`"),
    ],
)
def test_refused(ask_json, words: list[str], where: str, says: str) -> None:
    found = ask_json(*words, code=2)["problems"]
    assert any(p["where"] == where and says in p["allowed"] + p["hint"] for p in found), found


def test_options_that_take_several_do(ask_json) -> None:
    assert len(ask_json("compare", "7B", "1T", "--on", "64xA100", "--on", "64xH100")["options"]) == 2


def test_a_negative_value_is_the_options_own_mistake(ask_json) -> None:
    problems = ask_json("estimate", "7B", "1T", "--on", "8xA100", "--mfu", "-5", code=2)["problems"]
    assert [p["where"] for p in problems] == ["mfu"]
