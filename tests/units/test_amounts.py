"""Bytes, bandwidth, FLOP, power, energy, money and batches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast import units
from flopcast.errors import BadInput


@pytest.mark.parametrize(
    ("text", "value"), [("80 GiB", 80 * 2**30), ("500GB", 5e11), ("3 TB", 3e12), ("12 bytes", 12), ("0 B", 0)]
)
def test_bytes(text: str, value: float) -> None:
    assert units.parse_bytes(text) == value


@pytest.mark.parametrize("text", ["80 Gb", "80", "80 G", "1,5 TB", "-1 GB", "GB"])
def test_refused_bytes(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_bytes(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("400 Gb/s", 50e9), ("400Gbps", 50e9), ("400 Gbit/s", 50e9), ("50 GB/s", 50e9), ("1 GiB/s", 2**30)],
)
def test_a_small_b_is_bits(text: str, value: float) -> None:
    assert units.parse_bytes_per_s(text) == value


@pytest.mark.parametrize(
    ("text", "value", "per", "hardware"),
    [
        ("400 TFLOP/s", 400e12, "accelerator", False),
        ("400e12 FLOP/s", 400e12, "accelerator", False),
        ("1.2 PFLOPS", 1.2e15, "accelerator", False),
        ("400 TFLOP/s/GPU", 400e12, "accelerator", False),
        ("36.7 TFLOP/s per core", 36.7e12, "core", False),
        ("100 TFLOP/s per GCD", 100e12, "device", False),
        ("140 hardware TFLOP/s", 140e12, "accelerator", True),
        ("140 TFLOP/s HFU", 140e12, "accelerator", True),
    ],
)
def test_flop_rates(text: str, value: float, per: str, hardware: bool) -> None:
    rate = units.parse_flop_rate(text)
    assert (rate.flop_per_s, rate.per, rate.is_hardware) == (pytest.approx(value), per, hardware)


@pytest.mark.parametrize("text", ["400", "400 GB/s", "0 TFLOP/s", "400 TFLOP", "hardware"])
def test_refused_flop_rates(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_flop_rate(text)


def test_flops_is_a_rate_and_no_amount() -> None:
    assert units.parse_flop("3.8e25 FLOP") == 3.8e25
    with pytest.raises(BadInput):
        units.parse_flop("3.8e25 FLOPS")


@pytest.mark.parametrize(("text", "value"), [("700 W", 700), ("10.2 kW", 10200), ("150 MW", 150e6)])
def test_power(text: str, value: float) -> None:
    assert units.parse_power(text) == value


@pytest.mark.parametrize("text", ["700", "700 Wh", "0 W", "-1 W", "1,5 kW"])
def test_refused_power(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_power(text)


def test_energy_and_carbon() -> None:
    assert units.parse_energy("302.4 kWh") == pytest.approx(302.4 * 3.6e6)
    assert units.parse_carbon_intensity("413.7 g CO2e/kWh") == pytest.approx(0.4137)
    assert units.parse_carbon_intensity("0.4137 kg per kWh") == pytest.approx(0.4137)
    with pytest.raises(BadInput, match="10 kg a kWh"):
        units.parse_carbon_intensity("413 kg/kWh")


@pytest.mark.parametrize(
    ("text", "amount", "per"),
    [
        ("$2/h", 2, "accelerator"),
        ("$98.32/h per node", 98.32, "node"),
        ("$2/GPU/h", 2, "accelerator"),
        ("$1.3 per GPU-hour", 1.3, "accelerator"),
        ("12.8 USD/instance/hour", 12.8, "node"),
    ],
)
def test_prices(text: str, amount: float, per: str) -> None:
    price = units.parse_price(text)
    assert (price.amount_per_h, price.per, price.currency) == (amount, per, "USD")


@pytest.mark.parametrize("text", ["2", "$2", "$2/week", "$-1/h", "$0/h", "2.79M GPU hours", "$2€/h"])
def test_refused_prices(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_price(text)


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [("200k", 2e5, "USD"), ("$52.65M", 52.65e6, "USD"), ("€1.9", 1.9, "EUR"), ("3 GBP", 3, "GBP")],
)
def test_money(text: str, amount: float, currency: str) -> None:
    money = units.parse_money(text)
    assert (money.amount, money.currency) == (pytest.approx(amount), currency)


@pytest.mark.parametrize(
    ("text", "factors"),
    [("512", (512,)), ("1 x 8 x 8", (1, 8, 8)), ("12x40", (12, 40)), ("2*4", (2, 4)), ("4 × 2", (4, 2))],
)
def test_batches(text: str, factors: tuple[int, ...]) -> None:
    assert units.parse_batch(text).factors == factors


def test_a_batch_in_tokens_says_so() -> None:
    assert units.parse_batch("4M tokens").tokens == 4_000_000


@pytest.mark.parametrize("text", ["0", "1 x 0", "1x2x3x4", "x", "1.5", "many tokens", "1e9 x 2"])
def test_refused_batches(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_batch(text)


@given(st.floats(min_value=1, max_value=1e17), st.booleans())
def test_shown_bytes_read_back(value: float, binary: bool) -> None:
    shown = units.show_bytes(value, binary=binary, digits=7).replace(",", "")
    assert units.parse_bytes(shown) == pytest.approx(value, rel=1e-5)


@given(st.floats(min_value=1e9, max_value=1e20))
def test_a_shown_rate_reads_back(value: float) -> None:
    shown = units.show_flop_per_s(value).replace(",", "")
    assert units.parse_flop_rate(shown).flop_per_s == pytest.approx(value, rel=6e-3)


@given(st.floats(min_value=3600, max_value=1e15))
def test_shown_energy_reads_back(value: float) -> None:
    assert units.parse_energy(units.show_energy(value).replace(",", "")) == pytest.approx(value, rel=6e-3)


@given(st.floats(min_value=0.1, max_value=1e4))
def test_a_shown_price_reads_back(value: float) -> None:
    assert units.parse_price(units.show_price(value).replace(",", "")).amount_per_h == pytest.approx(value, abs=0.006)


@pytest.mark.parametrize(
    "text",
    [
        "400 TFLOP/s each",
        "400 TFLOP/s per GPU",
        "400 TFLOPS/s/card",
        "400 TFLOPs per second",
        "400 TFLOP/s on each GPU",
    ],
)
def test_a_rate_of_each_accelerator(text: str) -> None:
    assert units.parse_flop_rate(text) == units.FlopRateWords(flop_per_s=4e14)


@pytest.mark.parametrize(("text", "hint"), [(".3/h", "`1.3/h` or `0.3/h`"), ("/h", "2.5/h"), (",3/h", "shell")])
def test_what_the_shell_leaves_of_a_price(text: str, hint: str) -> None:
    with pytest.raises(BadInput) as refused:
        units.parse_price(text)
    assert hint in refused.value.problems[0].hint
