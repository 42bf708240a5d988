"""Slips of a command line that a parser would let pass."""

from __future__ import annotations

import pytest

from flopcast.cli.app import run


@pytest.mark.parametrize(
    ("words", "where", "says"),
    [
        (["estimate", "7B", "1T", "--on", "8xA100", "--on", "8xH100"], "on", "flopcast compare"),
        (["estimate", "7B", "1T", "--on=8xA100", "--on=8xH100"], "on", "one value"),
        (["plan", "7B", "--on", "8xA100", "--price", "2/h", "--price", "3/h"], "price", "silently"),
        (["estimate", "-7B", "1T", "--on", "8xA100"], "command line", "did you mean `7B`"),
        (["estimate", "7B", "-1T", "--on", "8xA100"], "command line", "did you mean `1T`"),
    ],
)
def test_refused(ask_json, words: list[str], where: str, says: str) -> None:
    found = ask_json(*words, code=2)["problems"]
    assert any(p["where"] == where and says in p["allowed"] + p["hint"] for p in found), found


def test_options_that_take_several_do(ask_json) -> None:
    assert len(ask_json("compare", "7B", "1T", "--on", "64xA100", "--on", "64xH100")["options"]) == 2


def test_a_negative_value_is_the_options_own_mistake(ask_json) -> None:
    problems = ask_json("estimate", "7B", "1T", "--on", "8xA100", "--mfu", "-5", code=2)["problems"]
    assert [p["where"] for p in problems] == ["mfu"]


@pytest.mark.parametrize("hours", ["100000 H100", "100 node hours", "5 apples", "-5", "100000 H100 hours"])
def test_hours_of_another_machine_are_no_budget(ask_json, hours: str) -> None:
    problems = ask_json("budget", "--hours", hours, "--on", "A100", code=2)["problems"]
    assert [p["where"] for p in problems] == ["hours"]


@pytest.mark.parametrize("hours", ["100k", "100000 A100", "100k GPU hours", "100000 hours", "100k A100-hours"])
def test_hours_in_any_words(ask_json, hours: str) -> None:
    assert ask_json("budget", "--hours", hours, "--on", "A100")["accelerator_hours"] == 1e5


def test_rows_of_a_vocabulary_are_a_number_above_zero(ask_json) -> None:
    assert ask_json("count", "llama-3.1-8b", "--vocab-multiple", "1000")["padded_vocab"] == 129_000
    assert (
        ask_json("count", "llama-3.1-8b", "--vocab-multiple", "-1", code=2)["problems"][0]["where"] == "vocab-multiple"
    )


def test_an_iteration_may_be_a_micro_batch(ask_json) -> None:
    words = ["estimate", "7B", "1B", "--on", "8xA100", "--batch", "512", "--seq-len", "4k", "--measured", "1.9it/s"]
    assert "micro-batch" in ask_json(*words, code=2)["problems"][0]["hint"]


def test_like_runs_multiply_hours_and_cost(ask_json, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["estimate", "7B", "1B", "--method", "lora", "--on", "8xA100", "--price", "2/h"]
    one, many = ask_json(*words), ask_json(*words, "--runs", "40")
    assert "runs" not in one
    assert many["runs"]["count"] == 40
    for name in ("accelerator_hours", "cost_usd"):
        assert many["runs"][name]["expected"] == pytest.approx(40 * one["chosen"][name]["expected"])
    assert run([*words, "--runs", "40"]) == 0
    assert capsys.readouterr().out.startswith("40 runs: ")
    assert [p["where"] for p in ask_json(*words, "--runs", "0", code=2)["problems"]] == ["runs"]


def test_a_question_in_plain_words(ask_json) -> None:
    document = ask_json("ask", "llama", "8b,", "1B", "tokens,", "8xA100,", "lora,", "how", "long")
    assert (document["network"], document["tokens"], document["accelerators"]["count"]) == ("llama-3.1-8b", 1e9, 8)


def test_hours_of_updates_said_in_tokens(ask_json) -> None:
    document = ask_json("hours", "5 s/it", "--tokens", "1T", "--batch", "4M tokens")
    assert (document["updates"], document["wall_time_s"]) == (250_000, 1_250_000)
    assert ask_json("hours", "5 s/it", "--updates", "10", "--batch", "4M tokens")["tokens"] == 4e7


def test_hours_of_amounts_that_disagree_are_refused(ask_json) -> None:
    words = ["hours", "5 s/it", "--tokens", "1T", "--updates", "5", "--batch", "8", "--seq-len", "4k"]
    assert [p["where"] for p in ask_json(*words, code=2)["problems"]] == ["tokens"]
