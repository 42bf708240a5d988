"""What users asked in public, as commands: right values, refusals, warnings, and intervals that hold the measured value."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pick(document: object, path: str) -> float:
    """The number at a dotted path; a truth value counts as 0 or 1."""
    for key in path.split("."):
        document = document[int(key)] if isinstance(document, list) else document[key]  # type: ignore[index]
    return float(document)  # type: ignore[arg-type]


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def words(command: str) -> list[str]:
    """The arguments after `flopcast`; `{configs}` is where the config.json files of the cases lie."""
    return shlex.split(command.replace("{configs}", str(HERE / "configs")))[1:]


def each(name: str) -> pytest.MarkDecorator:
    table = rows(name)
    return pytest.mark.parametrize("row", table, ids=[row["id"] for row in table])


@each("cases.csv")
def test_value(row: dict[str, str], ask_json) -> None:
    document = ask_json(*words(row["command"]))
    tolerance = float(row["relative_tolerance"])
    assert pick(document, row["json_path"]) == pytest.approx(float(row["value"]), rel=tolerance)


@each("refused.csv")
def test_refused(row: dict[str, str], ask_json) -> None:
    document = ask_json(*words(row["command"]), code=2)
    assert document["schema"] == "flopcast.error/1"
    found = [problem for problem in document["problems"] if problem["where"] == row["where"]]
    assert found, document
    assert any(row["says"] in f"{problem['allowed']} {problem['hint']}" for problem in found), found


@each("warned.csv")
def test_warned(row: dict[str, str], ask_json) -> None:
    document = ask_json(*words(row["command"]))
    assert any(row["says"] in warning for warning in document["warnings"]), document["warnings"]


@each("within.csv")
def test_interval_holds(row: dict[str, str], ask_json) -> None:
    document = ask_json(*words(row["command"]))
    low, high = (pick(document, f"{row['json_path']}.{end}") for end in ("low", "high"))
    assert low <= float(row["value"]) <= high


@pytest.mark.parametrize("text", ["h100", "80 GB A100", "NVIDIA H100 96GB"])
def test_an_assumed_form_is_said(text: str, ask_json) -> None:
    meaning = ask_json("parse", text, "--as", "on")["meanings"][0]
    assert "form assumed" in meaning["assumed"][0]


def test_attention_of_encoders_is_never_halved(ask_json) -> None:
    training = ask_json("count", "bert-base", "--seq-len", "512")["flop_per_token"]["training"]
    assert training["causal_attention"] == training["full_attention"] > training["6n"]


def test_a_window_bounds_attention(ask_json) -> None:
    short, long = (
        ask_json("count", str(HERE / "configs" / "sliding-window.json"), "--seq-len", length)["flop_per_token"][
            "training"
        ]
        for length in ("4096", "32768")
    )
    assert long["full_attention"] == short["full_attention"] > short["6n"]


def test_every_case_names_its_source() -> None:
    for name in ("cases.csv", "refused.csv", "warned.csv", "within.csv"):
        table = rows(name)
        assert all(row["source"] for row in table)
        assert len({row["id"] for row in table}) == len(table)
