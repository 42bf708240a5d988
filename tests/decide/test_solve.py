"""Compare, size, budget: hand-worked values, monotonicity, exit codes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast.cli.app import run
from flopcast.decide import affordable, probability_within
from flopcast.describe import Range


def test_budget_by_hand() -> None:
    """1,000 hours of 100 TFLOP/s at half of peak are 1.8e20 FLOP: 30 tokens a parameter for 1e9 parameters."""
    got = affordable(
        accelerator_hours=1000,
        main_run_share=1.0,
        peak_flop_per_s=100e12,
        mfu_of=lambda n, d: Range.exact(0.5),
        parameters=1e9,
    )
    assert got.options[0].tokens.expected == pytest.approx(1000 * 3600 * 50e12 / 6 / 1e9)


@given(hours=st.floats(10, 1e8), share=st.floats(0.1, 1))
def test_more_hours_train_more(hours: float, share: float) -> None:
    def at(amount: float) -> list[float]:
        got = affordable(
            accelerator_hours=amount, main_run_share=share, peak_flop_per_s=989e12, mfu_of=lambda n, d: Range.exact(0.4)
        )
        return [option.parameters for option in got.options]

    assert all(more > less for more, less in zip(at(hours * 2), at(hours), strict=True))


def test_probability_is_half_at_the_middle_and_rises() -> None:
    time = Range(low=1.0, expected=2.0, high=4.0)
    odds = [probability_within(time, deadline) for deadline in (0.5, 1.0, 2.0, 4.0, 8.0)]
    assert odds == sorted(odds)
    assert (
        odds[1] == pytest.approx(0.1, abs=1e-6)
        and odds[2] == pytest.approx(0.5)
        and odds[3] == pytest.approx(0.9, abs=1e-6)
    )


def test_size_meets_the_deadline_and_one_node_less_does_not(ask_json) -> None:
    got = ask_json("size", "7B", "1T", "--within", "30d", "--on", "H100", "--mfu", "40%")["options"][0]
    assert got["estimate"]["calendar_time_s"]["expected"] <= 30 * 86400
    less = ask_json("estimate", "7B", "1T", "--on", f"{got['count'] - 8}xH100", "--mfu", "40%")
    assert less["chosen"]["calendar_time_s"]["expected"] > 30 * 86400
    assert got["count_90_percent"] >= got["count"] and got["spares"] % 8 == 0
    ideal = 6 * 7e9 * 1e12 / (989e12 * 0.4) / (30 * 86400)
    assert ideal <= got["count"] <= ideal * 1.05 + 8


def test_size_says_no_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["size", "70B", "2T", "--within", "1min", "--on", "H100"]) == 1
    assert "nearest" in capsys.readouterr().out


def test_compare_names_the_cheapest_and_the_fastest(ask_json) -> None:
    got = ask_json("compare", "7B", "1T", "--on", "64xA100", "--on", "128xA100", "--on", "64xMI250X")
    options = got["options"]
    priced = [(o["cost_usd"]["expected"], i) for i, o in enumerate(options) if o["cost_usd"]]
    assert got["cheapest"] == min(priced)[1]
    times = [o["calendar_time_s"]["expected"] for o in options]
    assert got["fastest"] == times.index(min(times))


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "7B", "1T", "--on", "8xH100"],
        ["compare", "7B", "1T", "--on", "8xFoo", "--on", "8xBar"],
        ["size", "7B", "1T", "--within", "soon"],
        ["budget", "--on", "H100"],
        ["budget", "--on", "H100", "--money", "1k", "--hours", "5"],
        ["budget", "--on", "MI250X", "--money", "1k"],
    ],
)
def test_bad_words(words: list[str]) -> None:
    assert run(words) == 2


def test_money_and_hours_agree(ask_json) -> None:
    money = ask_json("budget", "--money", "200k", "--on", "H100", "--price", "$2.5/h")
    hours = ask_json("budget", "--hours", "80000", "--on", "H100", "--price", "$2.5/h")
    assert money["accelerator_hours"] == pytest.approx(80_000)
    assert money["options"] == hours["options"]
