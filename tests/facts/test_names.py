"""Names people give accelerators and nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast.errors import BadInput
from flopcast.facts import accelerators, find_accelerator, find_node


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("NVIDIA A100-SXM4-80GB", "a100-sxm-80"),
        ("NVIDIA A100-SXM4-40GB", "a100-sxm-40"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA H100 NVL", "h100-nvl"),
        ("NVIDIA GH200 480GB", "gh200-96"),
        ("NVIDIA GH200 144G HBM3e", "gh200-144"),
        ("Tesla V100-SXM2-32GB", "v100-sxm2-32"),
        ("Tesla T4", "t4"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"),
        ("RTX6000Ada-48GB", "rtx-6000-ada"),
        ("RTXA6000-48GB", "rtx-a6000"),
        ("H100-96GB-SXM-500W", "h100-sxm-96"),
        ("H100-80GB-PCIe", "h100-pcie"),
        ("A100-40GB-PCIe", "a100-pcie-40"),
        ("V100-16GB-SXM", "v100-sxm2-16"),
        ("AMD Instinct MI300X", "mi300x"),
        ("TPUv6e", "tpu-v6e"),
        ("TPUv7x", "tpu-v7x"),
        ("v5litepod", "tpu-v5e"),
        ("TPU v5 lite", "tpu-v5e"),
        ("H20", "h20"),
        ("B300", "b300-sxm"),
        ("GB300", "gb300"),
        ("GB200 NVL72", "gb200"),
    ],
)
def test_a_name_that_says_all_is_found_without_assumption(text: str, key: str) -> None:
    part, assumed = find_accelerator(text)
    assert (part.key, assumed) == (key, ())


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("h100", "h100-sxm", "SXM5 form assumed; PCIe peaks at 756 and NVL at 835 TFLOP/s"),
        ("80 GB A100", "a100-sxm-80", "SXM4 form assumed"),
        ("A100", "a100-sxm-80", "80 GB assumed; there is also 40 GB"),
        ("A100-40", "a100-sxm-40", "SXM4 form assumed"),
        ("nvidia-tesla-a100", "a100-sxm-40", "40 GB assumed"),
        ("A100 PCIe", "a100-pcie-80", "80 GB assumed"),
        ("V100", "v100-sxm2-16", "16 GB assumed"),
        ("V100-32GB", "v100-sxm2-32", "SXM2 form assumed"),
        ("NVIDIA H100 96GB", "h100-sxm-96", "SXM5 form assumed"),
        ("H100 94 GB", "h100-sxm-96", "SXM5 form assumed"),
        ("H200", "h200-sxm", "NVL peaks at 835"),
        ("Ascend 910B", "ascend-910b3", "B4 peaks at 280"),
        ("H100 PCIe 310W", "h100-pcie", "310 W as said"),
    ],
)
def test_what_is_assumed_is_said(text: str, key: str, said: str) -> None:
    part, assumed = find_accelerator(text)
    assert part.key == key
    assert any(said in words for words in assumed)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "FooGPU 9000",
            "MetaX C500",
            "RTX8000-48GB",
            "RTX 6000",
            "Quadro RTX 6000",
            "RTX 4090 Laptop GPU",
            "RTX 4090 D",
        ),
        *(
            "A1000",
            "T400",
            "V100S",
            "A100 64GB",
            "H800 PCIe",
            "P100 12GB",
            "Ascend 910",
            "TPU v5",
            "v3-32",
            "v3-8",
            "",
            "-",
        ),
        *("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "MI250X-GCD", "H100 and A100", "3x A100", "48 GB GPU", "Hopper"),
    ],
)
def test_an_unknown_accelerator_is_never_taken_for_another(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        find_accelerator(text)
    (problem,) = caught.value.problems
    assert problem.given == text
    assert problem.hint


def test_an_unknown_accelerator_comes_with_near_matches() -> None:
    with pytest.raises(BadInput, match="RTX 3090"):
        find_accelerator("RTX 3080")


NAMES = sorted({name for part in accelerators().values() for name in part.aliases})


@given(
    st.sampled_from(NAMES), st.sampled_from(["", " ", "-", "_", "  "]), st.booleans(), st.sampled_from(["", "NVIDIA "])
)
def test_case_spaces_and_hyphens_do_not_matter(name: str, between: str, upper: bool, vendor: str) -> None:
    expected, assumed = find_accelerator(name)
    noisy = vendor + between.join(name.replace("-", " ").split())
    assert find_accelerator(noisy.upper() if upper else noisy.lower()) == (expected, assumed) or name.startswith(
        "nvidia"
    )


@given(st.text(max_size=30))
def test_any_text_is_found_or_refused(text: str) -> None:
    try:
        part, _ = find_accelerator(text)
    except BadInput:
        return
    assert part.key in accelerators()


@given(st.sampled_from(NAMES), st.sampled_from(["Ti", "D", "Super", "x2", "Max", "99", "Laptop", "Q"]))
def test_a_name_with_something_after_it_is_another_part_or_unknown(name: str, tail: str) -> None:
    expected, assumed = find_accelerator(name)
    try:
        part, now_assumed = find_accelerator(f"{name} {tail}")
    except BadInput:
        return
    assert part.key != expected.key or tail == "99", (assumed, now_assumed)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("p5.48xlarge", ["aws-p5.48xlarge"]),
        ("aws p4d.24xlarge", ["aws-p4d.24xlarge"]),
        ("HGX H100", ["dgx-h100"]),
        ("DGX-A100", ["dgx-a100-80"]),
        ("dgx a100 40gb", ["dgx-a100-40"]),
        ("a3-megagpu-8g", ["gcp-a3-megagpu-8g"]),
        ("Standard_ND96isr_H100_v5", ["azure-nd96isr-h100-v5"]),
        ("NVIDIA DGX H100", ["dgx-h100"]),
    ],
)
def test_nodes_by_name(text: str, keys: list[str]) -> None:
    found = find_node(text)
    assert found is not None
    assert [node.key for node in found] == keys


def test_what_is_no_node_is_none() -> None:
    assert find_node("H100") is None
    assert find_node("") is None
