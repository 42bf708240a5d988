"""Batches: `512`, `1 x 8 x 8` (per device x accumulation x data-parallel ranks), `4M tokens`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from flopcast.units.numbers import clean, fail, parse_count, parse_positive_int

FACTOR_NAMES = ("per device", "accumulation", "data-parallel ranks")
MAX_SEQUENCES = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchWords:
    """One update's batch as typed: `factors` of sequences, or `tokens` where it was said in tokens.

    `is_rounded` says that the tokens were typed as `4M`, not to the last one.
    """

    factors: tuple[int, ...] = ()
    tokens: int | None = None
    is_rounded: bool = False

    @property
    def sequences(self) -> int | None:
        return prod(self.factors) if self.factors else None


def parse_batch(text: str, *, where: str = "batch") -> BatchWords:
    """Sequences of an update, whole or as factors; a number of tokens must say so.

    >>> parse_batch("1 x 8 x 8").sequences
    64
    """
    given = clean(text, where)
    in_tokens = re.fullmatch(r"(.*?)\s*tok(?:en)?s?", given, flags=re.IGNORECASE)
    if in_tokens:
        value = parse_count(in_tokens[1], where=where, unit="tokens", example="4M tokens")
        if value != int(value):
            raise fail(where, given, "a whole number of tokens")
        return BatchWords(tokens=int(value), is_rounded=bool(re.search(r"[a-zA-Z]", in_tokens[1])))
    pieces = re.split(r"\s*[x*]\s*", re.sub(r"\s*(?:sequences?|seqs?|samples?)$", "", given))
    if len(pieces) > len(FACTOR_NAMES):
        raise fail(where, given, f"at most three factors: {' x '.join(FACTOR_NAMES)}")
    factors = tuple(parse_positive_int(piece, where=where, maximum=MAX_SEQUENCES) for piece in pieces)
    if prod(factors) > MAX_SEQUENCES:
        raise fail(where, given, f"at most {MAX_SEQUENCES:.0e} sequences")
    return BatchWords(factors=factors)
