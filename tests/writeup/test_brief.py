"""The brief: its tables sum, its pages are few, nothing half-written, hostile text stays text."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from math import prod
from pathlib import Path

import pytest

from flopcast import ask
from flopcast.errors import BadInput
from flopcast.units import show_money_short
from flopcast.writeup import gather, write
from flopcast.writeup.request import NONE
from flopcast.writeup.write import as_markdown, as_pdf

EXAMPLE = Path(__file__).parents[2] / "examples" / "gato-like.toml"
TODAY = date(2026, 12, 1)


@pytest.fixture(scope="module")
def scenario() -> ask.Scenario:
    return ask.load_scenario(str(EXAMPLE))


def number(text: str) -> float:
    return float(text.replace(",", "").replace("$", ""))


def test_tables_sum_exactly_to_their_last_row(scenario: ask.Scenario) -> None:
    brief = gather(scenario, today=TODAY)
    for column in (1, 2, 3, 4):
        parts = sum(number(row[column]) for row in brief.runs[:-1] if row[column] != NONE)
        assert parts == number(brief.runs[-1][column])
    for column in (1, 2):
        parts = sum(number(row[column]) for row in brief.storage[:-1])
        assert parts == pytest.approx(number(brief.storage[-1][column]), abs=1e-9)


def test_every_section_has_the_same_total(scenario: ask.Scenario) -> None:
    brief = gather(scenario, today=TODAY)
    hours, dollars = brief.runs[-1][2], number(brief.runs[-1][4])
    assert f"{hours} A100" in brief.ask[0]
    assert show_money_short(dollars) in brief.ask[2]
    assert [row[7] for row in brief.combinations if row[0].startswith("64 x A100")] == [show_money_short(dollars)]


def test_development_data_and_checkpoints_of_the_scenario_count_everywhere(scenario: ask.Scenario) -> None:
    plain = gather(scenario, today=TODAY)
    more = replace(scenario, development_fraction="300%", dataset_bytes="900 TB", checkpoints_kept=50)
    brief = gather(more, today=TODAY)
    assert number(brief.runs[2][2]) == pytest.approx(3 * number(brief.runs[0][2]), rel=1e-3)
    assert number(brief.runs[3][4]) > 20 * number(plain.runs[3][4])
    assert number(brief.runs[-1][4]) > 2.5 * number(plain.runs[-1][4])
    assert brief.storage[0][1:] == ("900.0", "818.5", "as stated") and brief.storage[2][0] == "50 full checkpoints"
    said = {row[0]: row for row in brief.assumptions}
    assert said["development and failed runs"][1::2] == ("300 % of the main run", "as planned")
    assert said["checkpoints kept"][1::2] == ("50", "as planned")


def test_no_development_is_a_plan_too(scenario: ask.Scenario) -> None:
    brief = gather(replace(scenario, development_fraction="0"), today=TODAY)
    assert brief.runs[2][1:5] == ("0", "0", "0", "$0")


def test_the_three_estimates_and_why_they_differ(scenario: ask.Scenario) -> None:
    brief = gather(scenario, today=TODAY)
    costs = {row[0]: row[5] for row in brief.estimates}
    assert costs["rule"] == "$1,389" and costs["measured"] == "$2,749" and costs["scaled"] == "$34,793"
    pairs = [reason.sentence for reason in brief.reasons]
    assert [sentence.split("”")[0] for sentence in pairs] == ["“request", "“request", "“measured"]
    assert "“half context”" in pairs[0] and "“rule” $1,389: 1.979 times" in pairs[2]
    for reason in brief.reasons:
        factors = {row[0]: number(row[1]) for row in reason.factors}
        assert 1.0 not in factors.values()
        product = prod(value for name, value in factors.items() if name != "product")
        assert product == pytest.approx(factors["product"], rel=1e-3)
    assert len(brief.slips) == 1 and "10 times too much" in brief.slips[0]


def test_only_cited_sources_are_listed(scenario: ask.Scenario) -> None:
    brief = gather(scenario, today=TODAY)
    text = as_markdown(brief).decode().split("## Sources")[0]
    for place in range(1, len(brief.sources) + 1):
        assert f"[{place}]" in text
    assert f"[{len(brief.sources) + 1}]" not in text
    assert not any("step model" in source or "usual" in source or "an update" in source for source in brief.sources)


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


def test_the_same_scenario_gives_the_same_bytes(scenario: ask.Scenario) -> None:
    assert as_markdown(gather(scenario, today=TODAY)) == as_markdown(gather(scenario, today=TODAY))
    assert as_pdf(gather(scenario, today=TODAY)) == as_pdf(gather(scenario, today=TODAY))


def test_hostile_text_stays_text(scenario: ask.Scenario) -> None:
    evil = '<script>alert(1)</script> | #eval("1+1") \\ $x$ {{ 7*7 }} #read("/etc/passwd")'
    brief = gather(replace(scenario, title=evil, summary=evil, partner_gets=(evil,)), today=TODAY)
    assert "<script>" not in as_markdown(brief).decode().replace("&lt;script>", "")
    assert "49" not in as_markdown(brief).decode().split("\n")[0]
    assert as_pdf(brief).startswith(b"%PDF")


@pytest.mark.parametrize("name", ["brief.exe", "brief", "missing/brief.pdf"])
def test_a_place_that_cannot_be_written_is_said_and_left_alone(
    scenario: ask.Scenario, tmp_path: Path, name: str
) -> None:
    with pytest.raises(BadInput):
        write(scenario, tmp_path / name, today=TODAY)
    assert list(tmp_path.iterdir()) == []


def test_mistakes_in_estimates_say_in_which_all_at_once(scenario: ask.Scenario) -> None:
    broken = tuple((name, replace(question, on="8xFooGPU")) for name, question in scenario.estimates)
    with pytest.raises(BadInput) as caught:
        gather(replace(scenario, estimates=broken, combinations=("8xBarGPU",)), today=TODAY)
    wheres = [problem.where for problem in caught.value.problems]
    assert wheres[0] == "rule.on" and "request.on" in wheres and "combinations.on" in wheres
