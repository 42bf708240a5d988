"""The terminal: one screen of 80 columns, the answer first, exit codes, one JSON error shape."""

from __future__ import annotations

import json

import pytest

from flopcast.cli.app import run

SCREENS = [
    ["estimate", "llama-3.1-8b", "1T", "--on", "64xH100", "--price", "$2.5/h"],
    ["estimate", "405B", "15.6T", "--on", "16000xH100", "--achieved", "400 TFLOP/s", "--price", "$2/h"],
    ["estimate", "79M", "--updates", "1M", "--batch", "512", "--seq-len", "1024", "--on", "4 x RTX A6000", "--measured", "5.6 s/update",
     "--bill", "2748.67", "--precision", "fp16"],
    ["estimate", "deepseek-v3", "14.8T", "--on", "2048xH800", "--precision", "fp8", "--seq-len", "4k"],
    ["count", "deepseek-v3"],
    ["count", "405B"],
    ["convert", "16x16 slice of TPU v3", "--hours", "96", "--to", "A100"],
    ["outlook", "--per-card", "3.5", "--cards", "4", "--days", "1.5"],
    ["reconcile", "1B 200B --on 1xA100 --mfu 100% --price $1.3/h", "7B 1T --on 64xH100 --mfu 40% --price $2/h"],
    ["facts"],
    ["facts", "accelerators", "h100"],
    ["parse", "98.97s/it"],
]  # fmt: skip


@pytest.mark.parametrize("words", SCREENS, ids=lambda words: " ".join(words[:2]))
def test_fits_one_screen_of_80_columns(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert len(lines) <= 48
    assert printed.err == ""


def test_the_first_lines_say_what_must_be_known(capsys: pytest.CaptureFixture[str]) -> None:
    run(SCREENS[0])
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert "days" in first and "GPU hours" in first and "$" in first
    assert "llama-3.1-8b" in second and "1T tokens" in second and "64 x H100" in second


def test_three_assumptions_with_their_effect(capsys: pytest.CaptureFixture[str]) -> None:
    run(SCREENS[0])
    out = capsys.readouterr().out
    rests_on = out[out.index("Rests on") :].splitlines()[1:]
    numbered = [line for line in rests_on if line[:1] in "123" and line[:1]]
    assert len(numbered) == 3 and all(":" in line for line in numbered)


def test_explain_shows_formulas_numbers_and_sources(capsys: pytest.CaptureFixture[str]) -> None:
    run([*SCREENS[0], "--explain"])
    out = capsys.readouterr().out
    for wanted in ("model FLOP / (peak x utilisation x accelerators)", "arXiv", "datasheet", "Whole budget", "total"):
        assert wanted in out


def test_the_bill_sums_to_the_cent(ask_json) -> None:
    budget = ask_json(*SCREENS[0])["budget"]
    for end in ("low", "expected", "high"):
        assert sum(line["cost_usd"][end] for line in budget["lines"]) == pytest.approx(
            budget["total_usd"][end], abs=0.005
        )


@pytest.mark.parametrize(
    ("words", "wheres", "hint"),
    [
        (["estimate", "1,5T", "1T", "--on", "8xH100"], {"model"}, "1.5T"),
        (["estimate", "7B", "500GB", "--on", "8xFooGPU"], {"tokens", "on"}, "bytes a token"),
        (["estimate", "7B", "1T", "--on", "8xV100", "--precision", "bf16"], {"precision"}, "fp16"),
        (["estimate", "7B", "1T", "--on", "8xH100", "--mfu", "40"], {"mfu"}, "40%"),
        (["estimate", "7B", "1T", "--on", "8xH100", "--mfu", "40%", "--achieved", "400 TFLOP/s"], {"speed"}, ""),
        (["estimate", "7B", "1T"], {"on"}, "64xH100"),
        (["estimate", "llama-3.1-8x", "1T", "--on", "8xH100"], {"model"}, "did you mean"),
        (["estimate", "7B", "1T", "--on", "8xH100", "--prise", "$2/h"], {"command line"}, "--price"),
        (["estimat"], {"command line"}, ""),
        (["facts", "acelerators"], {"table"}, "accelerators"),
        (["count", "/does/not/exist.json"], {"model"}, ""),
        (["reconcile", "7B 1T --on 8xH100 --mfu 40%", "7B 1T --on 8xH100 --mfo 40%"], {"B"}, "--mfu"),
        (["writeup", "nowhere.toml", "-o", "x.pdf"], {"scenario"}, ""),
    ],
)
def test_bad_input_is_exit_2_in_words_and_in_json(
    words: list[str], wheres: set[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "error" in printed.err and "Traceback" not in printed.err
    assert run([*words, "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "flopcast.error/1"
    assert {problem["where"] for problem in document["problems"]} == wheres
    assert set(document["problems"][0]) == {"where", "given", "allowed", "hint"}
    assert any(hint in problem["hint"] for problem in document["problems"])


def test_help_imports_no_numpy_and_no_facts() -> None:
    import subprocess
    import sys

    code = "import sys; from flopcast.cli.app import run; run(['--help']); "
    code += "bad = [m for m in ('numpy', 'pydantic', 'flopcast.facts', 'flopcast.ask') if m in sys.modules]; sys.exit(str(bad) if bad else 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["update.json", "update.svg", "update.png"])
def test_a_timeline_is_written(name: str, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    words = [
        "estimate",
        "llama-3.1-8b",
        "1T",
        "--on",
        "64xH100",
        "--layout",
        "tp=2,pp=4,shard=zero1",
        "--timeline",
        str(path),
    ]
    assert run(words) in (0, 1)
    content = path.read_bytes()
    assert content.startswith({"json": b"{", "svg": b"<svg", "png": b"\x89PNG"}[name.rpartition(".")[2]])
    if name.endswith("json"):
        assert {event["name"] for event in json.loads(content)["traceEvents"]} >= {"forward", "backward", "optimizer"}
    assert list(tmp_path.iterdir()) == [path]
    assert run([*words[:-1], str(tmp_path / "x.exe")]) == 2
