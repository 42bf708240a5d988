"""Writes one update as a Chrome trace or as a picture."""

from __future__ import annotations

import json
from pathlib import Path

from flopcast import charts, step
from flopcast.ask.files import write_whole
from flopcast.evidence import Estimate
from flopcast.units import show_duration
from flopcast.units.numbers import fail
from flopcast.writeup.write import extra

FORMATS = (".json", ".svg", ".png")


def write_timeline(result: Estimate, path: str) -> None:
    """Writes the simulated update of an estimate; raises BadInput for a format or a network that cannot be drawn."""
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        raise fail("timeline", path, f"a file that ends in {', '.join(FORMATS)}")
    if result.forecast is None:
        raise fail("timeline", path, "a network that the step model knows: a stack of layers with attention")
    trace = step.chrome_trace(result.forecast.plan)
    if kind == ".json":
        write_whole(Path(path), json.dumps(trace).encode(), where="timeline")
        return
    other = trace["otherData"]
    drawn = f"{other['drawn']} of {other['micro_batches']} micro-batches"
    title = f"One update of {result.job.network.name}: {show_duration(other['step_time_s'])}, {drawn} drawn"
    spec = charts.update_timeline(trace, title=title)
    vl_convert = extra("vl_convert", where="timeline")
    content = vl_convert.vegalite_to_svg(spec).encode() if kind == ".svg" else vl_convert.vegalite_to_png(spec, scale=2)
    write_whole(Path(path), content, where="timeline")
