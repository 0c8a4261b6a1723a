"""Times ``wheelproof check`` beside ``auditwheel show``, in turn, on wheels from the index.

``python tools/benchmark.py [NAME==VERSION …]``. A benchmark and no test: figures depend on the machine, so only ratios within
one run say something. CPU seconds are those of whole processes, as the operating system accounts for them; peak memory is the
largest process. Without a network it says so and ends well.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

WHEELS = ("markupsafe==3.0.4", "cryptography==46.0.3", "pillow==12.0.0", "numpy==2.3.5")
RUNS = 5


def main(names: list[str]) -> int:
    """Download, time, print one row a wheel; 0 unless ``check`` could not run."""
    if not hasattr(os, "wait4"):
        print("benchmark: this system does not account for finished processes")
        return 0
    bin_folder = Path(sys.executable).parent
    # A program that cannot start is quick, and exits with 1 as one does that found something.
    subprocess.run([str(bin_folder / "wheelproof"), "--version"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        for name in names or WHEELS:
            wheel = download(name, Path(folder))
            if wheel is None:
                print(f"{name}: not to be had from here")
                continue
            commands = (
                [str(bin_folder / "wheelproof"), "check", str(wheel)],
                [str(bin_folder / "auditwheel"), "show", str(wheel)],
            )
            ours, theirs = compare(*commands)
            print(
                f"{name}: check {ours[0]:.3f} s {ours[1]:.0f} MB, auditwheel show {theirs[0]:.3f} s {theirs[1]:.0f} MB, "
                f"ratio {ours[0] / theirs[0]:.2f} (medians of {RUNS})"
            )
    return 0


def download(name: str, folder: Path) -> Path | None:
    """One wheel for CPython 3.11 on x86-64 Linux, by pip; ``None`` where pip cannot bring it."""
    target = folder / name
    options = ["--no-deps", "--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_28_x86_64"]
    options += ["--python-version", "3.11", "--implementation", "cp", "--quiet", "--dest", str(target)]
    done = subprocess.run([sys.executable, "-m", "pip", "download", *options, name], capture_output=True, check=False)
    found = sorted(target.glob("*.whl")) if done.returncode == 0 else []
    return found[0] if found else None


def compare(first: list[str], second: list[str]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Median CPU seconds and peak memory in MB of two commands, run in turn after one warm-up each."""
    measured: tuple[list[tuple[float, float]], ...] = ([], [])
    for turn in range(RUNS + 1):
        for results, command in zip(measured, (first, second), strict=True):
            once = run(command)
            if turn:
                results.append(once)
    ours, theirs = (
        (statistics.median(cpu for cpu, _ in results), max(memory for _, memory in results)) for results in measured
    )
    return ours, theirs


def run(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of one process, with bytecode kept as in an installation."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=environment)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
