"""Process set-ups: what was loaded before, LD_LIBRARY_PATH, and a program in the interpreter's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.engine import Options, UsageError, audit
from checker.model.resolution import Via
from checker.policy.load import load_policy
from checker.rules.registry import specs
from checker.setup import Preload, Setup
from tests.engine.artifacts import library, wheel

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport

EXTENSION = "pkg/_core.cpython-311-x86_64-linux-gnu.so"
LIBRARY = "pkg/lib/libhelper.so.1"
PROGRAM = "pkg/bin/tool"
GLIBC = ("libc.so.6", "GLIBC_2.2.5")


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return load_policy(["recommended"], specs(), directory=str(tmp_path_factory.mktemp("empty")))


def helper() -> bytes:
    return library(defines=("helper",), soname="libhelper.so.1", needed=("libc.so.6",), wants={"free": GLIBC})


def demo(folder: Path, *needed: str) -> str:
    """An extension that uses ``helper``, and the library that has it, where no run path leads."""
    user = library(uses=("helper",), defines=("PyInit__core",), needed=(*needed, "libc.so.6"), wants={"malloc": GLIBC})
    return str(wheel(folder, {EXTENSION: user, LIBRARY: helper()}))


def outcomes(report: ArtifactReport, path: str = EXTENSION) -> set[str]:
    (root,) = (root for root in report.case.roots if root.path == path)
    return {load.outcome.value for load in root.loads}


def under(setup: Setup, *providers: tuple[str, str]) -> Options:
    return Options(setup=setup, providers=providers, bindings=True)


def via(report: ArtifactReport) -> set[tuple[Via | None, str | None]]:
    assert report.bindings is not None
    return {(row.via, row.path) for row in report.bindings if row.symbol == b"helper" and row.object == EXTENSION}


def preload_only(report: ArtifactReport) -> set[str]:
    return {finding.subject for finding in report.findings if finding.rule == "preload-only-library"}


def test_a_library_loaded_before_satisfies_a_need_by_its_soname(tmp_path: Path, policy: Policy) -> None:
    path = demo(tmp_path, "libhelper.so.1")
    assert outcomes(audit(path, policy)) == {"fails"}
    report = audit(path, policy, under(Setup(preloads=(Preload(path=LIBRARY),))))
    assert outcomes(report) == {"loads"}
    assert {edge.how.value for edge in report.case.libraries if edge.soname == "libhelper.so.1"} == {"preloaded"}
    assert preload_only(report) == {"libhelper.so.1"}


def test_symbols_without_a_need_resolve_only_where_the_preload_is_global(tmp_path: Path, policy: Policy) -> None:
    path = demo(tmp_path)
    assert outcomes(audit(path, policy, under(Setup(preloads=(Preload(path=LIBRARY),))))) == {"fails"}
    report = audit(path, policy, under(Setup(preloads=(Preload(path=LIBRARY, is_global=True),))))
    assert outcomes(report) == {"loads"}
    assert via(report) == {(Via.PRELOAD, LIBRARY)}
    assert preload_only(report) == {LIBRARY}


def test_another_distribution_s_library_can_be_loaded_before(tmp_path: Path, policy: Policy) -> None:
    user = library(uses=("helper",), defines=("PyInit__core",), needed=("libhelper.so.1", "libc.so.6"))
    path = str(wheel(tmp_path, {EXTENSION: user}))
    (tmp_path / "other").mkdir()
    other = str(wheel(tmp_path / "other", {"far/libhelper.so.1": helper()}))
    setup = Setup(preloads=(Preload(path="far:far/libhelper.so.1"),))
    report = audit(path, policy, under(setup, ("far", other)))
    assert outcomes(report) == {"loads"}
    assert {path for _, path in via(report)} == {"far:far/libhelper.so.1"}
    with pytest.raises(UsageError, match=r'distribution far; did you mean "far/libhelper\.so\.1"'):
        audit(path, policy, under(Setup(preloads=(Preload(path="far:libhelper.so.1"),)), ("far", other)))


def test_library_path_folders_are_searched(tmp_path: Path, policy: Policy) -> None:
    path = demo(tmp_path, "libhelper.so.1")
    report = audit(path, policy, under(Setup(library_path=("pkg/lib/",))))
    assert outcomes(report) == {"loads"}
    assert {edge.how.value for edge in report.case.libraries if edge.soname == "libhelper.so.1"} == {"library path"}
    assert outcomes(audit(path, policy, under(Setup(library_path=("pkg",))))) == {"fails"}


def test_a_program_in_the_interpreter_s_place_brings_its_own_libraries_and_no_python(tmp_path: Path, policy: Policy) -> None:
    plugin = library(uses=("helper",), soname="plugin.so", needed=("libc.so.6",), wants={"malloc": GLIBC})
    program = library(
        uses=("helper",),
        needed=("libhelper.so.1", "libc.so.6"),
        runpath="$ORIGIN/../lib",
        interpreter="/lib64/ld-linux-x86-64.so.2",
    )
    members = {"pkg/plugin.so": plugin, PROGRAM: program, LIBRARY: helper(), EXTENSION: library(uses=("PyLong_FromLong",))}
    path = str(wheel(tmp_path, members))
    assert outcomes(audit(path, policy), "pkg/plugin.so") == {"fails"}
    report = audit(path, policy, under(Setup(executable=PROGRAM)))
    assert outcomes(report, "pkg/plugin.so") == {"loads"}
    assert outcomes(report, PROGRAM) == {"loads"}
    assert outcomes(report) == {"fails"}
    (finding,) = (one for one in report.findings if one.rule == "missing-interpreter-symbol")
    assert "no interpreter loads it" in finding.message


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        (Setup(preloads=(Preload(path="libhelper.so.1"),)), f'no shared object .*did you mean "{LIBRARY}"'),
        (Setup(preloads=(Preload(path="pkg/lib/libhelpr.so.1"),)), f'did you mean "{LIBRARY}"'),
        (Setup(preloads=(Preload(path="torch:libhelper.so.1"),)), "no --provider torch with one"),
        (Setup(library_path=("pkg/libs",)), 'no folder .*did you mean "pkg/lib"'),
        (Setup(executable=LIBRARY), "no program"),
        (Setup(executable="tool"), f'did you mean "{PROGRAM}"'),
    ],
)
def test_a_set_up_of_what_is_not_there_is_wrong_usage(tmp_path: Path, policy: Policy, setup: Setup, message: str) -> None:
    program = library(needed=("libc.so.6",), interpreter="/lib64/ld-linux-x86-64.so.2")
    path = str(wheel(tmp_path, {LIBRARY: helper(), PROGRAM: program}))
    with pytest.raises(UsageError, match=message):
        audit(path, policy, Options(setup=setup))


def test_an_unreadable_artifact_is_unchecked_whatever_the_set_up(tmp_path: Path, policy: Policy) -> None:
    broken = tmp_path / "demo-1.0-py3-none-any.whl"
    broken.write_bytes(b"")
    report = audit(str(broken), policy, Options(setup=Setup(library_path=("pkg",))))
    assert report.unchecked


def test_symbolic_links_of_a_folder_lead_and_those_of_a_wheel_do_not(tmp_path: Path, policy: Policy) -> None:
    import stat
    import zipfile

    user = library(uses=("helper",), needed=("libhelper.so.1", "libc.so.6"), runpath="$ORIGIN")
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "user.so").write_bytes(user)
    (folder / "real.so").write_bytes(helper())
    (folder / "libhelper.so.1").symlink_to("real.so")
    assert outcomes(audit(str(folder), policy), "user.so") == {"loads"}

    path = wheel(tmp_path, {"pkg/user.so": user, "pkg/real.so": helper()})
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("pkg/libhelper.so.1")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "real.so")
    report = audit(str(path), policy)
    assert outcomes(report, "pkg/user.so") == {"fails"}
    (edge,) = (edge for edge in report.case.libraries if edge.soname == "libhelper.so.1")
    assert edge.looked_in[-1].outcome == "not a readable shared ELF object (fatal)"
