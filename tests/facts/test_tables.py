"""Every row of every table: sourced, dated, unique, in range, and consistent with the other tables."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from flopcast.errors import BadInput
from flopcast.facts import TABLES, accelerators, find_table, networks, nodes, search, sources, table
from flopcast.facts._read import compact, rows, words

DATE = re.compile(r"20\d\d(-[01]\d(-[0-3]\d)?|-Q[1-4])?")
# Columns that tell rows of a table apart.
KEYS = {
    "accelerators": ["key"],
    "nodes": ["key"],
    "offers": ["provider", "instance", "region", "as_of", "source"],
    "models": ["name"],
    "runs": ["key"],
    "steps": ["key"],
    "storage": ["kind", "provider", "product", "metric", "region", "as_of", "source"],
    "datasets": ["key"],
    "energy": ["kind", "key", "name", "as_of"],
    "grid": ["key"],
    "failures": ["key", "metric", "accelerators"],
    "programmes": ["key"],
    "discounts": ["provider", "term", "how", "applies_to", "as_of"],
    "sources": ["key"],
}
# Column -> allowed range, wherever the column occurs.
RANGES = {
    "memory_gib": (8, 512),
    "memory_gb_per_s": (100, 3e7),
    "fp64_tflop_per_s": (0.1, 200),
    "fp32_tflop_per_s": (1, 400),
    "tf32_tflop_per_s": (10, 2500),
    "fp16_tflop_per_s": (10, 16000),
    "bf16_tflop_per_s": (10, 16000),
    "fp8_tflop_per_s": (100, 20000),
    "int8_top_per_s": (100, 6000),
    "fp4_tflop_per_s": (1000, 40000),
    "link_gb_per_s": (10, 2000),
    "link_pair_gb_per_s": (10, 2000),
    "power_w": (50, 1500),
    "on_demand_usd_per_accelerator_h": (0.1, 25),
    "spot_usd_per_accelerator_h": (0.05, 20),
    "commit_1y_usd_per_accelerator_h": (0.1, 20),
    "commit_3y_usd_per_accelerator_h": (0.1, 15),
    "usd_per_accelerator_h": (0.03, 45),
    "discount_fraction": (0.05, 0.9),
    "g_co2e_per_kwh": (1, 1400),
    "failures_per_accelerator_h": (1e-6, 1e-3),
    "mfu_fraction": (0.01, 0.75),
    "mfu": (0.1, 0.7),
    "hfu": (0.15, 0.8),
    "step_time_s": (0.001, 1e4),
    "tokens_per_s_per_accel": (1, 1e7),
    "peak_mem_bytes": (1e9, 3e11),
    "bytes_per_token": (2, 6),
    "fabric_gbit_per_s_per_accelerator": (1, 1000),
    "carbon_free_fraction": (0, 1),
}


def test_every_table_is_checked() -> None:
    assert set(KEYS) | {"price_history", "ownership"} == set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_each_row_has_a_known_source_and_a_date(name: str) -> None:
    for row in table(name):
        if name != "sources":
            assert row["source"], row
            assert set(row["source"].split()) <= set(sources()), row
        assert DATE.fullmatch(row[TABLES[name].dated]), row


@pytest.mark.parametrize("name", TABLES)
def test_columns_shown_exist_and_cells_are_trimmed(name: str) -> None:
    first = table(name)[0]
    assert set(TABLES[name].columns) <= set(first)
    for row in table(name):
        assert all(isinstance(cell, str) and cell == cell.strip() for cell in row.values()), row


@pytest.mark.parametrize("name", KEYS)
def test_rows_are_unique(name: str) -> None:
    counts = Counter(tuple(row[column] for column in KEYS[name]) for row in table(name))
    assert [key for key, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", TABLES)
def test_figures_are_plausible(name: str) -> None:
    for row in table(name):
        for column, (low, high) in RANGES.items():
            if row.get(column):
                assert low <= float(row[column]) <= high, (column, row)


def test_every_source_is_used_and_says_what_and_where() -> None:
    used = {key for name in TABLES if name != "sources" for row in table(name) for key in row["source"].split()}
    assert set(sources()) - used == set()
    assert all(source.what and source.where for source in sources().values())


def test_accelerators_named_elsewhere_are_known() -> None:
    known = set(accelerators())
    for name, column in (("offers", "accelerator"), ("nodes", "accelerator"), ("price_history", "accelerator")):
        assert {row[column] for row in table(name)} <= known
    for name in ("runs", "steps"):
        assert {row["accelerator_key"] for row in table(name)} - {""} <= known
    for row in table("ownership"):
        assert row["key"] in known or not row["kind"].startswith("purchase_price") or row["key"] == "voltage-park"


def test_nothing_names_a_person_or_a_place_of_work() -> None:
    forbidden = re.compile(r"\.\./|/work|karpathy|touvron|luccioni|et al|recalled|\bTODO\b|\?\?", re.IGNORECASE)
    for name in TABLES:
        for row in table(name):
            assert not forbidden.search(" ".join(row.values())), row


def test_spot_and_commitments_cost_no_more_than_on_demand() -> None:
    for row in rows("offers"):
        on_demand = row["on_demand_usd_per_accelerator_h"]
        for tier in ("spot", "commit_1y", "commit_3y"):
            cell = row[f"{tier}_usd_per_accelerator_h"]
            assert not cell or not on_demand or float(cell) <= float(on_demand), row


def test_peaks_are_dense_and_ordered() -> None:
    """Half a precision is never slower on tensor cores, and no sparse headline stands in for a dense rate."""
    sparse = {"h100-sxm": 1979, "h100-pcie": 1513, "h200-sxm": 1979, "b200-sxm": 4500, "rtx-4090": 330.3, "l4": 242}
    for row in rows("accelerators"):
        bf16, fp8, fp4 = (float(row[f"{dtype}_tflop_per_s"] or 0) for dtype in ("bf16", "fp8", "fp4"))
        assert row["key"] not in sparse or bf16 < 0.51 * sparse[row["key"]] * (1 + 1e-9)
        assert not fp8 or bf16 <= fp8 <= 5 * bf16
        assert not fp4 or fp8 <= fp4
        matmul = float(row["matmul_bf16_tflop_per_s"] or 0)
        assert matmul < bf16 or not matmul


def test_memory_and_links_are_consistent() -> None:
    for part in accelerators().values():
        if part.memory_bytes and part.memory_bytes_as_sold:
            assert 0.9 * part.memory_bytes_as_sold <= part.memory_bytes <= part.memory_bytes_as_sold
        if part.link_pair_bytes_per_s and part.link_bytes_per_s:
            assert part.link_pair_bytes_per_s <= part.link_bytes_per_s
        assert part.devices in (1, 2)
        assert part.cores in (1, 2)
    two_cores = {key for key, part in accelerators().items() if part.cores == 2}
    assert two_cores == {"tpu-v2", "tpu-v3", "tpu-v4", "tpu-v5p", "tpu-v7x"}


def test_names_of_accelerators_belong_to_one_part() -> None:
    claimed: dict[str, str] = {}
    for row in rows("accelerators"):
        for name in (*words(row["bare_names"]), *words(row["aliases"]), row["name"], row["key"]):
            assert claimed.setdefault(compact(name), row["key"]) == row["key"], name
    for row in rows("nodes"):
        for name in words(row["aliases"]):
            assert compact(name) not in claimed, name


def test_names_of_networks_belong_to_one_network() -> None:
    claimed: dict[str, str] = {}
    for entry in networks().values():
        for name in (entry.name, *entry.aliases):
            assert claimed.setdefault(name.lower(), entry.name) == entry.name, name


def test_a_node_holds_whole_scale_up_domains_or_parts_of_one() -> None:
    for node in nodes().values():
        assert node.accelerators >= 1
        domain = node.scaleup_domain or accelerators()[node.accelerator].scaleup_domain
        assert not domain or domain % node.accelerators == 0 or node.accelerators % domain == 0, node


def test_tables_are_found_by_name_and_searched_by_words() -> None:
    assert find_table("Price-History").name == "price_history"
    assert find_table("networks").name == "models"
    assert [row["key"] for row in search("nodes", "aws p5.48xlarge")] == ["aws-p5.48xlarge"]
    assert search("accelerators", "no such chip") == ()
    assert len(search("grid")) == len(table("grid"))
    with pytest.raises(BadInput, match="offers"):
        table("offer")


def test_the_reference_page_is_up_to_date() -> None:
    tool = Path(__file__).parents[2] / "tools" / "build_facts_docs.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
