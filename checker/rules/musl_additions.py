"""What musl got between 1.1.24, which ``musllinux_1_1`` promises, and 1.2.2, the oldest release that was measured whole.

Nothing was taken away in between, so that what a wheel uses of 1.2.2 and is not named here is in 1.1.24 too. Found by building
both releases from musl's repository for x86-64 (v1.1.24, commit ea9525c8bcf6, and v1.2.2, commit 85e0e3519655) and comparing
their dynamic symbols; those for 32-bit processors by comparing the headers of both.
"""

from __future__ import annotations

import re

from checker.model.elf import Use
from checker.rules.architectures import suits
from checker.rules.stable_abi import is_defined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case, Promise
    from checker.model.elf import ElfFacts

_OLD_TAG = re.compile(r"musllinux_1_[01]_\w+")

_ADDED = frozenset({b"_Fork", b"gettid", b"reallocarray", b"tcgetwinsize", b"tcsetwinsize"})
_TIME64 = b"time64"
"""In the names by which headers since 1.2.0 ask for functions with 64-bit times on 32-bit processors (``__stat_time64``,
``__clock_gettime64``: each ``__REDIR`` under ``_REDIR_TIME64``); in no name of 1.1.24."""


def later_than_promised(case: Case) -> Iterator[tuple[ElfFacts, Promise, tuple[bytes, ...]]]:
    """(object, promise, names) of what objects must have of musl that the 1.1 of a promise lacks; names sorted."""
    for promise in case.promises:
        if not _OLD_TAG.fullmatch(promise.tag):
            continue
        for facts in case.objects:
            if suits(facts, promise.oldest.architecture) and (names := _used(facts)):
                own = tuple(name for name in names if not is_defined(name, case.objects))
                if own:
                    yield facts, promise, own


def _used(facts: ElfFacts) -> tuple[bytes, ...]:
    """The object's imports of such names; weak references and entries that no relocation uses are left out."""
    strings = facts.symbols.strings
    if _TIME64 not in strings and not any(name in strings for name in _ADDED):
        return ()
    columns = facts.imports
    names = {
        name
        for position, name in enumerate(columns.names)
        if (name in _ADDED or (_TIME64 in name and name.startswith(b"__")))
        and not columns.weak[position]
        and columns.uses[position] != Use.NONE
    }
    return tuple(sorted(names))
