"""Writes a brief: the format follows from the name of the file, which appears whole or not at all."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from flopcast.ask import Scenario
from flopcast.ask.files import is_folder, write_whole
from flopcast.errors import BadInput, Problem
from flopcast.units.numbers import fail
from flopcast.writeup.context import Brief, gather, missing
from flopcast.writeup.fonts import all_text, check_characters, printable

TEMPLATES = Path(__file__).parent / "templates"


def to_stderr(note: str) -> None:
    """A note to the person at the terminal."""
    print(f"note {note}", file=sys.stderr)


def write(
    scenario: Scenario, path: Path, *, today: date | None = None, say: Callable[[str], None] = to_stderr
) -> Path:  # fmt: skip
    """Writes the brief of a scenario to `path`; raises BadInput for a format or a place that cannot be written.

    say: is told what a partner would look for and the scenario lacks, and what cannot be drawn.
    """
    render = FORMATS.get(path.suffix.lower())
    if render is None:
        raise fail("out", str(path), f"a file that ends in {', '.join(FORMATS)}")
    if not is_folder(path.parent):
        raise fail("out", str(path), "a file in a folder that exists")
    brief = gather(scenario, today=today or date.today())
    content = render(brief, say)
    if lacks := missing(scenario):
        say(f"the brief would say more with: {', '.join(lacks)} (keys at the top of the scenario)")
    if brief.does_not_fit:
        say("the plan that is asked for does not fit; the brief says so at its top")
    write_whole(path, content)
    return path


def as_markdown(brief: Brief, say: Callable[[str], None] = to_stderr) -> bytes:
    """The brief as Markdown."""
    jinja2 = extra("jinja2")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
        autoescape=False, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["text"] = lambda text: str(text).replace("\n", " ").replace("&", "&amp;").replace("<", "&lt;")
    environment.filters["cell"] = lambda text: environment.filters["text"](text).replace("|", "\\|")
    return str(environment.get_template("brief.md.jinja").render(brief=brief)).encode()


def as_pdf(brief: Brief, say: Callable[[str], None] = to_stderr) -> bytes:
    """The brief as PDF, its chart as a picture in it; the same brief gives the same bytes."""
    typst, vl_convert = extra("typst"), extra("vl_convert")
    data: dict[str, Any] = printable(asdict(brief))
    fonts = check_characters(all_text(data), typst)
    if fonts.missing:
        say(f"no font at hand draws {' '.join(fonts.missing)}: the PDF shows boxes there (install a font that does)")
    day = date.fromisoformat(brief.date)
    with tempfile.TemporaryDirectory(prefix="flopcast-") as name:
        folder = Path(name)
        if brief.chart is not None:
            (folder / "chart.svg").write_text(vl_convert.vegalite_to_svg(brief.chart), encoding="utf-8")
        data["chart"] = brief.chart is not None
        (folder / "brief.json").write_text(json.dumps(data), encoding="utf-8")
        (folder / "brief.typ").write_bytes((TEMPLATES / "brief.typ").read_bytes())
        return bytes(
            typst.compile(
                str(folder / "brief.typ"),
                root=str(folder),
                ignore_system_fonts=not fonts.needs_system_fonts,
                timestamp=int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()),
            )
        )


FORMATS: dict[str, Callable[[Brief, Callable[[str], None]], bytes]] = {".md": as_markdown, ".pdf": as_pdf}


def extra(name: str, *, where: str = "out") -> Any:
    """A package of the `writeup` extra, or how to install it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        hint = "pip install 'flopcast[writeup]'"
        raise BadInput(
            Problem(where=where, given=name, allowed="the packages of the writeup extra", hint=hint)
        ) from None
