"""Every lookup of every root, row by row: the ``--bindings`` table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.exports import Exports
from checker.fates import Binder
from checker.model.closure import ProviderKind
from checker.model.resolution import BindingRow, Outcome
from checker.resolve import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.fates import Fate
    from checker.judge import Judgement
    from checker.model.elf import ElfFacts
    from checker.resolve import Group

_Request = tuple[int, bytes, "bytes | None"]
"""Object, symbol and version asked for."""


def relocated_names(objects: tuple[ElfFacts, ...]) -> set[bytes]:
    """The names that any relocation looks up, those of the objects' own definitions included."""
    names: set[bytes] = set()
    for facts in objects:
        names.update(facts.imports.names)
        names.update(facts.symbols.name(symbol) for symbol in facts.self_references)
    return names


def binding_rows(judgement: Judgement) -> tuple[BindingRow, ...]:
    """One row for each relocated symbol of each object of each root's closure; one with ``root=None`` where all roots agree.

    What the setup loaded before the roots was relocated before them, in scopes of its own.
    """
    process = judgement.process
    objects = process.installation.objects
    programs = frozenset(mapped.root for mapped in judgement.mapped if mapped.root in judgement.resolver.programs)
    resolver = Resolver(process, Exports(objects, relocated_names(objects[: process.installation.own])), programs)
    binder = Binder(process, resolver)
    answers: dict[_Request, dict[Fate, list[int]]] = {}
    before = (() if process.start is None else (process.start,)) + tuple(one.mapped for one in process.preloaded)
    for mapped in (*before, *judgement.mapped):
        scope = binder.scope(mapped)
        new = set(mapped.new)
        # In the order of relocation, dependencies first: it decides who owns a UNIQUE name.
        for number in reversed(mapped.order):
            if number not in new or not process.is_own(number):
                continue
            for group, requests in _requests(resolver, process.facts(number), number):
                fate = binder.fate(mapped, number, group, scope)
                for request in requests:
                    answers.setdefault(request, {}).setdefault(fate, []).append(mapped.root)
    rows = [row for request, fates in answers.items() for row in _rows(judgement, resolver, request, fates)]
    return tuple(sorted(rows, key=lambda row: (row.object, row.symbol, row.version or b"", row.root or "")))


def _requests(resolver: Resolver, facts: ElfFacts, number: int) -> Iterator[tuple[Group, list[_Request]]]:
    names, indices = facts.imports.names, facts.imports.version_indices
    wanted = facts.symbols.version_names
    for group in resolver.groups(number):
        yield (
            group,
            [
                (number, names[position], wanted.get(indices[position]) if indices[position] > 1 else None)
                for position in group.positions
            ],
        )
    for group in resolver.self_groups(number):
        entries = [facts.symbols.definition(facts.self_references[position]) for position in group.positions]
        yield group, [(number, facts.symbols.name(entry.symbol), entry.version) for entry in entries]


def _rows(judgement: Judgement, resolver: Resolver, request: _Request, fates: dict[Fate, list[int]]) -> Iterator[BindingRow]:
    process = judgement.process
    number, symbol, version = request
    for (bound, outcome, via), roots in fates.items():
        is_bound = outcome is Outcome.BOUND and bound >= 0
        entry = process.entry(bound) if is_bound else None
        for root in [None] if len(fates) == 1 else roots:
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
