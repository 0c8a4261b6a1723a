"""glibc's loader: where it searches and which definition it takes.

Written from glibc's ``elf/dl-load.c``, ``elf/dl-deps.c``, ``elf/dl-version.c`` and ``elf/dl-lookup.c``; where releases differ,
the release is a parameter. Function names in comments are those of that source.
"""

from __future__ import annotations

from checker.loaders.reference import NO_MATCH, Effect, Match
from checker.model.elf import Binding, ElfType, Machine, Stack, SymbolType, Use, Visibility
from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.loaders.reference import Reference
    from checker.model.elf import Definition, ElfFacts, ElfIdentity

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
DESCRIPTORS_ARE_NOT_LAZY = (2, 34)
"""TLS descriptors bind at load on x86 (bug 27137); on other machines they did so before."""
RELR_IS_APPLIED = (2, 36)
"""DT_RELR is known, and asks for the version GLIBC_ABI_DT_RELR."""
LEGACY_SUBDIRECTORIES_END = (2, 37)
"""``tls``, platform and hwcap subdirectories are gone."""
NOT_A_DIRECTORY_IS_PASSED_OVER = (2, 39)
"""ENOTDIR of a relative path element no longer ends the search of its list."""
EXECUTABLE_STACK_IS_REFUSED = (2, 41)
"""``dlopen`` no longer makes the stacks executable (NEWS for 2.41)."""
VERSION_ASSERTION_ENDS = (2, 41)
"""An object without versions under a version need's file name is accepted instead of failing an assertion."""
EXACT_VERSION_FIRST = (2, 42)
"""A base definition counts only where the object has no exact match."""

# ALLOWED_STT of check_match.
_DEFINABLE = frozenset(
    {
        SymbolType.STT_NOTYPE,
        SymbolType.STT_OBJECT,
        SymbolType.STT_FUNC,
        SymbolType.STT_COMMON,
        SymbolType.STT_TLS,
        SymbolType.STT_GNU_IFUNC,
    }
)
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


def split_paths(text: str, separators: str = ":") -> tuple[str, ...]:
    """The elements of a path list in order, without trailing slashes; an empty one is the current directory (``fillin_rpath``).

    Args:
        text: of DT_RPATH, DT_RUNPATH, or LD_LIBRARY_PATH, which knows a second separator.
        separators: ``:`` or ``:;``.
    """
    for separator in separators[1:]:
        text = text.replace(separator, separators[0])
    return tuple(element.rstrip("/") or element[:1] for element in text.split(separators[0]))


def file_ends_list(element: str, release: Release) -> bool:
    """Whether a path element that is a regular file ends its path list (``open_path``).

    A relative directory is taken to exist, so its ENOTDIR counts as an error of the file; an absolute one is looked at first.
    """
    return release < NOT_A_DIRECTORY_IS_PASSED_OVER and not element.startswith("/")


_HWCAPS = ("x86-64-v4", "x86-64-v3", "x86-64-v2")
_HASWELL_PLATFORM = (2, 26)


def subdirectories(architecture: str, isa: int, release: Release) -> tuple[str, ...]:
    """The subdirectories tried inside every search directory before the directory itself, best first.

    Args:
        architecture: only x86-64 is told; others had legacy ones of their own.
        isa: GNU_PROPERTY_X86_ISA_1 bits of the processor (8 is x86-64-v4).
        release: ``glibc-hwcaps`` came with 2.33 (``elf/dl-hwcaps_subdirs.c``, ``sysdeps/x86_64/dl-hwcaps-subdirs.c``), the
            legacy ones ended with 2.37 (``_dl_important_hwcaps``: all combinations of ``tls``, platform and capabilities).
    """
    if architecture != "x86_64":
        return ()
    tried: list[str] = []
    if release >= HWCAPS_DIRECTORIES:
        tried += [f"glibc-hwcaps/{name}" for bit, name in zip((8, 4, 2), _HWCAPS, strict=True) if isa & bit]
    if release < LEGACY_SUBDIRECTORIES_END:
        # sysdeps/x86/cpu-features.c: the platform is haswell from x86-64-v3 on, and avx512_1 a capability, since 2.26.
        parts = ["tls", "haswell" if isa & 4 and release >= _HASWELL_PLATFORM else "x86_64", "x86_64"]
        if isa & 8 and release >= _HASWELL_PLATFORM:
            parts.insert(2, "avx512_1")
        for mask in range((1 << len(parts)) - 1, 0, -1):
            chosen = (part for bit, part in enumerate(parts) if mask & 1 << len(parts) - 1 - bit)
            tried.append("/".join(chosen))
    return tuple(dict.fromkeys(tried))


_TOKEN = regex(r"\$(?:\{(ORIGIN|PLATFORM|LIB)\}|(ORIGIN|PLATFORM|LIB)(?![0-9A-Za-z_]))")
_LONGEST = 1 << 16
"""Far beyond PATH_MAX (4,096), where ``open`` fails by ENAMETOOLONG."""


def expand(element: str, values: dict[str, str]) -> str | None:
    """An element with its dynamic string tokens replaced (``_dl_dst_substitute``); ``None`` where a token has no value.

    Also ``None`` where it becomes longer than any path that can be opened: a few tokens too many must not fill the memory.

    Args:
        element: such as ``$ORIGIN/../lib``.
        values: ``ORIGIN``, ``LIB`` and ``PLATFORM``, each where it is known.

    Unknown ``$X`` stays literal; ``$NAME`` must not be followed by a character of an identifier.
    """
    if "$" not in element:
        return element
    found = [values.get(braced or bare) for braced, bare in _TOKEN.findall(element)]
    if not all(found) or len(element) + sum(len(value or "") for value in found) > _LONGEST:
        return None
    return _TOKEN.sub(lambda found: values[found[1] or found[2]], element)


_OS_ABIS = frozenset({0, 3})
"""VALID_ELF_OSABI: ELFOSABI_SYSV and ELFOSABI_GNU."""
_LOADABLE = frozenset({ElfType.ET_DYN, ElfType.ET_EXEC})


def candidate(wanted: ElfIdentity, met: ElfIdentity, *, is_dynamic: bool) -> tuple[Effect, str]:
    """What an ELF file that bears the wanted name does to the search, and why (``open_verify``, ``_dl_map_object_from_fd``).

    Args:
        wanted: of the object that needs the file.
        met: of the file.
        is_dynamic: the file has a dynamic section.
    """
    refusals = (
        (wanted.bits != met.bits, Effect.PASSED_OVER, "other ELF class"),
        (wanted.little_endian != met.little_endian, Effect.FATAL, "other byte order"),
        (met.os_abi not in _OS_ABIS, Effect.FATAL, "ELF file OS ABI invalid"),
        (wanted.machine != met.machine, Effect.PASSED_OVER, "other machine"),
        (met.type not in _LOADABLE, Effect.FATAL, "only ET_DYN and ET_EXEC can be loaded"),
        (not is_dynamic, Effect.FATAL, "object file has no dynamic section"),
    )
    return next(((effect, reason) for holds, effect, reason in refusals if holds), (Effect.TAKEN, "found"))


DF_1_NOOPEN = 0x40
DF_1_PIE = 0x08000000

_EXECUTABLE_BY_DEFAULT = frozenset({Machine.EM_386, Machine.EM_X86_64, Machine.EM_ARM, Machine.EM_S390, Machine.EM_RISCV})
"""DEFAULT_STACK_PERMS of ``sysdeps/*/stackinfo.h`` has PF_X: a file without PT_GNU_STACK asks for an executable stack."""


def wants_executable_stack(facts: ElfFacts) -> bool:
    """The object asks for an executable stack, by PT_GNU_STACK or by the lack of it (``_dl_map_segments``)."""
    if facts.stack is Stack.ABSENT:
        return facts.identity.machine in _EXECUTABLE_BY_DEFAULT
    return facts.stack is Stack.EXECUTABLE


def refuses_to_map(
    facts: ElfFacts, release: Release, *, by_dlopen: bool = True, stack_is_executable: bool = False
) -> str | None:
    """Why an object is not mapped for what its file says of itself (``_dl_map_object_from_fd``); ``None`` when it is.

    Args:
        facts: of a root or of a need.
        release: of glibc.
        by_dlopen: the object comes with ``dlopen``, not with the start of a program.
        stack_is_executable: the process has executable stacks already, so that nobody need make them so.
    """
    adds_stack = wants_executable_stack(facts) and not stack_is_executable
    refusals = (
        (facts.identity.os_abi not in _OS_ABIS, "ELF file OS ABI invalid"),
        (facts.identity.type == ElfType.ET_EXEC, "an executable cannot be loaded as a library"),
        (
            bool(facts.flags_1 & DF_1_PIE) and release >= PIE_IS_REFUSED,
            "a position-independent executable cannot be loaded as a library",
        ),
        (by_dlopen and bool(facts.flags_1 & DF_1_NOOPEN), "DF_1_NOOPEN: the object may not be opened by dlopen"),
        (by_dlopen and adds_stack and release >= EXECUTABLE_STACK_IS_REFUSED, "it asks for an executable stack"),
    )
    return next((reason for holds, reason in refusals if holds), None)


def refuses_processor(facts: ElfFacts, isa: int, release: Release) -> bool:
    """An x86 object asks for an instruction set level beyond the processor's (``sysdeps/x86/dl-prop.h``, ``_dl_cet_check``)."""
    return release >= HWCAPS_DIRECTORIES and bool(facts.notes.x86_isa_needed & ~isa)


RELR_MARKER = b"GLIBC_ABI_DT_RELR"


def lacks_relr_marker(facts: ElfFacts, release: Release) -> bool:
    """An object with DT_RELR needs versions and the C library, and not the marker for it (``_dl_check_map_versions``)."""
    if release < RELR_IS_APPLIED or not facts.has_relr or not facts.version_needs:
        return False
    if not any(name.startswith("libc.so.") for name in facts.needed):
        return False
    return not any(version.name == RELR_MARKER for need in facts.version_needs for version in need.versions)


def leaves_relr_unapplied(facts: ElfFacts, release: Release) -> bool:
    """The loader does not know DT_RELR: its addresses stay unrelocated, and the first use of one kills the process."""
    return facts.has_relr and release < RELR_IS_APPLIED


STATIC_TLS_SURPLUS = 1664
"""Bytes of static thread-local storage that every process keeps for objects opened later (``_dl_tls_static_surplus_init``)."""
_X86 = frozenset({Machine.EM_386, Machine.EM_X86_64})
_RESTARTABLE_SEQUENCES = (2, 35)


def static_tls_alignment(machine: Machine, release: Release) -> int:
    """TCB_ALIGNMENT: the static block is aligned no better, unless an object of the start asks for it.

    64 on x86; elsewhere 16, and 32 since the thread's block holds the area of restartable sequences (2.35). Measured on x86 and
    aarch64.
    """
    if machine in _X86:
        return 64
    return 32 if release >= _RESTARTABLE_SEQUENCES else 16


def static_tls_left(free: int, size: int, alignment: int, best_alignment: int = 64) -> int | None:
    """Bytes of the surplus left once a block has its place; ``None`` where it has none (``_dl_try_allocate_static_tls``).

    What is left is a multiple of the block's alignment, since blocks are laid from the end.

    Args:
        free: bytes left before.
        size: of the block.
        alignment: of the block.
        best_alignment: of the process's static block: :func:`static_tls_alignment`.
    """
    if alignment > best_alignment or size > free:
        return None
    alignment = max(alignment, 1)
    return (free - size) // alignment * alignment


_STO_AARCH64_VARIANT_PCS = 0x80
_VARIANT_PCS_IS_KNOWN = (2, 30)


def may_wait(uses: int, release: Release, machine: Machine = Machine.EM_X86_64, other: int = 0) -> bool:
    """Every use of a reference can be left to the first call under RTLD_LAZY (``elf_machine_lazy_rel``).

    Descriptors were ever lazy on x86 only; aarch64 and arm set them up at load. On aarch64, neither do calls wait that have a
    procedure call standard of their own, since the code that binds them would not preserve their arguments
    (``sysdeps/aarch64/dl-machine.h``). Linkers mark such objects by DT_AARCH64_VARIANT_PCS too, for which the loader asks
    first.

    Args:
        uses: :class:`Use` bits.
        release: of glibc.
        machine: of the object.
        other: ``st_other`` of the reference.
    """
    if machine == Machine.EM_AARCH64 and other & _STO_AARCH64_VARIANT_PCS and release >= _VARIANT_PCS_IS_KNOWN:
        return not uses
    has_lazy_descriptors = machine in _X86 and release < DESCRIPTORS_ARE_NOT_LAZY
    lazy = Use.JUMP_SLOT | (Use.TLS_DESCRIPTOR if has_lazy_descriptors else Use.NONE)
    return not uses & ~lazy


def looks_up(visibility: int, release: Release) -> bool:
    """A reference of that visibility is looked up at all (``RESOLVE_MAP``); else it means the object's own load base."""
    return visibility not in _LOCAL_VISIBILITIES or release < VISIBILITY_IS_LOCAL
