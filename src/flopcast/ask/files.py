"""Files that an asker names: read as untrusted, bounded text that is never run; written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from flopcast.units.numbers import fail


def read_text(path: str, *, where: str, what: str, most_bytes: int, inside: str = "") -> str:
    """The text of a file, or of `inside` where `path` is a folder; raises BadInput for anything else."""
    try:
        file = Path(path).expanduser()
        file = file / inside if inside and file.is_dir() else file
        if not file.is_file():
            raise fail(where, path, what, _why_no_file(file))
        if file.stat().st_size > most_bytes:
            raise fail(where, path, f"a file of at most {most_bytes // 1024:,} KiB")
        return file.read_text(encoding="utf-8-sig")
    except (OSError, ValueError, RuntimeError) as error:
        raise fail(where, path, what, f"it cannot be read: {str(error).splitlines()[0][:120]}") from None


def _why_no_file(file: Path) -> str:
    """What stands at a path that is no file."""
    if file.is_dir():
        return "it is a folder"
    if file.exists():
        return "it is a device or a pipe, not a file"
    return (
        f"the folder holds no {file.name}"
        if file.parent.is_dir() and file.name == "config.json"
        else "there is no such file"
    )


def is_folder(path: Path) -> bool:
    """True for a folder; False for what the system cannot even look up."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def write_whole(path: Path, content: bytes, *, where: str = "out") -> None:
    """Writes beside the place and moves over it, so that no reader sees half a file.

    A link is followed; what is no regular file (a device, a pipe) is written to, never replaced. Raises BadInput where the
    place cannot be written.
    """
    draft = None
    try:
        place = path.resolve()
        if place.exists() and not place.is_file():
            with place.open("wb") as stream:
                stream.write(content)
            return
        handle, draft = tempfile.mkstemp(dir=place.parent, prefix=".flopcast-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(draft).chmod(place.stat().st_mode if place.exists() else 0o644)
        Path(draft).replace(place)
    except (OSError, ValueError) as error:
        if draft is not None:
            Path(draft).unlink(missing_ok=True)
        said = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise fail(where, str(path), "a place that can be written", said) from None
