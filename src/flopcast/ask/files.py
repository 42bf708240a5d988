"""Reads text files that an asker names: untrusted, bounded, never run."""

from __future__ import annotations

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
