"""Services that are examples of what is asked for, with price and date; programmes that give compute."""

from __future__ import annotations

from statistics import median

from flopcast import facts
from flopcast.describe import Accelerator
from flopcast.units import show_price

GENERAL_KINDS = ("compute grant", "national allocation", "in-kind sponsorship", "storage")


def example_services(accelerator: str, *, limit: int, prices: bool = False) -> str:
    """The providers that list an accelerator cheapest: `Verda $2.29/h, RunPod $2.99/h (2026-09)`."""
    by_provider: dict[str, list[tuple[float, str]]] = {}
    for offer in facts.offers(accelerator=accelerator, tier="on-demand"):
        by_provider.setdefault(offer.provider, []).append((offer.price_usd_per_accelerator_h, offer.as_of))
    ranked = sorted((median(price for price, _ in rows), name, rows[0][1]) for name, rows in by_provider.items())
    if prices:
        return ", ".join(f"{name} {show_price(price)} ({as_of[:7]})" for price, name, as_of in ranked[:limit])
    return ", ".join(name for _, name, _ in ranked[:limit])


def example_storage(kind: str, *, limit: int) -> str:
    """Storage services of one kind with their monthly price, cheapest first, one of each provider."""
    found: dict[str, tuple[float, str]] = {}
    for price in facts.storage_prices(kind):
        if price.usd_per_byte_month and (
            price.provider not in found or price.usd_per_byte_month < found[price.provider][0]
        ):
            if any(
                word in price.product.lower() for word in ("archive", "cold", "cool", "infrequent", "-ia", "nearline")
            ):
                continue
            found[price.provider] = (price.usd_per_byte_month, price.product)
    ranked = sorted((usd, provider, product) for provider, (usd, product) in found.items())
    return "; ".join(f"{provider} {product} ${usd * 1e12:,.0f}/TB-month" for usd, provider, product in ranked[:limit])


def partner_programmes(accelerator: Accelerator, *, limit: int) -> tuple[tuple[str, ...], ...]:
    """Programmes that give compute or storage: name, what they offer, what they get back; the chip's maker first."""
    rows = [
        (
            programme.provider == accelerator.vendor,
            programme.name,
            "; ".join(programme.offers),
            "; ".join(programme.partner_gets),
        )
        for programme in facts.programmes().values()
        if programme.kind in GENERAL_KINDS and programme.offers and programme.partner_gets
    ]
    rows.sort(key=lambda row: not row[0])
    return tuple((name, offers, gets) for _, name, offers, gets in rows[:limit])
