"""Every case of the loader kit, as nine real loaders did it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.bindings import binding_rows, relocated_names
from checker.closure import Installation, Process
from checker.exports import Exports
from checker.judge import Judgement, judge
from checker.model.closure import ProviderKind
from checker.model.resolution import LoadOutcome, Outcome
from tests.loader.kit import CASES, Case, setup_of
from tests.loader.systems import opener, system

if TYPE_CHECKING:
    from collections.abc import Callable

MEASURED = [(name, loader) for name, case in CASES.items() for loader in case.measured]
BOUND = [(name, loader) for name, case in CASES.items() for loader in case.bindings]
LAZILY = [(name, loader) for name, loader in MEASURED if len(CASES[name].measured[loader]) > 1]
NOT_TOLD_BY_FACTS = {"l08-reloc-none"}
"""Whether a relocation of type NONE lies in DT_JMPREL or elsewhere is not among an object's facts."""


def judged(case: Case, installation: Installation, loader: str, *, lazy: bool = False) -> Judgement:
    host = opener(loader, interpreter=case.setup.get("interpreter", False))
    platform = system(loader)
    setup = setup_of(case)
    process = Process(
        installation, platform=platform.id, baseline=platform, host=None if setup.executable else host, setup=setup
    )
    objects = installation.objects
    root = next(number for number, facts in enumerate(objects) if facts.path == case.root)
    return judge(process, Exports(objects, relocated_names(objects)), (root,), frozenset(), lazy=lazy)


def outcome(judgement: Judgement) -> str:
    (load,) = judgement.loads.values()
    assert load.outcome is not LoadOutcome.UNDECIDED, load
    assert (load.outcome is LoadOutcome.LOADS) == (load.because is None)
    return "loads" if load.outcome is LoadOutcome.LOADS else f"fails: {load.because}"


def canonical(bindings: dict[str, dict[str, str]], installation: Installation) -> dict[str, dict[str, str]]:
    """The loader tells paths as they were opened; we tell files."""
    installed = installation.layout.installed
    paths = {facts.path for facts in installation.objects}
    files = {
        name: next(path for path in paths if installed(path) == installation.located(installed(name)))
        for bound in bindings.values()
        for name in (*bindings, *bound.values())
        if name not in paths and installation.located(installed(name)) in installation.places
    }
    return {
        files.get(file, file): {symbol: files.get(provider, provider) for symbol, provider in bound.items()}
        for file, bound in bindings.items()
    }


@pytest.mark.parametrize(("name", "loader"), MEASURED)
def test_a_root_loads_where_the_loader_loaded_it(name: str, loader: str, installed: Callable[[str], Installation]) -> None:
    case = CASES[name]
    assert outcome(judged(case, installed(name), loader)).partition(":")[0] == case.measured[loader][0]


@pytest.mark.parametrize(("name", "loader"), [one for one in LAZILY if one[0] not in NOT_TOLD_BY_FACTS])
def test_a_root_opened_lazily_loads_where_the_loader_loaded_it(
    name: str, loader: str, installed: Callable[[str], Installation]
) -> None:
    case = CASES[name]
    assert outcome(judged(case, installed(name), loader, lazy=True)).partition(":")[0] == case.measured[loader][1]


@pytest.mark.parametrize(("name", "loader"), BOUND)
def test_symbols_bind_to_the_files_that_the_loader_bound_them_to(
    name: str, loader: str, installed: Callable[[str], Installation]
) -> None:
    case = CASES[name]
    judgement = judged(case, installed(name), loader)
    ours: dict[str, dict[str, str]] = {}
    for row in binding_rows([judgement]):
        if row.outcome is Outcome.BOUND and row.path is not None:
            # Under musl the slots were read back, which tells no versions.
            version = f"@{row.version.decode()}" if row.version and loader.startswith("glibc") else ""
            ours.setdefault(row.object, {})[row.symbol.decode() + version] = row.path
            assert row.provider in {ProviderKind.MEMBER, ProviderKind.PLATFORM, ProviderKind.HOST}
    measured = canonical(case.bindings[loader], judgement.process.installation)
    program = case.setup.get("executable")
    if program is not None:
        # The program that measured was another than ours, and bound what it called.
        ours[program] = {symbol: file for symbol, file in ours.get(program, {}).items() if symbol in measured.get(program, {})}
        ours[program] = {**measured.get(program, {}), **ours[program]}
    if case.measured[loader][0] == "loads":
        assert {file: bound for file, bound in ours.items() if bound} == measured
    for file, bound in measured.items():
        # A load that fails binds what comes before the failure.
        assert {symbol: ours[file].get(symbol) for symbol in bound} == bound
