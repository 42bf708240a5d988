"""What all tests share: hypothesis without deadlines, since machines are noisy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

from flopcast.cli.app import run

settings.register_profile("flopcast", deadline=None, derandomize=True)
settings.load_profile("flopcast")

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask_json(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs a command line in this process and gives its JSON document; `code` is the exit code it must have."""

    def ask(*arguments: str, code: int = 0) -> dict[str, Any]:
        got = run([*arguments, "--json"])
        printed = capsys.readouterr()
        assert got == code, printed.out + printed.err
        document: dict[str, Any] = json.loads(printed.out)
        return document

    return ask
