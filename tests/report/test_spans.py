from __future__ import annotations

import pytest

from checker.model.platform import PlatformId
from checker.report.spans import spans


def glibc(*minors: int, architecture: str = "x86_64") -> list[PlatformId]:
    return [PlatformId(family="glibc", release=(2, minor), architecture=architecture) for minor in minors]


@pytest.mark.parametrize(
    ("held", "judged", "told"),
    [
        ((36,), (36,), "on glibc-2.36-x86_64"),
        ((17, 43), (17, 43), "on glibc-2.17-x86_64 and later"),
        ((17,), (17, 34, 43), "before glibc-2.34-x86_64"),
        ((34, 43), (17, 34, 43), "from glibc-2.34-x86_64 on"),
        ((30,), (17, 30, 34), "from glibc-2.30-x86_64 until before glibc-2.34-x86_64"),
        ((17, 34), (17, 30, 34), "before glibc-2.30-x86_64 and from glibc-2.34-x86_64 on"),
        ((), (17, 34), ""),
        ((36,), (), "on glibc-2.36-x86_64"),
    ],
)
def test_what_holds_on_one_release_holds_until_the_next_judged(
    held: tuple[int, ...], judged: tuple[int, ...], told: str
) -> None:
    assert spans(glibc(*held), glibc(*judged)) == told


def test_each_architecture_and_c_library_is_told_by_itself() -> None:
    arm = glibc(17, 43, architecture="aarch64")
    musl = [PlatformId(family="musl", release=(1, 2, 5), architecture="x86_64")]
    told = spans([*glibc(17, 43), arm[1], *musl], [*glibc(17, 43), *arm, *musl])
    assert told == "from glibc-2.43-aarch64 on and on glibc-2.17-x86_64 and later and on musl-1.2.5-x86_64"
