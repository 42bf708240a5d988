"""Accelerators as the step model sees them: sustained rates, fitted kernel constants, links.

Belongs here: how an `Accelerator` of the facts, the measured tables (data/surfaces.csv) and stated defaults make one
row of
`Chip`, and which figures were assumed. Does not: formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from flopcast.describe import Accelerator
from flopcast.step import _read

# Dtypes of the linear layers: key of the peak, (low-precision class, bytes of an activation element).
PRECISIONS = {
    "fp32": ("fp32", 0, 4), "tf32": ("tf32", 0, 4), "fp16": ("fp16", 0, 2), "bf16": ("bf16", 0, 2),
    "fp8": ("fp8", 1, 2), "mxfp8": ("fp8", 1, 2), "int8": ("int8", 1, 2), "nvfp4": ("fp4", 2, 2), "mxfp4": ("fp4", 2, 2),
    "fp4": ("fp4", 2, 2),
}  # fmt: skip
NEXT_BEST = {"fp4": "fp8", "fp8": "bf16", "int8": "bf16", "bf16": "fp16", "fp16": "bf16", "tf32": "fp32"}
TABLE_DTYPE = {"bf16": "bf16", "fp16": "bf16", "tf32": "bf16", "fp8": "fp8", "int8": "fp8", "fp4": "nvfp4"}
# Chips whose table serves another chip of the same silicon.
SAME_SILICON = {
    "a100-sxm-40": "a100-sxm-80",
    "a100-pcie-40": "a100-sxm-80",
    "a100-pcie-80": "a100-sxm-80",
    "a800-sxm-80": "a100-sxm-80",
    "a800-pcie-80": "a100-sxm-80",
    "h800-sxm": "h100-sxm",
    "h100-pcie": "h100-sxm",
    "h100-nvl": "h100-sxm",
    "h20": "h100-sxm",
    "h100-sxm-96": "h100-sxm",
    "gh200-96": "h100-sxm",
    "gh200-144": "h200-sxm",
    "h200-nvl": "h200-sxm",
    "b100": "b200-sxm",
    "rtx-6000-ada": "l40s",
    "rtx-4090": "l40s",
    "l40": "l40s",
    "l4": "l40s",
    "rtx-5090": "rtx-pro-6000-bw",
    "a30": "a100-sxm-80",
}
# Chips that share the sustained clock and memory share of another: the same part with other memory or links.
SAME_PART = {"v100-sxm2-32": "v100-sxm2-16", "a100-sxm-40": "a100-sxm-80", "h800-sxm": "h100-sxm"}
DEFAULT_GEMM = {"NVIDIA": 0.85, "AMD": 0.5, "Google": 0.9, "Intel": 0.8, "AWS": 0.75}
DEFAULT_ATTENTION = {"NVIDIA": 0.6, "AMD": 0.45, "Google": 0.95, "Intel": 0.5, "AWS": 0.45}
OTHER_VENDOR = 0.65
REUSE = 0.5  # share of the traffic of A, B and C that reaches memory; sets m0, n0, k0 where no table exists
LINK_LATENCY_S, NET_LATENCY_S = 15e-6, 6e-6
LINK_SHARE = {"NVLink": 0.6, "xGMI": 0.5, "ICI": 0.6, "PCIe": 0.25}
MEMORY_SHARE = 0.85
UNKNOWN_MEMORY = 1e12
# Network share of one accelerator [B/s], one direction, where the node is not known: the vendor's reference node.
NETWORK = (
    ("Volta", 12.5e9), ("Pascal", 6.25e9), ("Turing", 1.25e9), ("Ampere", 25e9), ("Ada", 1.25e9), ("Hopper", 50e9),
    ("Blackwell Ultra", 100e9), ("Blackwell", 50e9), ("TPU", 3.1e9),
)  # fmt: skip
NETWORK_OTHER = 25e9
BIG_DOMAIN = 4096
WIDE_UNITS = 100.0  # head size at which systolic arrays of 128 and 256 reach half their rate
TILE, USUAL_TILE = {"Google": 256.0}, 128.0
CAST_FREE_N0, LOW_PRECISION = 500.0, frozenset({"fp8", "fp4", "int8"})
NEW_KERNELS = ("Hopper", "Blackwell")


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A figure that was assumed instead of measured: what, the value taken, why."""

    what: str
    value: float
    why: str


@cache
def surfaces() -> dict[tuple[str, str, str], dict[str, float]]:
    """Constants fitted to the measured tables, by (chip, kind, dtype)."""
    table = {}
    for row in _read.rows("surfaces"):
        names = ("fraction", "launch_s", "m0", "n0", "k0")
        table[row["chip"], row["kind"], row["dtype"]] = {n: float(row[n] or 0) for n in names}
    return table


@cache
def clocks() -> dict[str, tuple[float, float]]:
    """Sustained share of the table's rates and of the usual memory share, by chip, from data/clocks.csv (fitted by
    tools/fit_stacks.py)."""
    return {row["chip"]: (float(row["clock"]), float(row["memory"])) for row in _read.rows("clocks")}


def part_of(key: str) -> str:
    """The part whose fitted constants a chip takes.

    >>> part_of("a100-sxm-40")
    'a100-sxm-80'
    """
    return SAME_PART.get(key, key)


def raw_memory(chip: Accelerator) -> float:
    """Memory bandwidth that kernels sustain before the chip's own correction [B/s]."""
    return (chip.memory_bytes_per_s or UNKNOWN_MEMORY) * MEMORY_SHARE


def peak_of(chip: Accelerator, dtype: str) -> tuple[float, str]:
    """Dense peak [FLOP/s] of a dtype, or of the next best that the chip has; and which one that is."""
    while not chip.peak_flop_per_s.get(dtype):
        if dtype not in NEXT_BEST or (dtype == "fp16" and not chip.peak_flop_per_s.get("bf16")):
            dtype = "fp32"
            break
        dtype = NEXT_BEST[dtype]
    return float(chip.peak_flop_per_s.get(dtype) or 0.0), dtype


def low_precision_class(chip: Accelerator, precision: str) -> int:
    """0 when the linear layers run in 16 bits or more, 1 in eight, 2 in four; what the chip lacks falls back."""
    _, dtype = peak_of(chip, PRECISIONS[precision][0])
    return {"fp8": 1, "int8": 1, "fp4": 2}.get(dtype, 0)


def _gemm(chip: Accelerator, dtype: str, peak: float, memory: float, misses: list[Miss]) -> dict[str, float]:
    found = surfaces().get((SAME_SILICON.get(chip.key, chip.key), "gemm", TABLE_DTYPE.get(dtype, "")))
    if found is not None:
        if chip.key in SAME_SILICON:
            misses.append(
                Miss(what=f"{dtype} products", value=found["fraction"], why=f"table of {SAME_SILICON[chip.key]}")
            )
        # The tables' low-precision products cast their input first; here casts are counted by themselves.
        return found | {"n0": min(found["n0"], CAST_FREE_N0)} if dtype in LOW_PRECISION else found
    best = chip.measured_matmul_flop_per_s.get(dtype)
    share = best / peak if best else DEFAULT_GEMM.get(chip.vendor, OTHER_VENDOR)
    misses.append(
        Miss(what=f"{dtype} products", value=share, why="best measured product" if best else "vendor default")
    )
    half = REUSE * peak * share / memory
    return {"fraction": share, "launch_s": 4e-6, "m0": half, "n0": half, "k0": half}


def _attention(chip: Accelerator, misses: list[Miss]) -> dict[str, float]:
    found = surfaces().get((SAME_SILICON.get(chip.key, chip.key), "attention", "bf16"))
    if found is not None:
        return found
    share = DEFAULT_ATTENTION.get(chip.vendor, 0.5)
    misses.append(Miss(what="fused attention", value=share, why="vendor default"))
    return {"fraction": share, "m0": 500.0, "n0": WIDE_UNITS if chip.vendor == "Google" else 30.0}


def _link(chip: Accelerator, node: int, misses: list[Miss]) -> tuple[float, float, float]:
    """(rate of one rank in a collective [B/s], latency [s], domain): bridges of two are taken as PCIe."""
    bridged = "bridge" in chip.link
    kind = next((k for k in LINK_SHARE if chip.link.startswith(k) and not bridged), "PCIe")
    found = surfaces().get((SAME_SILICON.get(chip.key, chip.key), "all_reduce", "bf16"))
    link = chip.link_bytes_per_s
    if kind == "PCIe" or not link:
        link = {3.0: 15.75e9, 4.0: 31e9, 5.0: 63e9}.get(chip.pcie_gen or 4.0, 31e9) if kind == "PCIe" else 200e9
        misses.append(
            Miss(what="link", value=link, why="PCIe of the chip's generation" if kind == "PCIe" else "default")
        )
    domain = chip.scaleup_domain or (BIG_DOMAIN if kind == "ICI" else 8)
    if found is not None and kind == "NVLink":
        return link * found["fraction"], found["launch_s"], domain
    return link * LINK_SHARE[kind], LINK_LATENCY_S, max(domain, node) if kind == "PCIe" else domain


def chip_row(
    chip: Accelerator, *, count: int, per_node: int | None = None, precision: str = "bf16",
    network_bytes_per_s: float | None = None, misses: list[Miss] | None = None,
) -> dict[str, float]:  # fmt: skip
    """One entry of `Chip` for `count` accelerators; what had to be assumed is appended to `misses`."""
    misses = [] if misses is None else misses
    sixteen, dtype16 = peak_of(chip, "bf16" if precision not in {"fp16", "fp32", "tf32"} else precision)
    peak, dtype = peak_of(chip, PRECISIONS[precision][0])
    memory = chip.memory_bytes_per_s or UNKNOWN_MEMORY
    if not chip.memory_bytes_per_s:
        misses.append(Miss(what="memory bandwidth", value=memory, why="not in the facts"))
    linear = _gemm(chip, dtype, peak, memory, misses)
    wide = linear if dtype == dtype16 else _gemm(chip, dtype16, sixteen, memory, misses)
    attention = _attention(chip, misses)
    node = per_node or max(1, min(8, chip.scaleup_domain or 8))
    link, wait, domain = _link(chip, node, misses)
    clock, share_of_memory = clocks().get(part_of(chip.key), (1.0, 1.0))
    usual = next((rate for name, rate in NETWORK if chip.architecture.startswith(name)), NETWORK_OTHER)
    network = network_bytes_per_s or usual
    return {
        "peak": peak, "gemm_fraction": linear["fraction"], "gemm_m0": linear["m0"], "gemm_n0": linear["n0"],
        "gemm_k0": linear["k0"], "gemm_launch_s": linear["launch_s"], "peak16": sixteen,
        "tile": TILE.get(chip.vendor, USUAL_TILE), "gemm16_fraction": wide["fraction"],
        "gemm16_m0": wide["m0"], "gemm16_n0": wide["n0"], "gemm16_k0": wide["k0"],
        "attention_fraction": attention["fraction"], "attention_s0": attention["m0"], "attention_d0": attention["n0"],
        "memory_bytes": chip.memory_bytes or chip.memory_bytes_as_sold or 80 * 2.0**30,
        "memory_bytes_per_s": raw_memory(chip) * share_of_memory, "link_bytes_per_s": link, "link_latency_s": wait,
        "net_bytes_per_s": network, "net_latency_s": NET_LATENCY_S, "domain": float(domain), "node": float(node),
        "count": float(count), "new_kernels": float(chip.architecture.startswith(NEW_KERNELS)),
        "clock": clock,
    }  # fmt: skip
