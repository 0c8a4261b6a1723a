"""Version needs are taken apart once, however many of them are asked after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.elf import NeededVersion, VersionNeed
from checker.rules import platform_needs
from checker.rules.platform_needs import PlatformNeeds
from checker.rules.versions import parsed
from tests.report import builders as build

if TYPE_CHECKING:
    import pytest

    from checker.rules.versions import Release


def test_each_version_need_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart: list[bytes] = []

    def counted(version: bytes) -> tuple[str, Release] | None:
        taken_apart.append(version)
        return parsed(version)

    monkeypatch.setattr(platform_needs, "parsed", counted)
    names = [b"GLIBC_2.%d" % number for number in range(2, 200)]
    versions = tuple(NeededVersion(name=name, hash=0, weak=False, index=2, hidden=False) for name in names)
    facts = build.facts(version_needs=(VersionNeed(file="libc.so.6", versions=versions),))
    needs = PlatformNeeds(build.case(objects=(facts,)))
    beyond = [name for name in names if needs.is_beyond_tag(facts, "libc.so.6", name)]
    assert beyond == names[names.index(b"GLIBC_2.18") :]
    assert taken_apart == names
