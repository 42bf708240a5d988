"""What an accelerator hour costs: as given, from a named offer, or the range that the shipped offers span."""

from __future__ import annotations

from statistics import median, quantiles

from flopcast import facts
from flopcast.describe import Assumption, Cluster, Offer, Price, Question
from flopcast.units import parse_money, parse_price, show_price
from flopcast.units.numbers import fail


def read_price(question: Question, cluster: Cluster) -> tuple[Price | None, tuple[Assumption, ...]]:
    """The price of one accelerator hour, None where none is known; at most one of --price, --offer and --bill."""
    said = [name for name in ("price", "offer", "bill") if getattr(question, name)]
    if len(said) > 1:
        raise fail("price", " and ".join(f"--{name}" for name in said), "one of --price, --offer and --bill")
    if question.price:
        return _given(question.price, cluster)
    if question.offer:
        return _from_offer(question.offer, cluster)
    if question.bill:
        return None, ()
    return _from_range(cluster)


def read_bill_usd(text: str) -> float:
    """The total that was paid, in US dollars."""
    money = parse_money(text, where="bill")
    _only_dollars(money.currency, text, "bill")
    return money.amount


def exact_price(usd: float, *, kind: str, source: str, as_of: str = "") -> Price:
    """A price of no spread."""
    return Price(
        usd_per_accelerator_h=usd,
        low_usd_per_accelerator_h=usd,
        high_usd_per_accelerator_h=usd,
        kind=kind,
        source=source,
        as_of=as_of,
    )


def _only_dollars(currency: str, text: str, where: str) -> None:
    if currency != "USD":
        raise fail(where, text, "an amount in US dollars", f"no exchange rate is shipped: convert {currency} first")


def _given(text: str, cluster: Cluster) -> tuple[Price, tuple[Assumption, ...]]:
    words = parse_price(text)
    _only_dollars(words.currency, text, "price")
    if words.per == "accelerator":
        return exact_price(words.amount_per_h, kind="given", source="given"), ()
    size = cluster.accelerators_per_node
    price = words.amount_per_h / size
    source = f"given: {text} of a node of {size}"
    if cluster.node is not None:
        return exact_price(price, kind="given", source=source), ()
    effect = f"{text} is {show_price(price)} an accelerator"
    node = Assumption(
        name="accelerators in a node", value=size, unit="accelerators", source="usual node", effect=effect
    )
    return exact_price(price, kind="given", source=source), (node,)


def _from_offer(text: str, cluster: Cluster) -> tuple[Price, tuple[Assumption, ...]]:
    offers = facts.find_offer(text, where="offer")
    fitting = [offer for offer in offers if offer.accelerator == cluster.accelerator.key]
    if not fitting:
        raise fail("offer", text, f"an offer of {cluster.accelerator.name}", f"it rents {offers[0].accelerator}")
    tiers = [offer for offer in fitting if offer.tier == "on-demand"] or fitting
    prices = sorted(offer.price_usd_per_accelerator_h for offer in tiers)
    middle = tiers[0]
    price = Price(
        usd_per_accelerator_h=prices[len(prices) // 2],
        low_usd_per_accelerator_h=prices[0],
        high_usd_per_accelerator_h=prices[-1],
        kind="offer",
        source=f"{middle.provider} {middle.instance}, {middle.tier}",
        as_of=middle.as_of,
    )
    return price, ()


def _spread(offers: tuple[Offer, ...]) -> tuple[float, float]:
    """10th and 90th percentile over providers, each by the median of its offers."""
    by_provider: dict[str, list[float]] = {}
    for offer in offers:
        by_provider.setdefault(offer.provider, []).append(offer.price_usd_per_accelerator_h)
    medians = sorted(median(prices) for prices in by_provider.values())
    if len(medians) < 2:
        return medians[0], medians[0]
    tenths = quantiles(medians, n=10, method="inclusive")
    return tenths[0], tenths[-1]


def _from_range(cluster: Cluster) -> tuple[Price | None, tuple[Assumption, ...]]:
    found = facts.price_range(cluster.accelerator.key)
    if found is None:
        return None, ()
    _, middle, _, offers = found
    low, high = _spread(offers)
    providers = len({offer.provider for offer in offers})
    price = Price(
        usd_per_accelerator_h=middle,
        low_usd_per_accelerator_h=low,
        high_usd_per_accelerator_h=high,
        kind="range",
        source=f"list prices on demand, {providers} provider{'s' if providers != 1 else ''}",
        as_of=max(offer.as_of for offer in offers),
    )
    effect = f"{show_price(low)} to {show_price(high)} between providers"
    assumption = Assumption(
        name="price", value=middle, unit="USD/accelerator h", source=f"{price.source}, {price.as_of}", effect=effect,
        weight=high / low - 1,
    )  # fmt: skip
    return price, (assumption,)
