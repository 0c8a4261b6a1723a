"""A symbol that a file uses is defined by nothing that is loaded with it.

## What

A strong undefined symbol that some relocation uses and that no object in its scope defines: neither
the file's libraries, nor the interpreter, nor the platform. Names of the interpreter, of the C++
runtime and of platform libraries have rules of their own. A reference that no relocation uses is
never looked up and never told; nor is a weak one, which becomes 0. What a program of the artifact
has for the plugins that it opens, `preload-only-library` tells.

## Why it breaks

Python binds everything when it opens an extension module, so the import fails with "undefined
symbol: …". A program that binds lazily starts and dies at the first call. A shared library links
without complaint in spite of the gap, which is why the build passed.

## Causes and fixes

- A library is absent from the link line: add `-lfoo` *after* the objects that use it. With
  `-Wl,--as-needed`, the default of many distributions, a library before the objects is dropped.
- A static archive stands before the objects, or two archives need one another: put them after the
  objects, inside `-Wl,--start-group … -Wl,--end-group`.
- A static initializer or registration lives in an archive that nothing refers to:
  `-Wl,--whole-archive`.
- A source file was left out of the build, or a C header lacks `extern "C"` and the name is mangled.
- The library in the artifact has it, but the file does not need it: link against that library.
- Make the linker find it at once: `-Wl,-z,defs`, or `-Wl,--no-undefined`. (Interpreter symbols then
  need the exemption of `-Wl,--unresolved-symbols` or a list, since extension modules do not link
  libpython.)

## References

gABI chapter 5, "Symbol Table" and "Relocation"; glibc `elf/dl-lookup.c`, `_dl_lookup_symbol_x`;
ld(1), "--as-needed", "-z defs".
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.extension_names import other_inits
from checker.rules.fates import (
    Fate,
    Fates,
    grouped_by_candidate,
    hosts_of,
    names_of,
    platforms_of,
    reasons_of,
    roots_of,
    undecided_reason,
    when_it_fails,
)
from checker.rules.plugins import Programs
from checker.rules.wording import counted, evidence, shown_symbols

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.resolution import Resolution


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object and library that would define the symbols; one for those that nothing defines."""
    fates, programs = Fates(case), Programs(case)
    for path, resolutions in fates.told_by(Fate.SYMBOL).items():
        if programs.that_opens(path, resolutions):
            continue  # preload-only-library tells it
        for candidate, group in grouped_by_candidate(resolutions):
            yield _observe(case, path, candidate, group)
    for path, resolutions in fates.undecided(Fate.SYMBOL).items():
        yield ReadProblem(file=path, reason=undecided_reason(resolutions))


def _observe(case: Case, path: str, candidate: str, group: tuple[Resolution, ...]) -> Observation:
    names = names_of(group)
    shown = shown_symbols((each.symbol, each.version) for each in group)
    moment = when_it_fails(group, case.object(path), hosts_of(case))
    symbols = counted(len(names), "symbol")
    if candidate:
        message = f"uses {symbols} of {candidate}, which it does not need, so that it fails {moment}: {shown}"
        remedy = (
            f"Link {path} against {candidate.rpartition('/')[2]}, with -l after the objects, so that it stands in DT_NEEDED"
        )
    else:
        message = f"uses {symbols} that nothing it loads defines, so that it fails {moment}: {shown}"
        remedy = (
            "Add the library that defines them to the link line, after the objects that use them (archives too; "
            "-Wl,--as-needed drops what stands before), or build the source file that is missing; -Wl,-z,defs makes the linker "
            f"say so{_elsewhere(case, path)}"
        )
    return Observation(
        file=path,
        subject=names[0],
        message=message,
        evidence=evidence(
            symbols=names,
            candidates=tuple(sorted({each for resolution in group for each in resolution.candidates})),
            roots=roots_of(group),
            platforms=platforms_of(group),
            fails=moment,
            because=reasons_of(group),
        ),
        remedy=remedy,
    )


def _elsewhere(case: Case, path: str) -> str:
    """Who else may have the symbols: the artifact does not tell who opens a library, nor what is imported before a module."""
    facts = case.object(path)
    if facts is None or not other_inits(facts):
        return "; or, if it is the plugin of a program that has them, accept it in a waiver"
    if case.inventory.wheel is not None and case.inventory.wheel.requires:
        return (
            "; or, if a distribution that is opened before has them, say so: --provider NAME=WHEEL --preload NAME:FILE:global"
        )
    return ""


RULE = Rule(id="unresolved-symbol", family="symbols", parameters=NoParameters, check=check, doc=__doc__ or "")
