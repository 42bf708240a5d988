#!/usr/bin/env python3
"""Condense measured kernel tables into a few constants per chip: src/flopcast/step/data/surfaces.csv.

Input: the unpacked wheel of `aiconfigurator-core` (Apache-2.0), which carries Parquet tables of measured GEMM, attention
and NCCL timings. Needs pandas, pyarrow and scipy in a scratch environment; none of them is needed at run time.

    pip download --no-deps aiconfigurator-core && unzip aiconfigurator_core-*.whl -d WHEEL
    python tools/build_surfaces.py WHEEL

GEMM       t = launch + 2MNK / (peak e) (1 + m0/M + n0/N + k0/K), least squares on the relative error, M, N, K >= 256
attention  t = launch + flop / (peak e) (1 + d0/d) (1 + s0/s), causal, forward, no window
nccl       t = latency + bytes x (n-1)/n x (2 for all-reduce) / (link e); latency at eight accelerators (four on NVL72)
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import least_squares, nnls

OUT = Path(__file__).parents[1] / "src/flopcast/step/data/surfaces.csv"
# id in the accelerator facts: (folder, bf16 peak, fp8 peak, fp4 peak, one-way link), all dense data-sheet figures
CHIPS = {
    "a100-sxm-80": ("a100_sxm", 312e12, None, None, 300e9),
    "h100-sxm": ("h100_sxm", 989e12, 1979e12, None, 450e9),
    "h200-sxm": ("h200_sxm", 989e12, 1979e12, None, 450e9),
    "b200-sxm": ("b200_sxm", 2250e12, 4500e12, 9000e12, 900e9),
    "b300-sxm": ("b300_sxm", 2250e12, 4500e12, 13500e12, 900e9),
    "gb200": ("gb200", 2500e12, 5000e12, 10000e12, 900e9),
    "gb300": ("gb300", 2500e12, 5000e12, 15000e12, 900e9),
    "l40s": ("l40s", 362e12, 733e12, None, 31e9),
    "rtx-pro-6000-bw": ("rtx_pro_6000_server", 467.8e12, 935.6e12, 1871.2e12, 63e9),
}
# dtype of the tables: (ours, index of the peak, whose tables: the kernels nearest to those of training)
DTYPES = {"bfloat16": ("bf16", 0, "vllm"), "fp8": ("fp8", 1, "trtllm"), "nvfp4": ("nvfp4", 2, "vllm")}


def newest(folder: Path, pattern: str) -> Path:
    return sorted(folder.glob(pattern))[-1]


def fit_gemm(table: pd.DataFrame, peak: float) -> tuple[dict[str, float], float, int]:
    best = table.groupby(["m", "n", "k"]).latency.min().reset_index()
    best = best[(best[["m", "n", "k"]] >= 256).all(axis=1)]
    m, n, k = (best[c].to_numpy(float) for c in "mnk")
    t = best.latency.to_numpy() * 1e-3
    columns = np.stack([np.ones_like(m), 2 * m * n * k, n * k, m * k, m * n], 1) / t[:, None]
    scale = columns.mean(0)
    weight = np.ones(len(t))
    for _ in range(6):
        x, _ = nnls(columns / scale * weight[:, None], weight)
        x = x / scale
        weight = 1 / np.sqrt(1 + ((columns @ x - 1) / 0.1) ** 2)
    error = float(np.median(np.abs(columns @ x - 1)))
    real = 1 / x[1]
    fitted = {"fraction": real / peak, "launch_s": x[0]} | {
        f"{c}0": x[i] * real / 2 for i, c in ((2, "m"), (3, "n"), (4, "k"))
    }
    return fitted, error, len(t)


def fit_attention(table: pd.DataFrame, peak: float) -> tuple[dict[str, float], float, int]:
    if "window_size" in table:
        table = table[table.window_size == 0]
    table = table[table.kv_cache_dtype.astype(str).str.contains("16") & (table.isl >= 256) & (table.head_dim <= 256)]
    table = table[table.num_heads * table.batch_size >= 16]
    d, s, t = table.head_dim.to_numpy(float), table.isl.to_numpy(float), table.latency.to_numpy() * 1e-3
    flop = 2 * table.batch_size.to_numpy(float) * s**2 * table.num_heads.to_numpy(float) * d
    one_d = len(set(d)) == 1

    def seconds(x: np.ndarray) -> np.ndarray:
        depth = 1.0 if one_d else (1 + np.exp(x[3]) / d)
        return np.exp(x[0]) + flop / (peak * np.exp(x[1])) * depth * (1 + np.exp(x[2]) / s)

    start = np.log([8e-6, 0.7, 500.0, 40.0])
    fit = least_squares(lambda x: np.log(seconds(x) / t), start, loss="soft_l1", f_scale=0.1)
    x = np.exp(fit.x)
    values = {"fraction": x[1], "launch_s": x[0], "m0": x[2], "n0": 0.0 if one_d else x[3]}
    return values, float(np.median(np.abs(fit.fun))), len(t)


def fit_nccl(table: pd.DataFrame, op: str, link: float) -> tuple[dict[str, float], float, int]:
    count = table.num_gpus.max()
    table = table[(table.op_name == op) & (table.num_gpus == count) & (table.nccl_dtype == "half")]
    table = table[table.message_size >= 4096]
    size = table.message_size.to_numpy(float) * 2
    t = table.latency.to_numpy() * 1e-3
    moved = size * (count - 1) / count * (2 if op == "all_reduce" else 1)
    fit = least_squares(lambda x: np.log((np.exp(x[0]) + moved / link / np.exp(x[1])) / t), np.log([2e-5, 0.8]))
    return {"fraction": np.exp(fit.x[1]), "launch_s": np.exp(fit.x[0])}, float(np.median(np.abs(fit.fun))), len(t)


def rows(wheel: Path) -> list[dict[str, object]]:
    out: list[dict[str, object]] = []
    data = wheel / "aiconfigurator_core/systems/data"
    version = next(wheel.glob("*.dist-info")).name.split("-")[1].removesuffix(".dist")

    def add(chip: str, kind: str, dtype: str, path: Path, fit: tuple[dict[str, float], float, int]) -> None:
        values, error, points = fit
        tidy = {k: float(f"{v:.4g}") for k, v in values.items()}
        source = f"aiconfigurator-core {version} (Apache-2.0) {path.relative_to(data)}"
        out.append(
            {
                "chip": chip,
                "kind": kind,
                "dtype": dtype,
                **tidy,
                "median_error": round(error, 3),
                "points": points,
                "source": source,
            }
        )

    for chip, (folder, bf16, fp8, fp4, link) in CHIPS.items():
        peaks = (bf16, fp8, fp4)
        for name, (dtype, index, framework) in DTYPES.items():
            path = newest(data / folder, f"gemm/{framework}/*/gemm_perf.parquet")
            table = pd.read_parquet(path)
            part, peak = table[table.gemm_dtype == name], peaks[index]
            if len(part) and peak:
                add(chip, "gemm", dtype, path, fit_gemm(part, peak))
        path = newest(data / folder, "attention/vllm/*/context_attention_perf.parquet")
        add(chip, "attention", "bf16", path, fit_attention(pd.read_parquet(path), bf16))
        path = newest(data / folder, "comm/nccl/*/nccl_perf.parquet")
        for op in ("all_reduce", "all_gather", "reduce_scatter", "alltoall"):
            add(chip, op, "bf16", path, fit_nccl(pd.read_parquet(path), op, link))
    return out


def main() -> None:
    table = rows(Path(sys.argv[1]))
    names = ["chip", "kind", "dtype", "fraction", "launch_s", "m0", "n0", "k0", "median_error", "points", "source"]
    with OUT.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    print(f"{len(table)} rows -> {OUT}")


main()
