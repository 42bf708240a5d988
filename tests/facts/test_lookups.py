"""Look-ups of prices, stores, energy, risks, runs and networks."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast import count, facts
from flopcast.errors import BadInput


def test_offers_are_filtered() -> None:
    found = facts.offers("h100-sxm", provider="amazon", tier="spot")
    assert found
    assert {(offer.provider, offer.accelerator, offer.tier) for offer in found} == {("AWS", "h100-sxm", "spot")}


@pytest.mark.parametrize("text", ["aws:p5.48xlarge", "AWS: p5.48xlarge", "p5.48xlarge", "Amazon:P5.48XLARGE"])
def test_an_offer_is_found_newest_first(text: str) -> None:
    first, *_ = facts.find_offer(text)
    assert (first.accelerator, first.tier, first.price_usd_per_accelerator_h) == ("h100-sxm", "on-demand", 6.88)
    assert first.as_of == "2026-09-06"


def test_an_offer_narrows_to_a_tier_or_region() -> None:
    assert {offer.tier for offer in facts.find_offer("aws:p5.48xlarge:spot")} == {"spot"}
    assert {offer.region for offer in facts.find_offer("aws:p5.48xlarge:us-west-2")} == {"us-west-2"}


@pytest.mark.parametrize("text", ["aws:p6.48xlarge", "", ":", "azure:p5.48xlarge"])
def test_an_unknown_offer_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="PROVIDER:INSTANCE"):
        facts.find_offer(text)


@pytest.mark.parametrize("key", ["h100-sxm", "a100-sxm-80", "h200-sxm", "b200-sxm", "tpu-v5e", "rtx-4090", "mi300x"])
def test_a_price_range_is_ordered_and_backed_by_offers(key: str) -> None:
    found = facts.price_range(key)
    assert found is not None
    low, middle, high, offers = found
    prices = [offer.price_usd_per_accelerator_h for offer in offers]
    assert min(prices) <= low <= middle <= high <= max(prices)


def test_a_price_range_leaves_marketplaces_out_where_lists_were_read() -> None:
    found = facts.price_range("h100-sxm")
    assert found is not None
    assert not {"Vast.ai", "SF Compute"} & {offer.provider for offer in found[3]}
    assert facts.price_range("wse-2") is None


def test_superseded_lists_are_gone() -> None:
    assert {offer.as_of for offer in facts.offers("h100-sxm", "nebius", "on-demand")} == {"2026-10-01"}


def test_offers_grow_stale() -> None:
    assert facts.as_of() == "2026-10-19"
    assert not facts.is_stale(date(2027, 1, 17))
    assert facts.is_stale(date(2027, 1, 18))
    assert facts.is_stale(date(2026, 12, 1), facts.find_offer("aws:p5e.48xlarge"))


def test_storage_prices_in_si_units() -> None:
    (nebius,) = [price for price in facts.storage_prices("object") if price.product == "Object storage Standard"]
    assert nebius.usd_per_byte_month == pytest.approx(0.0147 / 2**30)
    found = facts.storage_price_range("object")
    assert found is not None
    assert found[:3] == pytest.approx((0.006, 0.0215, 0.11 * 1e9 / 2**30))
    assert facts.storage_price_range("nothing") is None


def test_datasets_by_name() -> None:
    assert facts.find_dataset("FineWeb").tokens == 15e12
    assert facts.find_dataset("redpajama 1t").size_bytes == 5e12
    with pytest.raises(BadInput, match="FineWeb"):
        facts.find_dataset("fine web 3")


@pytest.mark.parametrize(
    ("region", "grams"),
    [
        ("FR", 41.2),
        ("france", 41.2),
        ("US-VA", 244.8),
        ("aws:us-east-1", 244.8),
        ("aws/us-east-1", 244.8),
        ("WLD", 460.1),
    ],
)
def test_grids_by_name(region: str, grams: float) -> None:
    assert facts.grid_intensity(region).g_co2e_per_kwh == grams


def test_an_unknown_grid_is_refused() -> None:
    with pytest.raises(BadInput, match="Norway"):
        facts.grid_intensity("Norwai")


def test_energy_figures_are_the_newest() -> None:
    assert facts.pue("AWS").as_of == "2024"
    assert facts.pue("azure").value == 1.17
    assert facts.electricity_price("US").as_of == "2025"
    assert facts.power_fraction().value == 0.75
    with pytest.raises(BadInput, match="google"):
        facts.pue("gogle")


def test_failure_rates_agree_with_what_was_published() -> None:
    rate, published = facts.failure_rate_per_accelerator_h()
    assert 1 / rate.expected / 16384 == pytest.approx(3.1, rel=0.01)  # hours between failures of Llama 3 405B
    assert rate.low < rate.expected < rate.high
    assert {row.key for row in published} == {"llama3-405b", "rsc1", "rsc2", "opt-175b", "bloom"}
    by_key = {row.key: row for row in published}
    node_days = by_key["rsc1"].failures_per_accelerator_h * 8 * 24 * 1000  # type: ignore[operator]
    assert node_days == pytest.approx(6.5, rel=1e-3)


def test_step_runs_hold_what_their_rows_say() -> None:
    runs = {run.key: run for run in facts.step_runs()}
    run = runs["torchtitan-0005"]
    assert (run.accelerator_key, run.precision, run.sharding, run.cp) == ("h100-sxm-96", "fp8", "fsdp", 2)
    assert run.peak_memory_bytes == pytest.approx(84.2 * 2**30, rel=1e-3)
    assert {run.task for run in runs.values()} == {"pretrain", "sft", "lora"}
    assert sum(not run.accelerator_key for run in runs.values()) == 7  # parts without a row


def test_step_times_and_rates_agree() -> None:
    for run in facts.step_runs():
        if run.step_time_s and run.tokens_per_s_per_accelerator and run.batch_seqs and run.seq_len and run.accelerators:
            rate = run.batch_seqs * run.seq_len / run.step_time_s / run.accelerators
            assert 0.5 < rate / run.tokens_per_s_per_accelerator < 2.1, run.key


def test_whole_runs_reach_a_possible_utilisation() -> None:
    for run in facts.whole_runs():
        parts = (run.parameters_active, run.tokens, run.accelerator_hours, run.accelerator_key)
        if all(parts) and run.precision != "fp8":
            peaks = facts.accelerators()[run.accelerator_key].peak_flop_per_s
            flop = 6 * (run.parameters_active or 0) * (run.tokens or 0)
            assert 0.04 < flop / ((run.accelerator_hours or 1) * 3600 * peaks["bf16"]) < 0.6, run.key


def test_programmes_have_the_two_merged_lists() -> None:
    assert len(facts.programmes()["checklist"].application_states) == 11
    assert len(facts.programmes()["incentives"].partner_gets) >= 9


@pytest.mark.parametrize("name", facts.networks())
def test_each_network_counts_to_its_published_number(name: str) -> None:
    entry = facts.networks()[name]
    assert count.network_from_config(entry.config, name=name).parameters_total == entry.parameters_total


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("llama-3.1-405b", "llama-3.1-405b"),
        ("Meta-Llama-3.1-405B", "llama-3.1-405b"),
        ("meta-llama/Llama-3.1-8B", "llama-3.1-8b"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("GPT 3", "gpt-3-175b"),
        ("DeepSeek-V3", "deepseek-v3"),
        ("microsoft/phi-1_5", "phi-1.5"),
    ],
)
def test_networks_by_name(text: str, name: str) -> None:
    entry, assumed = facts.find_network(text)
    assert (entry.name, assumed) == (name, ())


def test_a_family_with_a_size_is_the_newest_and_says_so() -> None:
    entry, (said,) = facts.find_network("llama 8b")
    assert entry.name == "llama-3.1-8b"
    assert "llama-3-8b" in said


@pytest.mark.parametrize("text", ["mistral", "gpt-5", "llama", "", "llama 9b", "Llama-3.1-8B-Special"])
def test_an_unknown_network_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="network"):
        facts.find_network(text)


@given(st.sampled_from(sorted(facts.networks())), st.sampled_from("-_ "), st.booleans(), st.sampled_from(["", "org/"]))
def test_separators_and_case_of_networks_do_not_matter(name: str, between: str, upper: bool, owner: str) -> None:
    noisy = owner + name.replace("-", between)
    entry, assumed = facts.find_network(noisy.upper() if upper else noisy)
    assert (entry.name, assumed) == (name, ())


def test_reading_accelerators_needs_no_heavy_library() -> None:
    code = "import sys, flopcast.facts as f; f.accelerators(); f.find_accelerator('H100'); f.networks(); "
    code += "print(sorted({'numpy', 'pydantic', 'torch', 'typer'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
