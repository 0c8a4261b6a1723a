"""An extension module has no function by which the interpreter could start it.

## What

A file named as an extension module (`_core.cpython-311-x86_64-linux-gnu.so`, `_core.abi3.so`) exports
neither `PyInit__core` nor `PyModExport__core`. Told are only files that an import must be meant for:
they export the init function of another name, or they use the interpreter, offer no C function of their
own, and nothing else in the artifact needs them. A library that is merely named like a module, because a
build tool named it, and that is opened by ctypes, a debugger or `torch.ops.load_library`, is left alone.

## Why it breaks

The import ends with "dynamic module does not define module export function (PyInit__core)".

## Causes and fixes

- The file was renamed after the build: the module's name in `PYBIND11_MODULE`, `NB_MODULE`,
  `#[pymodule]` or `PyInit_…` must be the last part of its import name.
- Hidden by `-fvisibility=hidden` without `PyMODINIT_FUNC`, by a version script, or by
  `-Wl,--exclude-libs,ALL` on the archive that has it.
- Dropped by the linker, because the object file with it came from a static archive:
  `-Wl,--whole-archive`, or `-u PyInit__core`.
- Compiled as C++ without `extern "C"`, so that its name is mangled (`PyMODINIT_FUNC` does this).

## References

PEP 489, "Export Hook Name"; PEP 793; CPython `Python/importdl.c`.
"""

from __future__ import annotations

from checker.model.elf import Binding, SymbolType
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.extension_names import extension_name, has_init, imported_as, init_names, other_inits
from checker.rules.stable_abi import interpreter_symbols
from checker.rules.wording import evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_OPENED_BY_ITS_LIBRARY = ("libtorch.so", "libtorch_*.so", "libc10.so", "libtvm_ffi.so")
"""What registers operators with these is opened by their own functions."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file."""
    needed = {soname.rpartition("/")[2] for facts in case.objects for soname in facts.needed}
    for facts in case.objects:
        named = extension_name(facts.path)
        if named is None or not is_native(facts) or has_init(facts, module := imported_as(named)):
            continue
        others = other_inits(facts)
        if not others and not _is_meant_for_import(facts, needed):
            continue
        *_, wanted, newer = map(text, init_names(module))
        instead = f"; it has {listing([text(name) for name in others])}" if others else ""
        yield Observation(
            file=facts.path,
            subject=wanted,
            message=f"is named as an extension module and does not export {wanted} (or {newer}){instead}",
            evidence=evidence(wanted=(wanted, newer), found=tuple(map(text, others))),
            remedy=f"Give the module and the file one name, and export {wanted} with PyMODINIT_FUNC",
        )


def _is_meant_for_import(facts: ElfFacts, needed: set[str]) -> bool:
    if {facts.path.rpartition("/")[2], facts.soname} & needed:
        return False
    if any(any_match(_OPENED_BY_ITS_LIBRARY, soname) for soname in facts.needed):
        return False
    return bool(interpreter_symbols(facts)) and not _offers_functions(facts)


def _offers_functions(facts: ElfFacts) -> bool:
    """C functions under names of its own, which whoever opens it asks for (as a debugger does of memray's ``_inject``)."""
    own = (symbol for symbol, name in facts.symbols.exported() if not name.startswith(b"_"))
    entries = (facts.symbols.definition(symbol) for symbol in own)
    return any((entry.binding, entry.type) == (Binding.STB_GLOBAL, SymbolType.STT_FUNC) for entry in entries)


RULE = Rule(id="missing-init-function", family="interpreter", parameters=NoParameters, check=check, doc=__doc__ or "")
