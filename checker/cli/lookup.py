"""What the words of ``wheelproof explain`` mean in an artifact."""

from __future__ import annotations

import re

from checker.model.demangle import demangled
from checker.model.record import record
from checker.report.text import decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport

_FINGERPRINT = re.compile(r"[0-9a-f]{8,16}")
"""A whole one or its beginning; shorter words are rather names."""
_SUGGESTIONS = 3
_TOLD = 3
"""So many libraries of a finding are told of."""
_LISTED = 10
"""So many findings are listed where the one asked for is not there."""
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


def meanings(report: ArtifactReport, word: str, rules: Iterable[str]) -> tuple[Meaning, ...]:
    """Everything that the word means, files first; empty where it means nothing.

    A file may be named by the end of its path, a symbol by its mangled or readable name, with or without ``@VERSION``, a
    finding by the beginning of its fingerprint.

    Args:
        report: of the artifact.
        word: what the user wrote.
        rules: ids of all rules, also of those that have nothing to say.
    """
    case = report.case
    found = [Meaning(kind="file", name=path) for path in _files(case, word)]
    found += [Meaning(kind="finding", name=fingerprint) for fingerprint in fingerprints(report.findings, word)]
    if word in rules or any(finding.rule == word for finding in report.findings):
        found.append(Meaning(kind="rule", name=word))
    if word in _libraries(report):
        found.append(Meaning(kind="library", name=word))
    found += [Meaning(kind="symbol", name=name) for name in symbols(case, word)]
    return tuple(found)


def fingerprints(findings: Iterable[Finding], word: str) -> list[str]:
    """Those that begin with the word, where it looks like one."""
    if _FINGERPRINT.fullmatch(word) is None:
        return []
    return list(dict.fromkeys(finding.fingerprint for finding in findings if finding.fingerprint.startswith(word)))


def asked_symbols(case: Case, findings: tuple[Finding, ...], word: str) -> list[str]:
    """The symbols of which a story must tell: those that the word means, and those of the finding that it means."""
    names = symbols(case, word)
    wanted = fingerprints(findings, word)
    for finding in findings:
        if finding.fingerprint in wanted:
            names += symbols_of(case, finding)[:1]
    return list(dict.fromkeys(names))


def symbols_of(case: Case, finding: Finding) -> list[str]:
    """The symbols that a finding is about."""
    named = dict(finding.evidence).get("symbols", ())
    texts = named if isinstance(named, tuple) else (str(named),)
    # Evidence has a symbol's library behind it where one is wanted by version: "memcpy@GLIBC_2.14 of libc.so.6".
    names = (name for text in texts for name in symbols(case, text.partition(" of ")[0]))
    return list(dict.fromkeys(names))


def libraries_of(report: ArtifactReport, finding: Finding) -> list[str]:
    """The first libraries that a finding is about."""
    known = _libraries(report)
    texts = [finding.subject]
    for key, value in finding.evidence:
        if key in {"library", "libraries"}:
            texts += value if isinstance(value, tuple) else (str(value),)
    return [text for text in dict.fromkeys(texts) if text in known][:_TOLD]


def no_such_finding(report: ArtifactReport, word: str) -> tuple[str, ...]:
    """Lines for a fingerprint that no finding has; empty where the word does not look like one."""
    if _FINGERPRINT.fullmatch(word) is None:
        return ()
    name = report.case.inventory.name
    lines = [f"{name} has no finding {word}; it is mended, or of another artifact or policy"]
    near = _near(word, [finding.fingerprint for finding in report.findings])
    likely = [each for each in report.findings if each.fingerprint in near]
    lines += [f"did you mean {each.fingerprint}  {each.rule}  {each.file}?" for each in likely]
    if not report.findings:
        lines.append("under this policy it has none at all")
    elif not near:
        told = [f"{each.fingerprint}  {each.rule}  {each.file}: {each.subject}" for each in report.findings[:_LISTED]]
        more = len(report.findings) - len(told)
        lines += ["it has:", *told, *([f"and {more:,} more: wheelproof check --verbose lists them"] if more else [])]
    return tuple(lines)


def _near(word: str, words: Iterable[str]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(word, list(words), n=_SUGGESTIONS)


def suggestions(report: ArtifactReport, word: str, rules: Iterable[str]) -> tuple[str, ...]:
    """Names in the artifact, and of rules, that are near to the word, the nearest first."""
    names = dict.fromkeys(rules)
    names |= {path.rpartition("/")[2]: None for path in _paths(report.case)}
    names |= dict.fromkeys(sorted(_libraries(report)))
    for name in _imported(report.case):
        if len(names) >= _COMPARED:
            break
        names[decoded(name)] = None
    return tuple(_near(word, names))


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
