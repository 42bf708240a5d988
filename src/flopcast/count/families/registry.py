"""All families by `model_type`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flopcast.count.families import (
    dense,
    diffusion,
    early,
    encoder,
    encoder_decoder,
    gemma4,
    hybrid,
    indexed,
    latent,
    moe,
    multimodal,
    nemotron,
    vision,
)
from flopcast.count.families.common import Draft
from flopcast.count.fields import Fields

FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {
    **dense.FAMILIES,
    **early.FAMILIES,
    **moe.FAMILIES,
    **latent.FAMILIES,
    **indexed.FAMILIES,
    **hybrid.FAMILIES,
    **nemotron.FAMILIES,
    **gemma4.FAMILIES,
    **encoder.FAMILIES,
    **encoder_decoder.FAMILIES,
    **vision.FAMILIES,
    **multimodal.TEXT,
    **multimodal.FAMILIES,
    **diffusion.FAMILIES,
}
