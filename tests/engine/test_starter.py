"""What a starter policy says of artifacts."""

from __future__ import annotations

import pytest

from checker.model.artifact import Tag
from checker.model.case import Case, ComputedPlatform
from checker.model.closure import Attempt, Edge, FoundBy, ProviderKind
from checker.model.finding import Finding, Level
from checker.model.policy import DeclaredProvider, Policy
from checker.model.record import replace
from checker.model.report import ArtifactReport, Verdict
from checker.starter import acceptances, ceilings, suggested_providers, used_providers
from tests.rules.builders import MODULE, case, edge, elf, wheel


def finding(file: str = MODULE, subject: str = "libx.so.1", level: Level = Level.ERROR, message: str = "needs it") -> Finding:
    return Finding(
        rule="missing-library", level=level, file=file, subject=subject, message=message, evidence=(), remedy="", fingerprint=""
    )


def report(*findings: Finding, of: Case | None = None) -> ArtifactReport:
    policy = Policy(
        name="", description="", written_target=("from-tag", "from-tag"), platform="from-tag", python="from-tag",
        providers=(), settings=(), overrides=(), waivers=(),
    )  # fmt: skip
    return ArtifactReport(case=of or case(), policy=policy, findings=findings, unchecked=(), verdict=Verdict.FAIL)


def tagged(*platforms: str) -> Case:
    return case(tags=tuple(Tag(python="cp311", abi="cp311", platform=platform) for platform in platforms))


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("pkg/core.abi3.so", "pkg/core.abi3.so"),
        ("pkg/core.cpython-311-x86_64-linux-gnu.so", "pkg/core.*.so"),
        ("pkg/core.pypy311-pp73-x86_64-linux-gnu.so", "pkg/core.*.so"),
        ("pkg.libs/libfoo-1a2b3c4d.so.1", "pkg.libs/libfoo-*.so.1"),
        ("pkg.libs/libfoo.1a2b3c4d.so.1", "pkg.libs/libfoo.*.so.1"),
        ("pkg-1.0.dist-info/METADATA", "pkg-*.dist-info/METADATA"),
        ("pkg-1.0.post1+cu12.data/scripts/x", "pkg-*.data/scripts/x"),
        ("pkg-extra/a.so", "pkg-extra/a.so"),
        ("pkg/a[1]*?.so", "pkg/a[[]1][*][?].so"),
        ("pkg.whl", "*.whl"),
        ("../a.so", ""),
        ("/a.so", ""),
        ("a\\b", ""),
    ],
)
def test_a_waiver_names_the_file_so_that_the_next_release_has_it_too(path: str, glob: str) -> None:
    (made,) = acceptances([report(finding(path))], Level.ERROR.rank, "why")
    assert (made.waiver.file, made.waiver.match, made.waiver.reason) == (glob, "libx.so.1", "why")


@pytest.mark.parametrize(
    ("subject", "match"),
    [("libfoo-1a2b3c4d.so.1", "libfoo-"), ("1a2b3c4d", "1a2b3c4d"), ("", "")],
)
def test_a_waiver_matches_what_of_the_subject_lasts(subject: str, match: str) -> None:
    (made,) = acceptances([report(finding(subject=subject))], Level.ERROR.rank, "why")
    assert made.waiver.match == match


def test_a_waiver_always_names_a_file_or_a_match() -> None:
    (made,) = acceptances([report(finding("../a.so", ""))], Level.ERROR.rank, "why")
    assert (made.waiver.file, made.waiver.match) == ("", "needs it")


def test_findings_below_the_level_and_waived_ones_are_left_and_like_ones_share_a_waiver() -> None:
    first, second = finding(), finding(message="again")
    found = acceptances([report(first, finding("b.so", level=Level.NOTE)), report(second)], Level.WARNING.rank, "why")
    assert [each.finding for each in found] == [first]


@pytest.mark.parametrize(
    ("having", "lacking", "limits"),
    [
        (tagged("manylinux_2_28_aarch64"), tagged("manylinux_2_28_x86_64"), (("aarch64",), ())),
        (tagged("musllinux_1_2_x86_64"), tagged("manylinux_2_28_x86_64"), ((), ("*-musllinux*",))),
        (tagged("manylinux_2_28_x86_64"), tagged("manylinux_2_28_x86_64", "musllinux_1_2_x86_64"), ((), ())),
        (tagged("musllinux_1_2_aarch64"), tagged("musllinux_1_2_x86_64"), (("aarch64",), ())),
        (tagged("manylinux_2_28_x86_64"), tagged("any"), ((), ())),
    ],
)
def test_a_waiver_is_limited_to_the_kind_of_artifact_that_has_the_finding(
    having: Case, lacking: Case, limits: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    (made,) = acceptances([report(finding(), of=having), report(of=lacking)], Level.ERROR.rank, "why")
    assert (made.waiver.architectures, made.waiver.tags) == limits


def missing(soname: str, *attempts: Attempt) -> Edge:
    return replace(edge(soname, ProviderKind.NONE, None), how=FoundBy.NOT_FOUND, looked_in=attempts)


def test_a_required_distribution_that_is_known_to_bring_a_missing_library_is_suggested() -> None:
    elsewhere = Attempt(place="site-packages/nvidia/cublas/lib", source="DT_RUNPATH", outcome="not in the artifact")
    nowhere = Attempt(place="the platform", source="system search", outcome="no such library")
    needs = (
        missing("libcublas.so.12", elsewhere),
        missing("libcublasLt.so.12", elsewhere),
        missing("libtvm_ffi.so", nowhere),
        missing("libarrow.so.1", nowhere),
        missing("libunknown.so", elsewhere),
    )
    requires = ("nvidia_cublas-cu12==12.1", "apache-tvm-ffi>=0.1")
    subject = case(elf(), libraries=needs, metadata=wheel(requires=requires))
    assert suggested_providers([subject]) == (
        DeclaredProvider(requirement="apache-tvm-ffi", libraries=("libtvm_ffi.so",), how="preloaded"),
        DeclaredProvider(requirement="nvidia-cublas-cu12", libraries=("libcublas.so.12", "libcublasLt.so.12"), how="rpath"),
    )


def test_providers_that_the_policy_has_are_told_once() -> None:
    subject = case(elf(), libraries=(edge("libc10.so", ProviderKind.DECLARED, "torch:libc10.so"),))
    assert used_providers([subject, subject], ()) == ("torch",)
    beside = DeclaredProvider(requirement="torch", libraries=("libc10.so",), how="rpath")
    assert used_providers([subject], (beside,)) == ()


def computed(platform: str | None) -> Case:
    return replace(case(elf()), computed=ComputedPlatform(platform=platform, by_file=(), because=()))


def test_ceilings_are_those_of_the_oldest_tag_that_is_true_of_all_of_an_architecture() -> None:
    (found,) = ceilings([computed("manylinux_2_12_x86_64"), computed("manylinux_2_17_x86_64"), computed(None), tagged("any")])
    assert (found.architecture, found.tag) == ("x86_64", "manylinux_2_17_x86_64")
    assert dict(found.versions)["GLIBC"] == "2.17"
    assert dict(found.versions)["GLIBCXX"] == "3.4.19"


def test_what_is_newer_than_the_tag_is_no_ceiling() -> None:
    (found,) = ceilings([computed("manylinux_2_34_x86_64")])
    assert dict(found.versions)["GLIBC"] == "2.17"


def test_musl_has_no_ceilings() -> None:
    assert ceilings([computed("musllinux_1_2_x86_64")]) == ()
