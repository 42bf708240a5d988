"""Scores the published method and the rule's range on each source with that source left out.

usage: python tools/backtest_published.py
Prints the error of the expected utilisation, the coverage of the 80 % interval, and the error of the best constant of
each accelerator, in-sample. Every published run stands once, by the best layout of its sweep.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import mean, median

from flopcast.describe import Range
from flopcast.evidence.published import published_mfu
from flopcast.evidence.similar import Point, Target, published_points, similar_among

Row = tuple[Point, Range, Range]


def target_like(point: Point) -> Target:
    """The question that the run would have been."""
    from flopcast.ask.cluster import PEAK_KEY

    return Target(
        parameters=point.parameters,
        experts=point.experts,
        count=point.count,
        seq_len=point.seq_len,
        accelerator=point.accelerator,
        precision=PEAK_KEY[point.precision],
        task="lora" if point.task == "lora" else "pretrain",
        stack=None,
        in_work=True,
    )


def left_out() -> list[Row]:
    """Each run with what the other sources say of it."""
    points, rows = published_points(), []
    for group in sorted({point.group for point in points}):
        others = tuple(point for point in points if point.group != group)
        for point in (point for point in points if point.group == group):
            similar = similar_among(others, target_like(point))
            if similar is not None:
                rows.append((point, similar.prior.mfu, published_mfu(similar, count=point.count, in_work=True)))
    return rows


def constant_error(rows: list[Row]) -> float:
    """Error of the best single utilisation of each accelerator and precision, in-sample."""
    by_chip = defaultdict(list)
    for point, _, _ in rows:
        by_chip[point.accelerator.key, point.precision].append(point.mfu_work)
    errors = []
    for values in by_chip.values():
        best = min(values, key=lambda guess: mean(abs(value / guess - 1) for value in values))
        errors += [abs(value / best - 1) for value in values]
    return 100 * mean(errors)


def show(name: str, rows: list[Row]) -> None:
    """One line: errors of the time that follows from the utilisation, and coverage."""
    line = f"{name[:26]:26s} {len(rows):4d}"
    for index in (1, 2):
        ranges = [row[index] for row in rows]
        error = [abs(point.mfu_work / used.expected - 1) for (point, _, _), used in zip(rows, ranges, strict=True)]
        inside = [used.low <= point.mfu_work <= used.high for (point, _, _), used in zip(rows, ranges, strict=True)]
        width = median(used.high / used.low for used in ranges)
        line += f" | {100 * mean(error):5.1f} {100 * median(error):5.1f} {100 * mean(inside):4.0f} {width:5.2f}"
    print(f"{line} | {constant_error(rows):5.1f}")


def main() -> None:
    """Prints the table."""
    rows = left_out()
    print(f"{'source left out':26s} {'n':>4s} | rule: MAPE, median, cover, width | published: the same | constant")
    for group in sorted({point.group for point, _, _ in rows}):
        show(group, [row for row in rows if row[0].group == group])
    show("ALL", rows)


if __name__ == "__main__":
    main()
