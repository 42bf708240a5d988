"""A question whole: every mistake at once, every default said, batches and measurements checked against the cluster."""

from __future__ import annotations

import pytest

from flopcast.ask import padded_vocab, resolve
from flopcast.ask.quoted import quoted_question
from flopcast.describe import Job, Question
from flopcast.describe.workload import USUAL_SEQ_LEN
from flopcast.errors import BadInput
from flopcast.evidence import estimate
from flopcast.step import forecast


def ask(text: str) -> Job:
    return resolve(quoted_question(text, where="test"))


def problems(question: Question) -> dict[str, str]:
    """Where each problem stands, and what it says."""
    with pytest.raises(BadInput) as refused:
        resolve(question)
    return {problem.where: f"{problem.allowed} {problem.hint}" for problem in refused.value.problems}


def test_all_mistakes_at_once() -> None:
    question = Question(
        model="7Z", tokens="500GB", batch="0", seq_len="4kB", epochs="many", on="8xFooGPU", precision="bf17", method="lorra", convention="7n",
        mfu="40", measured="5.6", pue="9", region="Mars", bill="-5",
    )  # fmt: skip
    found = problems(question)
    assert set(found) == {
        "model", "tokens", "batch", "seq-len", "epochs", "on", "precision", "method", "convention", "speed", "pue", "region", "bill",
    }  # fmt: skip
    assert "lora" in found["method"]
    assert "bf16" in found["precision"]


def test_nothing_asked_says_what_is_needed() -> None:
    assert set(problems(Question())) == {"model", "on", "tokens"}


@pytest.mark.parametrize(
    ("given", "near"),
    [("8xH1000", "H100"), ("8xA1000", "A100"), ("8xRTX 4091", "RTX 4090"), ("2xp5.49xlarge", "facts nodes")],
)
def test_an_unknown_accelerator_offers_the_nearest(given: str, near: str) -> None:
    assert near in problems(Question(model="7B", tokens="1T", on=given))["on"]


def test_what_was_not_said_is_listed() -> None:
    job = ask("7B 1T --on 8xH100")
    assert {"accelerator", "precision", "price"} <= {assumption.name for assumption in job.assumptions}
    assert all(assumption.source for assumption in job.assumptions)


@pytest.mark.parametrize("pair", [("mfu", "measured"), ("achieved", "like"), ("mfu", "achieved")])
def test_one_thing_known_about_speed(pair: tuple[str, str]) -> None:
    words = {
        "mfu": "40%",
        "achieved": "400 TFLOP/s",
        "measured": "4 days",
        "like": "7B 1T --on 8xH100 --measured '4 days'",
    }
    found = problems(Question(model="7B", tokens="1T", on="8xH100", **{name: words[name] for name in pair}))  # type: ignore[arg-type]
    assert "one of" in found["speed"]


def test_one_price() -> None:
    assert "one of" in problems(Question(model="7B", tokens="1T", on="8xH100", price="$2/h", bill="100"))["price"]


@pytest.mark.parametrize("text", ["€2/h", "2 GBP/h"])
def test_no_exchange_rate_is_guessed(text: str) -> None:
    assert "convert" in problems(Question(model="7B", tokens="1T", on="8xH100", price=text))["price"]


def test_tokens_that_the_parts_do_not_give() -> None:
    found = problems(Question(model="7B", tokens="2T", updates="1000", batch="512", seq_len="4096", on="8xH100"))
    assert "updates x batch x sequence gives 2.097B" in found["tokens"]


def test_batch_arithmetic_line_by_line() -> None:
    job = ask("7B --updates 10 --batch '1 x 8 x 8' --seq-len 1024 --on 8xA100")
    lines = [(step.quantity, step.formula, step.value) for step in job.arithmetic]
    assert lines == [
        ("batch", "per device x accumulation x data-parallel ranks", 64),
        ("tokens", "updates x batch x sequence", 655360),
    ]
    assert (job.workload.batch_seqs, job.workload.tokens) == (64, 655360)


@pytest.mark.parametrize(
    ("batch", "on", "layout"),
    [
        ("1 x 8 x 8", "8xA100", None),
        ("1 x 8 x 2", "8xA100", "tp=4"),
        ("1 x 4 x 16", "8xMI250X", None),
        ("2 x 1 x 8", "v3-8", None),
    ],
)
def test_ranks_that_fit(batch: str, on: str, layout: str | None) -> None:
    question = Question(model="7B", updates="10", batch=batch, seq_len="1024", on=on, layout=layout)
    assert resolve(question).workload.batch_seqs


def test_ranks_that_do_not_fit() -> None:
    question = Question(model="7B", updates="10", batch="1 x 8 x 8", seq_len="1024", on="8xA100", layout="tp=4")
    assert "2 data-parallel ranks" in problems(question)["batch"]


def test_a_batch_in_tokens_is_whole_sequences() -> None:
    assert ask("7B 1T --batch '4,194,304 tokens' --seq-len 4096 --on 8xH100").workload.batch_seqs == 1024
    found = problems(Question(model="7B", tokens="1T", batch="500000 tokens", seq_len="2048", on="8xH100"))
    assert "499,712 or 501,760 tokens" in found["batch"]


def test_a_batch_said_in_round_tokens_takes_the_usual_length() -> None:
    job = ask("7B 1T --batch '4M tokens' --on 8xH100")
    assert (job.workload.batch_seqs, job.workload.seq_len) == (977, USUAL_SEQ_LEN)
    assert [a.value for a in job.assumptions if a.name == "sequence length"] == [USUAL_SEQ_LEN]
    assert ask("7B --updates 1000 --batch '4M tokens' --on 8xH100").workload.tokens == 4e9


def test_the_usual_length_is_said_once_and_is_no_longer_than_the_network_reads() -> None:
    assert ask("gpt2 1B --on 8xH100").workload.seq_len == 1024
    result = estimate(ask("7B 1T --on 8xH100"))
    assert [a.name for a in result.assumptions].count("sequence length") == 1
    assert ask("vit-l-16 --samples 1M --epochs 3 --on 8xA100").workload.seq_len == 197
    assert ask("whisper-base 1B --on 8xA100").workload.seq_len == 448
    assert USUAL_SEQ_LEN == forecast.USUAL_SEQ_LEN


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("7B 1T --updates 5 --batch 8 --on 8xA100", "leave one out"),
        ("7B 1T --updates 1M --batch '4M tokens' --on 64xA100", "updates x tokens of an update gives 4T"),
        ("7B 1T --updates 250k --batch 2048 --on 64xA100", "sequences of 1,953 tokens would agree"),
    ],
)
def test_amounts_that_disagree_at_the_usual_length(text: str, says: str) -> None:
    assert says in problems(quoted_question(text, where="test"))["tokens"]


def test_tokens_and_updates_give_the_batch() -> None:
    job = ask("7B 1T --updates 1M --on 64xA100")
    assert (job.workload.batch_seqs, job.workload.updates) == (244, 1e6)
    assert ("batch", "tokens / (updates x sequence)") in {(step.quantity, step.formula) for step in job.arithmetic}
    assert "at least one sequence" in problems(Question(model="7B", tokens="1M", updates="1M", on="8xA100"))["updates"]


@pytest.mark.parametrize(("method", "batch"), [("lora", 128), ("full", 128), ("pretrain", None)])
def test_a_fine_tuning_has_a_batch_of_its_own(method: str, batch: int | None) -> None:
    job = ask(f"llama-3.1-8b 1B --method {method} --on 8xA100")
    assert job.workload.batch_seqs == batch
    assert [a.value for a in job.assumptions if a.name == "batch"] == ([batch] if batch else [])


@pytest.mark.parametrize("text", ["5 s/it", "5 samples/s"])
def test_an_assumed_batch_or_length_makes_no_time_of_a_measurement(text: str) -> None:
    question = Question(model="7B", tokens="1B", method="lora", on="8xA100", measured=text)
    assert "measured" in problems(question)


@pytest.mark.parametrize(
    ("measured", "more", "days"),
    [
        ("10 days", "", 10),
        ("1920 GPU hours", "", 10),
        ("1920 A100 hours", "", 10),
        ("240 node hours", "", 10),
        ("1e12 tokens/day", "--epochs 10", 10),
        ("1 day/epoch", "--epochs 10", 10),
        ("14467592.6 tokens/s/GPU", "", 0.1),
        ("24 h/update", "--updates 1000 --batch 1000 --seq-len 1000000", 1000),
    ],
)
def test_measurements_become_days(measured: str, more: str, days: float) -> None:
    tokens = "1T" if "--updates" not in more else ""
    job = ask(f"1k {tokens} --on 8xA100 --measured '{measured}' {more}")
    assert job.measured is not None
    assert job.measured.compute_time_s / 86400 == pytest.approx(days, rel=1e-6)


@pytest.mark.parametrize(
    ("measured", "says"),
    [
        ("5 s/it", "--updates"),
        ("5 s/epoch", "--epochs"),
        ("5 samples/s", "--samples"),
        ("100 H800 hours", "hours of A100"),
        ("100 Foo hours", "a known accelerator"),
    ],
)
def test_measurements_that_lack_something(measured: str, says: str) -> None:
    assert says in problems(Question(model="7B", tokens="1T", on="8xA100", measured=measured))["measured"]


def test_hardware_flop_need_the_layout_to_differ() -> None:
    job = ask("175B 300B --on 1024xA100 --achieved '140 hardware TFLOP/s' --layout recompute=full")
    assert job.achieved_is_hardware
    assert job.achieved_flop_per_s == 140e12


def test_a_rate_of_one_core_or_device_is_that_of_a_part() -> None:
    assert ask("1B 1B --on v3-8 --achieved '36.7 TFLOP/s per core'").achieved_flop_per_s == 73.4e12
    assert ask("1B 1B --on 8xMI250X --achieved '100 TFLOP/s per GCD'").achieved_flop_per_s == 200e12


def test_above_the_peak_is_refused() -> None:
    assert "sparse" in problems(Question(model="7B", tokens="1B", on="8xH200", achieved="1200 TFLOP/s"))["achieved"]


@pytest.mark.parametrize(
    "layout", ["tp=3", "tp=x", "foo=1", "tp=2,tp=4", "vpp=2", "shard=zero9", "tp=2,dp=2", "=", "tp"]
)
def test_refused_layouts(layout: str) -> None:
    found = problems(Question(model="7B", tokens="1T", on="8xH100", layout=layout))
    assert any(where.startswith("layout") for where in found)


def test_like_must_be_measured() -> None:
    assert "--measured" in problems(Question(model="7B", tokens="1T", on="8xH100", like="7B 1T --on 8xH100"))["like"]


def test_like_of_like_is_refused_or_read() -> None:
    """A quoted job may quote another one; depth ends where the text does."""
    inner = "7B 1T --on 8xH100 --measured '4 days'"
    found = problems(Question(model="7B", tokens="1T", on="8xH100", like=f'7B 1T --on 8xH100 --like "{inner}"'))
    assert "like" in found


@pytest.mark.parametrize(
    "text",
    ["", "   ", "--on 8xH100", "7B 1T 3T --on 8xH100", "7B 1T --onn 8xH100", "7B 1T --on", "7B 'unclosed", "x" * 5000],
)
def test_refused_quotes(text: str) -> None:
    with pytest.raises(BadInput):
        quoted_question(text, where="a")


@pytest.mark.parametrize(
    ("vocab", "multiple", "tp", "padded"),
    [(50257, 128, 1, 50304), (50257, 128, 8, 51200), (151936, 1, 2, 151936), (1024, 128, 8, 1024)],
)
def test_padded_vocab(vocab: int, multiple: int, tp: int, padded: int) -> None:
    assert padded_vocab(vocab, multiple=multiple, tp=tp) == padded
