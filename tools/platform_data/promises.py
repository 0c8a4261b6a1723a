"""Condenses auditwheel's policy files: what every system with a platform tag promises."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILES = ("manylinux-policy.json", "musllinux-policy.json")


def from_wheel(path: Path) -> list[dict[str, Any]]:
    """All policies in an auditwheel wheel."""
    with zipfile.ZipFile(path) as archive:
        return [policy for name in FILES for policy in json.loads(archive.read(f"auditwheel/policy/{name}"))]


def with_musl_versions(policies: list[dict[str, Any]], versions: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    """The same, musllinux's with the version nodes (namespace → words) of the libraries that its oldest systems have.

    auditwheel's policies have none for musl, whose own symbols have no versions.
    """
    return [
        policy | {"symbol_versions": {arch: spaces | versions for arch, spaces in policy["symbol_versions"].items()}}
        if policy["name"].startswith("musllinux")
        else policy
        for policy in policies
    ]


def lines(policies: list[dict[str, Any]]) -> list[str]:
    """The lines of the data file, oldest policy of each C library first.

    A ``versions`` line has only what the policy adds to the one before it, since a newer policy takes nothing away (PEP 600).

    Raises:
        ValueError: a newer policy lacks a version that an older one has.
    """
    result: list[str] = []
    for family in ("manylinux", "musllinux"):
        chosen = [p for p in policies if p["name"].startswith(family)]
        before: dict[tuple[str, str], set[str]] = {}
        for policy in sorted(chosen, key=lambda p: tuple(map(int, p["name"].split("_")[1:]))):
            result.append(" ".join(("policy", policy["name"], *policy["aliases"])))
            result.append(" ".join(("libraries", *sorted(policy["lib_whitelist"]))))
            result += [f"private {soname} {' '.join(sorted(names))}" for soname, names in sorted(policy["blacklist"].items())]
            result.append(" ".join(("architectures", *sorted(policy["symbol_versions"]))))
            result += _versions(policy["symbol_versions"], before)
    return result


def _versions(wanted: Mapping[str, Mapping[str, list[str]]], before: dict[tuple[str, str], set[str]]) -> list[str]:
    result = []
    for architecture, spaces in sorted(wanted.items()):
        for namespace, words in sorted(spaces.items()):
            # A namespace without a version is told too: it limits what needs any.
            is_new = (architecture, namespace) not in before
            known = before.setdefault((architecture, namespace), set())
            if not known <= set(words):
                raise ValueError(f"{namespace} on {architecture} loses {sorted(known - set(words))}")
            added = sorted(set(words) - known, key=_natural)
            known.update(words)
            if added or is_new:
                result.append(" ".join(("versions", architecture, namespace, *added)))
    return result


def _natural(word: str) -> tuple[bool, tuple[int, ...], str]:
    numeric = word.replace(".", "").isdigit()
    return (not numeric, tuple(map(int, word.split("."))) if numeric else (), word)
