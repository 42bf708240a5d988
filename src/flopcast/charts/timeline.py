"""One update as a timeline of pipeline stages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INK = "#1b1f24"
MOST_STAGES = 32
# forward light, backward dark: told apart without colour
SHADES = {"forward": "#9ecae9", "backward": "#2f6db5", "optimizer": "#1b1f24", "gradients": "#e8a33d"}
NAMES = {"dp": "gradients"}


def update_timeline(trace: Mapping[str, Any], *, title: str) -> dict[str, Any]:
    """A bar for each piece of work, a row a stage, from a Chrome trace of one update (times in microseconds).

    At most 32 stages are drawn.
    """
    data = [
        {
            "stage": f"stage {event['tid']}",
            "order": event["tid"],
            "kind": NAMES.get(event["name"], event["name"]),
            "start": event["ts"] / 1e6,
            "end": (event["ts"] + event["dur"]) / 1e6,
        }
        for event in trace["traceEvents"]
        if event["tid"] < MOST_STAGES and event["dur"] > 0
    ]
    kinds = list(dict.fromkeys(row["kind"] for row in data))
    colours = [SHADES.get(kind, "#7a828a") for kind in kinds]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": title, "anchor": "start", "fontSize": 12, "color": INK},
        "width": 760,
        "height": {"step": 18},
        "data": {"values": data},
        "mark": {"type": "bar", "stroke": "white", "strokeWidth": 0.5, "height": 14},
        "encoding": {
            "y": {"field": "stage", "type": "nominal", "sort": {"field": "order"}, "title": None},
            "x": {"field": "start", "type": "quantitative", "title": "seconds"},
            "x2": {"field": "end"},
            "color": {"field": "kind", "type": "nominal", "title": None, "scale": {"domain": kinds, "range": colours}},
        },
        "config": {"view": {"stroke": None}, "axis": {"labelColor": INK, "gridColor": "#e6e8eb"}},
    }
