"""Scenario files (TOML): one or several questions with a title, and what a write-up needs to know."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from flopcast.ask.collect import Problems
from flopcast.ask.files import read_text
from flopcast.describe import Question
from flopcast.errors import near_matches
from flopcast.units.numbers import fail

MAX_BYTES = 256 * 1024
MAX_ESTIMATES = 40
MAX_LIST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A project that asks for compute: its text, its estimates by name, and the options a write-up compares.

    `estimates` are the questions in order; `combinations` are accelerators (as typed after --on) to price the main
    estimate on; `offers` says what the project can give in return.
    """

    title: str
    organisation: str = ""
    summary: str = ""
    contact: str = ""
    main: str = ""
    estimates: tuple[tuple[str, Question], ...] = ()
    combinations: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    dataset_bytes: str = ""
    stated: tuple[tuple[str, str], ...] = ()
    partner_gets: tuple[str, ...] = ()
    development_fraction: str = ""
    checkpoints_kept: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def main_question(self) -> Question:
        """The question that the request is built on."""
        questions = dict(self.estimates)
        return questions[self.main] if self.main else self.estimates[-1][1]


def load_scenario(path: str, *, where: str = "scenario") -> Scenario:
    """Reads and checks a scenario file; raises BadInput with every mistake in it."""
    text = read_text(path, where=where, what="a scenario file", most_bytes=MAX_BYTES)
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise fail(where, path, "a TOML file", str(error).splitlines()[0][:200]) from None
    return read_scenario(table, base=Path(path).stem)


def read_scenario(table: dict[str, Any], *, base: str = "scenario") -> Scenario:
    """A scenario from its table: top-level keys of `Scenario`, and `[estimate]` or `[estimates.NAME]` tables."""
    problems = Problems()
    values: dict[str, Any] = {"title": base}
    known = {f.name: f for f in fields(Scenario)}
    for key, value in table.items():
        if key == "estimate":
            values["estimates"] = (*values.get("estimates", ()), *_questions({base: value}, "estimate", problems))
        elif key == "estimates":
            values["estimates"] = (*values.get("estimates", ()), *_questions(value, "estimates", problems))
        elif key in known:
            values[key] = _value(key, value, problems)
        else:
            _unknown(key, [*known, "estimate"], key, problems)
    names = [name for name, _ in values.get("estimates", ())]
    if not names:
        problems.add("estimate", "", "at least one [estimate] table", "keys are the options of `flopcast estimate`")
    if values.get("main") and values["main"] not in names:
        problems.add("main", str(values["main"]), f"the name of an estimate: {', '.join(names)}")
    problems.raise_if_any()
    return Scenario(**values)


def _unknown(key: str, known: list[str], where: str, problems: Problems) -> None:
    close = near_matches(key, known)
    problems.add(where, key, "a known key", f"did you mean `{close[0]}`?" if close else f"keys: {', '.join(known)}")


def _questions(value: Any, where: str, problems: Problems) -> list[tuple[str, Question]]:
    if not isinstance(value, dict) or len(value) > MAX_ESTIMATES:
        problems.add(where, type(value).__name__, f"at most {MAX_ESTIMATES} tables")
        return []
    known = [f.name for f in fields(Question)]
    found = []
    for name, table in value.items():
        if not isinstance(table, dict):
            problems.add(f"{where}.{name}", str(table), "a table")
            continue
        words = {}
        for raw_key, word in table.items():
            key = raw_key.replace("-", "_")
            if key not in known:
                _unknown(key, known, f"{where}.{name}.{key}", problems)
            elif isinstance(word, bool) or not isinstance(word, str | int | float):
                problems.add(f"{where}.{name}.{key}", str(word)[:80], "text or a number")
            else:
                words[key] = str(word)
        found.append((str(name), Question(**words)))
    return found


def _value(key: str, value: Any, problems: Problems) -> Any:
    """A top-level value in the type that `Scenario` wants."""
    if key in ("partner_gets", "combinations", "datasets", "notes"):
        if not isinstance(value, list) or len(value) > MAX_LIST or not all(isinstance(item, str) for item in value):
            problems.add(key, str(value)[:80], f"a list of at most {MAX_LIST} texts")
            return ()
        return tuple(item[:2000] for item in value)
    if key == "stated":
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            problems.add(key, str(value)[:80], "a table of texts")
            return ()
        return tuple(value.items())
    if key == "checkpoints_kept":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100_000:
            problems.add(key, str(value)[:80], "a whole number from 0 to 100,000")
            return 0
        return value
    if not isinstance(value, str):
        problems.add(key, str(value)[:80], "text")
        return ""
    return value[:4000]
