"""What is known of one chip stays with it; prices say whose they are; one document, one total."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flopcast.writeup import Brief

Gather = Callable[[str], Brief]
JOB = '[estimates.a]\nmodel = "7B"\ntokens = "1T"\non = "64xA100"\n'


def rows(brief: Brief) -> dict[str, tuple[str, ...]]:
    return {row[0]: row for row in brief.combinations}


@pytest.mark.parametrize(
    "speed",
    [
        'measured = "3k tokens/s/GPU"',
        'mfu = "21%"',
        'achieved = "100 TFLOP/s"',
        "like = \"1B 1T --on 64xA100 --measured '20k tokens/s/GPU'\"",
    ],
)
def test_a_rate_stays_with_its_chip(brief_of: Gather, speed: str) -> None:
    combos = 'combinations = ["64xA100", "64xH100", "64xMI300X"]\n'
    known, free = rows(brief_of(combos + JOB + speed)), rows(brief_of(combos + JOB))
    for other in ("64 x H100 SXM5 80GB", "64 x Instinct MI300X"):
        assert known[other] == free[other]
        assert known[other][1] == "step model"
    assert known["64 x A100 SXM4 80GB"][1] != "step model"


def test_a_measurement_is_scaled_to_more_of_the_same_chip(brief_of: Gather) -> None:
    found = rows(brief_of('combinations = ["128xA100"]\n' + JOB + 'measured = "3k tokens/s/GPU"\nbill = 200000'))
    own, more = found["64 x A100 SXM4 80GB"], found["128 x A100 SXM4 80GB"]
    assert own[1] == "measured" and more[1] == "own run, scaled"
    assert own[5] == more[5] == "$2.16/h paid"


def test_a_given_price_is_never_called_a_list_price(brief_of: Gather) -> None:
    brief = brief_of('combinations = ["64xA100", "64xH100"]\n' + JOB + 'price = "$1.10/h"')
    assert brief.ask[2].startswith("At the given price of $1.10/h") and "list" not in brief.ask[2]
    assert rows(brief)["64 x A100 SXM4 80GB"][5] == "$1.10/h given"
    assert "given" not in rows(brief)["64 x H100 SXM5 80GB"][5]


def test_the_same_cluster_stands_once_and_the_main_one_always(brief_of: Gather) -> None:
    brief = brief_of('combinations = ["8xH100", "8xH100", "8 x H100"]\n' + JOB)
    assert [row[0] for row in brief.combinations] == ["64 x A100 SXM4 80GB", "8 x H100 SXM5 80GB"]


def test_without_a_price_it_says_at_which_it_would_equal_the_cheapest(brief_of: Gather) -> None:
    row = rows(brief_of('combinations = ["64xMI250X"]\n' + JOB))["64 x Instinct MI250X"]
    assert row[5] == "no list price" and row[7].startswith("as the cheapest at $")


def test_a_precision_that_a_chip_lacks_is_said(brief_of: Gather) -> None:
    brief = brief_of('combinations = ["64xA100"]\n' + JOB.replace("64xA100", "64xH100") + 'precision = "fp8"')
    assert "A100 SXM4 80GB does not compute in fp8" in brief.combination_note


def test_what_does_not_fit_says_so_first_with_what_would(brief_of: Gather) -> None:
    brief = brief_of('combinations = ["8xA100", "256xA100"]\n[estimate]\nmodel = "405B"\ntokens = "1T"\non = "8xA100"')
    assert brief.does_not_fit.startswith("This plan does not fit") and "128 x A100" in brief.does_not_fit
    found = rows(brief)
    assert found["8 x A100 SXM4 80GB"][1] == "does not fit" and found["256 x A100 SXM4 80GB"][1] == "step model"
    assert "Cheapest at these prices: 256 x A100" in brief.combination_note
    needs = {row[0].split(" [")[0]: row[1] for row in brief.kinds}
    assert needs["8 x A100 SXM4 80GB"].startswith("does not fit: the fullest would hold 9")


def test_cheapest_offers_carry_their_own_date(brief_of: Gather) -> None:
    from flopcast import facts

    words = brief_of(JOB).kinds[0][2].split(", ")[0]
    cheapest = min(
        facts.offers(accelerator="a100-sxm-80", tier="on-demand"), key=lambda o: o.price_usd_per_accelerator_h
    )
    assert f"${cheapest.price_usd_per_accelerator_h:.2f}/h ({cheapest.as_of})" in words


def test_hours_are_told_where_no_price_is_known(brief_of: Gather) -> None:
    brief = brief_of(JOB.replace("A100", "MI250X"))
    assert [row[0].split()[0].rstrip(",") for row in brief.runs] == ["main", "restarts", "development", "all"]
    assert "No list price" in brief.ask[2]
