"""The brief: its tables sum, its pages are few, nothing half-written, hostile text stays text."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from flopcast import ask
from flopcast.errors import BadInput
from flopcast.writeup import gather, write
from flopcast.writeup.write import as_markdown, as_pdf

EXAMPLE = Path(__file__).parents[2] / "examples" / "gato-like.toml"
TODAY = date(2026, 12, 1)


@pytest.fixture(scope="module")
def scenario() -> ask.Scenario:
    return ask.load_scenario(str(EXAMPLE))


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_tables_sum_to_their_last_row(scenario: ask.Scenario) -> None:
    brief = gather(scenario, today=TODAY)
    for column in (1, 2, 3):
        parts = sum(number(row[column]) for row in brief.runs[:-1])
        assert parts == pytest.approx(number(brief.runs[-1][column]), rel=2e-3)
    for column in (1, 2):
        parts = sum(number(row[column]) for row in brief.storage[:-1])
        assert parts == pytest.approx(number(brief.storage[-1][column]), rel=1e-2)


def test_the_three_estimates_and_why_they_differ(scenario: ask.Scenario) -> None:
    brief = gather(scenario, today=TODAY)
    costs = {row[0]: row[5] for row in brief.estimates}
    assert costs["rule"] == "$1,389" and costs["measured"] == "$2,749" and costs["scaled"] == "$34,793"
    factors = {row[0]: number(row[1]) for row in brief.factors}
    product = 1.0
    for name, factor in factors.items():
        product *= factor if name != "product" else 1.0
    assert product == pytest.approx(factors["product"], rel=1e-3)
    assert len(brief.slips) == 1 and "10 times too much" in brief.slips[0]


def test_four_questions_are_answered(scenario: ask.Scenario) -> None:
    text = as_markdown(gather(scenario, today=TODAY)).decode()
    for heading in ("How much compute and storage", "What kind", "What each combination costs", "What partners get"):
        assert heading in text
    for wanted in ("A100", "H100", "MI250X", "TPU v4", "TiB", "kWh", "2026"):
        assert wanted in text.replace("MWh", "kWh")


def test_pdf_has_at_most_three_pages(scenario: ask.Scenario, tmp_path: Path) -> None:
    from pypdf import PdfReader

    path = write(scenario, tmp_path / "brief.pdf", today=TODAY)
    reader = PdfReader(path)
    assert 2 <= len(reader.pages) <= 3
    text = "".join(page.extract_text() for page in reader.pages)
    assert "Gato-like" in text and "slip of 10 times" in text
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_scenario_gives_the_same_words(scenario: ask.Scenario) -> None:
    assert as_markdown(gather(scenario, today=TODAY)) == as_markdown(gather(scenario, today=TODAY))


def test_hostile_text_stays_text(scenario: ask.Scenario) -> None:
    evil = '<script>alert(1)</script> | #eval("1+1") \\ $x$ {{ 7*7 }} #read("/etc/passwd")'
    brief = gather(replace(scenario, title=evil, summary=evil, partner_gets=(evil,)), today=TODAY)
    assert "<script>" not in as_markdown(brief).decode().replace("&lt;script>", "")
    assert "49" not in as_markdown(brief).decode().split("\n")[0]
    assert as_pdf(brief).startswith(b"%PDF")


@pytest.mark.parametrize("name", ["brief.exe", "brief", "missing/brief.pdf"])
def test_a_place_that_cannot_be_written_is_said_and_left_alone(scenario: ask.Scenario, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        write(scenario, tmp_path / name, today=TODAY)
    assert list(tmp_path.iterdir()) == []


def test_mistakes_in_an_estimate_say_in_which(scenario: ask.Scenario) -> None:
    broken = tuple((name, replace(question, on="8xFooGPU")) for name, question in scenario.estimates)
    with pytest.raises(BadInput) as caught:
        gather(replace(scenario, estimates=broken), today=TODAY)
    assert caught.value.problems[0].where == "rule.on"
