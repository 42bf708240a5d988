"""Questions in one breath: everything understood or named, and the command line that says the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopcast.ask import resolve
from flopcast.ask.phrase import phrase_question, read_phrase
from flopcast.describe import Question
from flopcast.errors import BadInput


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("llama 8b, 1B tokens, 8xA100, lora, how long", {"model": "llama 8b", "tokens": "1B tokens", "on": "8xA100", "method": "lora"}),
        ("train 7B on 1.5T tokens on 64 H100s at $2.5/h", {"model": "7B", "tokens": "1.5T tokens", "on": "64 H100", "price": "$2.5/h"}),
        ("70B 2T 512xH100 bf16 batch 4M tokens context 8k",
         {"model": "70B", "tokens": "2T", "on": "512xH100", "precision": "bf16", "batch": "4M tokens", "seq_len": "8k"}),
        ("Llama 3 405B, 15.6T tokens, 16,000 H100, 400 TFLOP/s each",
         {"model": "Llama 3 405B", "tokens": "15.6T tokens", "on": "16,000 H100", "achieved": "400 TFLOP/s each"}),
        ("fine-tune mistral 7b with qlora, 3 epochs of 50k samples, seq len 2048, 4 x RTX A6000",
         {"model": "mistral 7b", "method": "qlora", "epochs": "3", "samples": "50k", "seq_len": "2048", "on": "4 x RTX A6000"}),
        ("gpt2 10B tokens 8 A100 24k tokens/s/GPU", {"model": "gpt2", "tokens": "10B tokens", "on": "8 A100", "measured": "24k tokens/s/GPU"}),
        ("30B-A3B, 1T tokens, 2xp5.48xlarge, 98.32/h per node",
         {"model": "30B-A3B", "tokens": "1T tokens", "on": "2xp5.48xlarge", "price": "98.32/h per node"}),
        ("40 fine-tunes of 7B, 1B tokens, 8xA100, lora", {"runs": "40", "model": "7B", "tokens": "1B tokens", "on": "8xA100", "method": "lora"}),
        ("40 fine-tunes of 7B, 1B tokens, 8xA100", {"runs": "40", "method": "full", "model": "7B", "tokens": "1B tokens", "on": "8xA100"}),
        ("7B 1T tokens TPU v3 16x16 40% mfu", {"model": "7B", "tokens": "1T tokens", "on": "TPU v3 16x16", "mfu": "40%"}),
    ],
)  # fmt: skip
def test_understood(text: str, words: dict[str, str]) -> None:
    phrase = read_phrase(text)
    assert (phrase.words, phrase.unknown, phrase.problems.found) == (words, [], [])
    assert resolve(phrase_question(text)[0]).workload.tokens > 0


@pytest.mark.parametrize(
    ("text", "given", "hint"),
    [
        ("llama 8b, 1B tokens, 8xA100, loora", "loora", "--on 8xA100"),
        ("7B, 1T tokens, 8xH1000", "8xH1000", "7B '1T tokens'"),
        (
            "train 70B on 2T tokens in 60 days, how many H100",
            "60 days",
            "flopcast size 70B '2T tokens' --within '60 days' --on H100",
        ),
        ("200k USD, H100, what can we train", "200k USD", "flopcast budget --money '200k USD' --on H100"),
        ("llama 8b, 1B tokens, 8xA100, 16xH100", "16xH100", "also `8xA100`"),
        ("hello", "hello", "such as"),
    ],
)
def test_what_is_not_understood_is_named(text: str, given: str, hint: str) -> None:
    with pytest.raises(BadInput) as refused:
        phrase_question(text)
    assert any(p.given == given and hint in p.hint for p in refused.value.problems), refused.value


def test_a_question_in_the_place_of_the_model_shows_the_command_line() -> None:
    with pytest.raises(BadInput) as refused:
        resolve(Question(model="llama 8b, 1B tokens, 8xA100, lora, how long"))
    (problem,) = refused.value.problems
    assert "flopcast estimate 'llama 8b' '1B tokens' --on 8xA100 --method lora" in problem.hint


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="7Bx1T8A0 ,.?$/%-'\"abctokens\n\u00d7", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        phrase_question(text)
    except BadInput as error:
        assert all(problem.given for problem in error.problems)
