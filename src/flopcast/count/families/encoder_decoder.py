"""Encoder-decoders: T5 in both forms, mT5, umT5, Whisper. A token passes one of the two stacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from flopcast.count.blocks import Block, attention, embedding, head, mlp, norm, positions, scores, weights
from flopcast.count.families.common import Draft
from flopcast.count.fields import MOST_LAYERS, Fields
from flopcast.count.towers import encoder_layer
from flopcast.describe.network import Part, Shape

ENCODER, DECODER = "encoder", "decoder"


def cross_attention(*, hidden: int, heads: int, head_dim: int, bias: bool = False, key_bias: bool = False) -> Block:
    """Attention of decoder tokens to encoder tokens: its keys and values are made once for each encoder token."""
    inner = heads * head_dim
    ours = weights(
        "decoder cross-attention",
        "attention",
        multiplied=2 * hidden * inner,
        other=(inner + hidden) * bias,
        stream=DECODER,
    )
    theirs = weights(
        "cross-attention keys",
        "attention",
        multiplied=2 * hidden * inner,
        other=inner * bias + inner * key_bias,
        stream=ENCODER,
    )
    return (
        ours
        + theirs
        + scores(
            heads=heads,
            qk_head_dim=head_dim,
            v_head_dim=head_dim,
            causal=False,
            name="decoder cross-attention",
            stream=DECODER,
            key_stream=ENCODER,
        )
    )


def t5(f: Fields, *, bias_in_each_layer: bool = False) -> Draft:
    """T5, mT5 and umT5: relative positions in the first layer of a stack (umT5: in each), MLP plain or gated."""
    vocab, hidden, heads = f.integer("vocab_size"), f.integer("d_model", "hidden_size"), f.integer("num_heads")
    head_dim, ffn = f.integer("d_kv"), f.integer("d_ff")
    layers = f.integer("num_layers", high=MOST_LAYERS)
    decoder_layers = f.maybe_integer("num_decoder_layers", high=MOST_LAYERS) or layers
    buckets, gated = f.integer("relative_attention_num_buckets"), read_gated(f)
    tied = read_tied(f)
    attend = partial(attention, hidden=hidden, heads=heads, kv_heads=heads, head_dim=head_dim)
    feed = mlp(hidden, ffn, gated=gated)
    places = table_of_places(buckets, heads)
    encoder = layers * (attend(causal=False) + feed + 2 * norm(hidden)) + norm(hidden, name="final norm")
    decoder = decoder_layers * (attend() + feed + 3 * norm(hidden)) + norm(hidden, name="final norm")
    encoder += (layers if bias_in_each_layer else 1) * places
    decoder += (decoder_layers if bias_in_each_layer else 1) * places
    block = (
        embedding(vocab, hidden)
        + encoder.on(ENCODER, prefix="encoder ")
        + decoder.on(DECODER, prefix="decoder ")
        + decoder_layers * cross_attention(hidden=hidden, heads=heads, head_dim=head_dim)
        + head(vocab, hidden, tied=tied, stream=DECODER)
    )
    shape = shape_of_stacks(
        layers=layers + decoder_layers,
        hidden=hidden,
        heads=heads,
        head_dim=head_dim,
        ffn=ffn,
        gated=gated,
        vocab=vocab,
        tied=tied,
    )
    return Draft(block=block, shape=shape)


def shape_of_stacks(
    *, layers: int, hidden: int, heads: int, head_dim: int, ffn: int, gated: bool, vocab: int, tied: bool
) -> Shape:
    """Figures of both stacks together."""
    return Shape(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=head_dim,
        ffn=ffn,
        gated_mlp=gated,
        vocab=vocab,
        tied_embeddings=tied,
        causal=False,
    )


def table_of_places(buckets: int, heads: int) -> Block:
    """Learned bias of each head for each bucket of distance."""
    return weights("relative positions", "position", other=buckets * heads)


def read_tied(f: Fields) -> bool:
    """Whether the head is the embedding: unless said otherwise, as T5 1.1 does, whose head is its own."""
    if not f.has("tie_word_embeddings"):
        f.defaulted("tie_word_embeddings", True)
        return True
    tied = f.flag("tie_word_embeddings")
    if not tied:
        f.note("the head is counted apart from the embedding, as in T5 1.1; transformers 5 ties them all the same")
    return tied


def read_gated(f: Fields) -> bool:
    """Whether `feed_forward_proj` ("relu", "gated-gelu") names a gated MLP."""
    words = f.text("feed_forward_proj").split("-")
    if len(words) > 2 or not words[-1] or (len(words) == 2 and words[0] != "gated"):
        f.problem("feed_forward_proj", allowed="an activation, or gated- and an activation")
    return words[0] == "gated"


def whisper(f: Fields) -> Draft:
    """Whisper: two convolutions over the spectrogram, an encoder of fixed length, a decoder of text."""
    hidden, vocab = f.integer("d_model"), f.integer("vocab_size")
    heads = whisper_heads(f, "encoder_attention_heads", hidden)
    decoder_heads = whisper_heads(f, "decoder_attention_heads", hidden)
    layers = f.integer("encoder_layers", high=MOST_LAYERS)
    decoder_layers = f.integer("decoder_layers", high=MOST_LAYERS)
    sounds, length = f.integer("max_source_positions"), f.integer("max_target_positions")
    ffn, decoder_ffn = f.integer("encoder_ffn_dim"), f.integer("decoder_ffn_dim")
    tied = f.flag("tie_word_embeddings")
    encoder = (
        spectrogram_convolutions(f.integer("num_mel_bins"), hidden)
        + positions(sounds, hidden)
        + layers * whisper_layer(hidden, ffn, heads, causal=False)
        + norm(hidden, bias=True, name="final norm")
    )
    decoder = (
        embedding(vocab, hidden)
        + positions(length, hidden)
        + decoder_layers * (whisper_layer(hidden, decoder_ffn, decoder_heads, causal=True) + norm(hidden, bias=True))
        + norm(hidden, bias=True, name="final norm")
    )
    block = (
        encoder.on(ENCODER, prefix="encoder ")
        + decoder.on(DECODER, prefix="decoder ")
        + decoder_layers
        * cross_attention(hidden=hidden, heads=decoder_heads, head_dim=hidden // decoder_heads, bias=True)
        + head(vocab, hidden, tied=tied, stream=DECODER)
    )
    shape = shape_of_stacks(
        layers=layers + decoder_layers,
        hidden=hidden,
        heads=heads,
        head_dim=hidden // heads,
        ffn=ffn,
        gated=False,
        vocab=vocab,
        tied=tied,
    )
    return Draft(block=block, shape=shape, max_seq_len=length, inputs_per_sample=((ENCODER, sounds),))


def whisper_heads(f: Fields, name: str, hidden: int) -> int:
    """Heads of a stack, which must divide the hidden size."""
    heads = f.integer(name)
    f.divides(name, heads, "d_model", hidden)
    return min(heads, hidden)


def spectrogram_convolutions(bins: int, hidden: int) -> Block:
    """Two convolutions of width three; the second halves the rate, so the first runs twice for an encoder token."""
    first, second = 3 * bins * hidden, 3 * hidden * hidden
    part = Part(
        name="convolutions",
        role="patch",
        parameters=first + second + 2 * hidden,
        matmul_weights=2 * first + second,
    )
    return Block((part,))


def whisper_layer(hidden: int, ffn: int, heads: int, *, causal: bool) -> Block:
    """A plain layer whose key projection has no bias."""
    return encoder_layer(hidden=hidden, ffn=ffn, heads=heads, causal=causal, key_bias=False)


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {
    "t5": t5,
    "mt5": t5,
    "umt5": partial(t5, bias_in_each_layer=True),
    "whisper": whisper,
}
