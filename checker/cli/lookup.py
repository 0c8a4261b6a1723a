"""What the words of ``wheelproof explain`` mean in an artifact."""

from __future__ import annotations

import re

from checker.model.demangle import demangled
from checker.model.record import record
from checker.report.text import decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.model.report import ArtifactReport

_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_SUGGESTIONS = 3
_COMPARED = 100_000
"""So many names are compared with a misspelt one."""


@record
class Meaning:
    """One thing that a word means.

    Attributes:
        kind: ``file``, ``finding``, ``rule``, ``library`` or ``symbol``.
        name: path, fingerprint, id, soname, or the name in the symbol table.
    """

    kind: str
    name: str


def meanings(report: ArtifactReport, word: str) -> tuple[Meaning, ...]:
    """Everything that the word means, files first; empty where it means nothing.

    A file may be named by the end of its path, a symbol by its mangled or readable name, with or without ``@VERSION``.
    """
    case = report.case
    found = [Meaning(kind="file", name=path) for path in _files(case, word)]
    if _FINGERPRINT.fullmatch(word) and any(finding.fingerprint == word for finding in report.findings):
        found.append(Meaning(kind="finding", name=word))
    if any(finding.rule == word for finding in report.findings):
        found.append(Meaning(kind="rule", name=word))
    if word in _libraries(report):
        found.append(Meaning(kind="library", name=word))
    found += [Meaning(kind="symbol", name=name) for name in symbols(case, word)]
    return tuple(found)


def suggestions(report: ArtifactReport, word: str) -> tuple[str, ...]:
    """Names in the artifact that are near to the word, the nearest first."""
    from difflib import get_close_matches

    names = {path.rpartition("/")[2]: None for path in _paths(report.case)}
    names |= dict.fromkeys(sorted(_libraries(report)))
    for name in _imported(report.case):
        if len(names) >= _COMPARED:
            break
        names[decoded(name)] = None
    return tuple(get_close_matches(word, list(names), n=_SUGGESTIONS))


def _paths(case: Case) -> list[str]:
    return [member.path for member in case.inventory.members]


def _files(case: Case, word: str) -> list[str]:
    paths = _paths(case)
    if word in paths:
        return [word]
    return [path for path in paths if path.endswith(f"/{word}")] if word else []


def _libraries(report: ArtifactReport) -> set[str]:
    case = report.case
    closures = (edge.soname for closure in report.closures or () for edge in closure.edges)
    sonames = (facts.soname for facts in case.objects if facts.soname is not None)
    return {
        *closures,
        *(edge.soname for edge in case.libraries),
        *(name for facts in case.objects for name in facts.needed),
        *sonames,
    }


def _imported(case: Case) -> Iterator[bytes]:
    for facts in case.objects:
        yield from facts.imports.names


def symbols(case: Case, word: str) -> list[str]:
    """Names in symbol tables: the word itself, else those that read so when demangled."""
    name = re.sub(r"@@?[^@()]*\Z", "", word)
    for candidate in dict.fromkeys((word, name)):
        raw = candidate.encode("utf-8", "surrogateescape")
        if raw and any(_has(facts, raw) for facts in case.objects):
            return [candidate]
    if "::" not in name and "(" not in name:
        return []
    mangled = {decoded(raw) for raw in _imported(case) if raw.startswith(b"_Z")}
    return sorted(each for each in mangled if _reads(demangled(each), name))


def _has(facts: ElfFacts, name: bytes) -> bool:
    """The object imports or defines the symbol, or refers to one of its own to which its hash table does not lead."""
    symbols = facts.symbols
    if name in facts.imports.names or symbols.definitions(name):
        return True
    return any(symbols.name(symbol) == name for symbol in facts.self_references)


def _reads(readable: str, name: str) -> bool:
    """``std::foo(int)`` reads so in full, or without its arguments."""
    return name in {readable, readable.partition("(")[0]}
