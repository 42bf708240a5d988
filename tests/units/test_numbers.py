"""Counts, tokens, parameters, lengths and fractions: what is read, what is refused, and round trips."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast import units
from flopcast.errors import BadInput

COUNTS = st.floats(min_value=1, max_value=9e17, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("405B", 405e9), ("7b", 7e9), ("405e9", 405e9), ("7,241,732,096", 7241732096), ("1.5 trillion", 1.5e12),
        ("15.6T", 15.6e12), ("15.6T tokens", 15.6e12), ("200B tok", 200e9), ("1_000", 1000), (" 3 ", 3), ("2bn", 2e9),
    ],
)  # fmt: skip
def test_tokens(text: str, value: float) -> None:
    assert units.parse_tokens(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["1,5T", "1,500B", "0", "-3", "", " ", "T", "7Q7", "nan", "inf", "1e400", "0x10", "12 apples", "9" * 500]
)
def test_refused_counts(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_tokens(text)


@pytest.mark.parametrize("text", ["500GB", "500 GB dataset", "2 TiB", "10TB of text"])
def test_bytes_are_no_tokens(text: str) -> None:
    with pytest.raises(BadInput, match="not of bytes") as refused:
        units.parse_tokens(text)
    assert "tokens (3.5 to 5 bytes a token)" in refused.value.problems[0].hint


@pytest.mark.parametrize("text", ["1,5T", "1,500B"])
def test_a_comma_that_reads_two_ways_offers_both(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        units.parse_count(text)
    assert refused.value.problems[0].hint == f"write `{text.replace(',', '.')}` or `{text.replace(',', '')}`"


@pytest.mark.parametrize(
    ("text", "total", "active", "experts"),
    [
        ("405B", 405e9, None, None),
        ("30B-A3B", 30e9, 3e9, None),
        ("671B (37B active)", 671e9, 37e9, None),
        ("671B, 37B activated", 671e9, 37e9, None),
        ("8x7b", 56e9, None, (8, 7e9)),
    ],
)
def test_parameters(text: str, total: float, active: float | None, experts: tuple[int, float] | None) -> None:
    words = units.parse_parameters(text)
    assert (words.total, words.active, words.experts_of) == (total, active, experts)


def test_more_active_than_total_is_refused() -> None:
    with pytest.raises(BadInput, match="fewer active"):
        units.parse_parameters("3B-A30B")


@pytest.mark.parametrize(
    ("text", "value"), [("4k", 4096), ("128k", 131072), ("1M", 2**20), ("2048", 2048), ("0.5k tokens", 512)]
)
def test_context_counts_in_1024s(text: str, value: int) -> None:
    assert units.parse_seq_len(text) == value


@pytest.mark.parametrize("text", ["0", "1.5", "4kB", "-1", "1e3", "2T"])
def test_refused_context(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_seq_len(text)


@pytest.mark.parametrize(("text", "value"), [("40%", 0.4), ("0.4", 0.4), ("1", 1), ("100 percent", 1), (".4", 0.4)])
def test_fractions(text: str, value: float) -> None:
    assert units.parse_fraction(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(("text", "hint"), [("40", "did you mean `40%`?"), ("0", ""), ("-5%", ""), ("150%", "")])
def test_refused_fractions(text: str, hint: str) -> None:
    with pytest.raises(BadInput) as refused:
        units.parse_fraction(text)
    assert refused.value.problems[0].hint == hint


@given(COUNTS)
def test_a_shown_count_reads_back(value: float) -> None:
    assert units.parse_count(units.show_count(value, 6)) == pytest.approx(value, rel=1e-5)


@given(COUNTS)
def test_a_shown_number_reads_back(value: float) -> None:
    shown = units.show_number(value, 6)
    assert units.parse_number(shown) == pytest.approx(value, rel=1e-5)


@given(st.floats(min_value=1e-4, max_value=1))
def test_a_shown_fraction_reads_back(value: float) -> None:
    assert units.parse_fraction(units.show_fraction(value, 6)) == pytest.approx(value, rel=1e-5)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    readers = (
        units.parse_tokens, units.parse_parameters, units.parse_seq_len, units.parse_fraction, units.parse_number, units.parse_batch,
        units.parse_duration, units.parse_measurement, units.parse_money, units.parse_price, units.parse_bytes,
        units.parse_bytes_per_s, units.parse_flop_per_s, units.parse_flop_rate, units.parse_flop, units.parse_power, units.parse_energy,
        units.parse_carbon_intensity, units.parse_cluster_words,
    )  # fmt: skip
    for read in readers:
        try:
            read(text)
        except BadInput as refused:
            assert refused.problems[0].allowed
