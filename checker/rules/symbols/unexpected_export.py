"""A file exports symbols that the policy does not expect of it.

## What

An extension module needs to export its init function only (Cython's have one more symbol,
`__pyx_module_is_main_…`); everything else in its dynamic symbol table that is
defined there, and that matches none of the policy's patterns, is told. With `libraries` the rule looks
at the files that those globs name instead, for libraries whose interface is to be held. What linkers add
(`_init`, `_end`, `__bss_start` …) and the names of version nodes do not count.

## Why it breaks

Each exported symbol can be replaced by another library's of that name, and can replace another's; the
linker cannot drop unused code, and calls between functions of one file go through the PLT. For a library, a
symbol once exported is an interface that someone will use.

## Causes and fixes

- Compile with `-fvisibility=hidden` (`-fvisibility-inlines-hidden` for C++): `PyMODINIT_FUNC` exports the init
  function in any case. CMake: `C_VISIBILITY_PRESET hidden`, `VISIBILITY_INLINES_HIDDEN ON`; meson:
  `gnu_symbol_visibility: 'hidden'`.
- Static libraries in it were compiled without: `-Wl,--exclude-libs,ALL`.
- A version script: `-Wl,--version-script=exports.map` with `{ global: PyInit_*; local: *; };`.

## References

Python, "Extending and Embedding", `PyMODINIT_FUNC`; GCC manual, `-fvisibility`; ld(1), "VERSION Command".
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
    from checker.model.elf import ElfFacts

_MOST_NAMES = 200
"""Names in the evidence; a large library can have a hundred thousand."""
_SHN_ABS = 0xFFF1
_OF_THE_LINKER = frozenset(
    b"_init _fini _edata edata _end end _etext etext __bss_start __bss_start__ __bss_end__ _bss_end__ __end__ _fdata _ftext "
    b"__data_start data_start __exidx_start __exidx_end _GLOBAL_OFFSET_TABLE_ _DYNAMIC __TMC_END__ __dso_handle".split()
)


@record
class Parameters:
    """What may be exported, and by whom.

    Attributes:
        allowed: globs over symbols.
        libraries: globs over the members that are looked at; empty for the extension modules.
    """

    allowed: tuple[str, ...] = ("PyInit_*", "PyInitU_*", "PyModExport_*", "PyModExportU_*", "__pyx_module_is_main_*")
    libraries: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object."""
    modules = {root.path for root in case.roots if root.host == "python"}
    for facts in case.objects:
        if not (any_match(parameters.libraries, facts.path) if parameters.libraries else facts.path in modules):
            continue
        names = sorted(_unexpected(facts, parameters.allowed))
        if names:
            yield Observation(
                file=facts.path,
                subject=text(names[0]),
                message=f"exports {counted(len(names), 'symbol')} beyond what the policy expects: "
                f"{shown_symbols((name, None) for name in names)}",
                evidence=evidence(symbols=tuple(map(text, names[:_MOST_NAMES])), count=len(names), expected=parameters.allowed),
                remedy="Compile with -fvisibility=hidden, and link with -Wl,--exclude-libs,ALL or a version script; or name "
                "what is an interface in the policy: [rules.unexpected-export] allowed = […]",
            )


def _unexpected(facts: ElfFacts, allowed: tuple[str, ...]) -> set[bytes]:
    found: set[bytes] = set()
    for symbol, name in facts.symbols.exported():
        if name in _OF_THE_LINKER or any_match(allowed, text(name)):
            continue
        _, _, section, value = facts.symbols.fields(symbol)
        # GNU ld writes one such symbol for each version node.
        if section != _SHN_ABS or value:
            found.add(name)
    return found


RULE = Rule(id="unexpected-export", family="symbols", parameters=Parameters, check=check, doc=__doc__ or "")
