"""Tables of facts on the terminal: whole headers, nothing cut to shreds, near matches where no row is found."""

from __future__ import annotations

import pytest

from flopcast.cli.app import run
from flopcast.cli.screens.columns import cell
from flopcast.facts import TABLES


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("table", TABLES)
def test_headers_are_whole_and_rows_take_few_lines(
    table: str, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run(["facts", table]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) <= 3 * 25 + 6
    names = {word for header in TABLES[table].columns.values() for word in header.replace("[", " [").split()}
    if table not in ("programmes", "sources"):
        assert set(" ".join(lines[:1]).split()) <= names


@pytest.mark.parametrize(
    ("text", "shown"),
    [("1.3016e+10", "13B"), ("70553706496", "70.6B"), ("14848", "14,848"), ("2023", "2023"), ("0.333675", "0.3337"), ("2023-07", "2023-07"),
     ("", ""), ("A100-80", "A100-80"), ("inf", "inf"), ("nan", "nan")],
)  # fmt: skip
def test_cells(text: str, shown: str) -> None:
    assert cell(text) == shown


def test_no_row_is_an_answer_of_no_with_near_matches(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["facts", "accelerators", "h100x"]) == 1
    assert "did you mean `h100-sxm`" in capsys.readouterr().out
    assert run(["facts", "models", "zzz"]) == 1
