"""Accelerators: every known part and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from flopcast.describe import Accelerator
from flopcast.facts._read import GIB, number, rows, words

_DTYPES = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4")


@cache
def accelerators() -> Mapping[str, Accelerator]:
    """Every known accelerator by key; rates are dense peaks of one part.

    `memory_bytes` is what software sees where a source says so, else the capacity as sold; capacity as sold is counted
    in GiB whatever the printed unit, since DRAM comes in powers of two.
    """
    return MappingProxyType({row["key"]: _accelerator(row) for row in rows("accelerators")})


def _accelerator(row: Mapping[str, str]) -> Accelerator:
    peaks = {dtype: row[f"{dtype}_{'top' if dtype == 'int8' else 'tflop'}_per_s"] for dtype in _DTYPES}
    matmul = {dtype: row[f"matmul_{dtype}_tflop_per_s"] for dtype in ("bf16", "fp8")}
    sold = number(row["memory_gib"], GIB)
    return Accelerator(
        key=row["key"],
        vendor=row["vendor"],
        name=row["name"],
        architecture=row["architecture"],
        released=row["released"],
        status=row["status"],
        peak_flop_per_s={dtype: float(cell) * 1e12 for dtype, cell in peaks.items() if cell},
        measured_matmul_flop_per_s={dtype: float(cell) * 1e12 for dtype, cell in matmul.items() if cell},
        memory_bytes=number(row["memory_seen_bytes"]) or sold,
        memory_bytes_as_sold=sold,
        memory_as_printed=row["memory_as_printed"],
        memory_bytes_per_s=number(row["memory_gb_per_s"], 1e9),
        link=row["link"],
        link_bytes_per_s=number(row["link_gb_per_s"], 1e9),
        link_pair_bytes_per_s=number(row["link_pair_gb_per_s"], 1e9),
        scaleup_domain=int(row["scaleup_domain"] or 0),
        pcie_gen=number(row["pcie_gen"]),
        power_w=number(row["power_w"]),
        power_term=row["power_term"],
        devices=int(row["devices"]),
        cores=int(row["cores"]),
        aliases=(*words(row["bare_names"]), *words(row["aliases"])),
        source=row["source"],
        note=row["note"],
    )
