"""What people call an accelerator or a node, and which one that is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from flopcast.describe import Accelerator, Node
from flopcast.errors import BadInput, Problem, unknown_name
from flopcast.facts._read import compact, rows, words
from flopcast.facts.accelerators import accelerators
from flopcast.facts.nodes import nodes

# Words that may stand beside a name and say nothing about which part it is.
_NOISE = (
    "nvidia amd instinct google cloud intel habana aws tesla geforce huawei cerebras apple"
    " tensor core gpus gpu accelerators accelerator cards card chips chip"
)
_QUALIFIER = rf"\d+gi?b|\d+w|sxm\d?|pcie\d?|nvl\d?|oam|hbm\d?e?|gddr\d?x?|{'|'.join(_NOISE.split())}"
_SAME_MEMORY = 0.1  # two capacities this near are one part, printed in other units or less what firmware keeps


def find_accelerator(text: str, *, where: str = "accelerator") -> tuple[Accelerator, tuple[str, ...]]:
    """The accelerator that `text` names, and in words what had to be assumed to tell which.

    Letter case, spaces, hyphens and underscores do not matter. Memory, form, power and vendor may stand beside the
    name, as in driver strings, cloud names and spreadsheets. Every letter must be accounted for: a name that only
    contains a known one is unknown.

    Raises BadInput, with near matches, when the name is unknown or known in other forms or memory sizes only.

    >>> find_accelerator("nvidia-h100-80gb-hbm3")[0].peak_flop_per_s["bf16"]
    989000000000000.0
    >>> find_accelerator("H100")[1]
    ('SXM5 form assumed; PCIe peaks at 756 and NVL at 835 TFLOP/s',)
    """
    if text in accelerators():
        return accelerators()[text], ()
    parsed = _grammar().fullmatch(compact(text))
    if parsed is None:
        raise _unknown(text, where)
    key, pinned = _names()[parsed["name"]]
    said = _Said(f"{parsed['before']} {parsed['after']}", parsed["memory"])
    family = [row for row in rows("accelerators") if row["family"] == _row(key)["family"]]
    if parsed["memory"] and len({row["memory_gib"] for row in family}) == 1:
        raise _unknown(text, where)  # "v3-32" is a slice, not 32 GB of memory
    if pinned:
        return _as_said(_narrow([_row(key)], said, text, where), said, ())
    form = said.form or _form(_row(key))
    chosen = _narrow([row for row in family if _form(row) == form], said, text, where, prefer=_row(key))
    return _as_said(chosen, said, _assumed(chosen, family, said))


class _Said:
    """What stands beside the name: memory in GB, form and power, as far as said."""

    def __init__(self, qualifiers: str, bare_memory: str | None) -> None:
        memory = re.search(r"(\d+)gi?b", qualifiers)
        form = re.search(r"sxm|pcie|nvl|oam", qualifiers)
        power = re.search(r"(\d+)w(?:\d|\b|[^a-z])", qualifiers)
        self.memory_gb = int(memory[1] if memory else bare_memory or 0)
        self.form = form[0] if form else ""
        self.power_w = int(power[1]) if power else 0


def _form(row: Mapping[str, str]) -> str:
    form = row["form"].lower()
    return form[:3] if form.startswith("sxm") else form


def _row(key: str) -> Mapping[str, str]:
    return next(row for row in rows("accelerators") if row["key"] == key)


@cache
def _names() -> Mapping[str, tuple[str, bool]]:
    """Compact name -> key of the part, and whether the name leaves nothing open."""
    found: dict[str, tuple[str, bool]] = {}
    for row in rows("accelerators"):
        for column, pinned in (("bare_names", False), ("aliases", True)):
            found.update({compact(name): (row["key"], pinned) for name in words(row[column])})
        found.setdefault(compact(row["name"]), (row["key"], True))
    return found


@cache
def _grammar() -> re.Pattern[str]:
    names = "|".join(sorted(_names(), key=len, reverse=True))
    return re.compile(
        rf"(?P<before>(?:{_QUALIFIER})*?)(?P<name>{names})(?P<memory>\d{{2,3}}(?![\dgw]))?(?P<after>(?:{_QUALIFIER})*)"
    )


def _narrow(
    parts: Sequence[Mapping[str, str]], said: _Said, text: str, where: str, prefer: Mapping[str, str] | None = None
) -> Mapping[str, str]:
    """The one part of the right form and memory; `prefer` gives the memory that an unsaid one is taken to be."""
    fitting = [row for row in parts if not said.form or _form(row) == said.form]
    if said.memory_gb:
        exact = [row for row in fitting if float(row["memory_gib"] or 0) == said.memory_gb]
        near = [row for row in fitting if _near(row, said.memory_gb)]
        fitting = exact or near
    if not fitting:
        raise _no_such_form(text, where)
    if said.memory_gb or prefer is None:
        return fitting[0]
    alike = [row for row in fitting if row["memory_gib"] == prefer["memory_gib"]]
    return prefer if prefer in fitting else (alike or fitting)[0]


def _near(row: Mapping[str, str], memory_gb: int) -> bool:
    return abs(float(row["memory_gib"] or 0) - memory_gb) <= _SAME_MEMORY * memory_gb


def _assumed(chosen: Mapping[str, str], family: Sequence[Mapping[str, str]], said: _Said) -> tuple[str, ...]:
    common = [row for row in family if not row["rare"]]
    assumed = []
    others = {row["form"]: row for row in reversed(common) if _form(row) != _form(chosen)}
    if chosen["form"] and not said.form:
        assumed.append(f"{chosen['form']} form assumed{_other_peaks(chosen, others)}")
    sizes = {row["memory_gib"] for row in common if _form(row) == _form(chosen)} - {chosen["memory_gib"]}
    if sizes and not said.memory_gb:
        assumed.append(f"{chosen['memory_gib']} GB assumed; there is also {' and '.join(sorted(sizes))} GB")
    return tuple(assumed)


def _other_peaks(chosen: Mapping[str, str], others: Mapping[str, Mapping[str, str]]) -> str:
    def peak(row: Mapping[str, str]) -> str:
        return row["bf16_tflop_per_s"] or row["fp16_tflop_per_s"]

    differing = {form: peak(row) for form, row in sorted(others.items(), key=lambda item: float(peak(item[1])))}
    if not differing:
        return ""
    if set(differing.values()) == {peak(chosen)}:
        return f"; {' and '.join(differing)} has the same peak"
    first, *rest = differing.items()
    return f"; {first[0]} peaks at {first[1]}" + "".join(f" and {form} at {p}" for form, p in rest) + " TFLOP/s"


def _as_said(row: Mapping[str, str], said: _Said, assumed: tuple[str, ...]) -> tuple[Accelerator, tuple[str, ...]]:
    part = accelerators()[row["key"]]
    if said.power_w and part.power_w != said.power_w:
        rated = f" of the {part.power_w:g} W part" if part.power_w else ""
        assumed = (*assumed, f"{said.power_w} W as said; the peak is the one{rated}")
        part = replace(part, power_w=float(said.power_w))
    return part, assumed


def _unknown(text: str, where: str) -> BadInput:
    known = [name for part in accelerators().values() for name in (part.name, *part.aliases)]
    return unknown_name(
        where=where, given=text, kind="accelerator", known=known, hint="`flopcast facts accelerators` lists all"
    )


def _no_such_form(text: str, where: str) -> BadInput:
    key, _ = _names()[_grammar().fullmatch(compact(text))["name"]]  # type: ignore[index]
    family = [row["name"] for row in rows("accelerators") if row["family"] == _row(key)["family"]]
    return BadInput(
        Problem(
            where=where,
            given=text,
            allowed=f"a known form of that accelerator ({', '.join(family)})",
            hint="name one of these, or leave form and memory out; another form's peak is never used in its place",
        )
    )


def find_node(text: str) -> tuple[Node, ...] | None:
    """The nodes that `text` names, likeliest first, or None when it names no node.

    >>> [node.accelerators for node in find_node("HGX H100")]
    [8]
    """
    wanted = compact(text)
    names = (wanted, wanted.removeprefix("nvidia"), wanted.removeprefix("standard"))
    keys = next((_node_names()[name] for name in names if name in _node_names()), ())
    return tuple(nodes()[key] for key in keys) if keys else None


@cache
def _node_names() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in rows("nodes"):
        for name in _unique((row["key"], *words(row["aliases"]), f"{row['provider']} {row['instance']}")):
            found[name] = (*found.get(name, ()), row["key"])
    return found


def _unique(names: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(compact(name) for name in names)
