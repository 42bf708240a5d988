"""Measured against predicted, each run a dot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

INK = "#1b1f24"
MOST_COLOURS = 8


def measured_against_predicted(
    rows: Sequence[tuple[str, float, float]], *, title: str, unit: str = "s"
) -> dict[str, Any]:
    """A scatter on logarithmic axes with the line of equality and a band of 20 %.

    rows: group, measured and predicted of each run, above zero.
    """
    groups = {group for group, _, _ in rows}
    colour = (
        {"field": "group", "type": "nominal", "title": None} if len(groups) <= MOST_COLOURS else {"value": "#1f6feb"}
    )
    data = [{"group": group, "measured": measured, "predicted": predicted} for group, measured, predicted in rows]
    low = min(min(m, p) for _, m, p in rows) / 1.3
    high = max(max(m, p) for _, m, p in rows) * 1.3
    line = [{"x": x, "y": x, "low": x / 1.2, "high": x * 1.2} for x in (low, high)]
    scale = {"type": "log", "domain": [low, high], "nice": False}
    x_line = {"field": "x", "type": "quantitative", "scale": scale, "title": f"measured [{unit}]"}
    band = {
        "y": {"field": "low", "type": "quantitative", "scale": scale, "title": f"predicted [{unit}]"},
        "y2": {"field": "high"},
    }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": title, "anchor": "start", "fontSize": 12, "color": INK},
        "width": 420,
        "height": 420,
        "layer": [
            {
                "data": {"values": line},
                "mark": {"type": "area", "color": "#9aa4ae", "opacity": 0.25},
                "encoding": {"x": x_line, **band},
            },
            {
                "data": {"values": line},
                "mark": {"type": "line", "color": INK, "strokeWidth": 1},
                "encoding": {"x": x_line, "y": {"field": "y", "type": "quantitative", "scale": scale}},
            },
            {
                "data": {"values": data},
                "mark": {"type": "point", "filled": True, "size": 18, "opacity": 0.55},
                "encoding": {
                    "x": {"field": "measured", "type": "quantitative", "scale": scale},
                    "y": {"field": "predicted", "type": "quantitative", "scale": scale},
                    "color": colour,
                },
            },
        ],
        "config": {
            "view": {"stroke": None},
            "font": "Libertinus Serif, serif",
            "axis": {"labelColor": INK, "gridColor": "#eef0f2", "tickCount": 5},
        },
    }
