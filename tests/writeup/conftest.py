"""Scenarios from a few words."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import date

import pytest

from flopcast.ask.scenario import read_scenario
from flopcast.writeup import Brief, gather

Gather = Callable[[str], Brief]


@pytest.fixture
def brief_of() -> Gather:
    """The brief of a scenario in TOML."""
    return lambda text: gather(read_scenario(tomllib.loads(text), base="small"), today=date(2026, 12, 1))
