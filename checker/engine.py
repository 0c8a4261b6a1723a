"""The pipeline: path and policy in, report out. The only place that turns read errors into results."""

from __future__ import annotations

from checker import __version__, platforms
from checker.analysis import Analysis, analyse
from checker.archive import ArchiveError, Limits, hash_artifact, scan
from checker.asking import Places, ask
from checker.closure import Distribution, Installation, install
from checker.computed import computed_platform
from checker.elf import plan, read_elf
from checker.judging import Judging
from checker.model.artifact import ArtifactKind, Inventory, ReadProblem
from checker.model.case import Case, Promise
from checker.model.elf import ElfReadError
from checker.model.finding import Level
from checker.model.layout import Layout
from checker.model.platform import host_order, is_path
from checker.model.record import record, replace
from checker.model.report import ArtifactReport, Report, Verdict
from checker.model.resolution import LoadOutcome
from checker.model.sparse import RangeMissing
from checker.policy.settings import rules_off
from checker.promises import FROM_TAG, host, interpreter_of, promises, python_folder, python_tag, unjudged_platforms
from checker.rules.architectures import suits
from checker.rules.registry import RULES
from checker.rules.requirements import normalized, required
from checker.setup import SetupError, placed
from checker.waive import waive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from checker.archive import Reread
    from checker.model.artifact import Member, Sizes
    from checker.model.closure import Closure
    from checker.model.elf import ElfFacts
    from checker.model.finding import Finding
    from checker.model.platform import Host
    from checker.model.policy import DeclaredProvider, Policy
    from checker.model.resolution import BindingRow, Lookup
    from checker.model.sparse import SparseBytes
    from checker.setup import Setup
    from checker.signatures import SignatureSearch
    from checker.startup import StartupSearch

STARTUP_RULE = "unexpected-instruction-set"
"""The one rule that asks for a disassembly, which costs more than all the rest."""
SIGNATURE_RULE = "hidden-runtime-copy"
"""The one rule that asks for all read-only data."""


class UsageError(Exception):
    """The caller asked for something that is not there; the message says what and what would do."""


@record
class Options:
    """What the caller asks for beyond the policy.

    Attributes:
        platform: a tag, exact platform or platform file instead of the policy's; ``None`` leaves it to the policy.
        python: a tag or platform file instead of the policy's; the same.
        roots: member paths to take as roots; empty for the usual ones.
        providers: (distribution, path) pairs: the bytes of other distributions.
        setup: how the process is started, with paths as :func:`checker.setup.placed` takes them; ``None`` for Python with
            nothing loaded before.
        bindings: fill ``ArtifactReport.bindings``.
        symbols: takes the case and its findings, and names the symbols of which ``ArtifactReport.lookups`` shall tell.
        searches: tell every place looked at of libraries that were found, too.
        digest: fill the artifact's own SHA-256, which costs a tenth of the scan of a large wheel.
        today: ISO date with which waivers' expiry is compared; empty when nothing shall expire.
        closures: fill ``ArtifactReport.closures``.
        fail_on: the lowest level that fails.
        limits: how much is read.
        progress: takes (artifact, bytes done, bytes in all).
        baseline: path of an earlier artifact to compare sizes with.
    """

    platform: str | None = None
    python: str | None = None
    roots: tuple[str, ...] = ()
    providers: tuple[tuple[str, str], ...] = ()
    setup: Setup | None = None
    bindings: bool = False
    closures: bool = False
    symbols: Callable[[Case, tuple[Finding, ...]], Iterable[str]] | None = None
    searches: bool = False
    digest: bool = False
    today: str = ""
    fail_on: Level = Level.ERROR
    limits: Limits = Limits()
    progress: Callable[[str, int, int], None] | None = None
    baseline: str | None = None


def run(paths: Sequence[str], policy: Policy, options: Options) -> Report:
    """Audit several artifacts.

    Raises:
        ArchiveError: an artifact of which nothing can be read is reported as unchecked, not raised; only a path that does not
            exist is the caller's mistake and is raised before anything is read.
    """
    artifacts = tuple(audit(path, policy, options) for path in paths)
    verdicts = {artifact.verdict for artifact in artifacts}
    worst = next((verdict for verdict in (Verdict.FAIL, Verdict.UNCHECKED) if verdict in verdicts), Verdict.PASS)
    data = (*platforms.data_versions(), *_files_named(policy, options))
    return Report(version=__version__, data=data, artifacts=artifacts, verdict=worst, fail_on=options.fail_on)


def audit(path: str, policy: Policy, options: Options | None = None) -> ArtifactReport:
    """Judge one artifact: read it, lay it out, resolve it, ask the rules, and put the answers in order."""
    options = options or Options()
    _files_named(policy, options)
    baseline = _baseline(options)
    off = rules_off(policy)
    startup = None if STARTUP_RULE in off else _startup_search()
    signatures = None if SIGNATURE_RULE in off else _signature_search()
    searches = tuple(search for search in (startup, signatures) if search is not None)
    inventory, objects, unreadable = read(path, options, searches)
    if options.digest and inventory.kind in {ArtifactKind.WHEEL, ArtifactKind.ZIP}:
        inventory = replace(inventory, sha256=hash_artifact(path))
    case, analysis = examine(inventory, objects, policy, options)
    case = case if baseline is None else replace(case, baseline=baseline)
    case = case if startup is None else replace(case, startup=startup.found())
    case = case if signatures is None else replace(case, signatures=signatures.found())
    places = Places(case)
    findings, undecided = ask(RULES, case, policy, places)
    findings = _ordered(waive(findings, policy.waivers, places, artifact=inventory.name, today=options.today, off=off))
    problems = {
        *inventory.problems,
        *unreadable,
        *undecided,
        *_undecided_roots(case, undecided),
        *_wheels_within(inventory),
    }
    if (options.platform or policy.platform) == FROM_TAG:
        problems.update(unjudged_platforms(case.tags, case.promises, inventory.name))
    else:
        problems.update(_unfitting(case))
    unchecked = tuple(sorted(problems, key=lambda one: (one.file, one.reason)))
    return ArtifactReport(
        case=case,
        policy=policy,
        findings=findings,
        unchecked=unchecked,
        verdict=_verdict(findings, unchecked, options.fail_on),
        bindings=_bindings(analysis) if options.bindings else None,
        closures=_closures(analysis) if options.closures else None,
        lookups=_lookups(case, findings, analysis, options) if options.symbols is not None else None,
    )


def _startup_search() -> StartupSearch | None:
    from checker.startup import startup_search

    return startup_search()


def _signature_search() -> SignatureSearch:
    from checker.signatures import SignatureSearch

    return SignatureSearch()


def _files_named(policy: Policy, options: Options) -> tuple[tuple[str, str], ...]:
    """(Name, digest) of the platform files that are judged by, sorted.

    Raises:
        UsageError: one of them cannot be used.
    """
    platform, python = options.platform or policy.platform, options.python or policy.python
    try:
        files = {path: platforms.open_platform_file(path) for path in (platform, python) if is_path(path)}
        if python in files:
            files[python].interpreter  # noqa: B018 (a file without one is told before anything is read)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return tuple(sorted({(file.name, f"sha256:{file.digest}") for file in files.values()}))


def _baseline(options: Options) -> Sizes | None:
    """Sizes of the earlier artifact.

    Raises:
        UsageError: it cannot be read.
    """
    if options.baseline is None:
        return None
    from checker.archive.sizes import artifact_sizes

    try:
        return artifact_sizes(options.baseline, options.limits)
    except ArchiveError as error:
        raise UsageError(f"--baseline {options.baseline}: {error.reason}") from error


def read(
    path: str, options: Options, searches: Sequence[StartupSearch | SignatureSearch] = ()
) -> tuple[Inventory, tuple[ElfFacts, ...], tuple[ReadProblem, ...]]:
    """The inventory, the facts of every ELF member, and the members that could not be read as ELF.

    The searches are shown each member while its bytes are at hand.
    """
    objects: list[ElfFacts] = []
    problems: list[ReadProblem] = []

    def on_elf(member: Member, content: SparseBytes, reread: Reread) -> None:
        try:
            facts = _facts(member.path, content, reread)
            objects.append(facts)
            for search in searches:
                search.look(facts, content, reread)
        except (ElfReadError, ArchiveError) as error:
            problems.append(ReadProblem(file=member.path, reason=f"not a readable ELF file: {error}"))

    progress = options.progress
    try:
        inventory = scan(
            path, plan, on_elf, options.limits, None if progress is None else lambda done, size: progress(path, done, size)
        )
    except ArchiveError as error:
        name = path.rstrip("/").rpartition("/")[2]
        problem = ReadProblem(file=name, reason=error.reason)
        inventory = Inventory(
            path=path, name=name, kind=ArtifactKind.FILE, sha256="", size=0, members=(), wheel=None, problems=(problem,)
        )
    objects.sort(key=lambda facts: facts.path)
    return inventory, tuple(objects), tuple(problems)


def _facts(path: str, content: SparseBytes, reread: Reread) -> ElfFacts:
    """Read one ELF file, with further passes for tables that lie where the plan did not look for them."""
    while True:
        missing: RangeMissing
        try:
            return read_elf(path, content)
        except RangeMissing as signal:
            missing = signal
        for offset, part in reread([(missing.offset, missing.size)]).parts:
            content = content.with_part(offset, part)


def examine(inventory: Inventory, objects: tuple[ElfFacts, ...], policy: Policy, options: Options) -> tuple[Case, Analysis]:
    """Everything that the loaders would say, without any judgement; and how it was found, for those who want more of it.

    Raises:
        UsageError: the platform asked for is none, or the set-up names what is not there.
    """
    tags = inventory.wheel.name_tags if inventory.wheel is not None else ()
    platform = options.platform or policy.platform
    python = options.python or policy.python
    try:
        promised = promises(tags, objects, platform)
    except ValueError as error:
        raise UsageError(str(error)) from error
    others = tuple(_provider(name, path, options) for name, path in options.providers)
    tag = python_tag(tags) if python == FROM_TAG else python
    folder = python_folder(tag)
    policy = replace(policy, providers=_required_first(inventory, policy))
    installation = install(Layout(python=folder), _distribution("", inventory, objects), others)
    options = replace(options, setup=_setup(inventory, installation, options))
    analysis = _analysis(installation, promised, tag, policy, options)
    oldest = promised[0].oldest if promised and not _is_embedded(options) else None
    own_host = host(tag, oldest) if oldest is not None else None
    case = Case(
        inventory=inventory,
        objects=objects,
        tags=tags,
        promises=analysis.promises,
        host=own_host,
        roots=analysis.roots,
        libraries=analysis.libraries,
        resolutions=analysis.resolutions,
        missing_versions=analysis.missing_versions,
        counts=analysis.counts,
        providers=policy.providers,
        computed=computed_platform(objects, analysis.promises, analysis.libraries),
        stable_abi=platforms.stable_abi(),
        provided=tuple(sorted({(other.name, other.version) for other in others if other.version})),
        provided_objects=tuple(zip(installation.owners, installation.objects[installation.own :], strict=True)),
        interpositions=analysis.interpositions,
        other_hosts=_other_hosts(own_host, analysis),
    )
    return case, analysis


def _other_hosts(host: Host | None, analysis: Analysis) -> tuple[Host, ...]:
    """The interpreters, other than the tags', that open modules; in the order of their versions."""
    found = {each.name: each for judgement in reversed(analysis.judgements) if (each := judgement.process.host) is not None}
    own = host.name if host is not None else ""
    return tuple(found[name] for name in sorted(found, key=host_order) if name != own)


def _required_first(inventory: Inventory, policy: Policy) -> tuple[DeclaredProvider, ...]:
    """The policy's providers: of several that bring one library, one that the wheel requires is meant, else the last."""
    named = required(inventory)
    latest = policy.providers[::-1]
    return tuple(sorted(latest, key=lambda provider: normalized(provider.requirement) not in named))


def _provider(name: str, path: str, options: Options) -> Distribution:
    inventory, objects, _ = read(path, options)
    if not inventory.members:
        raise UsageError(f"{name} is given as {path}, which cannot be used: {inventory.problems[0].reason}")
    return _distribution(name, inventory, objects)


def _distribution(name: str, inventory: Inventory, objects: tuple[ElfFacts, ...]) -> Distribution:
    # Installers write a wheel's symbolic links as plain files that hold the target's name (the format knows no links).
    is_wheel = inventory.kind is ArtifactKind.WHEEL
    return Distribution(
        name=name,
        version=inventory.wheel.version if inventory.wheel is not None else "",
        objects=objects,
        members=tuple((member.path, member.kind) for member in inventory.members),
        links=tuple((member.path, member.link) for member in inventory.members if member.link is not None and not is_wheel),
    )


def _is_embedded(options: Options) -> bool:
    """A program of the user's takes the place of the interpreter."""
    return options.setup is not None and options.setup.executable is not None


def _setup(inventory: Inventory, installation: Installation, options: Options) -> Setup | None:
    if options.setup is None or not inventory.members:
        # Of an artifact that could not be read nothing can be said, nor that it lacks a member.
        return None
    try:
        return placed(options.setup, installation)
    except SetupError as error:
        raise UsageError(f"{inventory.path}: {error}") from error


def _analysis(
    installation: Installation, promised: tuple[Promise, ...], tag: str, policy: Policy, options: Options
) -> Analysis:
    is_chosen = _is_embedded(options) or (options.python or policy.python) != FROM_TAG
    # A captured platform is that one alone: no other release of it is known.
    captured = promised[0].baseline if is_path(options.platform or policy.platform) else None
    judging = Judging(
        installation,
        baseline_of=platforms.baseline if captured is None else lambda _platform, _tag: captured,
        releases_of=platforms.releases if captured is None else lambda _family, _architecture: (),
        host_of=lambda platform, python: host(python, platform),
        python_of=lambda path: tag if is_chosen else interpreter_of(path, tag),
        providers=policy.providers,
        root_paths=options.roots,
        setup=options.setup,
        limits=options.limits,
    )
    in_full = options.bindings or options.symbols is not None
    return analyse(judging, promised, with_searches=options.searches, newest_in_full=in_full)


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Gravest first."""
    return tuple(sorted(findings, key=lambda one: (-one.level.rank, one.file, one.rule, one.subject, one.message)))


def _wheels_within(inventory: Inventory) -> Iterator[ReadProblem]:
    """Wheels in a folder or another archive: not looked into, and so not passed."""
    for member in inventory.members:
        if member.path.endswith(".whl") and inventory.kind is not ArtifactKind.WHEEL:
            yield ReadProblem(file=member.path, reason="a wheel within another artifact is not looked into; check it by itself")


def _undecided_roots(case: Case, told: tuple[ReadProblem, ...]) -> Iterator[ReadProblem]:
    """Roots of which the loader's answer is not known, unless a rule has said so of the object that is to blame."""
    files = {problem.file for problem in told}
    for root in case.roots:
        for load in root.loads:
            if load.outcome is LoadOutcome.UNDECIDED and load.because is not None and load.because.object not in files:
                reason = f"whether it loads on {load.platform} is not known: {load.because.subject}"
                yield ReadProblem(file=root.path, reason=reason)


def _unfitting(case: Case) -> Iterator[ReadProblem]:
    """The platform that was asked for has another processor than everything in the artifact: silence would look like a pass."""
    for promise in case.promises if any(facts.is_dynamic for facts in case.objects) else ():
        if not any(suits(facts, promise.oldest.architecture) for facts in case.objects):
            reason = f"no object in it is made for {promise.oldest.architecture}: nothing was judged for {promise.tag}"
            yield ReadProblem(file=case.inventory.name, reason=reason)


def _bindings(analysis: Analysis) -> tuple[BindingRow, ...]:
    """Of the newest platform judged."""
    from checker.bindings import binding_rows

    newest = max((judgement.process.platform for judgement in analysis.judgements), default=None)
    return binding_rows([judgement for judgement in analysis.judgements if judgement.process.platform == newest])


def _closures(analysis: Analysis) -> tuple[Closure, ...]:
    """Of the oldest platform judged."""
    oldest = min((judgement.process.platform for judgement in analysis.judgements), default=None)
    found = (
        judgement.process.closure(mapped)
        for judgement in analysis.judgements
        if judgement.process.platform == oldest
        for mapped in judgement.mapped
    )
    return tuple(sorted(found, key=lambda closure: closure.root))


def _lookups(case: Case, findings: tuple[Finding, ...], analysis: Analysis, options: Options) -> tuple[Lookup, ...]:
    from checker.lookups import lookups

    names = options.symbols(case, findings) if options.symbols is not None else ()
    return lookups(analysis.judgements, (name.encode("utf-8", "surrogateescape") for name in names))


def _verdict(findings: tuple[Finding, ...], unchecked: tuple[ReadProblem, ...], fail_on: Level) -> Verdict:
    if any(finding.waived is None and finding.level.rank >= fail_on.rank for finding in findings):
        return Verdict.FAIL
    return Verdict.UNCHECKED if unchecked else Verdict.PASS
