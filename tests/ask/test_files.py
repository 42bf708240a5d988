"""Scenario files and config.json from people who mean harm or slipped: always refused in words, never run, never a crash."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from flopcast.ask import load_scenario, read_network
from flopcast.ask.config_file import MAX_BYTES, MAX_DEPTH, load_config
from flopcast.errors import BadInput

GOOD = '[estimate]\nmodel = "7B"\ntokens = "1T"\non = "8xH100"\n'


def scenario_problems(path: Path, text: str | bytes) -> dict[str, str]:
    file = path / "s.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadInput) as refused:
        load_scenario(str(file))
    return {problem.where: f"{problem.allowed} {problem.hint}" for problem in refused.value.problems}


def test_a_good_scenario(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(GOOD + 'seq-len = 4096\nmfu = "40%"\n')
    question = load_scenario(str(file)).main_question
    assert (question.model, question.seq_len, question.mfu) == ("7B", "4096", "40%")


def test_unknown_keys_offer_the_nearest(tmp_path: Path) -> None:
    found = scenario_problems(tmp_path, 'titel = "x"\n[estimate]\nmodel = "7B"\ntoken = "1T"\nprise = "$2/h"\n')
    assert "did you mean `title`?" in found["titel"]
    assert "did you mean `tokens`?" in found["estimate.s.token"]
    assert "did you mean `price`?" in found["estimate.s.prise"]


def test_wrong_types_all_at_once(tmp_path: Path) -> None:
    text = (
        'title = 3\ncombinations = "8xH100"\ndatasets = [1]\nstated = ["x"]\ncheckpoints_kept = true\nmain = "other"\n'
        '[estimates.a]\nmodel = ["7B"]\ntokens = true\non = 2026-01-01\n[estimates]\nb = 3\n'
    )
    found = scenario_problems(tmp_path, text)
    assert {"title", "combinations", "datasets", "stated", "checkpoints_kept", "main"} <= set(found)
    assert {"estimates.a.model", "estimates.a.tokens", "estimates.a.on", "estimates.b"} <= set(found)


@pytest.mark.parametrize(
    "text",
    [
        "", "not toml at all", "[estimate", "a = " + "[" * 5000, b"\xff\xfe\x00binary\x00", b"\x00" * 100, "estimate = 3", "estimates = [1, 2]",
        "checkpoints_kept = 99999999999999999999\n" + GOOD, "[estimates]\nx = 1",
    ],
    ids=range(10),
)  # fmt: skip
def test_hostile_scenarios(tmp_path: Path, text: str | bytes) -> None:
    assert scenario_problems(tmp_path, text)


def test_a_huge_scenario(tmp_path: Path) -> None:
    assert "256 KiB" in scenario_problems(tmp_path, GOOD + "#" * 300_000)["scenario"]


def test_many_estimates(tmp_path: Path) -> None:
    text = "\n".join(f'[estimates.e{number}]\nmodel = "7B"' for number in range(100))
    assert "at most 40" in scenario_problems(tmp_path, text)["estimates"]


@pytest.mark.parametrize("path", ["nowhere.toml", "/", "", "x" * 5000, "a\x00b", "/dev/null"])
def test_paths_that_are_no_scenario(path: str) -> None:
    with pytest.raises(BadInput):
        load_scenario(path)


def config_problem(path: Path, text: str | bytes) -> str:
    file = path / "config.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadInput) as refused:
        read_network(str(file))
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "it holds a list"),
        ("3", "it holds a number"),
        ("null", "it holds null"),
        ('{"a": ' + "9" * 6000 + "}", "thousands of digits"),
        ("", "a JSON file"),
        ("{", "line 1"),
        ("{'model_type': 'llama'}", "line 1"),
        (b"\xff\xfe\x00", "cannot be read"),
        ("[" * 100_000, "nests too deep"),
        ('{"a":' * 60 + "1" + "}" * 60, f"nested at most {MAX_DEPTH} deep"),
        ("{}", "model_type"),
        ('{"model_type": 7}', "model_type"),
        ('{"model_type": "lama"}', "model_type"),
    ],
    ids=range(13),
)
def test_hostile_configs(tmp_path: Path, text: str | bytes, says: str) -> None:
    assert says in config_problem(tmp_path, text)


@pytest.mark.parametrize(
    "field",
    [
        {"hidden_size": "4096"}, {"hidden_size": 10**400}, {"hidden_size": -1}, {"hidden_size": 0}, {"hidden_size": 4096.5}, {"hidden_size": True},
        {"num_hidden_layers": [32]}, {"num_hidden_layers": 10**12}, {"vocab_size": {}}, {"num_attention_heads": 0}, {"num_key_value_heads": 7},
        {"intermediate_size": 1e308}, {"tie_word_embeddings": "yes"},
    ],
    ids=str,
)  # fmt: skip
def test_hostile_fields(tmp_path: Path, field: dict[str, object]) -> None:
    config = {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "vocab_size": 32000,
    }
    assert next(iter(field)) in config_problem(tmp_path, json.dumps(config | field))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_json_should_not_hold(tmp_path: Path, number: str) -> None:
    assert "hidden_size" in config_problem(tmp_path, f'{{"model_type": "llama", "hidden_size": {number}}}')


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(b'\xef\xbb\xbf{"model_type": "llama"}')
    assert read_network(str(file))[0].parameters_total == 6738415616


def test_what_is_no_file_is_called_by_its_name(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    for path, says in (
        ("/dev/null", "a device or a pipe"),
        (str(pipe), "a device or a pipe"),
        (str(tmp_path), "holds no config.json"),
    ):
        with pytest.raises(BadInput, match=says):
            load_config(path)


def test_a_truth_value_is_shown_as_json_has_it(tmp_path: Path) -> None:
    assert "cannot take `true`" in config_problem(tmp_path, '{"model_type": "llama", "hidden_size": true}')


def test_a_huge_config(tmp_path: Path) -> None:
    assert "at most 4,096 KiB" in config_problem(tmp_path, " " * (MAX_BYTES + 1))


def test_nothing_in_a_config_is_run(tmp_path: Path) -> None:
    """`auto_map` names code that ships with a network: it is never imported."""
    bomb = tmp_path / "modeling_bomb.py"
    bomb.write_text("raise SystemExit('run')")
    config = {"model_type": "bomb", "auto_map": {"AutoModel": "modeling_bomb.Bomb"}, "trust_remote_code": True}
    assert "model_type" in config_problem(tmp_path, json.dumps(config))


def test_a_folder_stands_for_its_config(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    assert load_config(str(tmp_path)) == {"model_type": "llama"}
    network, assumptions = read_network(str(tmp_path))
    assert network.name == tmp_path.name
    assert network.parameters_total == 6738415616
    assert any("hidden_size" in str(assumption.value) for assumption in assumptions)


@pytest.mark.parametrize(
    "path", ["./nowhere.json", "/", "x" * 5000 + ".json", "a\x00.json", "~nobody/config.json", "/dev/zero"]
)
def test_paths_that_are_no_config(path: str) -> None:
    with pytest.raises(BadInput):
        read_network(path)
