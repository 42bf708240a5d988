#!/usr/bin/env python3
"""How wrong the step model is on runs it has not seen: docs/accuracy.md and src/flopcast/step/data/intervals.csv.

    python tools/accuracy.py RUNS.csv [MORE.csv ...]

Three errors of every source: fitted on all rows; with the row's fifth left out (five folds over all rows); with the whole
source left out (stacks that lose rows are fitted again, a stack that loses all of them takes the generic constants; chips
are fitted again; the constants of other stacks stay). Beside them the best constant, which is fitted in-sample.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]

import fit_stacks as fitting  # noqa: E402

from flopcast.evidence import validate  # noqa: E402
from flopcast.step import chips as chips_module  # noqa: E402

ROOT = Path(__file__).parents[1]
FOLDS, SEED, FEW = 5, 20261201, 8
MOST, OF_A_SEEN_SOURCE = 0.8, 3
LOW, HIGH = 0.10, 0.90


def five_folds(data: fitting.Data, constants: fitting.Constants, chips: fitting.Chips) -> np.ndarray:
    """Predictions of every row by a fit that has not seen it."""
    fold = np.random.default_rng(SEED).integers(0, FOLDS, len(data.truth))
    out = np.full(len(data.truth), np.nan)
    for i in range(FOLDS):
        train, test = data.pick(np.flatnonzero(fold != i)), data.pick(np.flatnonzero(fold == i))
        found, clocks = fitting.fit(train, 1, start=constants, chips=chips)
        out[fold == i] = fitting.predict(test, found, clocks)
        print(f"fold {i + 1} of {FOLDS}", file=sys.stderr)
    return out


def sources_out(
    data: fitting.Data, constants: fitting.Constants, chips: fitting.Chips
) -> tuple[np.ndarray, np.ndarray]:
    """(predictions of every row by a fit without its source, whether its stack was left with no row at all)."""
    out, alone = np.full(len(data.truth), np.nan), np.zeros(len(data.truth), bool)
    for name in sorted(set(data.source)):
        own = data.source == name
        train, test = data.pick(np.flatnonzero(~own)), data.pick(np.flatnonzero(own))
        hit = set(test.stack)
        lost = hit - set(train.stack)
        start = {k: v for k, v in constants.items() if k not in lost}
        found, clocks = fitting.fit(train, 1, only=sorted(hit - lost) or ["-"], start=start, chips=chips)
        kin = {
            k: fitting.generic({n: c for n, c in found.items() if n not in lost}, constants[k]["fused"]) for k in lost
        }
        out[own] = fitting.predict(test, found | kin, clocks)
        alone[own] = np.isin(test.stack, list(lost))
        print(f"without {name}", file=sys.stderr)
    return out, alone


def spreads(data: fitting.Data, folds: np.ndarray, outs: np.ndarray, alone: np.ndarray) -> list[list[object]]:
    """Rows of intervals.csv: quantiles of measured over predicted; stacks with several sources count both ways."""
    by_fold, by_source = np.log(data.truth / folds), np.log(data.truth / outs)
    rows: list[list[object]] = []

    def add(name: str, errors: np.ndarray) -> None:
        low, high = np.quantile(errors, [LOW, HIGH])
        rows.append([name, f"{np.exp(low):.4f}", f"{np.exp(high):.4f}", int(np.sum(data.stack == name)) or len(errors)])

    unseen = by_source[alone]
    for key in sorted(set(data.stack)):
        own = data.stack == key
        # A new run is mostly of a source that the stack has seen; a source that is nearly all of its stack teaches nothing here.
        main = np.array([np.mean(data.source[own] == s) > MOST for s in data.source])
        errors = np.concatenate([by_fold[own]] * OF_A_SEEN_SOURCE + [by_source[own & ~alone & ~main]])
        if own.sum() >= FEW:
            add(key, errors)
    add("unseen", unseen)
    table = {name: (np.log(float(low)), np.log(float(high))) for name, low, high, _ in rows}
    known = {
        "chip": np.ones(len(folds), bool),
        "layout": np.array([p.known_layout for p in data.plan]), "shape": np.array([p.known_shape for p in data.plan]),
    }  # fmt: skip
    for name, flag in known.items():
        wider = [
            e / table.get(k, table["unseen"])[int(e > 0)]
            for e, k in zip(by_fold[~flag], data.stack[~flag], strict=True)
        ]
        factor = float(np.clip(np.quantile(wider, 0.8), 1.0, 3.0)) if len(wider) >= FEW else 1.5
        low, high = table["unseen"]
        rows.append(
            [name, f"{np.exp(low * (factor - 1) / 2):.4f}", f"{np.exp(high * (factor - 1) / 2):.4f}", len(wider)]
        )
    return rows


def percent(value: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.1f}"


def covered(
    data: fitting.Data, predicted: np.ndarray, table: dict[str, tuple[float, float]], unseen: np.ndarray
) -> np.ndarray:
    out = []
    for truth, guess, key, plan, lost in zip(data.truth, predicted, data.stack, data.plan, unseen, strict=True):
        low, high = table["unseen"] if lost or key not in table else table[key]
        for known, name in ((plan.known_layout, "layout"), (plan.known_shape, "shape")):
            if not known:
                low, high = low * table[name][0], high * table[name][1]
        out.append(min(low, 1.0) * guess <= truth <= max(high, 1.0) * guess)
    return np.array(out)


def constant(data: fitting.Data, own: np.ndarray) -> float:
    by_chip = defaultdict(list)
    for i in np.flatnonzero(own):
        row, plan = data.rows[i], data.plan[i]
        by_chip[row.get("accelerator")].append((validate._crude(row, plan), data.truth[i]))
    size = sum(map(len, by_chip.values()))
    return (
        sum(len(v) * validate.best_constant_mape([c for c, _ in v], [t for _, t in v]) for v in by_chip.values()) / size
    )


def page(data: fitting.Data, all_in: np.ndarray, folds: np.ndarray, outs: np.ndarray, alone: np.ndarray,
         table: dict[str, tuple[float, float]], rows: list[dict[str, str]]) -> str:  # fmt: skip
    inside, whole = covered(data, folds, table, np.zeros(len(folds), bool)), covered(data, outs, table, alone)
    lines = [
        "| source | rows | fitted on all | row left out: mean | median | bias | source left out | best constant | range, row out "
        "| range, source out |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]

    def line(name: str, own: np.ndarray) -> str:
        def error(x: np.ndarray) -> np.ndarray:
            return x[own] / data.truth[own] - 1

        mean = {k: float(np.mean(np.abs(error(v)))) for k, v in (("all", all_in), ("fold", folds), ("out", outs))}
        cells = [name, str(int(own.sum())), percent(mean["all"]), percent(mean["fold"]), percent(float(np.median(np.abs(error(folds))))),
                 percent(float(np.median(error(folds)))), percent(mean["out"]) + ("*" if alone[own].all() else ""),
                 percent(constant(data, own)), f"{100 * inside[own].mean():.0f}", f"{100 * whole[own].mean():.0f}"]  # fmt: skip
        return "| " + " | ".join(cells) + " |"

    names = sorted(set(data.source), key=lambda s: -np.sum(data.source == s))
    lines += [line(name, data.source == name) for name in names]
    lines.append(line("**all**", np.ones(len(folds), bool)))
    scored = validate.validate(rows)
    memory = scored.memory
    text = (ROOT / "tools/accuracy.in.md").read_text(encoding="utf-8")
    refused = "; ".join(f"{reason} ({count})" for reason, count in scored.refused.items()) or "none"
    return (
        text.replace("{{table}}", "\n".join(lines))
        .replace("{{rows}}", str(len(rows)))
        .replace("{{refused}}", refused)
        .replace("{{memory_n}}", str(memory["n"]))
        .replace("{{memory_median}}", percent(memory["median"]))
        .replace("{{memory_bias}}", percent(memory["bias"]))
        .replace("{{memory_low}}", percent(memory["low_by_5_percent"]))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+")
    options = parser.parse_args()
    data = fitting.read(options.runs)
    constants, chips = fitting.fit(data, 2)
    fitting.write(constants, chips, data)
    folds = five_folds(data, constants, chips)
    outs, alone = sources_out(data, constants, chips)
    written = spreads(data, folds, outs, alone)
    path = ROOT / "src/flopcast/step/data/intervals.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["class", "low", "high", "rows"])
        writer.writerows(written)
    for cached in (chips_module.clocks, fitting.stacks.stacks, validate.intervals.spreads):
        cached.cache_clear()
    table = {str(name): (float(low), float(high)) for name, low, high, _ in written}
    rows = [row for name in options.runs for row in validate.read_runs(Path(name))]
    text = page(data, fitting.predict(data, constants, chips), folds, outs, alone, table, rows)
    (ROOT / "docs/accuracy.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
