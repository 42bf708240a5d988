"""Checkpoints and token files: how large, how long a save takes, how often to save, what all saves cost in time."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from flopcast.describe import Assumption
from flopcast.run import best_checkpoint_interval_s, token_bytes
from flopcast.run.storage import (
    CHECKPOINT_BYTES_PER_PARAMETER,
    CHECKPOINT_SOURCE,
    TEXT_BYTES_PER_TOKEN,
    USABLE_FRACTION,
)

TOKEN_TYPES = {"uint16": 2, "int16": 2, "uint32": 4, "int32": 4, "uint64": 8, "int64": 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """What the asker knows of saves; None where not said.

    size_bytes: of one checkpoint; save_s: that training stands still; interval in seconds or in updates.
    """

    size_bytes: float | None = None
    save_s: float | None = None
    write_bytes_per_s: float | None = None
    interval_s: float | None = None
    interval_updates: float | None = None
    updates: float | None = None
    run_s: float | None = None
    mtbf_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints:
    """Checkpoints of a run. `saves` counts whole intervals; `overhead_fraction` is of the run's time."""

    size_bytes: float | None
    save_s: float | None
    write_bytes_per_s: float | None
    interval_s: float | None
    best_interval_s: float | None
    saves: int | None
    overhead_s: float | None
    overhead_fraction: float | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFiles:
    """Tokens on disk. `to_buy_bytes` leaves the share of a shared file system free that it needs to stay fast."""

    bytes_per_token: int
    size_bytes: float
    raw_text_bytes: float
    to_buy_bytes: float


def checkpoint_size(parameters: float, bytes_per_parameter: float | None) -> tuple[float, tuple[Assumption, ...]]:
    """Bytes of one checkpoint [B], and the assumption where the asker did not say what it holds."""
    if bytes_per_parameter is not None:
        return parameters * bytes_per_parameter, ()
    size = CHECKPOINT_BYTES_PER_PARAMETER
    effect = "weights 2, fp32 copy 4, Adam 8; 12 without the 16-bit copy, 2 for weights alone: --bytes-per-parameter"
    said = Assumption(name="bytes a parameter", value=size, unit="B", source=CHECKPOINT_SOURCE, effect=effect)
    return parameters * size, (said,)


def checkpoints(given: Saving) -> Checkpoints:
    """Fills in what follows: size = rate x time; best interval by Young, sqrt(2 x save x MTBF); saves = run / interval."""
    size, save, rate = given.size_bytes, given.save_s, given.write_bytes_per_s
    if save is None and size is not None and rate is not None:
        save = size / rate
    if rate is None and size is not None and save is not None:
        rate = size / save
    best = best_checkpoint_interval_s(save_time_s=save, mtbf_s=given.mtbf_s) if save and given.mtbf_s else None
    interval = given.interval_s or (best if given.interval_updates is None else None)
    saves = _saves(given, interval)
    overhead = saves * save if saves is not None and save is not None else None
    return Checkpoints(
        size_bytes=size,
        save_s=save,
        write_bytes_per_s=rate,
        interval_s=interval,
        best_interval_s=best,
        saves=saves,
        overhead_s=overhead,
        overhead_fraction=overhead / given.run_s if overhead is not None and given.run_s else None,
        warnings=_warnings(given, saves, save, interval),
    )


def _saves(given: Saving, interval_s: float | None) -> int | None:
    if given.interval_updates is not None and given.updates is not None:
        return floor(given.updates / given.interval_updates)
    return floor(given.run_s / interval_s) if given.run_s is not None and interval_s else None


def _warnings(given: Saving, saves: int | None, save: float | None, interval: float | None) -> tuple[str, ...]:
    said = []
    if saves == 0:
        said.append("no checkpoint is ever written: the interval is longer than the run")
    if save is not None and interval is not None and save >= interval:
        said.append("a save takes as long as the interval between saves")
    if given.mtbf_s and interval and interval > given.mtbf_s:
        said.append("failures come more often than checkpoints: the run may never advance")
    return tuple(said)


def token_files(
    tokens: float, *, vocab: int | None, stored_as: str | None
) -> tuple[TokenFiles, tuple[Assumption, ...]]:
    """Size of tokens on disk [B]: by the type they are stored as, else the smallest that loaders know for the vocabulary."""
    size = TOKEN_TYPES[stored_as] if stored_as else token_bytes(vocab)
    said: tuple[Assumption, ...] = ()
    if not stored_as:
        effect = f"vocabulary of {vocab:,}" if vocab else "vocabulary not known: over 65,536"
        said = (
            Assumption(name="bytes of a stored token", value=size, unit="B", source="loader convention", effect=effect),
        )
    files = TokenFiles(
        bytes_per_token=size,
        size_bytes=tokens * size,
        raw_text_bytes=tokens * TEXT_BYTES_PER_TOKEN,
        to_buy_bytes=tokens * size / USABLE_FRACTION,
    )
    return files, said
