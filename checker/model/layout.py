"""Where an installer puts a wheel's members (binary distribution format, "Installing a wheel").

Paths are written in an environment of their own, ``/env``, so that run paths can be followed with ``..`` as on a real system.
"""

from __future__ import annotations

import re

from checker.model.record import record
from checker.model.regex import regex

ENVIRONMENT = "/env"

_DATA = regex(r"[^/]+\.data/([a-z]+)/(.+)", re.DOTALL)


@record
class Layout:
    """The installed layout for one Python version.

    Attributes:
        python: folder name under ``lib``, such as ``python3.11``.
    """

    python: str = "python3"

    @property
    def site_packages(self) -> str:
        """Where purelib and platlib members go."""
        return f"{ENVIRONMENT}/lib/{self.python}/site-packages"

    def installed(self, member: str) -> str:
        """The absolute path at which a member lands."""
        found = _DATA.fullmatch(member)
        if found is None:
            return f"{self.site_packages}/{member}"
        scheme, rest = found.groups()
        if scheme in {"purelib", "platlib"}:
            return f"{self.site_packages}/{rest}"
        if scheme == "scripts":
            return f"{ENVIRONMENT}/bin/{rest}"
        if scheme == "headers":
            return f"{ENVIRONMENT}/include/{self.python}/{rest}"
        return f"{ENVIRONMENT}/{rest}"

    def shown(self, path: str) -> str:
        """An installed path for people: below ``site-packages`` or below the environment's root."""
        for prefix, name in ((self.site_packages, "site-packages"), (ENVIRONMENT, "<environment>")):
            if path == prefix:
                return name
            if path.startswith(prefix + "/"):
                return name + path[len(prefix) :]
        return path


def normalized(path: str) -> str:
    """``posixpath.normpath`` without its import: ``.`` and ``..`` resolved in the text, as for ``$ORIGIN/../lib``.

    The kernel resolves them after symbolic links; a wheel has none, so the text is the truth.
    """
    parts: list[str] = []
    for part in path.split("/"):
        if part in {"", "."}:
            continue
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".." or not path.startswith("/"):
            parts.append(part)
    joined = "/".join(parts)
    return "/" + joined if path.startswith("/") else joined or "."
