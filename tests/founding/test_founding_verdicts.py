"""The product's verdicts on the founding matrix, against what dlopen measured for the same files."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tools.fixtures import founding

if TYPE_CHECKING:
    from tools.fixtures.founding import Measured

ROOT = Path(__file__).resolve().parents[2]
TORCH_POLICY = founding.FOLDER / "torch.toml"
MISSING = "_ZN3c1011synchronizeEl"
Artifacts = dict[str, dict[str, Any]]
# Their libraries come from another distribution, which a policy has to declare.
NEEDS_PROVIDER = ("lookalike-torch", "torch-user", "torch-user-missing")


def check(wheels: list[Path], *options: str) -> Artifacts:
    """Artifacts of the JSON report by the wheel's file name."""
    command = [sys.executable, "-m", "checker", "check", "--format", "json", *options, *map(str, wheels)]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return {Path(artifact["path"]).name: artifact for artifact in json.loads(done.stdout)["artifacts"]}


def errors(artifact: dict[str, Any]) -> list[dict[str, Any]]:
    return [f for f in artifact["findings"] if f["level"] == "error"]


def outcome_here(artifact: dict[str, Any], root: str) -> str:
    """How the root fares on this machine's glibc, which is the oldest that its tag promises."""
    (found,) = (r for r in artifact["roots"] if r["path"] == root)
    by_platform: dict[str, str] = {load["platform"]: load["outcome"] for load in found["loads"]}
    return by_platform[f"glibc-{platform.libc_ver()[1]}-x86_64"]


@pytest.fixture(scope="session")
def judged(measured: dict[str, Measured]) -> Artifacts:
    """Every wheel that stands alone, under the policy static-cxx-runtime."""
    wheels = [m.wheel for m in measured.values() if m.name not in NEEDS_PROVIDER]
    return check(wheels, "--policy", "static-cxx-runtime")


ALONE = [v.name for v in founding.variants() if v.name not in NEEDS_PROVIDER]


@pytest.mark.parametrize("name", ALONE)
def test_our_verdict_on_loading_is_dlopens(measured: dict[str, Measured], judged: Artifacts, name: str) -> None:
    variant = measured[name]
    outcome = outcome_here(judged[variant.wheel.name], variant.root)
    assert outcome == ("fails" if variant.error else "loads")


@pytest.mark.parametrize("name", ALONE)
def test_static_cxx_runtime_accepts_exactly_the_good(measured: dict[str, Measured], judged: Artifacts, name: str) -> None:
    variant = measured[name]
    artifact = judged[variant.wheel.name]
    assert artifact["verdict"] == ("pass" if variant.good else "fail"), errors(artifact)
    assert artifact["unchecked"] == []
    assert bool(errors(artifact)) is not variant.good


@pytest.mark.parametrize("name", [n for n in ALONE if not n.startswith("torch")])
def test_each_bad_variant_is_told_by_the_rule_of_its_fault(measured: dict[str, Measured], judged: Artifacts, name: str) -> None:
    variant = measured[name]
    found = errors(judged[variant.wheel.name])
    unresolved = {f["file"] for f in found if f["rule"] == "unresolved-cxx-runtime-symbol"}
    assert unresolved == ({variant.root} if variant.error else set())
    forbidden = json.dumps([f for f in found if f["rule"] == "forbidden-needed-library"])
    told = tuple(library for library in ("libstdc++.so.6", "libgcc_s.so.1") if library in forbidden)
    assert told == variant.runtimes
    if variant.error:
        assert variant.error.rpartition(": ")[2] in json.dumps(found)


def test_a_bundled_chain_supplies_its_symbols_and_the_absent_one_is_told(measured: dict[str, Measured]) -> None:
    good, bad = measured["torch-bundled"], measured["torch-bundled-missing"]
    artifacts = check([good.wheel, bad.wheel], "--policy", "recommended")
    assert errors(artifacts[good.wheel.name]) == []
    (error,) = errors(artifacts[bad.wheel.name])
    assert (error["rule"], error["file"]) == ("unresolved-symbol", bad.root)
    assert MISSING in json.dumps(error)
    assert "c10::synchronize(long)" in json.dumps(error)


def test_a_given_provider_supplies_its_symbols_and_the_absent_one_is_told(measured: dict[str, Measured]) -> None:
    good, bad = measured["torch-user"], measured["torch-user-missing"]
    provider = f"lookalike-torch={measured['lookalike-torch'].wheel}"
    artifacts = check([good.wheel, bad.wheel], "--policy", str(TORCH_POLICY), "--provider", provider)
    assert errors(artifacts[good.wheel.name]) == []
    (error,) = errors(artifacts[bad.wheel.name])
    assert (error["rule"], error["file"]) == ("unresolved-symbol", bad.root)
    assert MISSING in json.dumps(error)
    for variant, outcome in ((good, "loads"), (bad, "fails")):
        assert outcome_here(artifacts[variant.wheel.name], variant.root) == outcome


def test_libraries_of_a_declared_provider_are_declared_and_not_missing(measured: dict[str, Measured]) -> None:
    variant = measured["torch-user"]
    artifact = check([variant.wheel], "--policy", str(TORCH_POLICY))[variant.wheel.name]
    assert errors(artifact) == []
    declared = {row["soname"] for row in artifact["libraries"] if row["provider"] == "declared"}
    assert declared == {"libc10.so", "libtorch_cpu.so", "libtorch_python.so"}
