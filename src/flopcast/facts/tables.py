"""Every table by name, as rows to show and search: what `flopcast facts` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from flopcast.errors import unknown_name
from flopcast.facts._read import rows
from flopcast.facts.networks import networks
from flopcast.facts.sources import sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a table holds and which of its columns to show when space is short.

    `columns` maps column -> header with its unit. `dated` is the column that holds the date of a row.
    """

    name: str
    what: str
    columns: Mapping[str, str]
    dated: str = "as_of"


def _table(name: str, what: str, /, **columns: str) -> Table:
    dated = next((column for column in ("date", "read") if column in columns), "as_of")
    return Table(name=name, what=what, columns=MappingProxyType(columns), dated=dated)


_PRICE = "USD/h"
TABLES: Mapping[str, Table] = MappingProxyType(
    {
        table.name: table
        for table in (
            _table(
                "accelerators",
                "accelerators: dense peaks with fp32 accumulation, memory, link, power",
                key="key",
                memory_gib="memory [GiB]",
                memory_gb_per_s="memory [GB/s]",
                bf16_tflop_per_s="bf16 [TFLOP/s]",
                fp8_tflop_per_s="fp8 [TFLOP/s]",
                link_gb_per_s="link 1-way [GB/s]",
                power_w="power [W]",
            ),
            _table(
                "nodes",
                "nodes that can be rented or bought: accelerators, host, fabric",
                key="key",
                accelerator="accelerator",
                accelerators="count",
                host_memory_gib="host [GiB]",
                fabric_gbit_per_s_per_accelerator="fabric each [Gbit/s]",
                scaleup_domain="domain",
            ),
            _table(
                "offers",
                "what providers ask for an accelerator hour",
                provider="provider",
                instance="instance",
                accelerator="accelerator",
                region="region",
                on_demand_usd_per_accelerator_h=f"on-demand [{_PRICE}]",
                spot_usd_per_accelerator_h=f"spot [{_PRICE}]",
                commit_3y_usd_per_accelerator_h=f"3 years [{_PRICE}]",
            ),
            _table(
                "price_history",
                "prices asked since 2017",
                date="date",
                provider="provider",
                accelerator="accelerator",
                tier="tier",
                usd_per_accelerator_h=f"price [{_PRICE}]",
            ),
            _table(
                "discounts",
                "share off the list price for a commitment",
                provider="provider",
                term="term",
                how="how",
                applies_to="applies to",
                discount_fraction="off [share]",
            ),
            _table(
                "models",
                "networks with exact configurations",
                name="name",
                model_type="type",
                parameters_total="parameters",
                tokens="tokens trained",
                date="date",
            ),
            _table(
                "runs",
                "published trainings from start to end",
                network="network",
                accelerator="accelerator",
                accelerators="count",
                date="date",
                accelerator_hours="accelerator [hours]",
                tokens="tokens",
                energy_mwh="energy [MWh]",
                includes="hours cover",
            ),
            _table(
                "steps",
                "measured steps: network, layout, hardware, time",
                date="date",
                model="network",
                accelerator="accelerator",
                n_accel="count",
                seq_len="context [tokens]",
                global_batch_seqs="batch [sequences]",
                precision="precision",
                step_time_s="step [s]",
                tokens_per_s_per_accel="each [tokens/s]",
            ),
            _table(
                "storage",
                "storage and egress prices, checkpoint rules",
                provider="provider",
                product="product",
                value="value",
                unit="unit",
                region="region",
            ),
            _table(
                "datasets",
                "corpora: tokens, bytes, tokenizer, licence",
                name="name",
                tokens="tokens",
                size_as_printed="size",
                tokenizer="tokenizer",
                bytes_per_token="bytes [a token]",
                licence="licence",
            ),
            _table(
                "energy",
                "PUE, power, electricity prices, what published trainings used",
                kind="kind",
                key="key",
                name="what",
                value="value",
                unit="unit",
            ),
            _table(
                "grid",
                "carbon intensity of countries, states, provinces and cloud regions",
                key="key",
                name="name",
                scope="scope",
                g_co2e_per_kwh="CO2e [g/kWh]",
            ),
            _table(
                "ownership",
                "purchase prices, lifetimes, colocation, break-even",
                kind="kind",
                key="key",
                name="what",
                value="value",
                unit="unit",
            ),
            _table(
                "failures",
                "interruptions, failure rates, repair and checkpoint times",
                what="run or cluster",
                metric="metric",
                value="value",
                unit="unit",
                accelerators="on",
            ),
            _table(
                "programmes",
                "who gives compute, storage or credits, and for what",
                name="programme",
                kind="kind",
                offers="offers",
                who_can_apply="for whom",
            ),
            _table(
                "sources",
                "where the figures come from",
                key="key",
                what="what",
                where="where",
                read="read",
            ),
        )
    }
)
_FILES = {"runs": "runs_whole", "steps": "runs_steps"}
_SAME = {"networks": "models", "whole_runs": "runs", "step_runs": "steps", "prices": "offers", "tco": "ownership"}


@cache
def table(name: str) -> tuple[Mapping[str, str], ...]:
    """All rows of a table, cells as text, blank where not known.

    Raises BadInput with near matches when there is no such table.
    """
    name = find_table(name).name
    return _models() if name == "models" else rows(_FILES.get(name, name))


def find_table(name: str) -> Table:
    """The table of that name. Raises BadInput with near matches."""
    wanted = name.strip().lower().replace("-", "_")
    wanted = _SAME.get(wanted, wanted)
    if wanted not in TABLES:
        raise unknown_name(where="table", given=name, kind="table", known=list(TABLES))
    return TABLES[wanted]


def _models() -> tuple[Mapping[str, str], ...]:
    return tuple(
        {
            "name": entry.name,
            "aliases": ";".join(entry.aliases),
            "model_type": str(entry.config["model_type"]),
            "parameters_total": str(entry.parameters_total),
            "tokens": f"{entry.tokens:.0f}" if entry.tokens else "",
            "date": entry.date,
            "source": entry.source,
        }
        for entry in networks().values()
    )


def search(name: str, words: str = "") -> tuple[Mapping[str, str], ...]:
    """Rows of a table in which every word occurs, in any column or in what its source is; case does not matter.

    >>> [row["key"] for row in search("accelerators", "h100 hbm2e 96")]
    ['h100-sxm-96']
    """
    wanted = words.lower().split()
    return tuple(row for row in table(name) if all(word in _haystack(row) for word in wanted))


def _haystack(row: Mapping[str, str]) -> str:
    cited = (sources()[key].what for key in row.get("source", "").split())
    return " ".join((*row.values(), *cited)).lower()
