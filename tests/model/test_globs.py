"""The dialect of path globs."""

from __future__ import annotations

import time

import pytest

from checker.model.globs import any_match, literal, matches


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("a.so", "a.so", True),
        ("a.so", "b/a.so", False),
        ("*.so", "a.so", True),
        ("*.so", "b/a.so", False),
        ("**/*.so", "a.so", True),
        ("**/*.so", "b/a.so", True),
        ("**/*.so", "b/c/d/a.so", True),
        ("**/*.so", "b/a.so.1", False),
        ("**", "a", True),
        ("**", "a/b/c", True),
        ("**", "", False),
        ("a/**", "a/b", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("a/**", "ab/c", False),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/b/c/z", True),
        ("a/**/z", "a/b/zz", False),
        ("**/bin/*", "x/data/bin/flatc", True),
        ("**/bin/*", "bin/flatc", True),
        ("**/bin/*", "x/bin/deep/flatc", False),
        ("**/bin/**", "x/bin/deep/flatc", True),
        ("**/a/**/b/**/c", "a/b/c", True),
        ("**/a/**/b/**/c", "x/a/x/b/x/c", True),
        ("**/a/**/b/**/c", "x/b/x/a/x/c", False),
        ("**/a*b/c", "ab/axb/c", True),
        ("**/**/x", "a/x", True),
        ("?.so", "a.so", True),
        ("?.so", ".so", False),
        ("a?b", "a/b", False),
        ("a*b", "a/b", False),
        ("a**b", "axxb", True),
        ("a**b", "a/b", False),
        ("*a*b*c*", "xaxbxc", True),
        ("*a*b*c*", "xaxcxb", False),
        ("*ab", "aab", True),
        ("*ab*ab", "ab", False),
        ("*ab*ab", "abab", True),
        ("lib[ab].so", "liba.so", True),
        ("lib[a-c].so", "libb.so", True),
        ("lib[!a-c].so", "libd.so", True),
        ("lib[!a-c].so", "libb.so", False),
        ("lib[!a]so", "lib/so", False),
        ("lib[]].so", "lib].so", True),
        ("lib[*].so", "lib*.so", True),
        ("lib[*].so", "libx.so", False),
        ("lib[.so", "lib[.so", True),
        ("lib[z-a].so", "libb.so", False),
        ("a+(b).so", "a+(b).so", True),
        ("A.so", "a.so", False),
        ("*.so", "a\nb.so", True),
        ("*.so", "a.so\n", False),
        ("libc10*.so", "libc10_cuda.so", True),
        ("outer.whl!/**/*.o", "outer.whl!/inner.a!/x.o", True),
    ],
)
def test_a_glob_names_exactly_these_paths(glob: str, path: str, *, expected: bool) -> None:
    assert matches(glob, path) is expected


@pytest.mark.parametrize("path", ["a/b.so", "a[1]/*.so", "[!x]?", "**", "a]"])
def test_a_literal_names_its_own_path_alone(path: str) -> None:
    assert matches(literal(path), path)
    assert not matches(literal(path), "a1/b.so")


def test_any_match_is_false_for_no_globs_and_true_for_one_that_names_the_path() -> None:
    assert not any_match((), "a.so")
    assert any_match(("b.so", "*.so"), "a.so")


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a*a*a*a*a*a*a*b", "a" * 20_000),
        ("**/a/**/a/**/a/**/a/**/b", "a/" * 20_000 + "c"),
        ("**/*a*a*a*b/**/c", "a" * 10_000 + "/" + "a/" * 5_000 + "c"),
    ],
)
def test_a_hostile_path_cannot_make_matching_slow(glob: str, path: str) -> None:
    started = time.process_time()
    assert not matches(glob, path)
    assert time.process_time() - started < 2
