"""What core metadata may say: what is taken as ordinary must be right, and the rest is asked of packaging."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from checker.rules import core_metadata
from checker.rules.core_metadata import faults, metadata_version

ORDINARY = (
    ("Metadata-Version", "2.1"),
    ("Summary", "one line"),
    ("Description-Content-Type", "text/markdown; charset=UTF-8; variant=GFM"),
    ("Description-Content-Type", "text/x-rst"),
    ("Description-Content-Type", "UNKNOWN"),
    ("Requires-Python", ">=3.9,<4,!=3.10.*"),
    ("Requires-Python", ""),
    ("Provides-Extra", "a.b-c"),
    ("License-Expression", "MPL-2.0 AND (Apache-2.0 OR MIT)"),
    ("License-File", "LICENSES/MIT.txt"),
    ("Dynamic", "Requires-Dist"),
    ("Requires-Dist", "numpy"),
    ("Requires-Dist", "foo[a, b] (>=1.0,!=1.5.*) ; extra == 'test'"),
    ("Requires-Dist", "cffi>=2.0.0b; (implementation_name != \"pypy\" and python_version >= '3.14') and extra == \"x\""),
    ("Requires-Dist", 'a~=1.4 ; (sys_platform == "linux" or (os_name == "nt" and python_version < "3")) and extra == "a"'),
    ("Requires-Dist", "a==1.0rc1,>2.post3 ; platform_machine not in 'x86 arm'"),
    ("Nobody-Knows", "this"),
)  # fmt: skip


@pytest.mark.parametrize(("field", "value"), ORDINARY)
def test_ordinary_values_are_right_and_packaging_is_not_asked(field: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise AssertionError("packaging was asked")

    monkeypatch.setattr(core_metadata, "_ask", refuse)
    assert faults([(field, value)]) == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("Requires-Dist", "a @ https://example.org/a.whl"),
        ("Requires-Dist", "a===foo"),
        ("Requires-Dist", """a ; "3" < python_version"""),
        ("Requires-Dist", "a==1!2+local.1"),
        ("Requires-Python", ">=3.8.0b1.dev2"),
        ("License-Expression", "GPL-3.0-or-later WITH Classpath-exception-2.0"),
        ("License-Expression", "LicenseRef-Own"),
    ],
)
def test_unusual_values_that_packaging_takes_are_right(field: str, value: str) -> None:
    assert faults([(field, value)]) == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("Metadata-Version", "3.0"),
        ("Metadata-Version", "two"),
        ("Metadata-Version", "9999999999999.1"),
        ("Summary", "two\nlines"),
        ("Description-Content-Type", "text/html"),
        ("Description-Content-Type", "text/markdown; variant=Foo"),
        ("Description-Content-Type", "text/plain; charset=latin-1"),
        ("Requires-Python", ">=3.6.*"),
        ("Requires-Python", "3.6"),
        ("Provides-Extra", ":python_version < '3'"),
        ("Provides-Extra", ""),
        ("License-Expression", "MIT License"),
        ("License-Expression", ""),
        ("License-File", "../LICENSE"),
        ("License-File", "C:\\LICENSE"),
        ("Dynamic", "Version"),
        ("Requires-Dist", "foo >= 1.*"),
        ("Requires-Dist", "foo (>dev)"),
        ("Requires-Dist", "foo bar"),
        ("Requires-Dist", "foo ()x"),
        ("Requires-Dist", "foo ; extra = 'x'"),
        ("Requires-Dist", ""),
        ("Requires-Dist", "foo\n>=1"),
    ],
)
def test_wrong_values_are_told_with_a_reason(field: str, value: str) -> None:
    (fault,) = faults([(field, value)])
    assert (fault.field, fault.value, fault.unchecked) == (field, value, False)
    assert fault.reason
    assert "\n" not in fault.reason


def test_a_deeply_nested_marker_is_answered() -> None:
    value = f"a ; {'(' * 2000}'x' == extra{')' * 2000}"
    assert all(fault.value == value for fault in faults([("Requires-Dist", value)]))


def test_equal_headers_are_told_once() -> None:
    assert len(faults([("Provides-Extra", "-"), ("Provides-Extra", "-"), ("provides-extra", "+")])) == 2


def test_too_long_and_too_many_unusual_values_are_not_checked_and_told_so() -> None:
    (long,) = faults([("Requires-Dist", "a" * 5000)])
    assert long.unchecked
    many = faults([("Requires-Dist", f"a @ file:///{number}") for number in range(600)])
    assert [fault.unchecked for fault in many] == [True] * 100


def test_the_version_of_the_standard() -> None:
    assert metadata_version([("metadata-version", "2.4"), ("Metadata-Version", "1.0")]) == (2, 4)
    assert metadata_version([("Metadata-Version", "2")]) is None
    assert metadata_version([]) is None


WORDS = [
    "foo", "a-b", "x.", "[", "x", "]", "y", ",", "(", ")", ">=", "==", "~=", "!=", "<", "===", "1", "1.0", "2.*", "1.0rc1",
    ".dev1", "1b", "rc", " ", ";", "extra", " == ", '"x"', "'y'", " and ", " or ", "python_version", '"3.8"', " in ",
    " not in ", "0", "dev", "post1", ".*", "1!2", "+l", "\u0663",
]  # fmt: skip
LICENSES = ["MIT", "Apache-2.0", " AND ", " OR ", "(", ")", " ", "mit", " WITH ", "and"]


@settings(max_examples=1000, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
def test_nothing_that_packaging_refuses_is_ordinary(words: list[str]) -> None:
    for text in ("".join(words), "foo" + "".join(words)):
        if core_metadata.is_ordinary_requirement(text):
            assert Requirement(text) is not None
        if core_metadata.is_ordinary_specifier_set(text):
            assert SpecifierSet(text) is not None


@settings(max_examples=500, deadline=None)
@given(words=st.lists(st.sampled_from(LICENSES), min_size=1, max_size=8))
def test_no_license_that_packaging_refuses_is_ordinary(words: list[str]) -> None:
    text = "".join(words)
    if core_metadata.is_ordinary_license(text):
        assert canonicalize_license_expression(text)


@pytest.mark.parametrize(
    ("parse", "error", "value"),
    [
        (Requirement, InvalidRequirement, "a >= 1.*"),
        (SpecifierSet, InvalidSpecifier, "3"),
        (canonicalize_license_expression, InvalidLicenseExpression, "MIT License"),
    ],
)
def test_packaging_says_no_by_the_errors_that_are_caught(parse: object, error: type[Exception], value: str) -> None:
    with pytest.raises(error):
        parse(value)  # type: ignore[operator]


def test_an_ordinary_file_does_not_import_packaging() -> None:
    code = (
        f"import sys; from checker.rules.core_metadata import faults; print(faults({ORDINARY!r}), 'packaging' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout == "() False\n"
