"""A language model with a vision tower: the text family under `text_config`, a tower and a projector.

Counted FLOP are those of text tokens; patches pass the tower only where the caller says how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from flopcast.count.blocks import Block, head
from flopcast.count.families import dense, gemma4, hybrid, indexed, latent, moe
from flopcast.count.families import vision_towers as towers
from flopcast.count.families.common import Draft
from flopcast.count.families.defaults import defaults_of
from flopcast.count.fields import Fields
from flopcast.count.towers import IMAGE

Builder = Callable[[Fields], Draft]
Tower = Callable[[Fields, Fields, int], Block]
LANGUAGE: Mapping[str, Builder] = {
    **dense.FAMILIES,
    **moe.FAMILIES,
    **latent.FAMILIES,
    **indexed.FAMILIES,
    **hybrid.FAMILIES,
    **gemma4.FAMILIES,
}


def seeing(
    f: Fields, *, text: str, vision: str, tower: Tower, forward: bool = True, flat: bool = False, optional: bool = False
) -> Draft:
    """A text network and a tower.

    text, vision: whose defaults the nested configurations have; forward: `tie_word_embeddings` is heard under
    `text_config` as well; flat: the text fields may stand at the top; optional: without `vision_config` no tower.
    """
    t = (
        f.with_defaults(defaults_of(text))
        if flat and not f.given("text_config")
        else f.child("text_config", defaults_of(text))
    )
    draft = language(t, text)
    tied = f.flag("tie_word_embeddings") or (forward and t.has("tie_word_embeddings") and t.flag("tie_word_embeddings"))
    block = retied(draft, tied)
    assert draft.shape is not None
    if f.given("vision_config") or not optional:
        v = f.child("vision_config", defaults_of(vision))
        block += tower(f, v, draft.shape.hidden).on(IMAGE, prefix="vision ")
    return replace(draft, block=block, shape=replace(draft.shape, tied_embeddings=tied))


def language(t: Fields, family: str) -> Draft:
    """The text network of a family."""
    return TEXT[family](t) if family in TEXT else LANGUAGE[family](t)


def retied(text: Draft, tied: bool) -> Block:
    """The text network with its head tied or not, as is said outside the text configuration."""
    assert text.shape is not None
    others = tuple(part for part in text.block.parts if part.role != "head")
    return Block(others, text.block.scores, text.block.scans) + head(text.shape.vocab, text.shape.hidden, tied=tied)


def text_only(f: Fields, *, text: str) -> Draft:
    """The language model alone, as the causal class of the family builds it from a configuration with vision."""
    t = f.child("text_config", defaults_of(text))
    draft = language(t, text)
    if f.given("vision_config"):
        f.note("the vision tower is not counted: the language model alone is")
    return draft


def llava(f: Fields) -> Draft:
    """LLaVA: any language model of these families, with CLIP or SigLIP."""
    family = str(f.child("text_config", {"model_type": "llama"}).raw("model_type"))
    if family not in LANGUAGE:
        f.child("text_config", {}).problem("model_type", given=family, allowed="one of " + ", ".join(LANGUAGE))
        family = "llama"
    v = f.child("vision_config", {})
    vision = str(v.raw("model_type") or "clip_vision_model") if f.given("vision_config") else "llava_vision"
    if vision not in ("clip_vision_model", "siglip_vision_model", "llava_vision"):
        v.problem("model_type", allowed="clip_vision_model or siglip_vision_model")
        vision = "clip_vision_model"
    return seeing(f, text=family, vision=vision, tower=towers.llava_vision)


def gemma_4(f: Fields) -> Draft:
    """Gemma 4 with its vision tower, if it has one; audio is refused."""
    if f.given("audio_config"):
        f.problem("audio_config", given="an audio tower", allowed="null: the audio tower is not counted")
    return seeing(
        f, text="gemma4_text", vision="gemma4_vision", tower=towers.gemma4_vision, forward=False, optional=True
    )


TEXT: Mapping[str, Builder] = {
    "qwen2_vl_text": dense.FAMILIES["qwen2"],
    "qwen2_5_vl_text": dense.FAMILIES["qwen2"],
    "qwen3_vl_text": partial(dense.dense, traits=replace(dense.TRAITS["qwen3"], window=dense.no_window)),
    "qwen3_vl_moe_text": partial(
        moe.sparse, traits=replace(moe.QWEN3_TRAITS, window=dense.no_window), feed=partial(moe.stepped, shared=False)
    ),
}

FAMILIES: Mapping[str, Builder] = {
    "qwen2_vl": partial(seeing, text="qwen2_vl_text", vision="qwen2_vl_vision", tower=towers.qwen2_vision, flat=True),
    "qwen2_5_vl": partial(
        seeing, text="qwen2_5_vl_text", vision="qwen2_5_vl_vision", tower=towers.qwen2_5_vision, flat=True
    ),
    "qwen3_vl": partial(
        seeing, text="qwen3_vl_text", vision="qwen3_vl_vision", tower=towers.qwen3_vision, forward=False
    ),
    "qwen3_vl_moe": partial(
        seeing, text="qwen3_vl_moe_text", vision="qwen3_vl_moe_vision", tower=towers.qwen3_vision, forward=False
    ),
    "qwen3_5": partial(text_only, text="qwen3_5_text"),
    "qwen3_5_moe": partial(text_only, text="qwen3_5_moe_text"),
    "kimi_k25": partial(seeing, text="deepseek_v3", vision="kimi_k25_vision", tower=towers.kimi_vision, forward=False),
    "minimax_m3_vl": partial(
        seeing, text="minimax_m3_vl_text", vision="minimax_m3_vl_vision", tower=towers.minimax_vision
    ),
    "gemma3": partial(
        seeing, text="gemma3_text", vision="siglip_vision_model", tower=towers.gemma3_vision, forward=False
    ),
    "gemma4": gemma_4,
    "llava": llava,
}
