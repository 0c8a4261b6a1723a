"""What ``[target]`` and the globs and names of ``[[override]]`` and ``[[waiver]]`` may say."""

from __future__ import annotations

import re

from checker.model.elf import ARCHITECTURES
from checker.model.platform import is_path
from checker.model.regex import regex
from checker.policy.problems import hint

_ARCHITECTURE = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"
_PLATFORM = regex(
    rf"from-tag|(?:manylinux(?:1|2010|2014|_\d+_\d+)|musllinux_\d+_\d+)_{_ARCHITECTURE}|"
    rf"glibc-\d+\.\d+-{_ARCHITECTURE}|musl-\d+\.\d+\.\d+-{_ARCHITECTURE}"
)
_PYTHON = regex(r"from-tag|(?:cp|pp)\d{2,3}t?")


def check_platform(text: str) -> str:
    """The text, when it can name a platform.

    Raises:
        ValueError: it cannot.
    """
    if _PLATFORM.fullmatch(text) is None and not is_path(text):
        raise ValueError(
            f'"{text}" names no platform: write "from-tag", a platform tag such as "manylinux_2_28_x86_64", '
            'one release such as "glibc-2.36-x86_64" or "musl-1.2.5-x86_64", or a platform file such as "debian.platform"'
        )
    return text


def check_python(text: str) -> str:
    """The text, when it can name a Python.

    Raises:
        ValueError: it cannot.
    """
    if _PYTHON.fullmatch(text) is None and not is_path(text):
        raise ValueError(
            f'"{text}" names no Python: write "from-tag", an interpreter tag such as "cp311", '
            'or a platform file such as "debian.platform"'
        )
    return text


def check_glob(text: str) -> str:
    """The text, when it can match the path of a member.

    Raises:
        ValueError: it cannot.
    """
    if not text:
        raise ValueError("an empty glob matches nothing")
    if "\\" in text:
        raise ValueError(f'"{text}" matches nothing: member paths have "/" between their parts, on every system')
    if text.startswith("/") or set(text.split("/")) & {".", ".."} or "//" in text:
        raise ValueError(f'"{text}" matches nothing: member paths are relative and plain, such as "package/lib/x.so"')
    return text


_OTHER_NAMES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64", "i386": "i686", "x86": "i686", "arm": "armv7l"}
"""What other tools call an architecture."""


def check_architecture(text: str) -> str:
    """The text, when it is an architecture that a platform tag can name.

    Raises:
        ValueError: it is none.
    """
    known = sorted(set(ARCHITECTURES.values()))
    if text not in known:
        other = _OTHER_NAMES.get(text.lower())
        near = f'; did you mean "{other}"?' if other else hint(text, known) or f"; there are: {', '.join(known)}"
        raise ValueError(f'"{text}" is no architecture of a platform tag{near}')
    return text


def check_tag_glob(text: str) -> str:
    """The text, when it can match a compatibility tag.

    Raises:
        ValueError: it cannot.
    """
    dashes = re.sub(r"\[[^]]*\]", "", text).count("-")
    if "/" in text or dashes > 2 or (dashes < 2 and "*" not in text):  # noqa: PLR2004 - python-abi-platform
        plain = text.replace("/", "").rpartition("-")[2]
        raise ValueError(
            f'"{text}" matches no tag: a tag is python-abi-platform, such as cp311-cp311-manylinux_2_28_x86_64; '
            f'a glob over platforms alone begins with "*-", such as "*-{plain or "musllinux_*"}"'
        )
    return text
