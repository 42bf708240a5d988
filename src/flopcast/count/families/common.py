"""What the families share: the sizes of a decoder, its windowed layers, and putting it together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flopcast.count.blocks import Block, embedding, head
from flopcast.count.fields import MOST_LAYERS, Fields
from flopcast.describe.network import Shape

FULL: Final = "full_attention"
SLIDING: Final = "sliding_attention"
GPT2_NAMES: Final = {
    "hidden_size": ("n_embd", "hidden_size"),
    "num_hidden_layers": ("n_layer", "num_hidden_layers"),
    "num_attention_heads": ("n_head", "num_attention_heads"),
    "max_position_embeddings": ("n_positions", "max_position_embeddings", "n_ctx"),
    "intermediate_size": ("n_inner", "intermediate_size"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a family makes of a configuration."""

    block: Block
    shape: Shape | None = None
    max_seq_len: int | None = None
    inputs_per_sample: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes that every decoder has."""

    vocab: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    tied: bool
    max_seq_len: int | None


def read_sizes(
    f: Fields, *, names: Mapping[str, tuple[str, ...]] | None = None, own_head_dim: bool = True, grouped: bool = True
) -> Sizes:
    """Read and check the sizes; `names` are other names of the fields.

    own_head_dim: the family reads `head_dim`, otherwise a head is hidden / heads wide; grouped: the family reads
    `num_key_value_heads`, otherwise each head has its own key and value.
    """
    called = dict(names or {})

    def integer(name: str, *, high: int | None = None) -> int:
        own = called.get(name, (name,))
        return f.integer(*own) if high is None else f.integer(*own, high=high)

    hidden, heads = integer("hidden_size"), integer("num_attention_heads")
    positions = called.get("max_position_embeddings", ("max_position_embeddings",))
    return Sizes(
        vocab=integer("vocab_size"),
        hidden=hidden,
        layers=integer("num_hidden_layers", high=MOST_LAYERS),
        heads=heads,
        kv_heads=read_kv_heads(f, heads) if grouped else heads,
        head_dim=read_head_dim(f, hidden=hidden, heads=heads, own=own_head_dim, names=called),
        tied=f.flag("tie_word_embeddings"),
        max_seq_len=f.maybe_integer(*positions),
    )


def read_kv_heads(f: Fields, heads: int, name: str = "num_key_value_heads") -> int:
    """Key/value heads: all heads where the field is absent or null; they must divide the heads."""
    kv_heads = f.maybe_integer(name)
    if kv_heads is None:
        f.defaulted(name, f"{heads} (as many as heads)")
        return heads
    f.divides(name, kv_heads, "the attention heads", heads)
    return kv_heads


def read_head_dim(
    f: Fields,
    *,
    hidden: int,
    heads: int,
    own: bool = True,
    names: Mapping[str, tuple[str, ...]] | None = None,
    name: str = "head_dim",
) -> int:
    """Width of a head: the field, else hidden / heads, which must divide."""
    explicit = f.maybe_integer(name) if own else None
    if explicit is not None:
        return explicit
    given = (names or {}).get("num_attention_heads", ("num_attention_heads",))
    shown = next((key for key in given if f.has(key)), given[0])
    hint = f"give {name} if a head is not hidden / heads wide" if own else ""
    return f.divides(shown, heads, "the hidden size", hidden, hint=hint)


def read_layer_types(
    f: Fields, layers: int, *, name: str = "layer_types", every: int = 0, also: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The kind of each layer: the list in the field, else windowed but for each `every`-th (0: all full)."""
    listed = f.words(name, length=layers, allowed=(FULL, SLIDING, *also))
    if listed is not None:
        return listed
    return tuple(SLIDING if every and (layer + 1) % every else FULL for layer in range(layers))


@dataclass(frozen=True, slots=True)
class Windows:
    """Which attention layers see only a window: `windowed` of them see `tokens`."""

    windowed: int = 0
    tokens: int = 0


def windows_of(f: Fields, kinds: tuple[str, ...], tokens: int | None, *, name: str = "sliding_window") -> Windows:
    """Windows of layers of these kinds; a windowed layer needs a window."""
    windowed = kinds.count(SLIDING)
    if windowed and not tokens:
        f.problem(name, given="absent", allowed=f"a whole number of tokens ({windowed} layers are windowed)")
        return Windows()
    return Windows(windowed, tokens or 0) if windowed else Windows()


def around(s: Sizes, layers: Block, *, final_norm: Block, head_bias: bool = False, extra: Block | None = None) -> Block:
    """A decoder: embedding, what comes with it, layers, final norm and head."""
    return (
        embedding(s.vocab, s.hidden)
        + (extra or Block())
        + layers
        + final_norm
        + head(s.vocab, s.hidden, tied=s.tied, bias=head_bias)
    )


def shape_of(s: Sizes, **figures: object) -> Shape:
    """The Shape of a decoder of sizes `s` with further figures."""
    base: dict[str, object] = {
        "layers": s.layers,
        "hidden": s.hidden,
        "heads": s.heads,
        "kv_heads": s.kv_heads,
        "head_dim": s.head_dim,
        "vocab": s.vocab,
        "tied_embeddings": s.tied,
        "ffn": 0,
        "gated_mlp": True,
    }
    return Shape(**{**base, **figures})  # type: ignore[arg-type]
