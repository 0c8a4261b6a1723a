"""What a musllinux wheel is told of: each fact at the releases of musl at which it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.engine import Options, audit
from checker.policy.load import load_policy
from checker.rules.registry import specs
from tests.engine.artifacts import library, wheel

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport

TAG = "cp311-cp311-musllinux_1_2_x86_64"
EXTENSION = "pkg/_core.cpython-311-x86_64-linux-musl.so"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return load_policy(["recommended"], specs(), directory=str(tmp_path_factory.mktemp("empty")))


def built(folder: Path, *uses: str, **more: object) -> str:
    """A musllinux wheel of one extension that uses these names without a version, as everything on musl does."""
    names = ("PyLong_FromLong", "memcpy", *uses)
    needed = ("libc.musl-x86_64.so.1",)
    extension = library(uses=names, defines=("PyInit__core",), needed=needed, **more)  # type: ignore[arg-type]
    return str(wheel(folder, {EXTENSION: extension}, tag=TAG))


def outcomes(report: ArtifactReport) -> dict[str, str]:
    (root,) = report.case.roots
    return {".".join(map(str, load.platform.release)): load.outcome.value for load in root.loads}


def test_an_honest_wheel_passes_without_a_word(tmp_path: Path, policy: Policy) -> None:
    report = audit(built(tmp_path), policy)
    assert (report.findings, report.unchecked) == ((), ())
    assert set(outcomes(report).values()) == {"loads"}


@pytest.mark.parametrize("name", ["__cxa_thread_atexit_impl", "gnu_get_libc_version", "__printf_chk", "__strdup"])
def test_a_name_of_glibc_alone_is_on_no_release_of_musl(tmp_path: Path, policy: Policy, name: str) -> None:
    report = audit(built(tmp_path, name), policy)
    (finding,) = report.findings
    assert "glibc has and musl has not" in finding.message
    assert (finding.rule, finding.file, finding.subject) == ("symbol-not-on-platform", EXTENSION, name)
    assert set(outcomes(report).values()) == {"fails"}


def test_a_name_that_newer_musl_has_is_called_no_name_of_glibc(tmp_path: Path, policy: Policy) -> None:
    """As in gevent 26.9.0 and uvloop 0.23.0 for musllinux_1_2: musl has it since 1.2.3."""
    report = audit(built(tmp_path, "pthread_getname_np"), policy)
    (finding,) = (finding for finding in report.findings if finding.rule == "symbol-not-on-platform")
    assert finding.subject == "pthread_getname_np"
    assert "uses 1 symbol that its system libraries do not supply on musl-1.2.2-x86_64" in finding.message
    assert {release for release, outcome in outcomes(report).items() if outcome == "fails"} == {"1.2.2"}


def test_large_file_names_load_on_every_release(tmp_path: Path, policy: Policy) -> None:
    """Up to 1.2.3 musl exports them, from 1.2.4 its loader takes the plain names for them (``get_lfs64``)."""
    report = audit(built(tmp_path, "open64", "fseeko64", "mmap64"), policy)
    assert (report.findings, report.unchecked) == ((), ())
    on_each = {audit(built(tmp_path, "open64"), policy, Options(platform=f"musl-{release}-x86_64")).verdict.value for release in
               ("1.2.3", "1.2.5")}  # fmt: skip
    assert on_each == {"pass"}


def test_relative_relocations_in_short_form_need_the_release_that_applies_them(tmp_path: Path, policy: Policy) -> None:
    path = built(tmp_path, relr=(0x4000,))
    report = audit(path, policy)
    assert [finding.rule for finding in report.findings] == ["dt-relr-without-marker"]
    assert outcomes(report)["1.2.3"] != "loads"
    assert outcomes(report)["1.2.6"] == "loads"
    assert audit(path, policy, Options(platform="musl-1.2.5-x86_64")).findings == ()
