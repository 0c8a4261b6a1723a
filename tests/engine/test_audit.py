"""The pipeline from a wheel's path to its report, on wheels of written ELF files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.engine import Options, UsageError, audit, run
from checker.model.finding import Level, PolicyLine
from checker.model.policy import DeclaredProvider
from checker.model.record import replace
from checker.model.report import Verdict
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.elfwriter.spec import AARCH64
from tests.engine.artifacts import TAG, library, wheel

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport

EXTENSION = "pkg/_core.cpython-311-x86_64-linux-gnu.so"
GLIBC = ("libc.so.6", "GLIBC_2.2.5")


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return load_policy(["recommended"], specs(), directory=str(tmp_path_factory.mktemp("empty")))


def extension(**more: object) -> bytes:
    more.setdefault("needed", ("libc.so.6",))
    wants = {"malloc": GLIBC, **(more.pop("wants", None) or {})}  # type: ignore[dict-item]
    return library(uses=(*more.pop("uses", ()), "PyLong_FromLong"), defines=("PyInit__core",), wants=wants, **more)  # type: ignore[arg-type, misc]


def errors(report: ArtifactReport) -> set[tuple[str, str]]:
    return {(finding.rule, finding.file) for finding in report.findings if finding.level is Level.ERROR}


def outcomes(report: ArtifactReport, path: str = EXTENSION) -> dict[tuple[int, ...], str]:
    (root,) = (root for root in report.case.roots if root.path == path)
    return {load.platform.release: load.outcome.value for load in root.loads}


def test_an_honest_wheel_passes_without_a_word(tmp_path: Path, policy: Policy) -> None:
    # GLIBC_2.14 is what makes 2_17 the oldest true tag.
    honest = extension(wants={"memcpy": ("libc.so.6", "GLIBC_2.14")})
    report = audit(str(wheel(tmp_path, {EXTENSION: honest})), policy)
    assert (report.verdict, report.findings, report.unchecked) == (Verdict.PASS, (), ())
    assert dict(report.case.counts.bound) == {"member": 0, "host": 1, "platform": 2, "declared": 0}


def test_a_verdict_is_taken_at_the_oldest_promised_and_the_newest_known_release(tmp_path: Path, policy: Policy) -> None:
    report = audit(str(wheel(tmp_path, {EXTENSION: extension()})), policy)
    found = outcomes(report)
    assert set(found.values()) == {"loads"}
    assert min(found) == (2, 17)
    assert max(found) >= (2, 43)
    assert [platform.release for platform in report.case.promises[0].judged] == sorted(found)


def test_an_exact_platform_is_judged_alone(tmp_path: Path, policy: Policy) -> None:
    path = str(wheel(tmp_path, {EXTENSION: extension(uses=("shm_open",))}))
    assert outcomes(audit(path, policy, Options(platform="glibc-2.33-x86_64"))) == {(2, 33): "fails"}
    assert outcomes(audit(path, policy, Options(platform="glibc-2.36-x86_64"))) == {(2, 36): "loads"}


def test_a_symbol_that_moved_into_libc_fails_before_and_loads_from_that_release(tmp_path: Path, policy: Policy) -> None:
    report = audit(str(wheel(tmp_path, {EXTENSION: extension(uses=("shm_open",))})), policy)
    found = outcomes(report)
    assert (found[2, 17], found[2, 34], found[max(found)]) == ("fails", "loads", "loads")
    (finding,) = (one for one in report.findings if one.level is Level.ERROR)
    assert (finding.rule, finding.file) == ("symbol-not-on-platform", EXTENSION)
    assert "shm_open" in finding.message + finding.subject
    assert "librt.so.1" in finding.message + finding.remedy


def test_an_executable_stack_loads_up_to_2_40_and_fails_from_2_41(tmp_path: Path, policy: Policy) -> None:
    from tests.elfwriter import Elf, write

    report = audit(str(wheel(tmp_path, {EXTENSION: write(Elf(needed=("libc.so.6",), stack=7))})), policy)
    found = outcomes(report)
    assert (found[2, 17], found[2, 41], found[max(found)]) == ("loads", "fails", "fails")
    assert ("executable-stack", EXTENSION) in errors(report)


def test_a_newer_version_than_the_tag_promises_is_told_with_the_true_tag(tmp_path: Path, policy: Policy) -> None:
    newer = extension(wants={"pthread_sigmask": ("libc.so.6", "GLIBC_2.32")})
    report = audit(str(wheel(tmp_path, {EXTENSION: newer})), policy)
    assert errors(report) == {("platform-tag-too-old", EXTENSION)}
    assert report.case.computed is not None
    assert report.case.computed.platform == "manylinux_2_34_x86_64"
    assert outcomes(report)[2, 17] == "fails"
    assert outcomes(report)[2, 32] == "loads"


def test_a_bundled_library_supplies_its_symbols_where_a_run_path_leads(tmp_path: Path, policy: Policy) -> None:
    bundled = library(defines=("helper",), soname="libhelper.so.1", needed=("libc.so.6",), wants={"free": GLIBC})
    user = extension(uses=("helper",), needed=("libhelper.so.1", "libc.so.6"), runpath="$ORIGIN/../demo.libs")
    report = audit(str(wheel(tmp_path, {EXTENSION: user, "demo.libs/libhelper.so.1": bundled})), policy)
    assert report.verdict is Verdict.PASS
    assert dict(report.case.counts.bound)["member"] == 1


def test_without_a_run_path_the_library_is_unreachable_and_its_symbols_are_not_told(tmp_path: Path, policy: Policy) -> None:
    bundled = library(defines=("helper",), soname="libhelper.so.1", needed=("libc.so.6",), wants={"free": GLIBC})
    user = extension(uses=("helper",), needed=("libhelper.so.1", "libc.so.6"))
    report = audit(str(wheel(tmp_path, {EXTENSION: user, "demo.libs/libhelper.so.1": bundled})), policy)
    assert errors(report) == {("unreachable-bundled-library", EXTENSION)}
    assert "$ORIGIN/../demo.libs" in report.findings[0].message + report.findings[0].remedy


def test_of_several_providers_the_required_one_is_meant_and_else_the_last(tmp_path: Path, policy: Policy) -> None:
    providers = tuple(
        DeclaredProvider(requirement=name, libraries=("libboth.so",), how="preloaded") for name in ("first", "last")
    )

    def undeclared(*requires: str) -> list[str]:
        path = wheel(tmp_path, {EXTENSION: extension(needed=("libboth.so", "libc.so.6"))}, requires=requires)
        report = audit(str(path), replace(policy, providers=providers))
        return [finding.message for finding in report.findings if finding.rule == "undeclared-provider"]

    assert undeclared() == ["does not require last, whose libraries the wheel needs: libboth.so"]
    assert undeclared("First") == undeclared("last") == []


def test_a_declared_provider_is_believed_until_its_bytes_are_given(tmp_path: Path, policy: Policy) -> None:
    declared = DeclaredProvider(requirement="torch", libraries=("libtorch.so",), how="preloaded")
    with_torch = replace(policy, providers=(declared,))
    user = extension(uses=("at_add", "at_nothing"), needed=("libtorch.so", "libc.so.6"))
    path = str(wheel(tmp_path, {EXTENSION: user}, requires=("torch",)))
    believed = audit(path, with_torch)
    assert errors(believed) == set()
    assert dict(believed.case.counts.bound)["declared"] == 2

    other = tmp_path / "other"
    other.mkdir()
    torch = wheel(other, {"torch/lib/libtorch.so": library(defines=("at_add",), soname="libtorch.so")})
    checked = audit(path, with_torch, Options(providers=(("torch", str(torch)),)))
    assert errors(checked) == {("unresolved-symbol", EXTENSION)}
    assert dict(checked.case.counts.bound)["declared"] == 1


def test_nothing_is_preloaded_into_a_program(tmp_path: Path, policy: Policy) -> None:
    declared = DeclaredProvider(requirement="torch", libraries=("libtorch.so",), how="preloaded")
    program = library(needed=("libtorch.so", "libc.so.6"), wants={"malloc": GLIBC}, interpreter="/lib64/ld-linux-x86-64.so.2")
    path = str(wheel(tmp_path, {"pkg/bin/tool": program}, requires=("torch",)))
    report = audit(path, replace(policy, providers=(declared,)))
    assert errors(report) == {("missing-library", "pkg/bin/tool")}


def test_a_library_that_nobody_declares_is_missing(tmp_path: Path, policy: Policy) -> None:
    user = extension(uses=("other_add",), needed=("libother.so", "libc.so.6"))
    report = audit(str(wheel(tmp_path, {EXTENSION: user})), policy)
    assert errors(report) == {("missing-library", EXTENSION)}


def test_torch_is_known_by_default_and_must_stand_in_requires_dist(tmp_path: Path, policy: Policy) -> None:
    user = extension(uses=("at_add",), needed=("libtorch.so", "libc.so.6"))
    named = audit(str(wheel(tmp_path, {EXTENSION: user}, requires=("torch>=2.5",))), policy)
    assert named.verdict is Verdict.PASS
    silent = audit(str(wheel(tmp_path, {EXTENSION: user})), policy)
    assert errors(silent) == {("undeclared-provider", "demo-1.0.dist-info/METADATA")}


def test_what_a_wheel_bundles_is_taken_before_what_another_distribution_may_have_loaded(tmp_path: Path, policy: Policy) -> None:
    bundled = library(defines=("at_add",), soname="libtorch.so", needed=("libc.so.6",), wants={"free": GLIBC})
    user = extension(uses=("at_add",), needed=("libtorch.so", "libc.so.6"), runpath="$ORIGIN/lib")
    report = audit(str(wheel(tmp_path, {EXTENSION: user, "pkg/lib/libtorch.so": bundled})), policy)
    assert report.verdict is Verdict.PASS
    assert dict(report.case.counts.bound)["member"] == 1


def test_a_broken_elf_member_is_unchecked_and_the_others_are_judged(tmp_path: Path, policy: Policy) -> None:
    broken = extension()[:200]
    report = audit(str(wheel(tmp_path, {EXTENSION: extension(uses=("nowhere",)), "pkg/broken.so": broken})), policy)
    assert {problem.file for problem in report.unchecked} == {"pkg/broken.so"}
    assert report.verdict is Verdict.FAIL
    alone = audit(str(wheel(tmp_path, {"pkg/broken.so": broken})), policy)
    assert alone.verdict is Verdict.UNCHECKED


def test_an_object_of_another_architecture_is_told_once_and_not_resolved(tmp_path: Path, policy: Policy) -> None:
    foreign = library(machine=AARCH64, needed=("libc.so.6",), uses=("nowhere",))
    report = audit(str(wheel(tmp_path, {EXTENSION: extension(), "pkg/libforeign.so": foreign})), policy)
    assert errors(report) == {("wrong-architecture", "pkg/libforeign.so")}


def test_an_interpreter_symbol_that_the_oldest_python_lacks_is_told(tmp_path: Path, policy: Policy) -> None:
    user = extension(uses=("PyErr_GetRaisedException",))
    assert audit(str(wheel(tmp_path, {EXTENSION: user})), policy).verdict is Verdict.FAIL
    newer = audit(str(wheel(tmp_path, {EXTENSION: user})), policy, Options(python="cp312"))
    assert ("missing-interpreter-symbol", EXTENSION) not in errors(newer)


def test_the_same_wheel_gives_the_same_report(tmp_path: Path, policy: Policy) -> None:
    path = str(wheel(tmp_path, {EXTENSION: extension(uses=("nowhere", "shm_open"))}))
    first, second = audit(path, policy), audit(path, policy)
    assert first.findings == second.findings
    assert (first.case.roots, first.case.libraries, first.case.resolutions) == (
        second.case.roots,
        second.case.libraries,
        second.case.resolutions,
    )


def test_a_run_is_as_bad_as_its_worst_artifact(tmp_path: Path, policy: Policy) -> None:
    good = wheel(tmp_path, {EXTENSION: extension()})
    empty = tmp_path / "empty-1.0-py3-none-any.whl"
    empty.write_bytes(b"")
    assert run([str(good), str(empty)], policy, Options()).verdict is Verdict.UNCHECKED
    (tmp_path / "bad").mkdir()
    bad = wheel(tmp_path / "bad", {EXTENSION: extension(uses=("nowhere",))})
    assert run([str(good), str(empty), str(bad)], policy, Options()).verdict is Verdict.FAIL


def test_bindings_and_closures_are_filled_only_where_asked_for(tmp_path: Path, policy: Policy) -> None:
    path = str(wheel(tmp_path, {EXTENSION: extension()}))
    plain = audit(path, policy)
    assert (plain.bindings, plain.closures) == (None, None)
    full = audit(path, policy, Options(bindings=True, closures=True))
    assert full.bindings is not None
    assert {(row.symbol, row.path) for row in full.bindings} == {(b"malloc", "libc.so.6"), (b"PyLong_FromLong", "cpython-3.11")}
    assert full.bindings[0].platform.release >= (2, 43)
    assert full.closures is not None
    assert full.closures[0].platform.release == (2, 17)


def test_a_platform_that_is_none_is_wrong_usage(tmp_path: Path, policy: Policy) -> None:
    path = str(wheel(tmp_path, {EXTENSION: extension()}))
    with pytest.raises(UsageError, match="manylinux_2_28_x86_64"):
        audit(path, policy, Options(platform="debian12"))


def test_a_tag_of_no_known_platform_is_unchecked_and_the_other_artifacts_are_judged(tmp_path: Path, policy: Policy) -> None:
    good = wheel(tmp_path, {EXTENSION: extension()})
    strange = tmp_path / good.name.replace(TAG, "cp311-cp311-banana")
    strange.write_bytes(good.read_bytes())
    report = run([str(strange), str(good)], policy, Options())
    assert [artifact.verdict for artifact in report.artifacts][1] is Verdict.PASS
    (told,) = (problem for problem in report.artifacts[0].unchecked if "banana" in problem.reason)
    assert told.file == strange.name
    asked = audit(str(strange), policy, Options(platform="manylinux_2_28_x86_64"))
    assert not any("banana" in problem.reason for problem in asked.unchecked)


def test_a_provider_that_cannot_be_read_is_wrong_usage(tmp_path: Path, policy: Policy) -> None:
    path = str(wheel(tmp_path, {EXTENSION: extension()}))
    (tmp_path / "other.whl").write_bytes(b"")
    with pytest.raises(UsageError, match=r"torch is given as .*other\.whl, which cannot be used: this file is empty"):
        audit(path, policy, Options(providers=(("torch", str(tmp_path / "other.whl")),)))


def test_a_directory_is_judged_on_the_newest_platform_of_its_objects(tmp_path: Path, policy: Policy) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libplain.so").write_bytes(library(needed=("libc.so.6",), wants={"malloc": GLIBC}))
    report = audit(str(tmp_path / "lib"), policy)
    assert report.verdict is Verdict.PASS
    assert report.case.promises[0].oldest.release >= (2, 43)
    assert TAG not in report.case.promises[0].tag


def test_what_an_unmeasured_interpreter_may_have_is_unchecked_and_no_error(tmp_path: Path, policy: Policy) -> None:
    tag = "cp36-cp36m-manylinux_2_17_x86_64"
    member = "pkg/_core.cpython-36m-x86_64-linux-gnu.so"
    known = audit(str(wheel(tmp_path, {member: extension()}, tag=tag)), policy)
    assert known.verdict is Verdict.PASS
    unknown = audit(str(wheel(tmp_path, {member: extension(uses=("PyOld_Function",))}, tag=tag)), policy)
    assert unknown.verdict is Verdict.UNCHECKED
    assert errors(unknown) == set()
    missing = audit(str(wheel(tmp_path, {member: extension(uses=("nobody_has_this",))}, tag=tag)), policy)
    assert errors(missing) == {("unresolved-symbol", member)}


def test_an_extension_made_for_another_operating_system_is_told(tmp_path: Path, policy: Policy) -> None:
    report = audit(str(wheel(tmp_path, {EXTENSION: extension(osabi=99)})), policy)
    assert report.verdict is Verdict.FAIL
    assert set(outcomes(report).values()) == {"fails"}


def test_a_wheel_of_an_interpreter_that_nobody_measured_is_unchecked(tmp_path: Path, policy: Policy) -> None:
    member = "pkg/_core.graalpy242-311-native-x86_64-linux.so"
    path = wheel(tmp_path, {member: extension()}, tag="graalpy311-graalpy242_311_native-manylinux_2_17_x86_64")
    report = audit(str(path), policy)
    assert report.verdict is Verdict.UNCHECKED
    assert {problem.file for problem in report.unchecked} == {member}


def test_a_wheel_within_a_folder_is_unchecked(tmp_path: Path, policy: Policy) -> None:
    (tmp_path / "nest").mkdir()
    wheel(tmp_path / "nest", {EXTENSION: extension()})
    assert audit(str(tmp_path), policy).verdict is Verdict.UNCHECKED


def test_a_finding_tells_where_a_project_s_policy_sets_what_is_broken(tmp_path: Path) -> None:
    own = tmp_path / "wheelproof.toml"
    own.write_text('extends = ["recommended"]\n[rules.symbol-version-too-new]\nceilings = { GLIBC = "2.2" }\n')
    path = wheel(tmp_path, {EXTENSION: extension(wants={"memcpy": ("libc.so.6", "GLIBC_2.14")}, runpath="$ORIGIN/nothing")})
    lines = {one.rule: one.policy_line for one in audit(str(path), load_policy([str(own)], specs())).findings}
    assert lines == {
        "symbol-version-too-new": PolicyLine(source=str(own), line=3),
        "dead-run-path": None,
    }
