"""Machines as typed: `16384xH100`, `4 x RTX A6000`, `64 nodes of HGX H100`, `16x16 slice of TPU v3`, `v3-512`.

Only the form is read here: how many of what, counted in accelerators, nodes or cores. What a chip is called is a fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from flopcast.units.numbers import clean, fail, parse_positive_int

# the number in a TPU name counts cores up to v4 and on v5p, chips on v5e, v6e and v7x
_CORE_NAMED = {"v2", "v3", "v4", "v5p"}
_TPU_NAMES = {"v5litepod": "v5e", "v5lite": "v5e", "v7": "v7x", "7x": "v7x", "tpu7x": "v7x"}
_TPU = r"(?:(?:google|cloud)\s+)?(?:tpu[\s-]*)?(v[2-4]|v5p|v5e|v5litepod|v5lite|v6e|v7x|v7|7x|tpu7x)"
_DIMENSIONS = r"\d{1,5}(?:\s*x\s*\d{1,5}){1,2}"
MAX_ACCELERATORS = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterWords:
    """How many of what: `counted` is accelerators, nodes or cores; `chip` and the whole `form` are as typed."""

    count: int
    counted: str
    chip: str
    form: str


def parse_cluster_words(text: str, *, where: str = "on") -> ClusterWords:
    """The form of a cluster as typed; raises BadInput where none fits."""
    given = clean(text, where)
    tpu = _tpu(given, where)
    if tpu is not None:
        return tpu
    plain = re.sub(r"\s+", " ", given)
    for form, counted in (
        (r"(?P<count>[\d,_.]+[kKmM]?)\s*(?:x\s*)?nodes?\s*(?:of|x|with)?\s+(?P<chip>\S.*)", "nodes"),
        (r"(?P<count>[\d,_.]+[kKmM]?)\s*[x*]\s*(?P<chip>[^\d\s].*|\d{4}.*)", "accelerators"),
        (r"(?P<chip>[^\d].*?)\s+[x*]\s*(?P<count>[\d,_]+[kKmM]?)", "accelerators"),
        (r"(?P<count>[\d,_]+[kKmM]?)\s+(?P<chip>[^\d\s].*)", "accelerators"),
    ):
        match = re.fullmatch(form, plain)
        if match and not _is_memory(plain, match["chip"]):
            count = parse_positive_int(match["count"], where=where, maximum=MAX_ACCELERATORS)
            return ClusterWords(count=count, counted=counted, chip=_without_plural(match["chip"]), form=plain)
    if re.match(r"[-+]?\d", plain) and not re.match(r"\d+\s*gi?b?\b|\d{4}\b", plain, re.IGNORECASE):
        raise fail(where, given, "a cluster such as `64xH100`, `4 x RTX A6000`, `TPU v3 16x16` or `2xp5.48xlarge`")
    return ClusterWords(count=1, counted="accelerators", chip=plain, form=plain)


def _is_memory(text: str, chip: str) -> bool:
    """`80 GB A100` names a card by its memory, not eighty of something."""
    return bool(re.match(r"\d+\s*gi?b?\b", text, re.IGNORECASE)) and bool(re.match(r"gi?b?\b", chip, re.IGNORECASE))


def _without_plural(chip: str) -> str:
    return re.sub(r"\s+(gpus?|chips?|cards?|accelerators?)$", "", chip.strip(), flags=re.IGNORECASE)


def _tpu(given: str, where: str) -> ClusterWords | None:
    """`16x16 slice of TPU v3`, `TPU v3 16x16`, `TPU v3-512`, `4xv5e-64`; None where it is no TPU slice."""
    text = re.sub(r"\s+", " ", given.lower())
    slice_word = r"(?:\s*(?:slice|pod|topology)s?)?"
    multiple = r"(?:(?P<slices>\d{1,6})\s*[x*]\s*)?"
    for form in (
        rf"{multiple}(?P<dims>{_DIMENSIONS}){slice_word}(?:\s*of)?\s+{_TPU}(?:\s*(?:chips?|pods?|slice))?",
        rf"{multiple}{_TPU}[\s-]+(?:slice\s+)?(?:of\s+)?\(?(?P<dims>{_DIMENSIONS})\)?{slice_word}",
    ):
        match = re.fullmatch(form, text)
        if match:
            name = next(g for g in match.groups() if g and (g.startswith("v") or g.endswith("7x")))
            sides = [int(side) for side in re.split(r"\s*x\s*", match["dims"])]
            return _tpu_words(prod(sides) * int(match["slices"] or 1), "accelerators", name, given, where)
    match = re.fullmatch(rf"{multiple}{_TPU}-(?P<size>\d{{1,6}}){slice_word}", text)
    if not match:
        return None
    name = next(g for g in match.groups()[1:] if g and not g.isdigit())
    name = _TPU_NAMES.get(name, name)
    counted = "cores" if name in _CORE_NAMED else "accelerators"
    return _tpu_words(int(match["size"]) * int(match["slices"] or 1), counted, name, given, where)


def _tpu_words(count: int, counted: str, name: str, given: str, where: str) -> ClusterWords:
    if not 0 < count <= MAX_ACCELERATORS:
        raise fail(where, given, f"from 1 to {MAX_ACCELERATORS:,} accelerators")
    return ClusterWords(count=count, counted=counted, chip=f"TPU {_TPU_NAMES.get(name, name)}", form=given)
