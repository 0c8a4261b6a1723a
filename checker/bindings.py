"""Every lookup of every root, row by row: the ``--bindings`` table."""

from __future__ import annotations

from checker.exports import Exports
from checker.fates import Binder
from checker.judge import shared_objects
from checker.model.closure import ProviderKind
from checker.model.record import replace
from checker.model.resolution import BindingRow, Outcome
from checker.resolve import Resolver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.fates import Fate
    from checker.judge import Judgement
    from checker.model.elf import ElfFacts

_Request = tuple[int, bytes, "bytes | None"]
"""Object, symbol and version asked for."""


def relocated_names(objects: tuple[ElfFacts, ...]) -> set[bytes]:
    """The names that any relocation looks up, those of the objects' own definitions included."""
    names: set[bytes] = set()
    for facts in objects:
        names.update(facts.imports.names)
        names.update(facts.symbols.name(symbol) for symbol in facts.self_references)
    return names


def binding_rows(judgements: Sequence[Judgement]) -> tuple[BindingRow, ...]:
    """One row for each relocated symbol of each object of each root's closure; one with ``root=None`` where all roots agree.

    Args:
        judgements: on one platform, one for each process. What the setup loaded before the roots was relocated before them,
            in scopes of its own.
    """
    shared = shared_objects(judgements)
    by_root: dict[_Request, list[BindingRow]] = {}
    rows: list[BindingRow] = []
    for judgement in judgements:
        for request, row in _judgement_rows(judgement, shared):
            if request[0] in shared:
                by_root.setdefault(request, []).append(row)
            else:
                rows.append(row)
    for told in by_root.values():
        alike = {replace(row, root=None) for row in told}
        rows += alike if len(alike) == 1 else told
    return tuple(sorted(rows, key=lambda row: (row.object, row.symbol, row.version or b"", row.root or "")))


def _judgement_rows(judgement: Judgement, shared: frozenset[int]) -> Iterator[tuple[_Request, BindingRow]]:
    """The rows of one process; those of objects that others have too root by root."""
    process = judgement.process
    objects = process.installation.objects
    programs = frozenset(mapped.root for mapped in judgement.mapped if mapped.root in judgement.resolver.programs)
    resolver = Resolver(process, Exports(objects, relocated_names(objects[: process.installation.own])), programs)
    binder = Binder(process, resolver, all_references=True)
    before = (() if process.start is None else (process.start,)) + tuple(one.mapped for one in process.preloaded)
    for mapped in (*before, *judgement.mapped):
        scope = binder.scope(mapped)
        new = set(mapped.new)
        # In the order of relocation, dependencies first: it decides who owns a UNIQUE name.
        for number in reversed(mapped.order):
            if number in new and process.is_own(number):
                binder.bind(mapped, number, scope)
    for (number, index), fates in binder.collected().items():
        agrees = len(fates) == 1 and (number not in shared or number in process.present)
        for request in _requests(resolver, process.facts(number), number, index):
            for row in _rows(judgement, resolver, request, fates, agrees=agrees):
                yield request, row


def _requests(resolver: Resolver, facts: ElfFacts, number: int, index: int) -> Iterator[_Request]:
    """What the references of one group ask for: imports first, then what the object defines itself."""
    names, indices, versions = facts.imports.names, facts.imports.version_indices, facts.symbols.version_names
    imported = resolver.groups(number)
    if index < len(imported):
        for position in imported[index].positions:
            version_index = indices[position]
            yield number, names[position], versions.get(version_index) if version_index > 1 else None
        return
    for position in resolver.all_groups(number)[index].positions:
        entry = facts.symbols.definition(facts.self_references[position])
        yield number, facts.symbols.name(entry.symbol), entry.version


def _rows(
    judgement: Judgement, resolver: Resolver, request: _Request, fates: dict[Fate, list[int]], *, agrees: bool
) -> Iterator[BindingRow]:
    process = judgement.process
    number, symbol, version = request
    for (bound, outcome, via), roots in fates.items():
        is_bound = outcome is Outcome.BOUND and bound >= 0
        entry = process.entry(bound) if is_bound else None
        for root in [None] if agrees else roots:
            yield BindingRow(
                root=process.facts(root).path if root is not None else None,
                platform=process.platform,
                object=process.facts(number).path,
                symbol=symbol,
                version=version,
                outcome=outcome,
                provider=entry.provider if entry is not None else ProviderKind.NONE,
                path=entry.path if entry is not None else None,
                provider_version=resolver.version_taken(symbol, version, bound) if is_bound else None,
                via=via,
            )
