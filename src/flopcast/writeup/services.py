"""Services that are examples of what is asked for, with price and date; programmes that give compute."""

from __future__ import annotations

from collections import Counter

from flopcast import facts
from flopcast.describe import Accelerator, Offer
from flopcast.units import show_price

GENERAL_KINDS = ("compute grant", "national allocation", "in-kind sponsorship", "storage")
OUR_READING = " (our reading)"
SLOW = ("archive", "cold", "cool", "infrequent", "-ia", "nearline")
USUAL_RETURNS = "What a partner can be offered"


def cheapest_offers(accelerator: str, *, limit: int) -> tuple[Offer, ...]:
    """The cheapest on-demand offer of each provider, cheapest first, each with its own date."""
    best: dict[str, Offer] = {}
    for offer in facts.offers(accelerator=accelerator, tier="on-demand"):
        kept = best.get(offer.provider)
        if kept is None or offer.price_usd_per_accelerator_h < kept.price_usd_per_accelerator_h:
            best[offer.provider] = offer
    return tuple(sorted(best.values(), key=lambda offer: (offer.price_usd_per_accelerator_h, offer.provider)))[:limit]


def offer_words(offers: tuple[Offer, ...]) -> str:
    """`Vast.ai marketplace $1.29/h (2026-09-25), RunPod $1.39/h (2026-09-01)`."""
    return ", ".join(
        f"{offer.provider}{' marketplace' if offer.note.startswith('marketplace') else ''} "
        f"{show_price(offer.price_usd_per_accelerator_h)} ({offer.as_of})"
        for offer in offers
    )


def example_storage(kind: str, *, limit: int) -> str:
    """Storage services of one kind with their monthly price, cheapest first, one of each provider."""
    found: dict[str, tuple[float, str, str]] = {}
    for price in facts.storage_prices(kind):
        if not price.usd_per_byte_month or any(word in price.product.lower() for word in SLOW):
            continue
        if price.provider not in found or price.usd_per_byte_month < found[price.provider][0]:
            found[price.provider] = (price.usd_per_byte_month, price.product, price.as_of)
    ranked = sorted((usd, provider, product, as_of) for provider, (usd, product, as_of) in found.items())
    return "a TB and month: " + ", ".join(
        f"{provider} {product} ${usd * 1e12:,.0f} ({as_of})" for usd, provider, product, as_of in ranked[:limit]
    )


def partner_programmes(accelerator: Accelerator, *, limit: int) -> tuple[tuple[str, ...], ...]:
    """Programmes that give compute or storage: name, what they offer, what they get back; the chip's maker first.

    A star marks what they get by our reading, not by their own words.
    """
    rows = [
        (
            programme.provider == accelerator.vendor,
            programme.name,
            "; ".join(programme.offers),
            "; ".join(programme.partner_gets).replace(OUR_READING, "*"),
        )
        for programme in facts.programmes().values()
        if programme.kind in GENERAL_KINDS and programme.offers and programme.partner_gets
    ]
    rows.sort(key=lambda row: not row[0])
    return tuple((name, offers, gets) for _, name, offers, gets in rows[:limit])


def usual_returns(*, limit: int) -> tuple[str, ...]:
    """What programmes for compute usually get back, for a project that names no offer yet."""
    listed = next((p.partner_gets for p in facts.programmes().values() if p.name == USUAL_RETURNS), ())
    if listed:
        return listed[:limit]
    count = Counter(text for p in facts.programmes().values() for text in p.partner_gets)
    return tuple(text for text, _ in count.most_common(limit))
