"""A question as typed, and the job it describes once every word has been understood."""

from __future__ import annotations

from dataclasses import dataclass, fields

from flopcast.describe.answer import Assumption, TraceStep
from flopcast.describe.hardware import Cluster
from flopcast.describe.network import Network
from flopcast.describe.workload import Layout, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, word for word: the options of `flopcast estimate`, the keys of a scenario file."""

    model: str = ""
    tokens: str | None = None
    updates: str | None = None
    batch: str | None = None
    seq_len: str | None = None
    epochs: str | None = None
    samples: str | None = None
    on: str | None = None
    mfu: str | None = None
    achieved: str | None = None
    measured: str | None = None
    price: str | None = None
    offer: str | None = None
    bill: str | None = None
    precision: str | None = None
    layout: str | None = None
    stack: str | None = None
    method: str | None = None
    convention: str | None = None
    pue: str | None = None
    region: str | None = None
    like: str | None = None
    name: str | None = None

    def given(self) -> dict[str, str]:
        """The words that were typed, by option."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one accelerator hour costs, and how that is known. `kind`: given, offer, range or bill."""

    usd_per_accelerator_h: float
    low_usd_per_accelerator_h: float
    high_usd_per_accelerator_h: float
    kind: str
    source: str
    as_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A measurement of the asker's own run, in the terms of this job.

    step_time_s is given where the workload allows the conversion; a whole run has its stops in it already.
    """

    as_typed: str
    compute_time_s: float
    step_time_s: float | None = None
    tokens_per_s: float
    is_whole_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Everything understood: what is trained on what, at which price, and what the asker already knows.

    At most one of `mfu_fraction`, `achieved_flop_per_s`, `measured` and `like` is given; `like` is another job that
    the asker has measured, to be scaled to this one. `layout_keys` are the keys of the layout that were said: without a
    degree among them the degrees are still to be chosen. `convention` (6n, causal, full, exact) says
    which model FLOP the given and reported utilisation refers to; `achieved_is_hardware` says that the achieved rate
    counts what recomputation adds.
    """

    question: Question
    network: Network
    workload: Workload
    cluster: Cluster
    peak_flop_per_s: float
    convention: str = "6n"
    mfu_fraction: float | None = None
    achieved_flop_per_s: float | None = None
    achieved_is_hardware: bool = False
    measured: Measured | None = None
    like: Job | None = None
    price: Price | None = None
    bill_usd: float | None = None
    layout: Layout | None = None
    layout_keys: tuple[str, ...] = ()
    stack: str | None = None
    pue: float | None = None
    region: str | None = None
    assumptions: tuple[Assumption, ...] = ()
    arithmetic: tuple[TraceStep, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_layout_whole(self) -> bool:
        """True where the degrees of parallelism were said, not only how the work is done within them."""
        return self.layout is not None and bool({"tp", "pp", "vpp", "cp", "ep", "dp"} & set(self.layout_keys))
