"""Finds policies, follows ``extends``, and makes one policy of all."""

# pathlib costs start-up time:
# ruff: noqa: PTH100, PTH110, PTH113, PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import re
from functools import partial

from checker.policy.builtin import DEFAULT_POLICY, CompiledPolicies, shipped_names, shipped_source
from checker.policy.merge import Merged, merge, policy_of
from checker.policy.problems import PolicyError, PolicyProblem, hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from checker.model.policy import Policy, RuleSpec
    from checker.policy.layer import Layer

PROJECT_FILE = "wheelproof.toml"
PYPROJECT_FILE = "pyproject.toml"
_REPOSITORY = ".git"
"""A directory, or in a worktree or submodule a file."""
_PYPROJECT_TABLE = ("tool", "wheelproof")
_Identity = tuple[str, str]
"""``shipped`` and a name, or ``file`` and a real path."""
_Chain = tuple[tuple[_Identity, str], ...]
"""The policies being read, each extending the next: identity, and name to show."""
_TABLE_HINT = rb"""\btool["']?\s*(?:\.\s*["']?wheelproof|\]|=)"""
"""Spares most projects the import of a TOML parser: it finds more than the table, never less."""
SIZE_LIMIT = 1 << 20
"""Bytes of a policy file; more is not a policy."""


def load_policy(sources: Sequence[str], specs: Sequence[RuleSpec], *, directory: str = ".") -> Policy:
    """The effective policy.

    Args:
        sources: names of shipped policies and paths of files; later ones win. With none: ``wheelproof.toml`` in the directory,
            else ``[tool.wheelproof]`` of ``pyproject.toml`` there, else the same in the directories above it as far as its
            repository reaches, else the shipped policy ``recommended``.
        specs: every rule there is, in registry order.
        directory: where to look with no sources.

    Raises:
        PolicyError: with every mistake in every file concerned.
    """
    return policy_of(load_merged(sources, specs, directory=directory), specs)


def load_merged(
    sources: Sequence[str], specs: Sequence[RuleSpec], *, directory: str = ".", use_compiled: bool = True
) -> Merged:
    """Like :func:`load_policy`, one step before: with the origin of each value.

    Args:
        sources: as there.
        specs: as there.
        directory: as there.
        use_compiled: ``False`` reads the TOML of shipped policies too, and so knows the lines of their keys.

    Raises:
        PolicyError: as there.
    """
    collector = _Collector(specs, use_compiled=use_compiled)
    for source in sources or discover(directory):
        collector.add(source, "", partial(_whole_file, source), ())
    if collector.problems:
        raise PolicyError(collector.sorted_problems())
    merged = merge(collector.layers, specs)
    if merged.problems:
        raise PolicyError(merged.problems)
    return merged


def discover(directory: str) -> tuple[str, ...]:
    """The sources in force when none is named: those of the first of :func:`_searched` that has any."""
    for place in _searched(directory):
        project = os.path.normpath(os.path.join(place, PROJECT_FILE))
        if os.path.isfile(project):
            return (project,)
        pyproject = os.path.normpath(os.path.join(place, PYPROJECT_FILE))
        if _has_policy_table(pyproject):
            return (pyproject,)
    return (DEFAULT_POLICY,)


def _searched(directory: str) -> tuple[str, ...]:
    """The directory, then those above it up to the root of its repository; outside of one the directory alone.

    What lies above a repository is nobody's project: in ``/tmp`` anyone may have left a policy.
    """
    places = []
    here = os.path.abspath(directory)
    above = directory
    while True:
        places.append(above)
        if os.path.exists(os.path.join(here, _REPOSITORY)):
            return tuple(places)
        parent = os.path.dirname(here)
        if parent == here:
            return (directory,)
        here, above = parent, os.path.join(above, os.pardir)


def _has_policy_table(pyproject: str) -> bool:
    if not os.path.isfile(pyproject):  # a pipe of that name would be waited for, though nobody asked for it
        return False
    try:
        source = _read_file(pyproject)
    except OSError:
        return False
    if source is None or b"wheelproof" not in source or re.search(_TABLE_HINT, source) is None:
        return False
    from checker.policy.read import Document

    document = Document(source, pyproject, _PYPROJECT_TABLE)
    return document.table is not None or bool(document.problems)


class _Collector:
    """Policies in the order in which they apply: what a policy extends comes before it, and each comes once.

    A policy that is reached twice keeps its first place, so that a policy always wins over what it extends.
    """

    def __init__(self, specs: Sequence[RuleSpec], *, use_compiled: bool) -> None:
        self.specs = tuple(specs)
        self.layers: list[Layer] = []
        self.problems: list[PolicyProblem] = []
        self._compiled = CompiledPolicies(specs) if use_compiled else None
        self._seen: set[_Identity] = set()
        self._order: dict[str, int] = {}

    def sorted_problems(self) -> tuple[PolicyProblem, ...]:
        """All problems: files in the order in which they were met, lines ascending."""
        return tuple(sorted(self.problems, key=lambda problem: (self._order[problem.file], problem.line)))

    def add(
        self,
        reference: str,
        base: str,
        blame: Callable[[str], PolicyProblem],
        chain: _Chain,
    ) -> None:
        """Adds a policy and, before it, those it extends.

        Args:
            reference: the name of a shipped policy, or a path.
            base: the directory that a path is relative to.
            blame: makes a problem at the place that names the reference.
            chain: the policies being read; empty for a source of the user's.
        """
        source = None if is_policy_path(reference) else shipped_source(reference)
        if not chain:
            self._order.setdefault(reference, len(self._order))
        if source is not None:
            identity, file = ("shipped", reference), reference
        else:
            file = os.path.normpath(os.path.join(base, reference))
            if not is_policy_path(reference) and not os.path.isfile(file):
                self.problems.append(blame(f'there is no shipped policy "{reference}"{_name_hint(reference)}'))
                return
            identity = ("file", os.path.realpath(file))
        circle = [name for index, (_, name) in enumerate(chain) if identity in {earlier for earlier, _ in chain[: index + 1]}]
        if circle:
            self.problems.append(blame(f"extends in a circle: {' → '.join([*circle, file])}"))
            return
        if identity in self._seen:
            return
        self._seen.add(identity)
        self._order.setdefault(file, len(self._order))
        if source is None:
            source = self._read(file, blame, f"{file} " if chain else "")
        if source is not None:
            self._add_content(source, file, identity, chain)

    def _read(self, file: str, blame: Callable[[str], PolicyProblem], subject: str) -> bytes | None:
        try:
            source = _read_file(file)
        except OSError as error:
            self.problems.append(blame(f"{subject}cannot be read: {error.strerror or error}"))
            return None
        if source is None:
            self.problems.append(blame(f"{subject}has more than {SIZE_LIMIT} bytes; that is no policy"))
        return source

    def _add_content(self, source: bytes, file: str, identity: _Identity, chain: _Chain) -> None:
        chain = (*chain, (identity, file))
        shipped = identity[0] == "shipped"
        layer = self._compiled.layer(file, source) if shipped and self._compiled is not None else None
        if layer is not None:
            for reference in layer.extends:
                self.add(reference, "", partial(_whole_file, file), chain)
            self.layers.append(layer)
            return
        from checker.policy.read import Document, read_layer

        in_pyproject = not shipped and os.path.basename(file) == PYPROJECT_FILE
        document = Document(source, file, _PYPROJECT_TABLE if in_pyproject else ())
        if document.table is None and not document.problems:
            document.problems.append(document.problem((), "has no table [tool.wheelproof]"))
        layer = read_layer(document, self.specs, file)
        self.problems += document.problems
        base = "" if shipped else os.path.dirname(file)
        for index, reference in _references(document.table):
            self.add(reference, base, partial(document.problem, (*document.prefix, "extends", index)), chain)
        if layer is not None:
            self.layers.append(layer)


def _references(table: dict[str, object] | None) -> list[tuple[int, str]]:
    """What a policy extends, with the index of each, as far as that can be told of one with mistakes."""
    extends = (table or {}).get("extends", [])
    if not isinstance(extends, list):
        return []
    return [(index, each) for index, each in enumerate(extends) if isinstance(each, str) and each]


def is_policy_path(reference: str) -> bool:
    """A policy is named by its path, and not as a shipped one."""
    return reference.endswith(".toml") or "/" in reference or os.sep in reference


def _read_file(path: str) -> bytes | None:
    with open(path, "rb") as stream:
        source = stream.read(SIZE_LIMIT + 1)
    return source if len(source) <= SIZE_LIMIT else None


def _name_hint(reference: str) -> str:
    names = shipped_names()
    return hint(reference, names) or f"; there are: {', '.join(names)}"


def _whole_file(file: str, message: str) -> PolicyProblem:
    return PolicyProblem(file=file, line=0, path="", message=message)
