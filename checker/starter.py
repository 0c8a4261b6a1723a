"""A first policy for a project, written from what its artifacts are today.

It spells out what holds (target, providers, ceilings) and accepts each finding of today by a waiver of its own, with the
message as a comment, so that a person can decide about each.
"""

from __future__ import annotations

import re

from checker.model.closure import ProviderKind
from checker.model.globs import any_match
from checker.model.policy import DeclaredProvider, Waiver
from checker.model.record import record, replace
from checker.model.regex import regex
from checker.platforms.policies import FAMILIES, promise_for
from checker.rules.architectures import tagged_architectures
from checker.rules.known_libraries import distribution_of
from checker.rules.requirements import normalized, required

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.model.case import Case
    from checker.model.closure import Edge
    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport

Release = tuple[int, ...]

NAMESPACES = ("GLIBC", "GLIBCXX", "CXXABI", "GCC")
"""The version namespaces of the C library and of GCC's runtimes: those that rise with the build machine."""


@record
class Acceptance:
    """A finding of today and the waiver that accepts it."""

    finding: Finding
    waiver: Waiver


@record
class Ceilings:
    """What one architecture needs at most: the versions of ``tag``, the oldest that is true of all its artifacts.

    Attributes:
        architecture: as in platform tags.
        tag: such as ``manylinux_2_17_x86_64``.
        versions: (namespace, newest version), in the order of :data:`NAMESPACES`.
    """

    architecture: str
    tag: str
    versions: tuple[tuple[str, str], ...]


@record
class Starter:
    """What the policy shall say; :func:`checker.startertext.render` writes it down.

    Attributes:
        name: of the policy.
        extends: as it stands in the file.
        platform, python: of ``[target]``.
        artifacts: the names of those it was written from.
        day: when, an ISO date.
        given: (distribution, name of its file) of those whose bytes were at hand.
        schema: path of the JSON Schema, relative to the policy; empty for none.
        output: the file that it is written to, for messages.
        providers: to declare.
        known: distributions that the extended policies declare and the artifacts use.
        ceilings: by architecture.
        accepted: findings of today.
        unchecked: (file, reason) of what could not be checked.
    """

    name: str
    extends: tuple[str, ...]
    platform: str
    python: str
    artifacts: tuple[str, ...]
    day: str
    given: tuple[tuple[str, str], ...] = ()
    schema: str = ""
    output: str = ""
    providers: tuple[DeclaredProvider, ...] = ()
    known: tuple[str, ...] = ()
    ceilings: tuple[Ceilings, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    unchecked: tuple[tuple[str, str], ...] = ()


def suggested_providers(cases: Iterable[Case]) -> tuple[DeclaredProvider, ...]:
    """The distributions that a policy must declare for what they bring to be found, sorted by name.

    They are those in ``Requires-Dist`` that are known to bring libraries which are found nowhere; and those whose bytes were at
    hand, for libraries that nothing but these bytes has supplied, or that lie in them and are found nowhere.
    """
    libraries: dict[tuple[str, str], set[str]] = {}
    for case in cases:
        names = required(case.inventory)
        own = {facts.path for facts in case.objects}
        for edge in case.libraries:
            if edge.needer not in own:
                continue
            if edge.provider is ProviderKind.NONE:
                name, how = _carrier(edge, case) or _requirement(distribution_of(edge.soname), names), _how(edge)
            else:
                name, how = _undeclared_owner(edge, case), "rpath"
            if name:
                libraries.setdefault((name, how), set()).add(edge.soname)
    return tuple(
        DeclaredProvider(requirement=name, libraries=tuple(sorted(sonames)), how=how)
        for (name, how), sonames in sorted(libraries.items())
    )


def _carrier(edge: Edge, case: Case) -> str:
    """The distribution at hand that has a library of that name; empty for none."""
    carriers = (owner for owner, facts in case.provided_objects if edge.soname in (facts.soname, facts.path.rpartition("/")[2]))
    return next(carriers, "")


def _undeclared_owner(edge: Edge, case: Case) -> str:
    """The distribution into which a run path led and whose bytes alone tell that it has the library; empty for others."""
    if edge.provider is not ProviderKind.DECLARED:
        return ""
    owner = (edge.path or "").partition(":")[0]
    is_declared = any(each.requirement == owner and any_match(each.libraries, edge.soname) for each in case.providers)
    return "" if is_declared else owner


def used_providers(cases: Iterable[Case], beside: Iterable[DeclaredProvider]) -> tuple[str, ...]:
    """The distributions that the policy declares already and whose libraries are needed, sorted."""
    new = {provider.requirement for provider in beside}
    edges = (edge for case in cases for edge in case.libraries if edge.provider is ProviderKind.DECLARED and edge.path)
    return tuple(sorted({(edge.path or "").partition(":")[0] for edge in edges} - new))


def _requirement(known: str, names: Sequence[str]) -> str:
    """The requirement that brings a distribution: itself, or its build for one CUDA version (``nvidia-cublas-cu12``)."""
    if not known:
        return ""
    fitting = re.compile(re.escape(normalized(known)) + r"(-cu\d+)?")
    return next((name for name in names if fitting.fullmatch(name)), "")


def _how(edge: Edge) -> str:
    """``rpath`` where a run path leads into another distribution's directory, else the library must be loaded before."""
    return "rpath" if any(attempt.outcome == "not in the artifact" for attempt in edge.looked_in) else "preloaded"


def ceilings(cases: Iterable[Case]) -> tuple[Ceilings, ...]:
    """What each architecture needs at most today, sorted; nothing for musl, whose symbols have no versions."""
    newest: dict[str, Release] = {}
    for case in cases:
        found = re.fullmatch(r"manylinux_(\d+)_(\d+)_(\w+)", case.computed.platform or "") if case.computed else None
        if found is None:
            continue
        # What is above the tag is a finding of its own, and no ceiling that anyone has chosen.
        promised = [each.oldest.release for each in case.promises if each.oldest.architecture == found[3]]
        release = min((int(found[1]), int(found[2])), *promised)
        newest[found[3]] = max(release, newest.get(found[3], ()))
    made = (_ceilings(architecture, release) for architecture, release in sorted(newest.items()))
    return tuple(each for each in made if each is not None)


def _ceilings(architecture: str, release: Release) -> Ceilings | None:
    promise = promise_for("glibc", release, architecture)
    if promise is None:
        return None
    versions = tuple(
        (namespace, ".".join(map(str, ceiling)))
        for namespace in NAMESPACES
        if (ceiling := promise.ceiling(namespace)) is not None
    )
    return Ceilings(architecture=architecture, tag=f"{promise.tag}_{architecture}", versions=versions)


def acceptances(reports: Iterable[ArtifactReport], least: int, reason: str) -> tuple[Acceptance, ...]:
    """One waiver for each finding of at least that rank, in the order of the reports; findings alike share one.

    Args:
        reports: judged by the policy that the waivers are for.
        least: rank of the lowest level that is accepted.
        reason: what each waiver says.
    """
    cases: list[Case] = []
    found: dict[Waiver, Finding] = {}
    having: dict[Waiver, list[Case]] = {}
    for report in reports:
        cases.append(report.case)
        for finding in report.findings:
            if finding.waived is None and finding.level.rank >= least:
                waiver = _waiver(finding, report.case, reason)
                found.setdefault(waiver, finding)
                having.setdefault(waiver, []).append(report.case)
    return tuple(
        Acceptance(finding=finding, waiver=_limited(waiver, having[waiver], cases)) for waiver, finding in found.items()
    )


_HASH = regex(r"(?<=[-.])[0-9a-f]{8}(?=[.-])")
"""What auditwheel puts into a bundled library's name; it changes with the library's bytes."""
_SUFFIX = regex(r"\.(?:cpython-\d+t?|pypy\d+-pp\d+)-[\w-]+\.so\Z")
_SPECIAL = regex(r"[*?[]")


def _waiver(finding: Finding, case: Case, reason: str) -> Waiver:
    waiver = Waiver(
        rule=finding.rule,
        file=_file_glob(finding.file, case),
        match=_lasting_part(finding.subject),
        reason=reason,
        owner="",
        expires="",
        line=0,
        source="",
    )
    if not waiver.file and not waiver.match:
        waiver = replace(waiver, match=finding.message)
    return waiver


def _limited(waiver: Waiver, having: Sequence[Case], cases: Sequence[Case]) -> Waiver:
    """The waiver for the C library and the architectures whose artifacts have the finding: elsewhere it would be stale."""
    lacking = [case for case in cases if case not in having]
    for family in FAMILIES:
        others = [case for case in lacking if _families(case) and family not in _families(case)]
        if others and all(_families(case) == {family} for case in having):
            waiver = replace(waiver, tags=(f"*-{family}*",))
            lacking = [case for case in lacking if case not in others]
    architectures = {architecture for case in having for architecture in tagged_architectures(case)}
    if any(tagged_architectures(case) and architectures.isdisjoint(tagged_architectures(case)) for case in lacking):
        waiver = replace(waiver, architectures=tuple(sorted(architectures)))
    return waiver


def _families(case: Case) -> set[str]:
    return {family for family in FAMILIES for tag in case.tags if tag.platform.startswith(family)}


def _file_glob(path: str, case: Case) -> str:
    """A glob that names the member in the next release too, whatever its version, hash and Python; empty where none can."""
    if path == case.inventory.name:
        # The artifact itself: its name holds the version.
        return "*.whl" if path.endswith(".whl") else _escaped(path)
    if "\\" in path or path.startswith("/") or set(path.split("/")) & {"", ".", ".."}:
        return ""  # no member path that a glob could name
    head, slash, rest = path.partition("/")
    stem = re.sub(r"-[^-/]+(?=\.(?:dist-info|data)\Z)", "-*", head)
    glob = (stem if stem != head and not _SPECIAL.search(head) else _escaped(head)) + slash + _escaped(rest)
    return _SUFFIX.sub(".*.so", _HASH.sub("*", glob))


def _escaped(path: str) -> str:
    return _SPECIAL.sub(lambda found: f"[{found[0]}]", path)


def _lasting_part(subject: str) -> str:
    """The longest part of a subject without a hash."""
    return max(_HASH.split(subject), key=len)
