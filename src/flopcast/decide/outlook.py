"""How far the next frontier run can go: the envelope from the last one, what scale costs, and which limit binds."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from flopcast.decide.scaling_laws import LAWS, ComputeOptimal, compute_optimal
from flopcast.describe import Assumption, Range, TraceStep
from flopcast.run.scale import SCALE_EXPONENT, SCALE_SOURCE, utilisation_kept

TRICKS_AT_MOST = 1.2
SITE_POWER_W = 150e6
PUE = 1.1
# measured maximum of a node of eight H100 in training, 8.4 kW (arXiv 2412.08602)
ACCELERATOR_POWER_W = 8400 / 8
BATCH_TOKENS = 16e6
GRADIENT_BYTES = 2
PUBLIC_TEXT_TOKENS = 30e12
DAYS_AT_MOST = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What the last run was, from which the next is scaled."""

    name: str
    cards: float
    days: float
    peak_flop_per_s: float
    mfu_fraction: float
    parameters: float
    source: str
    usd: Range | None = None
    status: str = "as given"

    @property
    def flop(self) -> float:
        """Compute of the last run [FLOP]."""
        return self.cards * self.days * 86400 * self.peak_flop_per_s * self.mfu_fraction


LAST = Envelope(
    name="last frontier run",
    cards=25_000,
    days=95,
    peak_flop_per_s=312e12,
    mfu_fraction=0.34,
    parameters=280e9,
    source="reported, never confirmed by the developer: 25,000 A100 for 90 to 100 days at 32 to 36 % of peak",
    usd=Range(low=50e6, expected=87e6, high=150e6),
    status="reported, not confirmed",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One thing that can end the growth: what the run needs of it and what there is."""

    name: str
    needed: float
    available: float
    unit: str
    source: str

    @property
    def share(self) -> float:
        """Needed over available; above 1 it does not suffice."""
        return self.needed / self.available


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The envelope of the next run."""

    compute_ratio: float
    network_ratio: float
    utilisation_kept: Range
    compute_ratio_kept: Range
    network_ratio_kept: Range
    flop: Range
    cards: float
    days: float
    optimal: tuple[ComputeOptimal, ...]
    limits: tuple[Limit, ...]
    money_ratio: Range
    usd: Range | None
    assumptions: tuple[Assumption, ...]
    trace: tuple[TraceStep, ...]

    @property
    def binding(self) -> Limit:
        """The limit that is used most."""
        return max(self.limits, key=lambda limit: limit.share)


def outlook(
    *,
    per_card: float,
    cards: float,
    days: float,
    tricks: float = 1.0,
    last: Envelope = LAST,
    site_power_w: float = SITE_POWER_W,
    link_bytes_per_s: float = 100e12 / 8,
    dollar_ratio: Range | None = None,
) -> Outlook:
    """Scales the last run by the factors given.

    per_card, cards, days, tricks: ratios to the last run [unitless, above zero]; site_power_w: of one data centre [W];
    link_bytes_per_s: between data centres [B/s]; dollar_ratio: compute per dollar against the last run.
    compute = per_card x cards x days x tricks; network = sqrt(compute), since data grows as the network does.
    """
    ratio = per_card * cards * days * tricks
    kept = utilisation_kept(cards)
    after = kept * ratio
    flop = after * last.flop
    optimal = tuple(compute_optimal(flop=flop.expected, law=law) for law in LAWS.values())
    dollar = dollar_ratio or Range(low=2.0, expected=sqrt(6.0), high=3.0)
    money = dollar.inverse(ratio)
    return Outlook(
        compute_ratio=ratio,
        network_ratio=sqrt(ratio),
        utilisation_kept=kept,
        compute_ratio_kept=after,
        network_ratio_kept=Range(low=sqrt(after.low), expected=sqrt(after.expected), high=sqrt(after.high)),
        flop=flop,
        cards=last.cards * cards,
        days=last.days * days,
        optimal=optimal,
        limits=_limits(last, cards, days, flop.expected, optimal[-1], site_power_w, link_bytes_per_s),
        money_ratio=money,
        usd=last.usd.times(money) if last.usd else None,
        assumptions=_assumptions(last, tricks, kept, dollar),
        trace=_trace(per_card, cards, days, tricks, ratio, kept),
    )


def _limits(
    last: Envelope,
    cards: float,
    days: float,
    flop: float,
    best: ComputeOptimal,
    site_power_w: float,
    link_bytes_per_s: float,
) -> tuple[Limit, ...]:
    """Cards of a site, link between sites, days, data: needed against available."""
    total = last.cards * cards
    per_site = site_power_w / (ACCELERATOR_POWER_W * PUE)
    update_s = 6 * best.parameters * BATCH_TOKENS / (flop / (last.days * days * 86400))
    power = f"{site_power_w / 1e6:.0f} MW a site (assumed); {ACCELERATOR_POWER_W:.0f} W a card in its node (arXiv 2412.08602), PUE {PUE}"
    return (
        Limit(name="cards of one site", needed=total, available=per_site, unit="cards", source=power),
        Limit(
            name="link between two sites",
            needed=2 * GRADIENT_BYTES * best.parameters / update_s,
            available=link_bytes_per_s,
            unit="B/s",
            source=f"bf16 gradients out and back once in an update of {BATCH_TOKENS / 1e6:.0f}M tokens; link assumed",
        ),
        Limit(
            name="days",
            needed=last.days * days,
            available=DAYS_AT_MOST,
            unit="days",
            source="assumed: beyond half a year a later start on better cards finishes first",
        ),
        Limit(
            name="data",
            needed=best.tokens,
            available=PUBLIC_TEXT_TOKENS,
            unit="tokens",
            source="for the last network above; RedPajama-V2 holds 30e12 deduplicated tokens in five languages",
        ),
    )


def _assumptions(last: Envelope, tricks: float, kept: Range, dollar: Range) -> tuple[Assumption, ...]:
    left_out = f"left out of the totals; they would give at most x{TRICKS_AT_MOST}" if tricks == 1 else "as given"
    lost = f"{100 * (1 - kept.high):.0f} to {100 * (1 - kept.low):.0f} % of the compute is lost to scale"
    return (
        Assumption(name="last run", value=f"{last.flop:.3g} FLOP".replace("e+", "e"), unit="", source=last.source,
                   effect="absolute figures scale with it; the ratios do not"),
        Assumption(name="utilisation lost to scale", value=SCALE_EXPONENT.expected, unit="exponent on cards",
                   source=SCALE_SOURCE, effect=lost),
        Assumption(name="training tricks", value=tricks, unit="ratio", source="assumed", effect=left_out),
        Assumption(name="compute per dollar", value=dollar.expected, unit="ratio", source="quoted: 2 to 3 times the last run's",
                   effect="money = compute ratio / this"),
    )  # fmt: skip


def _trace(
    per_card: float, cards: float, days: float, tricks: float, ratio: float, kept: Range
) -> tuple[TraceStep, ...]:
    factors: dict[str, float | str] = {"per card": per_card, "cards": cards, "days": days, "tricks": tricks}
    return (
        TraceStep(quantity="compute ratio", formula="per card x cards x days x tricks", inputs=factors, value=ratio, unit=""),
        TraceStep(quantity="network ratio", formula="sqrt(compute ratio)", inputs={"compute ratio": ratio},
                  value=sqrt(ratio), unit="", source="compute = 6 N D, and D grows as N"),
        TraceStep(quantity="utilisation kept", formula="cards^exponent", inputs={"cards": cards, "exponent": SCALE_EXPONENT.expected},
                  value=kept.expected, unit="fraction", source=SCALE_SOURCE),
    )  # fmt: skip
