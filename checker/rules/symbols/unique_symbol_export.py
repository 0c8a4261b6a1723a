"""A library exports symbols of binding STB_GNU_UNIQUE, of which a process has one each.

## What

GCC on GNU/Linux gives this binding to the static variables of inline functions and of templates. The loader
keeps one table of them for the whole process: whoever defines such a name first is taken for all, also
by libraries that were opened with RTLD_LOCAL and share nothing else.

The recommended policy leaves this rule off: more than a third of the wheels that were looked at have such
symbols, nearly all that hold C++ built by GCC, and mostly they do no harm.

## Why it breaks

Two extension modules, even of two distributions, that contain different versions of one C++ library share
its static variables: what one has set up, the other takes for its own layout. And a library whose symbol is
in the table is never unloaded, `dlclose` or not.

## Causes and fixes

- Compile with `-fno-gnu-unique` (the symbols become weak, as elsewhere), or
- export only the interface: `-fvisibility=hidden -fvisibility-inlines-hidden`, or a version script
  (`{ global: PyInit_*; local: *; };`).

## References

glibc `elf/dl-lookup.c`, `do_lookup_unique`; GCC manual, `-fno-gnu-unique`; ELF gABI, STB_GNU_UNIQUE (OS-specific).
"""

from __future__ import annotations

from itertools import compress

from checker.model.elf import Binding
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.wording import counted, evidence, shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case

_UNIQUE = bytes(info >> 4 == Binding.STB_GNU_UNIQUE for info in range(256))
_MOST_NAMES = 200
"""Names in the evidence; a large library can have thousands."""


@record
class Parameters:
    """Parameters.

    Attributes:
        allowed: globs over symbols that are accepted, such as ``_ZNSt*``.
    """

    allowed: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object."""
    for facts in case.objects:
        infos, _, sections, _ = facts.symbols.columns()
        unique = infos.translate(_UNIQUE)
        if 1 not in unique:
            continue
        symbols = (symbol for symbol in compress(range(len(unique)), unique) if sections[symbol])
        named = (facts.symbols.name(symbol) for symbol in symbols)
        names = sorted(name for name in named if not any_match(parameters.allowed, text(name)))
        if names:
            yield Observation(
                file=facts.path,
                subject=text(names[0]),
                message=f"exports {counted(len(names), 'unique symbol')}, which every library of the process shares whatever "
                f"its scope: {shown_symbols((name, None) for name in names)}",
                evidence=evidence(symbols=tuple(map(text, names[:_MOST_NAMES])), count=len(names)),
                remedy="Compile with -fno-gnu-unique, or hide what is no interface (-fvisibility=hidden, a version script)",
            )


RULE = Rule(id="unique-symbol-export", family="symbols", parameters=Parameters, check=check, doc=__doc__ or "")
