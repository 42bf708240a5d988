"""Where data lies and what it is: storage and egress prices, rules for checkpoints, corpora."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from statistics import median
from types import MappingProxyType

from flopcast.errors import unknown_name
from flopcast.facts._read import compact, number, rows

_BYTES = {"GB": 1e9, "GiB": 2.0**30, "TB": 1e12}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePrice:
    """A price or figure of storage, as printed.

    `kind` is object, block, parallel_fs, egress, network, checkpoint_rule or llama3_storage.
    `usd_per_byte_month` and `usd_per_byte` are the same figure in SI units where it is such a price.
    """

    kind: str
    provider: str
    product: str
    metric: str
    value: float
    unit: str
    usd_per_byte_month: float | None
    usd_per_byte: float | None
    region: str
    source: str
    as_of: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A corpus, or a rule on bytes per token (`modality` rule). Sizes are those of the files as published."""

    key: str
    name: str
    modality: str
    size_bytes: float | None
    size_as_printed: str
    tokens: float | None
    tokenizer: str
    documents: float | None
    bytes_per_token: float | None
    licence: str
    source: str
    as_of: str
    note: str


@cache
def storage_prices(kind: str | None = None) -> tuple[StoragePrice, ...]:
    """Storage, egress and port prices and the rules beside them, of one kind or all."""
    return tuple(_storage_price(row) for row in rows("storage") if kind in (None, row["kind"]))


def _storage_price(row: Mapping[str, str]) -> StoragePrice:
    value = float(row["value"])
    money, _, per = row["unit"].partition("/")
    unit, _, month = per.partition("-")
    priced = value / _BYTES[unit] if money == "USD" and unit in _BYTES else None
    return StoragePrice(
        kind=row["kind"],
        provider=row["provider"],
        product=row["product"],
        metric=row["metric"],
        value=value,
        unit=row["unit"],
        usd_per_byte_month=priced if month == "month" else None,
        usd_per_byte=None if month else priced,
        region=row["region"],
        source=row["source"],
        as_of=row["as_of"],
        note=row["note"],
    )


def storage_price_range(kind: str) -> tuple[float, float, float, str] | None:
    """Lowest, median and highest monthly list price of that kind of storage [USD/GB/month], and in words whose.

    Archive, cold and infrequent-access classes are left out: training reads its data. None where no price is known.
    """
    slow = ("archive", "cold", "cool", "infrequent", "-ia", "nearline", "hdd", "snapshot", "spot")
    found = [
        price
        for price in storage_prices(kind)
        if price.usd_per_byte_month and not any(word in price.product.lower() for word in slow)
    ]
    if not found:
        return None
    amounts = sorted((price.usd_per_byte_month or 0.0) * 1e9 for price in found)
    newest = max(price.as_of for price in found)
    source = f"list prices of {len({price.provider for price in found})} providers, {newest}"
    return amounts[0], median(amounts), amounts[-1], source


@cache
def datasets() -> Mapping[str, Dataset]:
    """Corpora by key."""
    return MappingProxyType({row["key"]: _dataset(row) for row in rows("datasets")})


def _dataset(row: Mapping[str, str]) -> Dataset:
    return Dataset(
        key=row["key"],
        name=row["name"],
        modality=row["modality"],
        size_bytes=number(row["size_bytes"]),
        size_as_printed=row["size_as_printed"],
        tokens=number(row["tokens"]),
        tokenizer=row["tokenizer"],
        documents=number(row["documents"]),
        bytes_per_token=number(row["bytes_per_token"]),
        licence=row["licence"],
        source=row["source"],
        as_of=row["as_of"],
        note=row["note"],
    )


def find_dataset(name: str, *, where: str = "dataset") -> Dataset:
    """The corpus of that name or key, whatever case, spaces and hyphens. Raises BadInput with near matches.

    >>> find_dataset("the pile").tokens
    260000000000.0
    """
    by_name = {compact(known): entry for entry in datasets().values() for known in (entry.key, entry.name)}
    if compact(name) not in by_name:
        known = [entry.name for entry in datasets().values() if entry.modality != "rule"]
        raise unknown_name(where=where, given=name, kind="dataset", known=known)
    return by_name[compact(name)]
