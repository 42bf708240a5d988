"""The console that answers are printed on: no blanks at line ends, and a closed pipe is no failure."""

from __future__ import annotations

import re
from typing import IO, Any, NoReturn

from rich.console import Console

_BLANKS = re.compile(r" +(?=\n)")


class Trimmed:
    """A stream that drops blanks before line ends; all else is the stream's."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_BLANKS.sub("", text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Terminal(Console):
    """A console that leaves a closed pipe to the caller."""

    def __init__(self, *, file: IO[str], **options: Any) -> None:
        super().__init__(file=Trimmed(file), **options)  # type: ignore[arg-type]

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError
