"""What each platform tag promises, read from the policy files of the installed auditwheel.

Only its JSON files are read: importing auditwheel would cost more than a whole check of a small wheel.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path

Release = tuple[int, ...]

FILES = {"glibc": "manylinux-policy.json", "musl": "musllinux-policy.json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One policy: what every system with that tag has.

    Attributes:
        tag: without architecture, such as ``manylinux_2_17``.
        aliases: such as ``manylinux2014``.
        release: ``(2, 17)``.
        libraries: sonames that a wheel may rely on, those of the C library included.
        versions: architecture → namespace → the version numbers or words that it covers: ``{"x86_64": {"GLIBCXX": {"3.4", …}}}``.
        private: soname → symbols that some build of that library exports and others do not.
    """

    tag: str
    aliases: tuple[str, ...]
    release: Release
    libraries: frozenset[str]
    versions: dict[str, dict[str, frozenset[str]]]
    private: dict[str, frozenset[str]]

    def ceiling(self, architecture: str, namespace: str) -> Release | None:
        """The newest numbered version of a namespace; ``None`` where the policy does not know it."""
        words = self.versions.get(architecture, {}).get(namespace, frozenset())
        numbers = [tuple(map(int, word.split("."))) for word in words if word.replace(".", "").isdigit()]
        return max(numbers, default=None)

    def covers(self, architecture: str, version: bytes) -> bool:
        """The promise covers a version node such as ``GLIBCXX_3.4.19``; a namespace that the policy does not know is not limited."""
        namespace, _, word = version.decode("ascii", "replace").partition("_")
        known = self.versions.get(architecture, {}).get(namespace)
        return known is None or word in known


@lru_cache(maxsize=None)
def promises(family: str) -> tuple[Promise, ...]:
    """All policies of a C library, oldest first.

    Raises:
        FileNotFoundError: auditwheel is not installed.
    """
    raw = json.loads(_folder().joinpath(FILES[family]).read_bytes())
    found = (
        Promise(
            tag=policy["name"],
            aliases=tuple(policy["aliases"]),
            release=tuple(map(int, policy["name"].split("_")[1:])),
            libraries=frozenset(policy["lib_whitelist"]),
            versions={
                arch: {namespace: frozenset(words) for namespace, words in spaces.items()}
                for arch, spaces in policy["symbol_versions"].items()
            },
            private={soname: frozenset(names) for soname, names in policy["blacklist"].items()},
        )
        for policy in raw
        if policy["name"] != "linux"
    )
    return tuple(sorted(found, key=lambda promise: promise.release))


def promise_for(family: str, release: Release, architecture: str) -> Promise | None:
    """The newest policy that is not newer than ``release`` and knows the architecture, as auditwheel treats tags between two policies."""
    fitting = [p for p in promises(family) if p.release <= release and architecture in p.versions]
    return fitting[-1] if fitting else None


def _folder() -> Path:
    spec = PathFinder.find_spec("auditwheel")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("auditwheel, whose policy files tell what each platform tag promises, is not installed")
    return Path(spec.submodule_search_locations[0], "policy")
