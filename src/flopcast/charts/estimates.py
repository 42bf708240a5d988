"""Estimates side by side with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flopcast.describe import Range

INK, FAINT, ACCENT = "#1b1f24", "#8a929b", "#1f6feb"


def estimates_side_by_side(
    rows: Sequence[tuple[str, Range]], *, title: str, unit: str, width: int = 470
) -> dict[str, Any]:
    """A dot and an 80 % bar for each row, on a logarithmic axis.

    rows: name and range of each estimate, every bound above zero; unit: of the axis.
    """
    data = [{"name": name, "low": r.low, "expected": r.expected, "high": r.high} for name, r in rows]
    order = [name for name, _ in rows]
    y = {
        "field": "name",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {"labelLimit": 220, "ticks": False, "domain": False},
    }
    lowest, highest = min(r.low for _, r in rows), max(r.high for _, r in rows)
    scale = {"type": "log", "domain": [lowest / 1.6, highest * 2.2], "nice": False}
    x = {"field": "expected", "type": "quantitative", "scale": scale, "title": unit,
         "axis": {"grid": True, "gridColor": "#e6e8eb", "format": "~s", "tickCount": 6}}  # fmt: skip
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": title, "anchor": "start", "fontSize": 12, "color": INK},
        "width": width,
        "height": {"step": 18 if len(rows) <= 12 else 14},
        "data": {"values": data},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 5, "strokeCap": "round", "opacity": 0.35, "color": ACCENT},
                "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "color": INK, "opacity": 1},
                "encoding": {"y": y, "x": x},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 8, "dy": -8, "fontSize": 10, "color": INK},
                "encoding": {"y": y, "x": x, "text": {"field": "expected", "type": "quantitative", "format": "$,.3~s"}},
            },
        ],
        "config": {
            "view": {"stroke": None},
            "font": "Libertinus Serif, serif",
            "axis": {"labelColor": INK, "titleColor": FAINT},
        },
    }
