"""Durations and measurements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast import units
from flopcast.errors import BadInput


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2d 7h 51m", 201060), ("24.3 days", 2099520), ("90 min", 5400), ("1:30:00", 5400), ("36 h", 129600), ("1 week and 2 days", 777600),
        ("1 month", 730 * 3600), ("5ms", 0.005), ("1h, 30min", 5400), ("1 year", 365 * 86400),
    ],
)  # fmt: skip
def test_durations(text: str, seconds: float) -> None:
    assert units.parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["5", "-1 h", "2.79M", "700 W", "3h 2h", "0 s", "h", "1,5 h", "1:75:00", "5 parsecs"])
def test_refused_durations(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_duration(text)


def test_a_bare_number_asks_for_a_unit() -> None:
    with pytest.raises(BadInput, match="add a unit"):
        units.parse_duration("5")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("5.6 s/update", "step_time_s", 5.6),
        ("98.97s/it", "step_time_s", 98.97),
        ("1.9it/s", "step_time_s", 1 / 1.9),
        ("37.8 s/100 iterations", "step_time_s", 0.378),
        ("9500 steps/day", "step_time_s", 86400 / 9500),
        ("2231.5 s/epoch", "epoch_time_s", 2231.5),
        ("2h per epoch", "epoch_time_s", 7200),
        ("24k tokens/s/GPU", "tokens_per_s_per_accelerator", 24000),
        ("24000 tokens per second per GPU", "tokens_per_s_per_accelerator", 24000),
        ("24000 tok/gpu/s", "tokens_per_s_per_accelerator", 24000),
        ("1.1M tokens/s", "tokens_per_s", 1.1e6),
        ("30 samples/s/GPU", "samples_per_s_per_accelerator", 30),
        ("250 images/s", "samples_per_s", 250),
        ("4 days", "duration_s", 345600),
    ],
)
def test_measurements(text: str, kind: str, value: float) -> None:
    got = units.parse_measurement(text)
    assert (got.kind, got.value) == (kind, pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "value", "of"),
    [
        ("2.79M GPU hours", 2.79e6, "accelerator"),
        ("1720320 GPU-hours", 1720320, "accelerator"),
        ("30.84 million H100 hours", 30.84e6, "H100"),
        ("2.79e6 H800 hours", 2.79e6, "H800"),
        ("12 node hours", 12, "node"),
        ("9,688.6 chip hours", 9688.6, "accelerator"),
        ("100k TPU v3 hours", 1e5, "TPU v3"),
        ("512 core hours", 512, "core"),
    ],
)
def test_machine_hours(text: str, value: float, of: str) -> None:
    got = units.parse_measurement(text)
    assert (got.kind, got.value, got.of) == ("machine_hours", pytest.approx(value), of)


@pytest.mark.parametrize(
    "text",
    [
        "5.6",
        "2 tokens",
        "2.79M",
        "26.3M h",
        "0 GPU hours",
        "24000 steps/s/GPU",
        "5 s/0 it",
        "0 tokens/s",
        "-1 s/it",
        "100%",
    ],
)
def test_refused_measurements(text: str) -> None:
    with pytest.raises(BadInput):
        units.parse_measurement(text)


def test_the_share_of_time_kernels_ran_is_no_utilisation() -> None:
    with pytest.raises(BadInput, match="nvidia-smi"):
        units.parse_measurement("100%")


@given(st.floats(min_value=1e-6, max_value=1e9))
def test_a_shown_duration_reads_back(seconds: float) -> None:
    shown = units.show_duration(seconds, 7).replace(",", "")
    assert units.parse_duration(shown) == pytest.approx(seconds, rel=1e-4)


@given(st.floats(min_value=1e-3, max_value=1e6), st.sampled_from(["it", "step", "update", "iteration"]))
def test_seconds_a_step_and_steps_a_second_agree(seconds: float, word: str) -> None:
    slow = units.parse_measurement(f"{seconds!r}s/{word}")
    fast = units.parse_measurement(f"{1 / seconds!r} {word}s/s")
    assert slow.kind == fast.kind == "step_time_s"
    assert slow.value == pytest.approx(fast.value)


@given(st.integers(1, 10**7), st.sampled_from(["GPU", "accelerator", "chip"]))
def test_machine_hours_read_back(hours: int, word: str) -> None:
    for text in (f"{hours} {word} hours", f"{hours:,} {word}-hours", f"{hours}{word}h"):
        got = units.parse_measurement(text)
        assert (got.kind, got.value) == ("machine_hours", hours)
