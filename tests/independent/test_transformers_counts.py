"""Parameters and FLOP against what transformers builds and torch counts, for random small configurations.

Parameters are compared on torch's meta device, FLOP on tiny real networks. Torch counts causal attention in full and
windows not at all, so the windows are taken away before comparing.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from flopcast.count import flop_per_token, network_from_config, parameters
from flopcast.describe.network import Network

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from .drawn_configs import CAUSAL, FAMILIES, IMAGE_TEXT, Drawn  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
DRAWS = settings(
    max_examples=20,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)

LENGTH = 17
WITHOUT_ONE_TABLE = {"vit", "clip", "siglip", "gemma4", "gemma4_text"}
NAMES = [family.name or family.model_type for family in FAMILIES]


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)
    transformers.logging.set_verbosity_error()
    yield
    torch.backends.mha.set_fastpath_enabled(True)
    torch.set_num_threads(threads)


def build(family: Drawn, fields: dict[str, Any], device: str) -> Any:
    """The model that transformers makes of these fields."""
    with warnings.catch_warnings(), torch.device(device):
        warnings.simplefilter("ignore")
        config = transformers.AutoConfig.for_model(family.model_type, **copy.deepcopy(fields))
        made = getattr(transformers, family.build)
        if not family.build.startswith("Auto"):
            config._attn_implementation = "eager"
            return made(config)
        model = made.from_config(config, attn_implementation="eager")
        for module in model.modules():  # torch counts nothing of grouped products
            if hasattr(getattr(module, "config", None), "_experts_implementation_internal"):
                module.config._experts_implementation_internal = "eager"
        return model


@pytest.mark.parametrize("family", FAMILIES, ids=NAMES)
def test_parameters_equal_to_the_last(family: Drawn) -> None:
    @DRAWS
    @given(st.data())
    def check(data: st.DataObject) -> None:
        fields = family.fields(data.draw)
        network = network_from_config({"model_type": family.model_type, **fields}, name="drawn")
        model = build(family, fields, "meta")
        assert network.parameters_total == sum(weight.numel() for weight in model.parameters()), fields
        if family.model_type not in WITHOUT_ONE_TABLE:
            tables = model.get_input_embeddings()
            assert parameters(network).embedding == tables.weight.numel()

    check()


def inputs_of(family: Drawn, fields: dict[str, Any], network: Network) -> dict[str, Any]:
    """What the model reads in its forward pass."""
    ids = torch.ones(1, LENGTH, dtype=torch.long)
    if family.model_type in {"t5", "mt5", "umt5"}:
        return {"input_ids": ids, "decoder_input_ids": torch.ones(1, LENGTH + 6, dtype=torch.long)}
    if family.model_type == "whisper":
        sounds = torch.zeros(1, fields["num_mel_bins"], 2 * fields["max_source_positions"])
        return {"input_features": sounds, "decoder_input_ids": ids}
    eye = fields.get("vision_config", fields)
    pixels = torch.zeros(1, eye.get("num_channels", 3), eye.get("image_size", 1), eye.get("image_size", 1))
    if family.model_type == "vit":
        return {"pixel_values": pixels}
    if family.model_type in {"clip", "siglip"}:
        length = dict(network.inputs_per_sample)["caption"]
        return {"input_ids": torch.ones(1, length, dtype=torch.long), "pixel_values": pixels}
    return {"input_ids": ids}


def reference_flop(family: Drawn, fields: dict[str, Any], network: Network) -> dict[str, int]:
    """FLOP by kind of product in one forward pass, without those of the rotary tables."""
    model = build(family, fields, "cpu").eval()
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        uses_cache = family.build in {CAUSAL, IMAGE_TEXT}
        model(**inputs_of(family, fields, network), **({"use_cache": False} if uses_cache else {}))
    counts = counter.get_flop_counts()
    result = {str(kind).removeprefix("aten."): flop for kind, flop in counts["Global"].items()}
    for module, flop in counts.items():
        if module.split(".")[-1] in {"rotary_emb", "rotary_emb_local"}:
            for kind, some in flop.items():
                result[str(kind).removeprefix("aten.")] -= some
    return result


def our_flop(family: Drawn, network: Network, *, weights_only: bool) -> float:
    """FLOP of one forward pass, as torch would count them."""
    scores = () if weights_only else tuple(replace(score, window_tokens=None) for score in network.scores)
    parts = tuple(part for part in network.parts if not (weights_only and part.name == "convolution"))
    seen = replace(network, scores=scores, parts=parts, scans=())
    decoder = LENGTH + 6 if family.model_type in {"t5", "mt5", "umt5"} else None
    reads = family.model_type not in {"vit", "clip", "siglip"}
    flop = flop_per_token(seen, LENGTH if reads else None, decoder_seq_len=decoder)
    return flop.forward * flop.tokens_counted


@pytest.mark.parametrize("family", FAMILIES, ids=NAMES)
def test_matmul_flop_equal(family: Drawn) -> None:
    weights_only = family.flop == "weights"

    @DRAWS
    @given(st.data())
    def check(data: st.DataObject) -> None:
        fields = family.fields(data.draw)
        network = network_from_config({"model_type": family.model_type, **fields}, name="drawn")
        counted = reference_flop(family, fields, network)
        kinds = ("mm", "addmm") if weights_only else tuple(counted)
        expected = sum(counted.get(kind, 0) for kind in kinds)
        assert our_flop(family, network, weights_only=weights_only) == pytest.approx(expected, rel=1e-3), fields

    check()
