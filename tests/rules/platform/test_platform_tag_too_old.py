from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.elf import Machine, Use
from checker.rules.platform.platform_tag_too_old import RULE
from tests.rules.builders import MODULE, ask, case, computed, edge, elf, identity, promise, told, version_need

NEW = elf(
    version_needs=(version_need("libc.so.6", b"GLIBC_2.2.5", b"GLIBC_2.34"),),
    imports=[(b"pthread_once", 3, Use.JUMP_SLOT), (b"free", 2, Use.JUMP_SLOT)],
)


def test_a_newer_version_fires_once_for_the_file_with_symbols_and_the_true_tag() -> None:
    (found,) = told(RULE, case(NEW))
    assert (found.file, found.subject) == (MODULE, "GLIBC_2.34")
    for word in ("GLIBC_2.34 (pthread_once)", "manylinux_2_17_x86_64", "manylinux_2_34_x86_64 would be true"):
        assert word in found.message
    assert ("symbols", ("pthread_once@GLIBC_2.34 of libc.so.6",)) in found.evidence
    assert "free" not in found.message


def test_the_computed_tag_is_the_one_told() -> None:
    (found,) = told(RULE, case(NEW, computed=computed(MODULE, "manylinux_2_35_x86_64")))
    assert "manylinux_2_35_x86_64 would be true" in found.message


def test_a_new_tag_is_advised_only_in_place_of_one_of_the_wheel() -> None:
    (tagged,) = told(RULE, case(NEW))
    assert tagged.remedy.endswith("wheel tags --remove --platform-tag manylinux_2_34_x86_64 WHEEL")
    (asked,) = told(RULE, case(NEW, promises=(promise("manylinux_2_12_x86_64"),)))
    assert "wheel tags" not in asked.remedy
    assert "manylinux_2_34_x86_64 would be true" in asked.message


def test_of_one_system_that_was_asked_about_no_tag_is_spoken_of() -> None:
    image = promise("bookworm.platform")
    (asked,) = told(RULE, case(NEW, promises=(image,)))
    assert asked.message == "needs GLIBC_2.34 (pthread_once), newer than bookworm.platform has"
    assert asked.remedy == "Build it on bookworm.platform or an older system, or run it on glibc 2.34 or later"
    runtime = elf(version_needs=(version_need("libstdc++.so.6", b"GLIBCXX_3.4.29"),))
    (asked,) = told(RULE, case(runtime, promises=(image,)))
    assert "-static-libstdc++" in asked.remedy
    assert "auditwheel" not in asked.remedy


def test_the_cxx_runtime_has_a_ceiling_of_its_own() -> None:
    needs = (version_need("libstdc++.so.6", b"GLIBCXX_3.4.29", b"GLIBCXX_3.4.9"),)
    (found,) = told(RULE, case(elf(version_needs=needs)))
    assert found.subject == "GLIBCXX_3.4.29"
    assert "GLIBCXX_3.4.9" not in found.message
    assert "-static-libstdc++" in found.remedy


def test_the_newest_of_each_namespace_is_shown_first() -> None:
    needs = (
        version_need("libc.so.6", b"GLIBC_2.18", b"GLIBC_2.33", b"GLIBC_2.32", b"GLIBC_2.25"),
        version_need("libstdc++.so.6", b"GLIBCXX_3.4.20", b"GLIBCXX_3.4.29"),
    )
    (found,) = told(RULE, case(elf(version_needs=needs)))
    assert found.subject == "GLIBC_2.33"
    assert "needs GLIBC_2.33, GLIBCXX_3.4.29, GLIBC_2.32 and 3 more" in found.message


def test_a_marker_of_libc_counts_as_its_release() -> None:
    (found,) = told(RULE, case(elf(version_needs=(version_need("libc.so.6", b"GLIBC_ABI_DT_RELR"),))))
    assert "manylinux_2_36_x86_64" in found.message


def test_what_the_artifact_supplies_what_is_weak_and_what_is_old_are_silent() -> None:
    bundled = elf(version_needs=(version_need("libstdc++.so.6", b"GLIBCXX_3.4.30"),))
    supplied = (edge("libstdc++.so.6", ProviderKind.MEMBER, "pkg/libstdc++.so.6"),)
    assert told(RULE, case(bundled, libraries=supplied)) == []
    assert told(RULE, case(elf(version_needs=(version_need("libc.so.6", b"GLIBC_2.34", weak=True),)))) == []
    assert told(RULE, case(elf(version_needs=(version_need("libc.so.6", b"GLIBC_2.17", b"GLIBC_PRIVATE"),)))) == []


def test_unknown_namespaces_and_other_machines_are_left_to_other_rules() -> None:
    assert told(RULE, case(elf(version_needs=(version_need("libssl.so.3", b"OPENSSL_3.0.0"),)))) == []
    foreign = identity(machine=Machine.EM_AARCH64)
    assert told(RULE, case(elf(identity=foreign, version_needs=(version_need("libc.so.6", b"GLIBC_2.34"),)))) == []


def test_musl_promises_no_versions() -> None:
    assert told(RULE, case(NEW, promises=(promise("musllinux_1_2_x86_64", family="musl"),))) == []


def test_without_data_glibc_is_compared_and_the_rest_could_not_be() -> None:
    answers = ask(RULE, case(NEW, promises=(promise(known=False),)))
    assert [type(each) is ReadProblem for each in answers] == [False, True]
