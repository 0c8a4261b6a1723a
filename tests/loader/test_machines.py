"""The loader's rules on aarch64 and i686: small files that lie here, and what real loaders made of them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from checker.bindings import binding_rows, relocated_names
from checker.closure import Process, Setup
from checker.exports import Exports
from checker.judge import Judgement, judge
from checker.model.platform import PlatformId
from checker.model.resolution import LoadOutcome, Outcome
from checker.platforms.assembly import open_baseline
from tests.loader.kit import FOLDER, laid_out
from tests.loader.systems import opener
from tools.fixtures.toml import read_toml

if TYPE_CHECKING:
    from pathlib import Path

MACHINES = FOLDER / "machines"
CASES = read_toml(MACHINES / "cases.toml")
VERDICTS: dict[str, dict[str, dict[str, Any]]] = json.loads((MACHINES / "verdicts.json").read_text())
MEASURED = [(name, loader) for name, loaders in VERDICTS.items() for loader in loaders]
NOT_TOLD_BY_FACTS = {("tls-descriptor-unresolved", "glibc-2.31-i686")}
"""Whether a TLS descriptor lies in DT_JMPREL, where it may wait before 2.34, or elsewhere is not among an object's facts."""


def judged(name: str, loader: str, *, lazy: bool = False) -> Judgement:
    """What we say of a case's ``root.so``."""
    family, release, machine = loader.split("-")
    platform = PlatformId(family=family, release=tuple(map(int, release.split("."))), architecture=machine)
    baseline = open_baseline(platform, None)
    assert baseline is not None
    installation = laid_out(MACHINES / machine / name)
    program = CASES[name].get("executable")
    host = None if program else opener(family, interpreter=False)
    process = Process(installation, platform=platform, baseline=baseline, host=host, setup=Setup(executable=program))
    objects = installation.objects
    root = next(number for number, facts in enumerate(objects) if facts.path == "root.so")
    return judge(process, Exports(objects, relocated_names(objects)), (root,), frozenset(), lazy=lazy)


def outcome(judgement: Judgement) -> str:
    (load,) = judgement.loads.values()
    assert load.outcome is not LoadOutcome.UNDECIDED, load
    return "loads" if load.outcome is LoadOutcome.LOADS else "fails"


@pytest.mark.parametrize(("name", "loader"), MEASURED)
def test_a_root_loads_where_the_loader_loaded_it(name: str, loader: str) -> None:
    assert outcome(judged(name, loader)) == VERDICTS[name][loader]["now"]


@pytest.mark.parametrize(("name", "loader"), [one for one in MEASURED if one not in NOT_TOLD_BY_FACTS])
def test_a_root_opened_lazily_loads_where_the_loader_loaded_it(name: str, loader: str) -> None:
    assert outcome(judged(name, loader, lazy=True)) == VERDICTS[name][loader]["lazy"]


@pytest.mark.parametrize(("name", "loader"), [one for one in MEASURED if one[1].startswith("glibc")])
def test_symbols_bind_to_the_files_that_the_loader_bound_them_to(name: str, loader: str) -> None:
    ours: dict[str, dict[str, str]] = {}
    for row in binding_rows([judged(name, loader)]):
        if row.outcome is Outcome.BOUND and row.path is not None and row.object != CASES[name].get("executable"):
            version = f"@{row.version.decode()}" if row.version else ""
            ours.setdefault(row.object, {})[row.symbol.decode() + version] = row.path
    measured = VERDICTS[name][loader]
    if measured["now"] == "loads":
        assert ours == measured["bindings"]
    for file, bound in measured["bindings"].items():
        # A load that fails binds what comes before the failure.
        assert {symbol: ours.get(file, {}).get(symbol) for symbol in bound} == bound


def _manifest() -> dict[str, str]:
    lines = (MACHINES / "SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


def _built() -> list[Path]:
    return [path for machine in ("aarch64", "i686") for path in sorted((MACHINES / machine).rglob("*")) if path.is_file()]


def test_the_files_are_those_of_the_manifest_and_each_of_their_cases_was_measured() -> None:
    digests = {path.relative_to(MACHINES).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in _built()}

    assert digests == _manifest()
    assert {tuple(name.split("/")[:2]) for name in digests} == {(loader.split("-")[2], name) for name, loader in MEASURED}
    assert set(VERDICTS) == set(CASES)
