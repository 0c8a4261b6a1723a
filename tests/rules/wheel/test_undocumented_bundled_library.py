from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import Document, FileKind, ReadProblem
from checker.rules.wheel.undocumented_bundled_library import RULE
from tests.rules.builders import ask, case, member, told, wheel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checker.model.case import Case

INFO = "pkg-1.0.dist-info"
CRYPTO = "pkg.libs/libcrypto-1a2b3c4d.so.1.1.1k"
LICENSE = f"{INFO}/licenses/THIRD-PARTY.txt"
SBOM = f"{INFO}/sboms/auditwheel.cdx.json"


def cyclonedx(*names: str, about: str = "pkg") -> bytes:
    """As auditwheel writes it: the wheel itself is listed once more."""
    wheel_itself = {"type": "library", "bom-ref": "pkg:pypi/pkg", "name": about}
    components = [
        wheel_itself,
        *({"bom-ref": f"#{name}", "name": name, "purl": f"pkg:rpm/almalinux/{name}@1"} for name in names),
    ]
    return json.dumps({"bomFormat": "CycloneDX", "metadata": {"component": wheel_itself}, "components": components}).encode()


def asked(*libraries: str, documents: Mapping[str, bytes | None] | None = None) -> Case:
    held = tuple(Document(path=path, content=content) for path, content in (documents or {}).items())
    members = [member(path, kind=FileKind.ELF) for path in libraries]
    return case(members=[*members, member("pkg.libs/notes.txt")], metadata=wheel(documents=held))


def missing(made: Case, **parameters: bool | tuple[str, ...]) -> dict[str, object]:
    return {found.file: dict(found.evidence)["missing"] for found in told(RULE, made, **parameters)}


def test_a_wheel_that_bundles_nothing_is_silent() -> None:
    assert missing(asked("pkg/_core.so", "pkg/libown.so")) == {}


def test_a_library_that_both_speak_of_is_silent() -> None:
    documents = {LICENSE: b"OpenSSL is under the Apache License 2.0", SBOM: cyclonedx("openssl-libs")}
    assert missing(asked(CRYPTO, documents=documents)) == {}


def test_what_is_missing_is_told_for_each_library() -> None:
    documents = {LICENSE: b"OpenSSL and nobody else", SBOM: cyclonedx("libfoo")}
    found = missing(asked(CRYPTO, "pkg.libs/libfoo-99999999.so.1", "pkg.libs/libbar.so", documents=documents))
    assert found == {
        CRYPTO: ("SBOM entry",),
        "pkg.libs/libfoo-99999999.so.1": ("license text",),
        "pkg.libs/libbar.so": ("license text", "SBOM entry"),
    }


def test_each_half_can_be_left_out() -> None:
    assert missing(asked(CRYPTO), sbom=False) == {CRYPTO: ("license text",)}
    assert missing(asked(CRYPTO), license=False) == {CRYPTO: ("SBOM entry",)}


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("pkg.libs/libjpeg-6dc8d115.so.62.4.0", "libjpeg-turbo"),
        ("pkg.libs/libz-1a2b3c4d.so.1", "zlib"),
        ("pkg.libs/libpng16-1d1ba958.so.16", "libpng"),
        ("pkg.libs/libgfortran-040039e1-0352e75f.so.5", "GCC"),
        ("pkg.libs/libscipy_openblas64_-32a4b2a6.so", "OpenBLAS"),
        ("pkg/.libs/libXau-154567c4.so.6.0.0", "libXau"),
        ("pkg/libthing-0a0b0c0d.so", "Thing"),
    ],
)
def test_a_library_is_found_by_its_name_and_its_projects(path: str, word: str) -> None:
    assert missing(asked(path, documents={LICENSE: f"The license of {word}.".encode(), SBOM: cyclonedx(word)})) == {}
    assert missing(asked(path, documents={LICENSE: f"not{word}x".encode(), SBOM: cyclonedx("other")})) != {}


def test_the_wheels_own_component_is_no_entry_for_a_library_of_its_name() -> None:
    documents = {LICENSE: b"ldap", SBOM: cyclonedx(about="ldap")}
    assert missing(asked("pkg.libs/libldap-1a2b3c4d.so.2", documents=documents)) == {
        "pkg.libs/libldap-1a2b3c4d.so.2": ("SBOM entry",)
    }


def test_components_within_components_and_spdx_packages_count() -> None:
    nested = json.dumps({"components": [{"name": "bundle", "components": [{"name": "openssl"}]}]}).encode()
    spdx = json.dumps({"spdxVersion": "SPDX-2.3", "packages": [{"name": "openssl"}]}).encode()
    tags = b"PackageName: openssl\n"
    for path, content in ((SBOM, nested), (SBOM, spdx), (f"{INFO}/sboms/all.spdx", tags)):
        assert missing(asked(CRYPTO, documents={path: content}), license=False) == {}


def test_libraries_that_the_policy_names_are_bundled_too() -> None:
    assert missing(asked("pkg/lib/libvendor.so"), libraries=("pkg/lib/*",)) != {}


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        (SBOM, None, "it was not read"),
        (SBOM, b"{", "it is no JSON"),
        (SBOM, b"[" * 100_000, "nested too deeply"),
        (SBOM, b'{"a": ' + b"9" * 10_000 + b"}", "it is no JSON"),
        (SBOM, b"[]", "neither CycloneDX nor SPDX"),
        (LICENSE, None, "it was not read"),
    ],
)
def test_where_a_document_cannot_be_read_silence_proves_nothing(path: str, content: bytes | None, reason: str) -> None:
    (answer,) = ask(RULE, asked(CRYPTO, documents={path: content}), license=path == LICENSE, sbom=path == SBOM)
    assert isinstance(answer, ReadProblem)
    assert (answer.file, reason in answer.reason) == (path, True)


def test_odd_values_in_a_strangers_file_do_no_harm() -> None:
    odd = {"components": [None, 7, {"name": None, "components": {"name": "x"}}, {"purl": ["openssl"]}], "metadata": []}
    assert missing(asked(CRYPTO, documents={SBOM: json.dumps(odd).encode()}), license=False) == {}
