"""Which objects are loaded on their own, and by whom."""

from __future__ import annotations

from checker.loaders.glibc import DF_1_PIE
from checker.model.elf import ElfType
from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.model.elf import ElfFacts

_MODULE_FILE = regex(r"(?P<name>\w+)(?P<tags>(?:\.[\w-]+)*)\.so")
_INTERPRETER_TAG = regex(r"\.(cpython-|abi3|pypy|graalpy)")
_INIT_PREFIXES = (b"PyInit_", b"PyModExport_")


def is_extension_module(facts: ElfFacts) -> bool:
    """An import statement can load it: its suffix names an interpreter, or it exports the init function of its file name.

    (PEP 3149 for the suffixes, PEP 489 for ``PyInit_``, PEP 793 for ``PyModExport_``.)
    """
    found = _MODULE_FILE.fullmatch(facts.path.rpartition("/")[2])
    if found is None:
        return False
    if _INTERPRETER_TAG.match(found["tags"]):
        return True
    name = found["name"].encode()
    return any(facts.symbols.definitions(prefix + name) for prefix in _INIT_PREFIXES)


def is_executable(facts: ElfFacts) -> bool:
    """It is started as a program: ET_EXEC, a position-independent executable, or one with an interpreter that is no ``.so``."""
    if facts.identity.type == ElfType.ET_EXEC or facts.flags_1 & DF_1_PIE:
        return True
    return facts.interpreter is not None and ".so" not in facts.path.rpartition("/")[2]


def root_kind(facts: ElfFacts) -> str:
    """``python`` for an extension module, ``executable`` for a program, ``library`` for what is opened by name."""
    if is_executable(facts):
        return "executable"
    return "python" if is_extension_module(facts) else "library"


def choose_roots(objects: Sequence[ElfFacts]) -> tuple[int, ...]:
    """Positions of the objects loaded on their own: extension modules, programs, and libraries that no other member needs."""
    needed_by: dict[str, set[int]] = {}
    for position, facts in enumerate(objects):
        for soname in facts.needed:
            needed_by.setdefault(soname.rpartition("/")[2], set()).add(position)
    roots: list[int] = []
    for position, facts in enumerate(objects):
        names = {facts.path.rpartition("/")[2], facts.soname or ""}
        needers = set().union(*(needed_by.get(name, set()) for name in names)) - {position}
        if not needers or root_kind(facts) != "library":
            roots.append(position)
    return tuple(roots)
