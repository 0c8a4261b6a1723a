"""File names of extension modules: what an import statement looks for (PEP 3149)."""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.elf import ElfFacts, SymbolTable

_MOST_NAMES = 1000
_PREFIXES = (b"PyInit_", b"PyModExport_")


@record
class ExtensionName:
    """A file name with a tag for an interpreter.

    Attributes:
        folder: of the file in the artifact, with a ``/`` at its end; empty at the top.
        module: last part of the module's name.
        suffix: from the first dot on, such as ``.cpython-311-x86_64-linux-gnu.so``.
        interpreter: ``cpython``, ``abi3``, ``abi3t``, or another one's word with its version, such as ``pypy39``.
        version: of CPython, with its ABI flags: ``311``, ``37m``, ``313t``; of the others that of their own ABI: ``pp73``.
        triplet: such as ``x86_64-linux-gnu``; empty where the name has none.
    """

    folder: str
    module: str
    suffix: str
    interpreter: str
    version: str
    triplet: str


def extension_name(path: str) -> ExtensionName | None:
    """The parts of a member's path; ``None`` where no interpreter is named."""
    folder, slash, name = path.rpartition("/")
    module, dot, rest = name.partition(".")
    if not dot or not rest.endswith(".so") or not module.isidentifier():
        return None
    tag = rest.removesuffix(".so")
    words = tag.split("-")
    kind = words[0]
    if tag in {"abi3", "abi3t"}:
        interpreter, version, triplet = tag, "", ""
    elif kind == "cpython" and len(words) > 1 and words[1][:1].isdigit():
        interpreter, version, triplet = kind, words[1], "-".join(words[2:])
    elif kind.startswith(("pypy", "graalpy")):
        interpreter, version, triplet = kind, "".join(words[1:2]), "-".join(words[2:])
    else:
        return None
    return ExtensionName(
        folder=folder + slash, module=module, suffix=dot + rest, interpreter=interpreter, version=version, triplet=triplet
    )


def imported_as(named: ExtensionName) -> str:
    """Last part of the name under which the file is imported: a package's ``__init__`` bears the name of its folder."""
    package = named.folder.rstrip("/").rpartition("/")[2]
    return package if named.module == "__init__" and package else named.module


def init_names(module: str) -> tuple[bytes, ...]:
    """The functions by which an interpreter starts a module, newest last (PEP 489 for other than ASCII names, PEP 793)."""
    if module.isascii():
        name = module.encode("ascii")
        return (b"init" + name, b"PyInit_" + name, b"PyModExport_" + name)
    name = module.encode("punycode").replace(b"-", b"_")
    return (b"PyInitU_" + name, b"PyModExportU_" + name)


def has_init(facts: ElfFacts, module: str) -> bool:
    """The object defines one of them."""
    return any(is_defined(facts.symbols, name) for name in init_names(module))


def other_inits(facts: ElfFacts) -> tuple[bytes, ...]:
    """The init functions of modules, of whatever name, that the object exports; sorted."""
    found = {name for prefix in _PREFIXES for name in _names(facts.symbols.strings, prefix) if is_defined(facts.symbols, name)}
    return tuple(sorted(found))


def is_defined(symbols: SymbolTable, name: bytes) -> bool:
    """The object exports that name."""
    return any(entry.defined for entry in symbols.definitions(name))


def _names(strings: bytes, prefix: bytes) -> Iterator[bytes]:
    """The first names in a string table that begin so."""
    at = strings.find(b"\0" + prefix)
    for _ in range(_MOST_NAMES):
        if at < 0:
            return
        end = strings.find(b"\0", at + 1)
        yield strings[at + 1 : end if end >= 0 else len(strings)]
        at = strings.find(b"\0" + prefix, at + 1)
