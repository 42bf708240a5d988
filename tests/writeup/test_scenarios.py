"""Small, odd and wrong scenarios: said at once, never an empty promise, every character drawn or named."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from flopcast.ask import Scenario
from flopcast.ask.scenario import read_scenario
from flopcast.errors import BadInput
from flopcast.writeup import Brief, write
from flopcast.writeup.fonts import BREAK, check_characters, printable
from flopcast.writeup.write import as_markdown

Gather = Callable[[str], Brief]
SMALL = '[estimates.a]\nmodel = "7B"\ntokens = "1T"\non = "8xA100"\n'


def scenario_of(text: str) -> Scenario:
    return read_scenario(tomllib.loads(text), base="small")


def test_all_mistakes_at_once() -> None:
    text = """
        titel = "x"
        main = "nope"
        combinations = ["8xH10O", 5]
        development_fraction = "-50%"
        dataset_bytes = "3 parsecs"
        partner_gets = "logo"
        checkpoints_kept = "3"
        [stated]
        zzz = "$1"
        [estimates.a]
        modle = "7B"
        tokens = "1,5T"
        on = "8xA100"
        [estimates.b]
        model = "7B"
        tokens = "1T"
    """
    with pytest.raises(BadInput) as caught:
        scenario_of(text)
    found = [problem.where for problem in caught.value.problems]
    assert set(found) == {
        "titel", "main", "combinations", "combinations.on", "development_fraction", "dataset_bytes", "partner_gets",
        "checkpoints_kept", "stated.zzz", "estimates.a.modle", "a.tokens", "b.on",
    }  # fmt: skip


def test_an_unfinished_estimate_can_be_loaded_to_be_finished_by_options() -> None:
    assert scenario_of('[estimate]\nmodel = "7B"\ntokens = "1T"').main_question.on is None


def test_numbers_are_as_good_as_their_text() -> None:
    scenario = scenario_of("development_fraction = 0.3\n" + SMALL + "[stated]\na = 350000")
    assert (scenario.development_fraction, scenario.stated) == ("0.3", (("a", "350000"),))


def test_a_minimal_brief_has_no_holes(brief_of: Gather) -> None:
    brief = brief_of(SMALL)
    text = as_markdown(brief).decode()
    assert brief.byline == "2026-12-01" and not brief.estimates and not brief.reasons
    assert "Why the estimates differ" not in text and "\n\n\n\n" not in text
    assert "*Suggestions" in text and len(brief.suggestions) > 3


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    notes: list[str] = []
    write(scenario_of(SMALL), tmp_path / "b.md", today=date(2026, 12, 1), say=notes.append)
    assert len(notes) == 1 and "organisation, contact, summary, partner_gets" in notes[0]


def test_estimates_that_agree_promise_no_reasons(brief_of: Gather) -> None:
    brief = brief_of(SMALL + SMALL.replace(".a]", ".b]"))
    assert len(brief.estimates) == 2 and not brief.reasons
    assert "## The estimates side by side" in as_markdown(brief).decode()


def test_long_words_can_break() -> None:
    words = printable({"a": ["x" * 100, "short words"]})["a"]
    assert max(len(piece) for piece in words[0].split(BREAK)) <= 24 and words[1] == "short words"


def test_characters_that_no_font_has_are_named() -> None:
    import typst

    assert not check_characters("Ünïcödé – “quoted” ≤ α Ж", typst).needs_system_fonts
    assert "\U0001fac8" in check_characters("odd \U0001fac8", typst).missing


@pytest.mark.parametrize("odd", ["日本語 🚀 العربية", "a\u0007b\u202ec", "W" * 190])
def test_any_title_makes_a_pdf(tmp_path: Path, odd: str) -> None:
    from dataclasses import replace

    from pypdf import PdfReader

    scenario = replace(scenario_of(SMALL), title=odd, organisation=odd, partner_gets=(odd,))
    path = write(scenario, tmp_path / "b.pdf", today=date(2026, 12, 1), say=lambda note: None)
    assert len(PdfReader(path).pages) <= 3


def test_a_large_scenario_stays_within_three_pages(tmp_path: Path) -> None:
    from pypdf import PdfReader

    chips = ["A100", "H100", "H200", "B200", "MI300X", "MI250X", "L40S", "V100", "A10G", "L4", "T4", "RTX 4090"]
    text = f"combinations = {[f'64x{chip}' for chip in chips]}\nmain = 'e1'\n"
    for size in range(1, 13):
        text += f'[estimates.e{size}]\nmodel = "{size}B"\ntokens = "1T"\non = "64xA100"\nmfu = "{20 + size}%"\n'
    path = write(scenario_of(text), tmp_path / "b.pdf", today=date(2026, 12, 1), say=lambda note: None)
    assert len(PdfReader(path).pages) <= 3
