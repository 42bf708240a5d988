"""Bytes of data and checkpoints; energy and carbon: published figures as tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast import ask, facts
from flopcast.describe import Question, Range
from flopcast.run import energy_use, storage_need, token_bytes
from flopcast.run.energy import energy_j, node_power_per_accelerator_w


@pytest.mark.parametrize(("vocab", "size"), [(32_000, 2), (65_536, 2), (65_537, 4), (70_000, 4), (None, 4)])
def test_bytes_of_a_stored_token(vocab: int | None, size: int) -> None:
    assert token_bytes(vocab) == size


def test_neox_checkpoint_is_the_published_size() -> None:
    """20,554,567,680 parameters at 14 bytes: 268 GiB, 287.8 GB (gpt-neox README)."""
    stored = storage_need(parameters=20_554_567_680, tokens=1e9, vocab=50_000)
    assert stored.checkpoint_bytes / 2**30 == pytest.approx(268.0, rel=0.002)
    assert stored.checkpoint_bytes / 1e9 == pytest.approx(287.8, rel=0.002)


def test_tokenised_data_of_a_32k_vocabulary() -> None:
    assert storage_need(parameters=1, tokens=1.5e12, vocab=32_000).dataset_bytes == 3.0e12


@given(parameters=st.floats(1e6, 1e13), tokens=st.floats(1e6, 1e14), epochs=st.floats(1, 100))
def test_parts_sum_to_the_total(parameters: float, tokens: float, epochs: float) -> None:
    stored = storage_need(parameters=parameters, tokens=tokens, vocab=50_000, epochs=epochs)
    parts = stored.dataset_bytes + stored.raw_text_bytes
    parts += stored.checkpoints_kept * stored.checkpoint_bytes + stored.weights_kept * stored.weights_bytes
    assert stored.total_bytes == pytest.approx(parts)
    assert stored.to_buy_bytes > stored.total_bytes


def test_llama_3_1_energy_by_rated_power() -> None:
    """30.84M GPU hours at 700 W: 21,588 MWh (model card arithmetic)."""
    assert energy_j(accelerator_hours=30.84e6, power_w=700, pue=1) / 3.6e9 == pytest.approx(21588, rel=0.01)


def test_h100_power_is_the_measured_node_not_the_rating() -> None:
    found = node_power_per_accelerator_w(facts.accelerators()["h100-sxm"])
    assert found is not None
    power, _ = found
    assert power.high == pytest.approx(1050)
    assert 700 < power.low < power.expected < power.high < 10_200 / 8


def test_region_and_pue_are_used() -> None:
    job = ask.resolve(Question(model="7B", tokens="1T", on="64xH100", mfu="40%", region="FR", pue="1.2"))
    use = energy_use(job, Range.exact(1000.0))
    assert use is not None and use.co2e_kg is not None
    kwh = use.energy_j.expected / 3.6e6
    assert kwh == pytest.approx(1000 * use.power_w.expected / 1000 * 1.2)
    assert use.co2e_kg.expected == pytest.approx(kwh * facts.grid_intensity("FR").g_co2e_per_kwh / 1000)


def test_no_power_no_energy() -> None:
    job = ask.resolve(Question(model="7B", tokens="1T", on="CS-2", mfu="40%", precision="fp16"))
    assert job.cluster.accelerator.power_w is not None or energy_use(job, Range.exact(1.0)) is None
