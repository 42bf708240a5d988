"""Scenario files (TOML): one or several questions with a title, and what a write-up needs to know."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from flopcast.ask.collect import Problems
from flopcast.ask.files import read_text
from flopcast.ask.scenario_words import check_words, read_share
from flopcast.describe import Question
from flopcast.errors import near_matches
from flopcast.units import parse_bytes, parse_money
from flopcast.units.numbers import fail

MAX_BYTES = 256 * 1024
MAX_ESTIMATES = 40
MAX_LIST = 60
MAX_COMBINATIONS = 24
LONGEST = {"title": 200, "organisation": 200, "contact": 200, "summary": 4000}
LONGEST_TEXT = 1000
LISTS = ("partner_gets", "combinations", "datasets", "notes")
NUMBERS_TOO = ("development_fraction", "stated")


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
    def main_name(self) -> str:
        """The name of the estimate that the request is built on."""
        return self.main or self.estimates[-1][0]

    @property
    def main_question(self) -> Question:
        """The question that the request is built on."""
        return dict(self.estimates)[self.main_name]


def load_scenario(path: str, *, where: str = "scenario") -> Scenario:
    """Reads and checks a scenario file; raises BadInput with every mistake in it."""
    text = read_text(path, where=where, what="a scenario file", most_bytes=MAX_BYTES)
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise fail(where, path, "a TOML file", str(error).splitlines()[0][:200]) from None
    return read_scenario(table, base=Path(path).stem)


def read_scenario(table: dict[str, Any], *, base: str = "scenario") -> Scenario:
    """A scenario from its table: top-level keys of `Scenario`, and `[estimate]` or `[estimates.NAME]` tables.

    Words inside estimates are understood where they are used; once anything else is wrong, they are checked as well.
    """
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
    _check_names(values, problems)
    _check_amounts(values, problems)
    if problems.found:
        check_words(values.get("estimates", ()), values.get("combinations", ()), problems)
    problems.raise_if_any()
    return Scenario(**values)


def _check_names(values: dict[str, Any], problems: Problems) -> None:
    """`main` and the totals stated must name estimates."""
    names = [name for name, _ in values.get("estimates", ())]
    if not names:
        problems.add("estimate", "", "at least one [estimate] table", "keys are the options of `flopcast estimate`")
    called = [("main", values["main"])] if values.get("main") else []
    called += [(f"stated.{name}", name) for name, _ in values.get("stated", ())]
    for where, name in called:
        if name not in names:
            close = near_matches(name, names)
            hint = f"did you mean `{close[0]}`?" if close else f"estimates: {', '.join(names)}"
            problems.add(where, name, "the name of an estimate", hint)


def _check_amounts(values: dict[str, Any], problems: Problems) -> None:
    """Amounts that the write-up reads."""
    share, size = values.get("development_fraction", ""), values.get("dataset_bytes", "")
    if share:
        problems.attempt(lambda: read_share(share, where="development_fraction"))
    if size:
        problems.attempt(lambda: parse_bytes(size, where="dataset_bytes"))
    for name, text in values.get("stated", ()):
        problems.attempt(lambda name=name, text=text: parse_money(text, where=f"stated.{name}"))  # type: ignore[misc]


def _unknown(key: str, known: list[str], where: str, problems: Problems) -> None:
    close = near_matches(key, known)
    problems.add(where, key, "a known key", f"did you mean `{close[0]}`?" if close else f"keys: {', '.join(known)}")


def _questions(value: Any, where: str, problems: Problems) -> list[tuple[str, Question]]:
    if not isinstance(value, dict) or len(value) > MAX_ESTIMATES:
        problems.add(where, type(value).__name__, f"at most {MAX_ESTIMATES} tables")
        return []
    found = []
    for name, table in value.items():
        if not isinstance(table, dict):
            problems.add(f"{where}.{name}", str(table), "a table")
            continue
        found.append((str(name), _question(table, f"{where}.{name}", problems)))
    return found


def _question(table: dict[str, Any], where: str, problems: Problems) -> Question:
    """The words of one estimate; a number is as good as its text."""
    known = [f.name for f in fields(Question)]
    words = {}
    for raw_key, word in table.items():
        key = raw_key.replace("-", "_")
        if key not in known:
            _unknown(key, known, f"{where}.{key}", problems)
        elif isinstance(word, bool) or not isinstance(word, str | int | float):
            problems.add(f"{where}.{key}", str(word)[:80], "text or a number")
        else:
            words[key] = str(word)
    return Question(**words)


def _value(key: str, value: Any, problems: Problems) -> Any:
    """A top-level value in the type that `Scenario` wants."""
    if key in LISTS:
        return _texts(key, value, problems)
    if key == "stated":
        return _stated(value, problems)
    if key == "checkpoints_kept":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100_000:
            problems.add(key, str(value)[:80], "a whole number from 0 to 100,000")
            return 0
        return value
    if key in NUMBERS_TOO and _is_number(value):
        return str(value)
    longest = LONGEST.get(key, LONGEST_TEXT)
    if not isinstance(value, str) or len(value) > longest:
        problems.add(key, str(value)[:80], f"text of at most {longest:,} characters")
        return ""
    return value.strip()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _texts(key: str, value: Any, problems: Problems) -> tuple[str, ...]:
    """A list of texts, those that are none left out; each wrong entry is a problem of its own."""
    most = MAX_COMBINATIONS if key == "combinations" else MAX_LIST
    if not isinstance(value, list) or len(value) > most:
        problems.add(key, str(value)[:80], f"a list of at most {most} texts")
        return ()
    for item in value:
        if not isinstance(item, str) or len(item) > LONGEST_TEXT:
            problems.add(key, str(item)[:80], f"texts of at most {LONGEST_TEXT:,} characters")
    kept = (item.strip() for item in value if isinstance(item, str) and len(item) <= LONGEST_TEXT)
    return tuple(dict.fromkeys(item for item in kept if item))


def _stated(value: Any, problems: Problems) -> tuple[tuple[str, str], ...]:
    """Totals by the name of the estimate; numbers are US dollars."""
    if not isinstance(value, dict):
        problems.add("stated", str(value)[:80], "a table of totals by the name of the estimate")
        return ()
    for name, text in value.items():
        if not isinstance(text, str) and not _is_number(text):
            problems.add(f"stated.{name}", str(text)[:80], "text such as `$350k`")
    return tuple((name, str(text)) for name, text in value.items() if isinstance(text, str) or _is_number(text))
