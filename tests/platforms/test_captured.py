"""A platform file answers as the libraries that it was made of would."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checker.capturing import Wish, capture
from checker.engine import Options, UsageError, audit, run
from checker.model.elf import Definition
from checker.model.platform import PlatformId
from checker.model.record import field_names, replace
from checker.model.report import Verdict
from checker.platforms.capture import exports, render
from checker.platforms.captured import CapturedLibrary, PlatformFile, PlatformFileError, open_platform_file
from checker.policy.load import load_policy
from checker.promises import host, python_folder
from checker.rules.registry import specs
from tests.elfwriter import AARCH64, DEFINED, VER_FLG_BASE, Elf, NeededVersion, Symbol, VersionDefinition, VersionNeed, write
from tests.engine import artifacts
from tests.platforms.roots import LOADER, debian, library, root
from tools.measured import MeasuredBaseline, MeasuredHost, MeasuredLibrary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport
    from checker.platforms.capture import Capture

EXTENSION = "pkg/_core.cpython-311-x86_64-linux-gnu.so"
PYTHON = "usr/bin/python3.11"

# Every way in which an entry can be versioned: default, hidden, base, local, no name, foreign, absolute, canonical PLT entry.
ODD = write(
    Elf(
        soname="libodd.so.1",
        needed=("libc.so.6",),
        version_definitions=(
            VersionDefinition("libodd.so.1", 1, VER_FLG_BASE),
            VersionDefinition("ODD_1", 2),
            VersionDefinition("ODD_2", 4),
            VersionDefinition("odd %@#", 5),
        ),
        version_needs=(VersionNeed("libc.so.6", (NeededVersion("GLIBC_2.36", 3),)),),
        symbols=(
            Symbol(name="twice", shndx=DEFINED, version=2, hidden=True),
            Symbol(name="twice", shndx=DEFINED, version=4),
            Symbol(name="base", shndx=DEFINED, version=1),
            Symbol(name="base_hidden", shndx=DEFINED, version=1, hidden=True),
            Symbol(name="local", shndx=DEFINED, version=0),
            Symbol(name="nameless", shndx=DEFINED, version=9),
            Symbol(name="odd", shndx=DEFINED, version=5, type=6, binding=2),
            Symbol(name="absolute", shndx=0xFFF1, value=0, type=1, version=2),
            Symbol(name="plt", value=0x1000, version=3, hashed=True),
            Symbol(name="at@sign", shndx=DEFINED, version=2, type=13, binding=13),
        ),
    )
)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return load_policy(["recommended"], specs(), directory=str(tmp_path_factory.mktemp("empty")))


def system(folder: Path) -> Capture:
    files = debian(**{"libodd.so.1": ODD, "libz.so.1": library("libz.so.1", "inflate", needed=("libc.so.6",))})
    files[PYTHON] = library(None, "PyLong_FromLong", "PyModule_Create2", needed=("libz.so.1", "libc.so.6"))
    return capture(str(root(folder, files)), Wish(python=f"/{PYTHON}"))


def written(folder: Path, captured: Capture, name: str = "test.platform") -> str:
    path = folder / name
    path.write_text("".join(render(captured)), encoding="ascii", newline="\n")
    return str(path)


def weighed(entries: Iterable[Definition]) -> list[dict[str, object]]:
    """What a lookup looks at: no more than whether a value is zero, and no table index."""
    fields = [name for name in field_names(Definition) if name not in {"value", "symbol"}]
    return [{"is zero": entry.value == 0} | {name: getattr(entry, name) for name in fields} for entry in entries]


def assert_same(told: CapturedLibrary, measured: MeasuredLibrary) -> int:
    assert (told.soname, told.needed, told.versions) == (measured.soname, measured.needed, measured.versions)
    names = {name for name, _ in exports(measured.facts)}
    for name in names:
        entries = [entry for entry in measured.definitions(name) if entry.defined or entry.value]
        assert weighed(told.definitions(name)) == weighed(entries)
    assert told.definitions(b"no such name") == ()
    return len(names)


def test_every_answer_of_a_library_survives_the_file(tmp_path: Path) -> None:
    captured = system(tmp_path)
    file = open_platform_file(written(tmp_path, captured))
    assert file.baseline.id == captured.id
    assert file.system == ("Test GNU/Linux", "1 (one)")
    for one in captured.libraries:
        assert one.facts is not None
        for name in one.names:
            told = file.baseline.library(name)
            assert told is not None
            assert told.digest == f"sha256:{one.digest}"
            assert assert_same(told, MeasuredLibrary(facts=one.facts))


def test_the_odd_library_has_what_it_is_meant_to_have(tmp_path: Path) -> None:
    odd = open_platform_file(written(tmp_path, system(tmp_path))).baseline.library("libodd.so.1")
    assert odd is not None
    assert [(entry.version, entry.hidden) for entry in odd.definitions(b"twice")] == [(b"ODD_1", True), (b"ODD_2", False)]
    assert [(entry.index, entry.version) for entry in odd.definitions(b"nameless")] == [(9, None)]
    assert odd.definitions(b"odd")[0].version == b"odd %@#"
    (plt,) = odd.definitions(b"plt")
    assert (plt.defined, plt.version) == (False, b"GLIBC_2.36")
    assert odd.versions == (b"libodd.so.1", b"ODD_1", b"ODD_2", b"odd %@#")


def test_the_system_answers_as_its_libraries_together(tmp_path: Path) -> None:
    captured = system(tmp_path)
    told = open_platform_file(written(tmp_path, captured)).baseline
    libraries = {name: MeasuredLibrary(facts=one.facts) for one in captured.libraries if one.facts for name in one.names}
    measured = MeasuredBaseline(id=captured.id, libraries=libraries)
    for name in (b"malloc", b"inflate", b"twice", b"at@sign", b"nowhere", b"mall"):
        assert told.definers(name) == measured.definers(name)
    for soname in (*libraries, "libgone.so.1"):
        assert told.is_promised(soname) == measured.is_promised(soname)
    for namespace in ("GLIBC", "ODD", "GONE"):
        assert told.ceiling(namespace) == measured.ceiling(namespace)
    assert told.ceiling("GLIBC") == (2, 36)


def test_the_interpreter_answers_as_its_files(tmp_path: Path) -> None:
    captured = system(tmp_path)
    told = open_platform_file(written(tmp_path, captured)).interpreter
    assert captured.interpreter is not None
    facts = tuple(file.facts for file in captured.interpreter.files if file.facts is not None)
    measured = MeasuredHost(name="cpython-3.11", libraries=("libz.so.1", "libc.so.6"), facts=facts)
    assert (told.name, told.libraries, told.is_measured) == (measured.name, measured.libraries, True)
    for name in (b"PyLong_FromLong", b"PyModule_Create2", b"PyNoSuchThing"):
        assert weighed(told.definitions(name)) == weighed(measured.definitions(name))


def test_a_private_library_is_found_by_its_needer_and_promised_to_nobody(tmp_path: Path) -> None:
    files = debian(**{"liba.so.1": library("liba.so.1", needed=("libin.so.1",), runpath="/opt/private")})
    files["opt/private/libin.so.1"] = library("libin.so.1", "inner")
    baseline = open_platform_file(written(tmp_path, capture(str(root(tmp_path / "root", files)), Wish()))).baseline
    assert baseline.library("libin.so.1") is not None
    assert not baseline.is_promised("libin.so.1")
    assert baseline.is_promised("liba.so.1")


def test_of_a_library_that_was_not_asked_for_nothing_is_claimed(tmp_path: Path) -> None:
    files = debian(**{"libx.so.1": library("libx.so.1", "f")})
    limited = capture(str(root(tmp_path / "root", files)), Wish(libraries=("none",)))
    found = open_platform_file(written(tmp_path, limited)).baseline.library("libx.so.1")
    assert found is not None
    assert (found.symbols_known, found.definitions(b"f"), found.unmeasured) == (False, (), "not asked for")


# Judging by it


@pytest.mark.parametrize(
    ("symbol", "rule"),
    [
        ({"uses": ("lost_function",)}, "unresolved-symbol"),
        ({"uses": ("__cxa_throw",)}, "unresolved-cxx-runtime-symbol"),
        ({"wants": {"inflateReset2": ("libz.so.1", "ZLIB_1.2.3.4")}}, "symbol-not-on-platform"),
    ],
    ids=["anyone's", "the C++ runtime's", "the library's"],
)
def test_what_a_library_known_by_name_alone_may_have_is_unchecked(
    tmp_path: Path, policy: Policy, symbol: dict[str, object], rule: str
) -> None:
    files = debian(**{"libz.so.1": library("libz.so.1", "inflate")})
    captured = capture(str(root(tmp_path / "root", files)), Wish(libraries=("libc.*", "libm.*")))
    content = artifacts.library(defines=("PyInit__core",), needed=("libz.so.1", "libc.so.6"), **symbol)  # type: ignore[arg-type]
    wheel = artifacts.wheel(tmp_path, {EXTENSION: content})
    report = audit(str(wheel), policy, Options(platform=written(tmp_path, captured)))
    (reason,) = [problem.reason for problem in report.unchecked if problem.reason.startswith(f"{rule}: ")]
    assert "the symbols of libz.so.1 are not known" in reason
    assert report.verdict is Verdict.UNCHECKED


def judged(
    tmp_path: Path, policy: Policy, platform: str, *, symbol: str = "malloc", version: str = "GLIBC_2.36"
) -> ArtifactReport:
    content = artifacts.library(
        uses=("PyLong_FromLong",), defines=("PyInit__core",), needed=("libc.so.6",), wants={symbol: ("libc.so.6", version)}
    )
    wheel = artifacts.wheel(tmp_path, {EXTENSION: content}, tag="cp311-cp311-manylinux_2_28_x86_64")
    return audit(str(wheel), policy, Options(platform=platform, python=platform))


def test_a_wheel_is_judged_by_that_system_alone(tmp_path: Path, policy: Policy) -> None:
    path = written(tmp_path, system(tmp_path))
    report = judged(tmp_path, policy, path)
    assert (report.verdict, report.unchecked) == (Verdict.PASS, ())
    (promise,) = report.case.promises
    assert [str(one) for one in promise.judged] == ["glibc-2.36-x86_64"]
    assert promise.tag == f"test.platform (glibc-2.36-x86_64, sha256:{open_platform_file(path).digest[:12]})"
    assert report.case.host is not None
    assert report.case.host.name == "cpython-3.11"
    assert dict(report.case.counts.bound) == {"member": 0, "host": 1, "platform": 1, "declared": 0}


@pytest.mark.parametrize(("symbol", "version"), [("malloc", "GLIBC_2.17"), ("calloc", "GLIBC_2.36"), ("malloc", "GLIBC_2.38")])
def test_what_that_system_lacks_is_missing_whatever_the_real_release_has(
    tmp_path: Path, policy: Policy, symbol: str, version: str
) -> None:
    report = judged(tmp_path, policy, written(tmp_path, system(tmp_path)), symbol=symbol, version=version)
    assert report.verdict is Verdict.FAIL
    (root_verdict,) = report.case.roots
    assert {load.outcome.value for load in root_verdict.loads} == {"fails"}


def test_a_wheel_for_another_processor_is_unchecked_and_no_pass(tmp_path: Path, policy: Policy) -> None:
    path = written(tmp_path, system(tmp_path))
    content = artifacts.library(machine=AARCH64, defines=("PyInit__core",))
    wheel = artifacts.wheel(
        tmp_path, {EXTENSION.replace("x86_64", "aarch64"): content}, tag="cp311-cp311-manylinux_2_28_aarch64"
    )
    for platform in (path, "glibc-2.36-x86_64"):
        report = audit(str(wheel), policy, Options(platform=platform))
        assert report.verdict is Verdict.UNCHECKED
        (problem,) = report.unchecked
        assert problem.reason.startswith("no object in it is made for x86_64: nothing was judged for ")
    assert audit(str(wheel), policy).verdict is Verdict.PASS


def test_the_report_names_the_file_with_its_digest(tmp_path: Path, policy: Policy) -> None:
    path = written(tmp_path, system(tmp_path))
    wheel = artifacts.wheel(tmp_path, {EXTENSION: artifacts.library(defines=("PyInit__core",))})
    report = run([str(wheel)], policy, Options(platform=path))
    file = open_platform_file(path)
    assert (file.name, f"sha256:{file.digest}") in report.data
    assert str(tmp_path) not in file.name


def test_a_policy_names_a_platform_file_relative_to_itself(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours").mkdir()
    written(tmp_path / "ours", system(tmp_path / "root"))
    text = 'extends = ["recommended"]\n[target]\nplatform = "test.platform"\npython = "./test.platform"\n'
    (tmp_path / "ours/wheelproof.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ours = load_policy(["ours/wheelproof.toml"], specs())
    wheel = artifacts.wheel(tmp_path, {EXTENSION: artifacts.library(defines=("PyInit__core",))})
    report = audit(str(wheel), ours)
    assert [promise.tag.partition(" ")[0] for promise in report.case.promises] == ["test.platform"]
    assert report.case.host is not None
    assert report.case.host.libraries == ("libz.so.1", "libc.so.6")
    elsewhere = load_policy([str(tmp_path / "ours/wheelproof.toml")], specs())
    assert elsewhere.digest == ours.digest != policy.digest


def test_the_standard_librarys_folder_is_that_of_the_captured_interpreter(tmp_path: Path) -> None:
    assert python_folder(written(tmp_path, system(tmp_path))) == "python3.11"


def test_on_another_processor_or_c_library_a_captured_interpreter_only_stands_in(tmp_path: Path) -> None:
    path = written(tmp_path, system(tmp_path))
    for family, release, architecture, is_measured in (
        ("glibc", (2, 41), "x86_64", True),
        ("glibc", (2, 36), "aarch64", False),
        ("musl", (1, 2, 5), "x86_64", False),
    ):
        found = host(path, PlatformId(family=family, release=release, architecture=architecture))
        assert found is not None
        assert found.is_measured is is_measured
        assert found.definitions(b"PyLong_FromLong")


# Files that cannot be used


def sealed(content: bytes) -> bytes:
    """The content with the digest that it should end with."""
    rest, _, end = content.rpartition(b"\n\n")
    rest += b"\n\n"
    return rest + end.partition(b" sha256:")[0] + f" sha256:{hashlib.sha256(rest).hexdigest()}\n".encode()


def content_of(tmp_path: Path) -> bytes:
    return Path(written(tmp_path, system(tmp_path))).read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace(b"wheelproof-platform 1\n", b"wheelproof-platform 2\n"),
            "a platform file of version 2; this",
        ),
        (lambda text: b"PK\3\4" + text, "is no platform file"),
        (lambda _: b"", "is no platform file"),
        (lambda text: text[: len(text) // 2], "is not whole, or was changed"),
        (lambda text: text[:-1], "is not whole, or was changed"),
        (lambda text: text.replace(b"\n\nlibrary ", b"\nlibrary ", 1), "is not whole, or was changed"),
        (lambda text: text.replace(b"libc glibc 2.36", b"libc bionic 2.36"), "damaged .*no C library is called bionic"),
        (lambda text: text.replace(b"libc glibc 2.36", b"libc glibc new"), "damaged"),
        (lambda text: text.replace(b"architecture", b"archaeology"), "damaged"),
        (lambda text: text.replace(b"version 1 ", b"version one "), "damaged"),
        (lambda text: text.replace(b"soname libz", "soname l\u00efbz".encode()), "damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(tmp_path: Path, change: object, message: str) -> None:
    content = change(content_of(tmp_path))  # type: ignore[operator]
    if message.startswith("damaged"):
        with pytest.raises(PlatformFileError, match="was changed"):
            PlatformFile("x.platform", content)
        content = sealed(content)
    with pytest.raises(PlatformFileError, match=message):
        PlatformFile("x.platform", content)


def test_every_cut_of_a_file_is_told(tmp_path: Path) -> None:
    content = content_of(tmp_path)
    for size in range(0, len(content), 7):
        with pytest.raises(PlatformFileError):
            PlatformFile("x.platform", content[:size])


def test_every_changed_byte_is_told(tmp_path: Path) -> None:
    content = content_of(tmp_path)
    for place in range(0, len(content), 5):
        with pytest.raises(PlatformFileError):
            PlatformFile("x.platform", content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])


def test_a_file_that_is_not_there_or_has_no_interpreter_is_the_callers_mistake(tmp_path: Path, policy: Policy) -> None:
    with pytest.raises(UsageError, match=r"gone\.platform: cannot be read: No such file"):
        judged(tmp_path, policy, str(tmp_path / "gone.platform"))
    bare = written(tmp_path, replace(system(tmp_path), interpreter=None), "bare.platform")
    with pytest.raises(UsageError, match="has no interpreter; wheelproof platform capture ROOT --python PATH adds one"):
        judged(tmp_path, policy, bare)


# This machine


@pytest.mark.skipif(
    not Path("/etc/ld.so.cache").is_file() or sys.platform != "linux", reason="no system with glibc: nothing of it to capture"
)
def test_this_machines_own_c_library_is_captured_whole(tmp_path: Path) -> None:
    captured = capture("/", Wish(libraries=("none",)))
    baseline = open_platform_file(written(tmp_path, captured)).baseline
    (libc,) = (one for one in captured.libraries if "libc.so.6" in one.names)
    told = baseline.library("libc.so.6")
    assert libc.facts is not None
    assert told is not None
    assert assert_same(told, MeasuredLibrary(facts=libc.facts)) > 2000
    assert baseline.library(LOADER) is not None or captured.id.architecture != "x86_64"
    newest = baseline.ceiling("GLIBC")
    assert newest is not None
    # A release without a new symbol has no node of its own, and none has a later one's.
    assert (captured.id.release[0], captured.id.release[1] - 1) <= newest <= captured.id.release
