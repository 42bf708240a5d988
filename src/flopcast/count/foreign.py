"""Families that are not known here: counted by building them with transformers, where that is installed.

The network is built in a process of its own, on torch's meta device (no memory for weights), without network access and
never with code that a configuration names. What cannot be told of an unknown family is left unknown: attention scores
always, and the whole network where it is not known which of its experts work on a token.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from flopcast.describe.network import Network, Part
from flopcast.errors import BadInput, Problem

TIME_LIMIT_S: Final = 120.0
MOST_BYTES: Final = 1_000_000
INSTALL_HINT: Final = "other types can be counted with the extra: pip install 'flopcast[torch]'"


def can_build(model_type: str) -> bool:
    """Whether torch and transformers are installed and transformers has this model type. Imports neither."""
    return model_type.replace("-", "").replace("_", "").isalnum() and f'"{model_type}"' in _known_types()


@cache
def _known_types() -> str:
    spec = find_spec("transformers")
    if spec is None or find_spec("torch") is None or not spec.submodule_search_locations:
        return ""
    auto = Path(spec.submodule_search_locations[0]) / "models" / "auto"
    return "".join(
        path.read_text(encoding="utf-8")
        for path in [*sorted(auto.glob("*mapping*.py")), auto / "configuration_auto.py"]
        if path.is_file()
    )


def by_transformers(config: Mapping[str, object], *, name: str) -> Network:
    """Count a network of any type that transformers can build.

    Parameters: config, as published; name, of the network in answers.
    Returns a network with exact parameters by part and no attention scores, so that FLOP with attention stay unknown.
    Raises BadInput where torch or transformers is not installed or cannot build this configuration in two minutes.
    """
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or not can_build(model_type):
        raise _refusal(model_type, "a model type that transformers knows", INSTALL_HINT)
    try:
        asked = json.dumps(dict(config))
    except (TypeError, ValueError, RecursionError) as error:
        raise _refusal(model_type, "a configuration of plain JSON values", str(error)[:200]) from None
    if len(asked) > MOST_BYTES:
        raise _refusal(model_type, f"a configuration of at most {MOST_BYTES} characters", "")
    answer = _run(asked, model_type)
    if "refused" in answer:
        raise _refusal(model_type, str(answer["refused"]), "")
    parts = answer["parts"]
    assert isinstance(parts, list)
    return Network(
        name=name,
        family=model_type,
        parts=tuple(Part(**part) for part in parts),
        notes=(
            f"built by transformers {answer['version']} as {answer['made']}: exact parameters, matrix products with "
            "weights; attention scores are not counted, as this family is not known",
        ),
    )


def _run(asked: str, model_type: str) -> dict[str, object]:
    import subprocess

    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", "-m", "flopcast.count.build_on_meta"]
    try:
        done = subprocess.run(
            command, input=asked, capture_output=True, text=True, timeout=TIME_LIMIT_S, env=environment, check=False
        )
        answer = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        raise _refusal(model_type, f"a network that is built within {TIME_LIMIT_S:g} s", "") from None
    except (IndexError, ValueError):
        raise _refusal(model_type, "a configuration that transformers can build", "") from None
    assert isinstance(answer, dict)
    return answer


def _refusal(model_type: object, allowed: str, hint: str) -> BadInput:
    return BadInput(Problem(where="config.model_type", given=str(model_type)[:60], allowed=allowed, hint=hint))
