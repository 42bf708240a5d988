"""Documentation that runs: every console line of the README and the docs, and every Python snippet."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from flopcast.cli.app import run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console( fails)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINES = [
    (page.relative_to(ROOT), line[2:], bool(fails))
    for page in PAGES
    for fails, block in BLOCK.findall(page.read_text(encoding="utf-8"))
    for line in block.splitlines()
    if line.startswith("$ flopcast ")
]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


@pytest.mark.parametrize(("page", "line", "fails"), LINES, ids=[f"{page}:{line[:60]}" for page, line, _ in LINES])
def test_console_line(
    page: Path, line: str, fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    words = shlex.split(line)[1:]
    if "-o" in words:
        place = words.index("-o") + 1
        words[place] = str(tmp_path / words[place])
    monkeypatch.chdir(ROOT)
    assert run(words) == (2 if fails else 0), capsys.readouterr().err


def test_lines_were_found() -> None:
    assert len(LINES) > 15


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_snippets_and_links(page: Path) -> None:
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_command_of_the_readme_table_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    rows = re.findall(r"\| `(flopcast [^`]+)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(rows) >= 6
    monkeypatch.chdir(ROOT)
    for row in rows:
        words = [str(tmp_path / word) if word == "brief.pdf" else word for word in shlex.split(row)[1:]]
        assert run(words) == 0, (row, capsys.readouterr().err)


def test_help_is_quick_and_lists_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from flopcast.cli import main; main()", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    for command in ("estimate", "count", "reconcile", "outlook", "convert", "facts", "writeup", "parse"):
        assert command in done.stdout
