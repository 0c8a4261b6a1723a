"""The libraries that an artifact brings: which members they are, and what they are called apart from a repair tool's hash."""

from __future__ import annotations

import re
from functools import lru_cache

from checker.rules.extension_names import extension_name, has_init

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

# Compiled by re when they are first used: start-up time counts.
_HASH = r"[-.][0-9a-f]{8,}(?=[-.])"
"""auditwheel's eight hex digits of SHA-256 (``libfoo-0a1b2c3d.so.1``; twice in what was grafted from a repaired tree), and
cargo's sixteen; torchvision writes a dot before them."""
_LIBRARY = r"lib[^/]+\.so(\.[^/]*)?"


def file_name(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


@lru_cache(maxsize=4096)
def without_hashes(name: str) -> str:
    """A name or path without what changes in it with a library's content."""
    return re.sub(_HASH, "", name)


def plain_name(name: str) -> str:
    """A file name or SONAME without hashes and without a directory."""
    return without_hashes(file_name(name))


def stem(path: str) -> str:
    """``libjpeg`` of ``pkg.libs/libjpeg-1a2b3c4d.so.62.3.0``: without folder, hash, suffix and version."""
    return plain_name(path).partition(".so")[0]


def is_grafted(path: str) -> bool:
    """A library that a repair tool put there: by its folder (``NAME.libs``, ``.libs``) or the hash in its name."""
    folder, _, name = path.rpartition("/")
    before, suffix, _ = name.partition(".so")
    return folder.rpartition("/")[2].endswith(".libs") or (suffix != "" and without_hashes(f"{before}.") != f"{before}.")


def names_of(facts: ElfFacts) -> tuple[str, ...]:
    """The names by which an object can be asked for, file name first, then DT_SONAME; neither with a hash."""
    return tuple(dict.fromkeys(plain_name(name) for name in (facts.path, facts.soname) if name))


def is_library(facts: ElfFacts) -> bool:
    """A shared object to link against or to open by name: named ``lib….so…``, or with a DT_SONAME, and no extension module."""
    name = file_name(facts.path)
    if not facts.is_dynamic or extension_name(facts.path) is not None:
        return False
    if facts.interpreter is not None and ".so" not in name:
        return False
    if re.fullmatch(_LIBRARY, name):
        # pybind11 and old Cython builds write libfoo.so with PyInit_libfoo, which is imported and not linked.
        return not has_init(facts, name.partition(".")[0])
    return facts.soname is not None and not has_init(facts, name.partition(".")[0])


def bundled_libraries(case: Case) -> tuple[ElfFacts, ...]:
    """The shared libraries of the artifact, sorted by path."""
    return tuple(facts for facts in case.objects if is_library(facts))


def copies(libraries: Sequence[ElfFacts]) -> tuple[tuple[ElfFacts, ...], ...]:
    """Groups of two or more libraries of one architecture with a build id or, apart from a hash, a DT_SONAME in common."""
    groups: list[list[ElfFacts]] = []
    by_key: dict[tuple[str, str, str], list[ElfFacts]] = {}
    for facts in libraries:
        architecture = facts.identity.architecture
        keys = [("build id", architecture, facts.notes.build_id)] if facts.notes.build_id else []
        keys += [("soname", architecture, plain_name(facts.soname))] if facts.soname else []
        met = {id(group): group for key in keys if (group := by_key.get(key)) is not None}
        group, *others = met.values() or ([],)
        group.append(facts)
        for other in others:
            group += other
            by_key.update((key, group) for key, each in by_key.items() if each is other)
            groups = [each for each in groups if each is not other]
        by_key.update(dict.fromkeys(keys, group))
        if not met:
            groups.append(group)
    found = (tuple(sorted(group, key=lambda facts: facts.path)) for group in groups if len(group) > 1)
    return tuple(sorted(found, key=lambda group: group[0].path))
