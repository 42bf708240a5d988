"""Methods side by side: the asked figures, scaling, impossible utilisation, ranges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast import ask
from flopcast.describe import Question, Range
from flopcast.errors import BadInput
from flopcast.evidence import estimate
from flopcast.evidence.reconcile import check_stated, reconcile
from flopcast.evidence.rule import compute_time_s

OWN = "79M --updates 1M --batch 512 --seq-len 1024 --on '4 x RTX A6000' --measured '5.6 s/update' --bill 2748.67 --precision fp16"


def answer(**words: str):
    return estimate(ask.resolve(Question(**words)))


def test_rule_by_hand() -> None:
    time = compute_time_s(flop=6 * 405e9 * 15.6e12, peak_flop_per_s=989e12, mfu_fraction=400 / 989, count=16000)
    assert time / 86400 == pytest.approx(68.55, rel=1e-3)


def test_own_measurement_scales_in_proportion() -> None:
    """The collective's 1B model: $34,793 by proportion, not 350K."""
    got = answer(model="1B", updates="1M", batch="512", seq_len="1024", on="4 x RTX A6000", precision="fp16", like=OWN)
    assert got.chosen.method == "measured"
    assert got.chosen.cost_usd is not None and got.chosen.cost_usd.expected == pytest.approx(34_793, rel=1e-3)


def test_eight_cards_halve_the_time_if_scaling_holds() -> None:
    four = answer(
        model="79M", updates="1M", batch="512", seq_len="1024", on="4 x RTX A6000", precision="fp16", like=OWN
    )
    eight = answer(
        model="79M", updates="1M", batch="512", seq_len="1024", on="8 x RTX A6000", precision="fp16", like=OWN
    )
    ideal = four.chosen.compute_time_s.expected / 2
    assert ideal < eight.chosen.compute_time_s.low < eight.chosen.compute_time_s.high < ideal * 1.1
    assert four.chosen.cost_usd is not None and eight.chosen.cost_usd is not None
    assert eight.chosen.cost_usd.expected == pytest.approx(four.chosen.cost_usd.expected, rel=0.1)


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ({"on": "512xH100", "measured": "5000000 tokens/s/GPU"}, "total over 512"),
        ({"on": "8xH100", "measured": "80000 tokens/s/GPU"}, "total over 8"),
        ({"on": "1xA100", "measured": "10000 tokens/s"}, "sparsity"),
    ],
)
def test_impossible_utilisation_is_an_error_with_causes(words: dict[str, str], cause: str) -> None:
    with pytest.raises(BadInput) as caught:
        answer(model="7B", tokens="1T", **words)
    assert cause in caught.value.problems[0].hint


def test_cores_for_chips_is_a_cause() -> None:
    with pytest.raises(BadInput) as caught:
        answer(model="1.18B", updates="1M", batch="512", seq_len="1024", on="TPU v3 8x8", measured="90 h")
    assert "cores" in caught.value.problems[0].hint


def test_no_constant_stands_in_for_a_utilisation() -> None:
    """Without a given utilisation it comes from runs in print: other chips, sizes and precisions give other figures."""
    found = {
        answer(model=model, tokens="300B", on=on).chosen.mfu_fraction.expected
        for model, on in (("125M", "8xV100"), ("7B", "64xA100"), ("70B", "512xH100"), ("405B", "8192xH100"))
    }
    assert len(found) == 4


def test_methods_stand_side_by_side_with_reasons() -> None:
    got = answer(model="llama-3.1-8b", tokens="1T", on="64xH100")
    names = [method.method for method in got.methods]
    assert "rule" in names and "published" in names
    assert all(method.why for method in got.methods)
    published = next(method for method in got.methods if method.method == "published")
    assert published.evidence and all("source" in row for row in published.evidence)


def test_reconcile_multiplies_out_as_asked() -> None:
    a = answer(
        model="79M",
        updates="1M",
        batch="512",
        seq_len="1024",
        on="4xA6000",
        measured="5.6 s/update",
        bill="2748.67",
        precision="fp16",
    )
    b = answer(model="1B", tokens="200B", on="1xA100", mfu="100%", price="$1.3/h")
    got = reconcile(a, b)
    factors = {factor.name: factor.ratio for factor in got.factors}
    wanted = {"parameters": 0.079, "tokens": 2.62144, "peak": 2.0155, "utilisation": 13.953, "price": 0.33981}
    assert factors == pytest.approx(wanted, rel=1e-3)
    assert "7.17 %" in got.summary


WORDS = st.sampled_from(
    [
        {"model": "7B", "tokens": "1T", "on": "64xH100", "price": "$2/h"},
        {"model": "llama-3.1-8b", "tokens": "200B", "on": "8xA100", "mfu": "35%", "price": "$1/h"},
        {"model": "405B", "tokens": "15.6T", "on": "16384xH100", "achieved": "400 TFLOP/s", "price": "$2/h"},
        {"model": "30B-A3B", "tokens": "2T", "on": "TPU v5p-512"},
        {"model": "1.3B", "updates": "10k", "batch": "512", "seq_len": "2k", "on": "8xV100", "measured": "20 s/update"},
        {"model": "mixtral-8x7b", "tokens": "1T", "on": "128xB200", "precision": "fp8"},
    ]
)


@given(a=WORDS, b=WORDS)
def test_factors_always_multiply_to_the_ratio(a: dict[str, str], b: dict[str, str]) -> None:
    got = reconcile(answer(**a), answer(**b))
    product = 1.0
    for factor in got.factors:
        product *= factor.ratio
    assert product == pytest.approx(got.ratio, rel=1e-9)
    assert got.ratio == pytest.approx(got.a / got.b)


@given(words=WORDS)
def test_ranges_are_in_order(words: dict[str, str]) -> None:
    got = answer(**words)
    ranges = [got.calendar_time_s, got.goodput.fraction, got.goodput.failures]
    for method in got.methods:
        ranges += [method.mfu_fraction, method.compute_time_s, method.accelerator_hours]
    ranges += [got.budget.total_usd] if got.budget else []
    for figure in ranges:
        assert 0 <= figure.low <= figure.expected * (1 + 1e-12) and figure.expected <= figure.high * (1 + 1e-12)


@given(
    a=st.tuples(st.floats(0.1, 1), st.floats(1, 10), st.floats(10, 100)),
    b=st.tuples(st.floats(0.1, 1), st.floats(1, 10), st.floats(10, 100)),
)
def test_product_of_ranges_is_wider_than_each_and_narrower_than_the_extremes(a, b) -> None:
    first, second = (Range(low=low, expected=middle, high=high) for low, middle, high in (a, b))
    both = first.times(second)
    assert (
        first.low * second.low * (1 - 1e-9)
        <= both.low
        <= both.expected
        <= both.high
        <= first.high * second.high * (1 + 1e-9)
    )
    assert both.high / both.expected >= max(first.high / first.expected, second.high / second.expected) - 1e-9


@pytest.mark.parametrize(
    ("stated", "computed", "said"),
    [
        (350_000, 34_793, "10 times too much"),
        (3_479, 34_793, "10 times too little"),
        (35_000, 34_793, None),
        (70_000, 34_793, "2.01 times"),
    ],
)
def test_slips_in_stated_totals(stated: float, computed: float, said: str | None) -> None:
    found = check_stated("A", stated, computed)
    assert (found is None) if said is None else (found is not None and said in found)
