"""Published networks: exact configurations and the names people give them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from flopcast.errors import unknown_name
from flopcast.facts._read import DATA

# Words of a name that leave the configuration as it is.
_SAME_CONFIG = {"base", "instruct", "chat", "it", "hf", "meta", "bf16", "fp8", "nvfp4", "nvidia"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkEntry:
    """One network of the catalogue.

    `config` uses the words of Hugging Face's config.json and holds what shapes the network, nothing else;
    `parameters_total` is exact; `tokens` is what it was pre-trained on, where published.
    """

    name: str
    aliases: tuple[str, ...]
    config: Mapping[str, Any]
    source: str
    date: str
    parameters_total: int
    tokens: float | None


@cache
def networks() -> Mapping[str, NetworkEntry]:
    """Every known network by name."""
    entries = json.loads((DATA / "networks.json").read_text(encoding="utf-8"))
    return MappingProxyType({entry["name"]: _entry(entry) for entry in entries})


def _entry(row: Mapping[str, Any]) -> NetworkEntry:
    return NetworkEntry(
        name=row["name"],
        aliases=tuple(row["aliases"]),
        config=MappingProxyType(row["config"]),
        source=row["source"],
        date=row["date"],
        parameters_total=row["params_total"],
        tokens=row["tokens"],
    )


def find_network(text: str, *, where: str = "model") -> tuple[NetworkEntry, tuple[str, ...]]:
    """The network that `text` names, and in words what had to be assumed to tell which.

    Letter case, separators, the owner before a slash and words such as `Instruct` do not matter. A family with a size
    ("llama 8b") is the newest network of that family and size, and this is said.

    Raises BadInput with near matches when the name is unknown.

    >>> find_network("meta-llama/Llama-3.1-8B-Instruct")[0].parameters_total
    8030261248
    >>> find_network("llama 8b")
    (NetworkEntry(name='llama-3.1-8b', ...), ('llama-3.1-8b taken, the newest; there is also llama-3-8b',))
    """
    words = _words(text)
    bare = [word for word in words if word not in _SAME_CONFIG]
    dotted = _words(re.sub(r"(?<=\d)_(?=\d)", ".", text))  # phi-1_5
    for name in map(_joined, (words, bare, dotted)):
        if name in _names():
            return networks()[_names()[name]], ()
    alike = _of_family_and_size(bare)
    if alike:
        newest, *others = sorted(alike, key=lambda entry: (entry.date, entry.name), reverse=True)
        also = f"; there is also {', '.join(entry.name for entry in others)}" if others else ""
        return newest, (f"{newest.name} taken, the newest{also}",)
    known = [name for entry in networks().values() for name in (entry.name, *entry.aliases)]
    raise unknown_name(
        where=where,
        given=text,
        kind="network",
        known=known,
        hint="or give parameters (`7b`, `30B-A3B`) or a config.json; `flopcast facts models` lists all",
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9.]+", text.strip().lower().rpartition("/")[2])


def _joined(words: Iterable[str]) -> str:
    return "".join(words)


@cache
def _names() -> Mapping[str, str]:
    names: dict[str, str] = {}
    for entry in networks().values():
        names.update({_joined(_words(name)): entry.name for name in entry.aliases})
    names.update({_joined(_words(entry.name)): entry.name for entry in networks().values()})
    return names


def _of_family_and_size(words: list[str]) -> list[NetworkEntry]:
    """Networks whose name is the family, a version that was not said, and the size."""
    if len(words) != 2 or not re.fullmatch(r"[\d.]+[bm]", words[1]):
        return []
    pattern = re.compile(rf"{re.escape(words[0])}-?[\d.]*-{re.escape(words[1])}")
    return [entry for entry in networks().values() if pattern.fullmatch(entry.name)]
