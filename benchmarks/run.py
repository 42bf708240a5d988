"""Speed as ratios, measured side by side in one run: machines are noisy and shared.

usage: python benchmarks/run.py [repeats]
Each line is the best of several runs, beside a bare Python process and beside one that imports numpy.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

SCRIPT = "from flopcast.cli import main; main()"
COMMANDS = {
    "python": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "flopcast --help": ["-c", SCRIPT, "--help"],
    "estimate, bare count": ["-c", SCRIPT, "estimate", "7B", "1T", "--on", "64xH100"],
    "estimate, counted": ["-c", SCRIPT, "estimate", "llama-3.1-8b", "1T", "--on", "64xH100"],
    "count": ["-c", SCRIPT, "count", "deepseek-v3"],
    "outlook": ["-c", SCRIPT, "outlook", "--per-card", "3.5", "--cards", "4", "--days", "1.5"],
}
LIMITS_S = {"flopcast --help": 0.3, "estimate, bare count": 0.6, "estimate, counted": 0.6}


def best_of(words: list[str], repeats: int) -> float:
    """Wall time of a process [s], the best of `repeats`."""
    root = Path(__file__).parents[1]
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], cwd=root, capture_output=True, check=False)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Prints the table."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    bare = 0.0
    print(f"{'process':24s} {'best s':>8s} {'x python':>9s} {'wanted s':>9s}")
    for name, words in COMMANDS.items():
        taken = best_of(words, repeats)
        bare = bare or taken
        wanted = f"{LIMITS_S[name]:.1f}" if name in LIMITS_S else ""
        print(f"{name:24s} {taken:8.3f} {taken / bare:9.1f} {wanted:>9s}")


if __name__ == "__main__":
    main()
