"""Which platforms define a symbol, on baselines made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import checker.platforms
from checker.cli.supplies import supplies
from checker.model.case import Promise
from checker.model.platform import PlatformId
from tests.report import builders as build

RELEASES = tuple(PlatformId(family="glibc", release=(2, minor), architecture="x86_64") for minor in (17, 28, 34))


class Baseline:
    """A platform by the sonames that define ``pthread_create``, in one version each."""

    def __init__(self, platform: PlatformId, definers: dict[str, str]) -> None:
        self.id = platform
        self._definers = definers

    def definers(self, name: bytes) -> tuple[str, ...]:
        """Of the one symbol that it knows."""
        return tuple(sorted(self._definers)) if name == b"pthread_create" else ()

    def library(self, soname: str) -> Any:  # noqa: ANN401
        """A library of one entry."""
        entry = SimpleNamespace(version=self._definers[soname].encode() or None, defined=True)
        return SimpleNamespace(definitions=lambda _name: (entry,))


def told(monkeypatch: pytest.MonkeyPatch, *contents: dict[str, str] | None) -> list[tuple[str, tuple[str, ...], str]]:
    made: list[Any] = [Baseline(one, held) if held is not None else None for one, held in zip(RELEASES, contents, strict=True)]
    baselines = dict(zip(RELEASES, made, strict=True))
    monkeypatch.setattr(checker.platforms, "baseline", lambda platform, _tag: baselines[platform])
    monkeypatch.setattr(checker.platforms, "releases", lambda _family, _architecture: tuple(one.release for one in RELEASES))
    promise = Promise(tag="manylinux_2_17_x86_64", oldest=RELEASES[0], judged=RELEASES, baseline=made[0])
    rows = supplies(build.case(promises=(promise,)), "pthread_create")
    return [(row.library, row.versions, row.platforms) for row in rows]


def test_a_symbol_that_moved_is_told_with_its_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    old = {"libpthread.so.0": "GLIBC_2.2.5"}
    assert told(monkeypatch, old, old, {"libc.so.6": "GLIBC_2.34"}) == [
        ("libc.so.6", ("GLIBC_2.34",), "from glibc-2.34-x86_64 on"),
        ("libpthread.so.0", ("GLIBC_2.2.5",), "up to glibc-2.28-x86_64"),
    ]


def test_a_symbol_that_is_everywhere_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    always = {"libc.so.6": ""}
    assert told(monkeypatch, always, always, always) == [("libc.so.6", (), "on glibc-2.17-x86_64 and later")]


def test_a_symbol_that_comes_and_goes_is_told_release_by_release(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {"libx.so.1": "X_1"}
    assert told(monkeypatch, here, {}, here)[0][2] == "on glibc-2.17-x86_64, glibc-2.34-x86_64"


def test_a_platform_that_is_not_known_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, None, {"libx.so.1": "X_1"}, {})[0][2] == "up to glibc-2.28-x86_64"
    assert told(monkeypatch, None, None, None) == []


@pytest.mark.parametrize(
    ("tag", "where"),
    [("manylinux_2_27_x86_64", "as manylinux_2_27_x86_64 promises it"), ("glibc-2.17-x86_64", "in the newest build known")],
)
def test_of_a_library_beside_the_c_library_no_release_of_that_is_told(tag: str, where: str) -> None:
    oldest = checker.platforms.parse_platform(tag)
    assert oldest is not None
    promise = Promise(tag=tag, oldest=oldest, judged=(oldest,), baseline=checker.platforms.baseline(oldest, tag))
    case = build.case(promises=(promise,))
    (found,) = supplies(case, "_ZNSt15__exception_ptr13exception_ptrC1EPv")
    assert (found.library, found.versions, found.platforms) == ("libstdc++.so.6", ("CXXABI_1.3.11",), where)
    assert "glibc-2.34-x86_64" in {row.platforms.split()[1] for row in supplies(case, "pthread_once")}
