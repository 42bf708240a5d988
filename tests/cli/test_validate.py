"""`flopcast validate`: shipped runs, a user's CSV, predictions as a file, bad tables."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from flopcast.cli.app import run

HEADER = "id,model,n_params_total,seq_len,global_batch_seqs,accelerator,n_accel,precision,framework,step_time_s\n"
GOOD = "a,Llama 7B,6.74e9,4096,512,A100-80GB,64,bf16,Megatron-LM,8.0\n"
BAD = "b,?,,4096,512,FooGPU,64,bf16,Megatron-LM,8.0\n"


def test_shipped_runs_beat_the_best_constant(ask_json) -> None:
    got = ask_json("validate")
    assert got["n"] > 2000
    assert got["step_time"]["mape"] < 0.5 * got["step_time"]["baseline_constant_mape"]
    assert 0.75 <= got["step_time"]["coverage_80"] <= 0.95
    assert sum(got["not_predicted"].values()) + got["step_time"]["n"] <= got["n"]


def test_a_users_table_keeps_every_row(tmp_path: Path, ask_json) -> None:
    runs, out = tmp_path / "runs.csv", tmp_path / "predictions.csv"
    runs.write_text(HEADER + GOOD + BAD, encoding="utf-8")
    got = ask_json("validate", str(runs), "--out", str(out))
    assert got["n"] == 2 and got["step_time"]["n"] == 1
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["id"] for row in rows] == ["a", "b"]
    assert rows[0]["status"] == "ok" and float(rows[0]["step_time_low_s"]) < float(rows[0]["step_time_high_s"])
    assert "FooGPU" in rows[1]["status"] and rows[1]["step_time_s"] == ""


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\x01\x02", b"a,b\n1,2\n", b"\xff\xfe\x00", b'id,"unclosed\n', HEADER.encode() + b"x" * 200_000],
)
def test_bad_tables_are_said(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(content)
    assert run(["validate", str(path)]) in (0, 2)
    assert "Traceback" not in capsys.readouterr().err


def test_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "plot.svg"
    assert run(["validate", "--plot", str(picture)]) == 0
    assert picture.read_text().startswith("<svg")


@pytest.mark.parametrize("words", [["--by", "colour"], ["--plot", "x.exe"], ["--out", "/nowhere/x.csv"]])
def test_bad_options(words: list[str]) -> None:
    assert run(["validate", *words]) == 2
