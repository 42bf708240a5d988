"""Bidirectional text encoders: BERT, RoBERTa."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flopcast.count.blocks import embedding, head, linear, norm, positions
from flopcast.count.families.common import Draft, read_sizes, shape_of
from flopcast.count.fields import Fields
from flopcast.count.towers import POOLED, encoder_layer, table


def bert(f: Fields) -> Draft:
    """BERT and RoBERTa: with the pooler, or with the masked-language head where `architectures` names it."""
    s = read_sizes(f, own_head_dim=False, grouped=False)
    ffn, heads = f.integer("intermediate_size"), min(s.heads, s.hidden)
    block = (
        embedding(s.vocab, s.hidden)
        + positions(s.max_seq_len or 1, s.hidden)
        + table(f.integer("type_vocab_size"), s.hidden, name="token types")
        + norm(s.hidden, bias=True, name="embedding norm")
        + s.layers * encoder_layer(hidden=s.hidden, ffn=ffn, heads=heads)
    )
    masked = has_masked_head(f)
    if masked:
        block += linear("head transform", "head", s.hidden, s.hidden, bias=True)
        block += norm(s.hidden, bias=True, name="head norm")
        block += head(s.vocab, s.hidden, tied=s.tied, bias=True)
    else:
        block += linear("pooler", "head", s.hidden, s.hidden, bias=True, stream=POOLED)
        f.note("counted with the pooler and without a masked-language head")
    shape = shape_of(s, ffn=ffn, gated_mlp=False, causal=False)
    return Draft(
        block=block, shape=shape, max_seq_len=s.max_seq_len, inputs_per_sample=() if masked else ((POOLED, 1),)
    )


def has_masked_head(f: Fields) -> bool:
    """Whether the first of `architectures` is a model for masked language modelling or pre-training."""
    named = f.raw("architectures")
    first = named[0] if isinstance(named, (list, tuple)) and named else ""
    return isinstance(first, str) and first.endswith("ForMaskedLM")


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {"bert": bert, "roberta": bert}
