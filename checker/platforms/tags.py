"""Platform tags and exact platforms as text."""

from __future__ import annotations

from checker.model.platform import PlatformId
from checker.model.regex import regex

LEGACY = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
"""The aliases that PEP 600 gives to the older tags (PEP 513, 571, 599)."""

_TAG = regex(r"(?:(manylinux1|manylinux2010|manylinux2014)|(manylinux|musllinux)_(\d{1,4})_(\d{1,4}))_([a-z0-9_]+)")
_EXACT = regex(r"(glibc|musl)-(\d{1,4}(?:\.\d{1,4}){1,2})-([a-z0-9_]+)")
_SYSTEMS = {
    "win": "Windows",
    "macosx": "macOS",
    "android": "Android",
    "ios": "iOS",
    "emscripten": "Emscripten",
    "pyemscripten": "Pyodide",
    "pyodide": "Pyodide",
    "wasi": "WASI",
    "freebsd": "FreeBSD",
    "openbsd": "OpenBSD",
    "netbsd": "NetBSD",
    "solaris": "Solaris",
}
"""Systems other than Linux, by the first word of their tags (PEP 425, 730, 738, 783)."""
_OTHER = regex(rf"(?:any|win32|linux_\w+|(?P<system>{'|'.join(_SYSTEMS)})_[a-z0-9_.]+)")


def other_system(tag: str) -> str | None:
    """The system that a platform tag names where that is not Linux: ``Windows`` for ``win_amd64``."""
    found = _OTHER.fullmatch(tag)
    if tag == "win32":
        return "Windows"
    return _SYSTEMS[found["system"]] if found is not None and found["system"] else None


def parse_platform(text: str) -> PlatformId | None:
    """Reads a platform tag or the name of an exact platform.

    A tag (``manylinux_2_17_x86_64``, ``manylinux2014_x86_64``, ``musllinux_1_2_aarch64``) gives the oldest platform that it
    promises. An exact platform is written ``glibc-2.36-x86_64`` or ``musl-1.2.5-x86_64``.

    Returns:
        The platform, or ``None`` for a tag that names no Linux C library (``any``, ``linux_x86_64``, macOS, Windows, Android,
        iOS …).

    Raises:
        ValueError: it is neither; the message says what is expected.
    """
    exact = _EXACT.fullmatch(text)
    if exact is not None:
        return PlatformId(family=exact[1], release=tuple(map(int, exact[2].split("."))), architecture=exact[3])
    tag = _TAG.fullmatch(text)
    if tag is not None:
        legacy, kind, major, minor, architecture = tag.groups()
        release = LEGACY[legacy] if legacy else (int(major), int(minor))
        return PlatformId(family="musl" if kind == "musllinux" else "glibc", release=release, architecture=architecture)
    if _OTHER.fullmatch(text):
        return None
    raise ValueError(
        f"unknown platform {text!r}: expected a tag such as manylinux_2_28_x86_64 or musllinux_1_2_aarch64, "
        "or one exact release such as glibc-2.36-x86_64 or musl-1.2.5-x86_64"
    )
