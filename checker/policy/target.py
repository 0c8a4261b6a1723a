"""What ``[target]`` may name."""

from __future__ import annotations

import re

from checker.model.platform import is_path

_ARCHITECTURE = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"
_PLATFORM = re.compile(
    rf"from-tag|(?:manylinux(?:1|2010|2014|_\d+_\d+)|musllinux_\d+_\d+)_{_ARCHITECTURE}|"
    rf"glibc-\d+\.\d+-{_ARCHITECTURE}|musl-\d+\.\d+\.\d+-{_ARCHITECTURE}"
)
_PYTHON = re.compile(r"from-tag|(?:cp|pp)\d{2,3}t?")


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
