"""Can every character be drawn? Bundled fonts first, those of the system where they are needed, words where none helps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

PROBE = b"#sys.inputs.text"
COMPLAINT = re.compile(r'the text `"(.*)"` could not be displayed')
ESCAPE = re.compile(r"\\u\{([0-9a-f]+)\}")
MOST_MISSING = 24
DROPPED = ("Cc", "Cs")  # control characters and halves of pairs
LONGEST_WORD, PIECE = 30, 24
BREAK = "\u200b"  # a zero-width space: where a line may end


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawable:
    """Whether fonts of the system are needed, and the characters that no font has."""

    needs_system_fonts: bool
    missing: str


def check_characters(text: str, typst: Any) -> Drawable:
    """Tries the unusual characters of a text in the fonts at hand."""
    odd = "".join(
        sorted({c for c in text if ord(c) > 0x7E and not unicodedata.category(c).startswith(("Z", "Cc", "Cf", "Cs"))})
    )
    if not odd or not _complaint(odd, typst, system=False):
        return Drawable(needs_system_fonts=False, missing="")
    missing = ""
    while odd and len(missing) < MOST_MISSING and (found := _complaint(odd, typst, system=True)):
        missing += found
        odd = "".join(c for c in odd if c not in found)
    return Drawable(needs_system_fonts=True, missing=missing)


def _complaint(text: str, typst: Any, *, system: bool) -> str:
    """The characters that a strict PDF of the text is refused for; empty where it is not."""
    try:
        typst.compile(
            PROBE, sys_inputs={"text": " ".join(text)}, ignore_system_fonts=not system, pdf_standards=["a-2b"], timestamp=0
        )  # fmt: skip
    except (typst.TypstError, RuntimeError) as error:
        match = COMPLAINT.search(str(error))
        said = ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), match[1]) if match else text
        return "".join(c for c in said if c in text) or text
    return ""


def printable(value: Any) -> Any:
    """Texts, in lists and tables too, without control characters and with a place to break in each long word."""
    if isinstance(value, str):
        kept = "".join(c for c in value if c.isspace() or unicodedata.category(c) not in DROPPED)
        return " ".join(_broken(word) for word in kept.split(" "))
    if isinstance(value, dict):
        return {key: printable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [printable(entry) for entry in value]
    return value


def _broken(word: str) -> str:
    if len(word) <= LONGEST_WORD:
        return word
    return BREAK.join(word[start : start + PIECE] for start in range(0, len(word), PIECE))


def all_text(value: Any) -> str:
    """Every text in lists and tables, one after the other."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return all_text(list(value.values()))
    if isinstance(value, Iterable):
        return "\n".join(all_text(entry) for entry in value)
    return ""
