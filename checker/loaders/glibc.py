"""glibc's loader: where it searches and which definition it takes.

Written from glibc's ``elf/dl-load.c``, ``elf/dl-deps.c``, ``elf/dl-version.c`` and ``elf/dl-lookup.c``; where releases differ, the
release is a parameter. Function names in comments are those of that source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.loaders.reference import NO_MATCH, Match
from checker.model.elf import Binding, ElfType, Machine, Stack, SymbolType, Visibility

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.loaders.reference import Reference
    from checker.model.elf import Definition, ElfFacts

Release = tuple[int, ...]

VISIBILITY_IS_LOCAL = (2, 24)
"""Hidden and internal definitions are passed over (commit 2.24: ``dl_symbol_visibility_binds_local_p``)."""
ABSOLUTE_ZERO_IS_DEFINED = (2, 28)
"""An SHN_ABS symbol of value 0 is a definition (bug 19818)."""
VERSION_FILE_IS_FORGOTTEN = (2, 30)
"""The file that a version need names no longer ends the scan (bug 24741)."""
PIE_IS_REFUSED = (2, 30)
"""``dlopen`` of a position-independent executable fails (bug 24323)."""
HWCAPS_DIRECTORIES = (2, 33)
"""``glibc-hwcaps`` subdirectories; the x86 ISA level check."""
LEGACY_SUBDIRECTORIES_END = (2, 37)
"""``tls``, platform and hwcap subdirectories are gone."""
EXECUTABLE_STACK_IS_REFUSED = (2, 41)
"""``dlopen`` no longer makes the stacks executable (NEWS for 2.41)."""
VERSION_ASSERTION_ENDS = (2, 41)
"""An object without versions under a version need's file name is accepted instead of failing an assertion."""
EXACT_VERSION_FIRST = (2, 42)
"""A base definition counts only where the object has no exact match."""

# check_match: ALLOWED_STT
_DEFINABLE = frozenset({
    SymbolType.STT_NOTYPE,
    SymbolType.STT_OBJECT,
    SymbolType.STT_FUNC,
    SymbolType.STT_COMMON,
    SymbolType.STT_TLS,
    SymbolType.STT_GNU_IFUNC,
})
_BINDABLE = frozenset({Binding.STB_GLOBAL, Binding.STB_WEAK, Binding.STB_GNU_UNIQUE})
_LOCAL_VISIBILITIES = frozenset({Visibility.STV_HIDDEN, Visibility.STV_INTERNAL})
_FIRST_DEFINED_VERSION = 2


def match(reference: Reference, entries: Sequence[Definition], *, has_versions: bool, release: Release) -> Match:
    """Which of one object's entries under a name the loader takes (``do_lookup_x`` for one scope element).

    Args:
        reference: what is asked for.
        entries: the object's entries of that name, in the order of its hash chain.
        has_versions: the object has DT_VERNEED or DT_VERDEF (``l_versyms`` is set only then).
        release: of glibc.
    """
    chosen, other_version = _choose(reference, entries, has_versions=has_versions, release=release)
    if chosen is None:
        return Match(definition=None, other_version=True) if other_version else NO_MATCH
    if chosen.visibility in _LOCAL_VISIBILITIES and release >= VISIBILITY_IS_LOCAL:
        return NO_MATCH
    if chosen.binding not in _BINDABLE:
        return NO_MATCH
    return Match(definition=chosen, other_version=False)


def _choose(
    reference: Reference, entries: Iterable[Definition], *, has_versions: bool, release: Release
) -> tuple[Definition | None, bool]:
    """The entry that ``check_match`` accepts first, and whether one was refused for its version only."""
    usable = [entry for entry in entries if _is_definition(entry, plt_class=reference.plt_class, release=release)]
    if not has_versions:
        return (usable[0] if usable else None), False
    if reference.version is None:
        return _choose_unversioned(usable), False
    for entry in usable:
        if entry.version == reference.version:
            return entry, False
        if release < EXACT_VERSION_FIRST and _stands_for_any_version(entry, reference):
            return entry, False
    for entry in usable:
        if _stands_for_any_version(entry, reference):
            return entry, False
    return None, bool(usable)


def _is_definition(entry: Definition, *, plt_class: bool, release: Release) -> bool:
    """``check_match``: the value, section and type tests."""
    if entry.value == 0 and entry.type != SymbolType.STT_TLS and not (entry.absolute and release >= ABSOLUTE_ZERO_IS_DEFINED):
        return False
    if not entry.defined and plt_class:
        return False
    return entry.type in _DEFINABLE


def _stands_for_any_version(entry: Definition, reference: Reference) -> bool:
    """A local or base index has no version name: it satisfies any version unless one side is hidden."""
    return entry.version is None and not entry.hidden and not reference.version_hidden


def _choose_unversioned(entries: Sequence[Definition]) -> Definition | None:
    """Base and first version are taken at once, hidden or not; else the only entry that is not hidden."""
    later: list[Definition] = []
    for entry in entries:
        if entry.index <= _FIRST_DEFINED_VERSION:
            return entry
        if not entry.hidden:
            later.append(entry)
    return later[0] if len(later) == 1 else None


def scan_ends_at_version_file(release: Release) -> bool:
    """Before 2.30 a versioned lookup fails once it has passed the object that the version need names (``do_lookup_x``)."""
    return release < VERSION_FILE_IS_FORGOTTEN


def run_path_elements(text: str) -> tuple[str, ...]:
    """The elements of a DT_RPATH or DT_RUNPATH, in order; an empty one means the current directory (``fillin_rpath``)."""
    return tuple(element.rstrip("/") if len(element) > 1 else element for element in text.split(":"))


def subdirectories(architecture: str, release: Release) -> tuple[str, ...]:
    """The subdirectories tried inside every search directory before the directory itself, best first.

    They depend on the processor; those are told that a current x86-64 machine would try. (``_dl_important_hwcaps``;
    ``elf/dl-hwcaps_subdirs.c`` from 2.33.)
    """
    tried: list[str] = []
    if release >= HWCAPS_DIRECTORIES and architecture == "x86_64":
        tried += ["glibc-hwcaps/x86-64-v4", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2"]
    if release < LEGACY_SUBDIRECTORIES_END and architecture == "x86_64":
        tried += ["tls/haswell/x86_64", "tls/haswell", "tls/x86_64", "tls", "haswell/x86_64", "haswell", "x86_64"]
    return tuple(tried)


_TOKENS = ("ORIGIN", "PLATFORM", "LIB")


def expand(element: str, values: dict[str, str]) -> str:
    """An element with its dynamic string tokens replaced (``_dl_dst_substitute``).

    Args:
        element: such as ``$ORIGIN/../lib``.
        values: ``ORIGIN``, ``LIB`` and ``PLATFORM``.

    Unknown ``$X`` stays literal; ``$NAME`` must not be followed by a character of an identifier.
    """
    if "$" not in element:
        return element
    pieces: list[str] = []
    position = 0
    while position < len(element):
        length, token = _token_at(element, position)
        if token:
            pieces.append(values.get(token, ""))
        else:
            pieces.append(element[position])
        position += length
    return "".join(pieces)


def _token_at(element: str, position: int) -> tuple[int, str]:
    """(characters taken, token name) at a position; ``(1, "")`` where no token stands."""
    if element[position] != "$":
        return 1, ""
    rest = element[position + 1 :]
    for token in _TOKENS:
        if rest.startswith("{" + token + "}"):
            return len(token) + 3, token
        if rest.startswith(token):
            following = rest[len(token) : len(token) + 1]
            if not (following.isalnum() or following == "_"):
                return len(token) + 1, token
    return 1, ""


DF_1_NOOPEN = 0x40
DF_1_PIE = 0x08000000

_EXECUTABLE_BY_DEFAULT = frozenset({Machine.EM_386, Machine.EM_X86_64, Machine.EM_ARM, Machine.EM_S390, Machine.EM_RISCV})
"""DEFAULT_STACK_PERMS of ``sysdeps/*/stackinfo.h`` has PF_X: a file without PT_GNU_STACK asks for an executable stack."""


def wants_executable_stack(facts: ElfFacts) -> bool:
    """The object asks for an executable stack, by PT_GNU_STACK or by the lack of it (``_dl_map_segments``)."""
    if facts.stack is Stack.ABSENT:
        return facts.identity.machine in _EXECUTABLE_BY_DEFAULT
    return facts.stack is Stack.EXECUTABLE


def refuses_to_map(facts: ElfFacts, release: Release) -> str | None:
    """Why ``dlopen`` refuses an object (as root or as a need) for what the file says of itself; ``None`` when it does not."""
    if facts.identity.type == ElfType.ET_EXEC:
        return "an executable cannot be loaded as a library"
    if facts.flags_1 & DF_1_PIE and release >= PIE_IS_REFUSED:
        return "a position-independent executable cannot be loaded as a library"
    if facts.flags_1 & DF_1_NOOPEN:
        return "DF_1_NOOPEN: the object may not be opened by dlopen"
    if release >= EXECUTABLE_STACK_IS_REFUSED and wants_executable_stack(facts):
        return "it asks for an executable stack"
    return None
