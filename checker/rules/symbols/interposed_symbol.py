"""A library's own functions are replaced by another's of the same names.

## What

A library of the artifact defines strong symbols and refers to them by relocations, as shared libraries do
by default, and in the scope of some extension module the loader takes them from *another* library of the
artifact, which comes earlier and defines them too. One finding tells a pair, with all its symbols. Inline
functions, templates and the names of the C++ runtime are meant to be merged and do not count; neither do
two copies of one file. A module or plugin that would come first only if it were opened before all others is
not told either, where others load the library too.

## Why it breaks

Both libraries were tested with their own code. Where the two differ (another version, other compile
options, another structure of the same name) one now works on the other's data: wrong results, a crash far
from the cause. Which of the two wins depends on who is loaded first. Where they are the same code, nothing
breaks but global variables, which exist twice and are used once.

## Causes and fixes

- One static library linked into two shared ones: link it into one, or build it as a shared library.
- A library that embeds another (zstd, bzip2, zlib) which is also there as a file: build it against the
  shared one, or hide what it embeds: `-Wl,--exclude-libs,ALL`, or a version script.
- `-fvisibility=hidden` for all that is no interface; `-Wl,-Bsymbolic-functions` makes a library call its own
  functions whatever else is there.
- Two builds of one runtime in one closure (two `libgfortran`): build all parts with one compiler.

## References

gABI chapter 5, "Shared Object Dependencies" (breadth-first search); glibc `elf/dl-lookup.c`, `do_lookup_x`;
ld(1), `-Bsymbolic-functions` and `--exclude-libs`.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.wording import counted, evidence, shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.resolution import Interposition


@record
class Parameters:
    """Parameters.

    Attributes:
        allowed: globs over symbols that may be replaced.
    """

    allowed: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each pair of objects."""
    for pair in case.interpositions:
        names = tuple(name for name in pair.symbols if not any_match(parameters.allowed, text(name)))
        if names:
            yield _observe(pair, names)


def _observe(pair: Interposition, names: tuple[bytes, ...]) -> Observation:
    others = f" and {counted(len(pair.roots) - 1, 'other file')}" if len(pair.roots) > 1 else ""
    where = "" if pair.roots == (pair.path,) else f", which comes first in the scope of {pair.roots[0]}{others}"
    return Observation(
        file=pair.object,
        subject=pair.path,
        message=f"{counted(len(names), 'symbol')} that it defines and uses {'is' if len(names) == 1 else 'are'} taken from "
        f"{pair.path} instead{where}: {shown_symbols((name, None) for name in names)}",
        evidence=evidence(symbols=tuple(map(text, names)), taken_from=pair.path, roots=pair.roots),
        remedy=f"Keep them out of {pair.path} (link the shared library instead), hide them there (-Wl,--exclude-libs,ALL or a "
        f"version script), or link {pair.object} with -Wl,-Bsymbolic-functions",
    )


RULE = Rule(id="interposed-symbol", family="symbols", parameters=Parameters, check=check, doc=__doc__ or "")
