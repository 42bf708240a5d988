"""Storage of a run: the tokenised data, its raw text, full checkpoints and kept weights."""

from __future__ import annotations

from dataclasses import dataclass

from flopcast.describe import Assumption

CHECKPOINT_BYTES_PER_PARAMETER = 14  # bf16 weights 2, fp32 master 4, Adam m 4 and v 4 (facts: storage, checkpoint_rule)
WEIGHTS_BYTES_PER_PARAMETER = 2
UINT16_VOCAB = 65_536  # largest id 65,535 still fits two bytes
TEXT_BYTES_PER_TOKEN = 4.0  # English text (facts: datasets, tok-openai)
USABLE_FRACTION = 0.8  # of a shared file system before it degrades (facts: storage, parallel_fs)
CHECKPOINT_SOURCE = "2 + 4 + 4 + 4 bytes a parameter; BLOOM-176B wrote 2.3 TB, 13 bytes a parameter"


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageNeed:
    """What a run stores, in bytes."""

    checkpoint_bytes: float
    weights_bytes: float
    dataset_bytes: float
    raw_text_bytes: float
    checkpoints_kept: int
    weights_kept: int
    total_bytes: float
    to_buy_bytes: float
    assumptions: tuple[Assumption, ...]


def token_bytes(vocab: int | None) -> int:
    """Bytes of one stored token id: 2 where the vocabulary fits 16 bits, else 4 (loaders know no 3).

    >>> token_bytes(32_000), token_bytes(65_536), token_bytes(128_256)
    (2, 2, 4)
    """
    return 2 if vocab is not None and vocab <= UINT16_VOCAB else 4


def storage_need(
    *,
    parameters: float,
    tokens: float,
    vocab: int | None,
    epochs: float = 1.0,
    checkpoints_kept: int = 3,
    weights_kept: int = 10,
    raw_bytes: float | None = None,
) -> StorageNeed:
    """Bytes that a run keeps at its fullest.

    parameters: all of the network; tokens: seen in training, `epochs` times the data; checkpoints_kept: full ones (weights
    and optimizer) held at a time; weights_kept: 16-bit weights kept for good; raw_bytes: of the data as it comes, else from
    the bytes of English text a token stands for.
    """
    checkpoint = CHECKPOINT_BYTES_PER_PARAMETER * parameters
    weights = WEIGHTS_BYTES_PER_PARAMETER * parameters
    size = token_bytes(vocab)
    dataset = tokens / epochs * size
    raw = raw_bytes if raw_bytes is not None else tokens / epochs * TEXT_BYTES_PER_TOKEN
    total = dataset + raw + checkpoints_kept * checkpoint + weights_kept * weights
    effect = f"{checkpoints_kept} full checkpoints at a time and {weights_kept} sets of weights for good"
    kept = Assumption(name="checkpoints kept", value=checkpoints_kept, unit="", source="assumed", effect=effect)
    said = f"vocabulary of {vocab:,}" if vocab else "vocabulary not known: over 65,536"
    ids = Assumption(name="bytes of a stored token", value=size, unit="B", source="loader convention", effect=said)
    return StorageNeed(
        checkpoint_bytes=checkpoint,
        weights_bytes=weights,
        dataset_bytes=dataset,
        raw_text_bytes=raw,
        checkpoints_kept=checkpoints_kept,
        weights_kept=weights_kept,
        total_bytes=total,
        to_buy_bytes=total / USABLE_FRACTION,
        assumptions=(kept, ids),
    )
