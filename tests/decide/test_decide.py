"""Outlook, conversion, scaling laws: the asked values, limits and properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast.decide import LAWS, compute_optimal, outlook


def test_the_envelope_as_asked() -> None:
    first = outlook(per_card=3.5, cards=4, days=1.5)
    assert first.compute_ratio == pytest.approx(21)
    assert first.network_ratio == pytest.approx(4.582576)
    assert outlook(per_card=3.5, cards=5, days=2).network_ratio == pytest.approx(5.916080)


def test_money_agrees_with_the_quoted_figures() -> None:
    """10 to 20 times the money where a dollar buys 2 to 3 times the compute, for 21 to 35 times the compute."""
    assert outlook(per_card=3.5, cards=4, days=1.5).money_ratio.low == pytest.approx(7)
    assert outlook(per_card=3.5, cards=5, days=2).money_ratio.high == pytest.approx(17.5)


@given(per_card=st.floats(1, 10), cards=st.floats(1, 100), days=st.floats(0.5, 4))
def test_scale_only_takes_away(per_card: float, cards: float, days: float) -> None:
    found = outlook(per_card=per_card, cards=cards, days=days)
    assert found.compute_ratio_kept.low <= found.compute_ratio_kept.expected <= found.compute_ratio_kept.high
    assert found.compute_ratio_kept.high <= found.compute_ratio * (1 + 1e-9)
    assert found.network_ratio**2 == pytest.approx(found.compute_ratio)


def test_a_smaller_site_binds_sooner() -> None:
    assert outlook(per_card=3.5, cards=4, days=1.5, site_power_w=20e6).binding.name == "cards of one site"
    assert outlook(per_card=3.5, cards=4, days=1.5, link_bytes_per_s=1e9).binding.name == "link between two sites"


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@given(flop=st.floats(1e18, 1e27), off=st.floats(1.05, 4))
def test_no_other_split_of_the_budget_has_less_loss(law, flop: float, off: float) -> None:
    best = compute_optimal(flop=flop, law=law)
    assert 6 * best.parameters * best.tokens == pytest.approx(flop)
    for factor in (off, 1 / off):
        other = law.loss(parameters=best.parameters * factor, tokens=best.tokens / factor)
        assert other >= best.loss - 1e-12


def test_chinchilla_itself_is_near_the_refit_optimum() -> None:
    """70B parameters on 1.4T tokens for 5.76e23 FLOP (arXiv 2203.15556): the refit gives about that."""
    best = compute_optimal(flop=5.76e23, law=LAWS["besiroglu"])
    assert best.parameters == pytest.approx(70e9, rel=0.1)


def test_convert(ask_json) -> None:
    got = ask_json("convert", "25000xA100", "--to", "H100", "--hours", "95d")
    assert got["accelerators_equivalent"] == pytest.approx(25000 * 312 / 989)
    assert got["accelerator_hours"] == pytest.approx(25000 * 312 / 989 * 95 * 24)


def test_limits_are_said(ask_json) -> None:
    got = ask_json("outlook", "--per-card", "3.5", "--cards", "4", "--days", "1.5")
    assert {limit["name"] for limit in got["limits"]} == {"cards of one site", "link between two sites", "days", "data"}
    assert got["binding"] in {limit["name"] for limit in got["limits"]}
    assert len(got["optimal"]) == 2
