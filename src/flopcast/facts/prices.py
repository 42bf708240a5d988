"""What accelerators rent for: today's offers, the history of prices, commitment discounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from statistics import median

from flopcast.describe import Offer
from flopcast.errors import unknown_name
from flopcast.facts._read import compact, number, rows

STALE_AFTER = timedelta(days=90)  # list prices have moved by a fifth in one day
_TIERS = {"on-demand": "on_demand", "spot": "spot", "commit-1y": "commit_1y", "commit-3y": "commit_3y"}
_PROVIDERS = {"amazon": "AWS", "google": "GCP", "googlecloud": "GCP", "microsoft": "Azure", "oracle": "OCI"}
_FIRST_HAND = 3  # with so many providers read at the source, aggregators and marketplaces are left out


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePoint:
    """A price that was asked for one accelerator hour on some date.

    `tier` is on-demand, spot, commit-1y, commit-3y, community (unvetted hosts) or auction; `basis` is list, monthly
    median, market or lowest; `accelerators` is the size of the shape it was printed for.
    """

    date: str
    provider: str
    accelerator: str
    tier: str
    basis: str
    price_usd_per_accelerator_h: float
    instance: str
    region: str
    accelerators: int | None
    observations: int | None
    source: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Discount:
    """Share off the list price for a commitment; `term` is 1y, 3y or any."""

    provider: str
    term: str
    how: str
    applies_to: str
    discount_fraction: float
    source: str
    as_of: str


@cache
def _offers() -> tuple[Offer, ...]:
    return tuple(
        Offer(
            provider=row["provider"],
            instance=row["instance"],
            accelerator=row["accelerator"],
            accelerators=int(row["accelerators"]),
            region=row["region"],
            tier=tier,
            price_usd_per_accelerator_h=float(cell),
            as_of=row["as_of"],
            source=row["source"],
            note=row["note"],
        )
        for row in rows("offers")
        for tier, column in _TIERS.items()
        if (cell := row[f"{column}_usd_per_accelerator_h"])
    )


def offers(accelerator: str | None = None, provider: str | None = None, tier: str | None = None) -> tuple[Offer, ...]:
    """Offers of the accelerator with that key, the provider and the tier; all where not said."""
    wanted = _provider(provider) if provider else None
    return tuple(
        offer
        for offer in _offers()
        if (accelerator is None or offer.accelerator == accelerator)
        and (wanted is None or compact(offer.provider) == wanted)
        and (tier is None or offer.tier == tier)
    )


def _provider(text: str) -> str:
    name = compact(text)
    return compact(_PROVIDERS.get(name, name))


def find_offer(text: str, *, where: str = "offer") -> tuple[Offer, ...]:
    """The offers that `PROVIDER:INSTANCE` names, in every region and tier, the newest first.

    The provider may be left out; a third part narrows to a tier or region, as in `aws:p5.48xlarge:spot`.

    Raises BadInput with near matches when nothing has that name.

    >>> {offer.accelerator for offer in find_offer("aws:p5.48xlarge")}
    {'h100-sxm'}
    """
    parts = text.split(":")
    provider = _provider(parts[0]) if len(parts) > 1 else ""
    instance = compact(parts[1] if len(parts) > 1 else parts[0])
    narrow = parts[2].strip().lower() if len(parts) > 2 else ""
    found = [
        offer
        for offer in _offers()
        if instance
        and compact(offer.instance) == instance
        and provider in ("", compact(offer.provider))
        and narrow in ("", offer.tier, offer.region.lower())
    ]
    if not found:
        known = sorted({f"{offer.provider.lower()}:{offer.instance}" for offer in _offers()})
        raise unknown_name(
            where=where, given=text, kind="offer (PROVIDER:INSTANCE)", known=known, hint="see `flopcast facts offers`"
        )
    return tuple(sorted(found, key=lambda offer: (offer.as_of, -offer.price_usd_per_accelerator_h), reverse=True))


def price_range(accelerator: str, tier: str = "on-demand") -> tuple[float, float, float, tuple[Offer, ...]] | None:
    """Lowest, middle and highest of what providers ask for one accelerator hour [USD/h], and the offers behind it.

    Each provider counts once, with the median over its regions and shapes. Aggregators' figures and marketplaces
    count only where fewer than three providers were read at the source. None where no offer is known.
    """
    found = offers(accelerator, tier=tier)
    listed = [offer for offer in found if not offer.note.startswith(("aggregator", "marketplace"))]
    if len({offer.provider for offer in listed}) >= _FIRST_HAND:
        found = tuple(listed)
    if not found:
        return None
    by_provider: dict[str, list[float]] = {}
    for offer in found:
        by_provider.setdefault(offer.provider, []).append(offer.price_usd_per_accelerator_h)
    middles = sorted(median(prices) for prices in by_provider.values())
    return middles[0], median(middles), middles[-1], found


def as_of(found: Sequence[Offer] | None = None) -> str:
    """The newest date on the offers, all of them or those given."""
    return max(offer.as_of for offer in (_offers() if found is None else found))


def is_stale(today: date, found: Sequence[Offer] | None = None) -> bool:
    """Whether the newest of the offers is older than 90 days; an offer dated with a year only counts as its first day."""
    year, *rest = (int(part) for part in as_of(found).split("-"))
    month, day = (*rest, 1, 1)[:2]
    return today - date(year, month, day) > STALE_AFTER


@cache
def price_history() -> tuple[PricePoint, ...]:
    """Prices asked from 2017 on."""
    return tuple(
        PricePoint(
            date=row["date"],
            provider=row["provider"],
            accelerator=row["accelerator"],
            tier=row["tier"],
            basis=row["basis"],
            price_usd_per_accelerator_h=float(row["usd_per_accelerator_h"]),
            instance=row["instance"],
            region=row["region"],
            accelerators=int(row["accelerators"]) if row["accelerators"] else None,
            observations=int(row["observations"]) if row["observations"] else None,
            source=row["source"],
            where=row["where"],
        )
        for row in rows("price_history")
    )


@cache
def discounts() -> tuple[Discount, ...]:
    """What providers take off for a commitment."""
    return tuple(
        Discount(**{**row, "discount_fraction": number(row["discount_fraction"])})  # type: ignore[arg-type]
        for row in rows("discounts")
    )
