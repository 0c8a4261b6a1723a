"""Who is judged where: the roots of an artifact over the whole range of platforms that a tag promises."""

from __future__ import annotations

from checker.archive import Limits
from checker.closure import Process
from checker.exports import Exports, wanted_names
from checker.judge import judge
from checker.model.record import record, replace
from checker.model.resolution import Load, LoadCause, LoadOutcome
from checker.releases import can_feel, felt_releases
from checker.roots import choose_roots, root_kind
from checker.rules.architectures import ABIS
from checker.search import Looks
from checker.setup import Setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.installation import Installation
    from checker.judge import Judgement
    from checker.model.case import Promise
    from checker.model.platform import Baseline, Host, PlatformId
    from checker.model.policy import DeclaredProvider

Release = tuple[int, ...]


class Judging:
    """An artifact, laid out, and what is known of the platforms and interpreters that it may meet."""

    def __init__(
        self,
        installation: Installation,
        *,
        baseline_of: Callable[[PlatformId, str], Baseline | None],
        releases_of: Callable[[str, str], tuple[Release, ...]],
        host_of: Callable[[PlatformId, str], Host | None],
        python_of: Callable[[str], str],
        providers: tuple[DeclaredProvider, ...] = (),
        root_paths: tuple[str, ...] = (),
        setup: Setup | None = None,
        limits: Limits = Limits(),  # noqa: B008 (a frozen value)
    ) -> None:
        """Prepare what all platforms share.

        Args:
            installation: the artifact, laid out.
            baseline_of: (exact platform, tag) → what it supplies; ``None`` where that is not known.
            releases_of: (C library, architecture) → the releases known, ascending.
            host_of: (platform, interpreter's tag) → the interpreter there; ``None`` where none is known.
            python_of: path of a member → tag of the interpreter that opens it.
            providers: other distributions' libraries.
            root_paths: member paths to take as roots; empty for the usual ones.
            setup: how the process is started in which the interpreter's roots are opened. A program that is a root is a
                process of its own, of which the environment alone holds.
            limits: how much is mapped, over all platforms.
        """
        self.installation = installation
        self.own = installation.objects[: installation.own]
        self.exports = Exports(installation.objects, wanted_names(self.own))
        self.baseline_of = baseline_of
        self.releases_of = releases_of
        self.host_of = host_of
        self.python_of = python_of
        self.providers = providers
        self.root_paths = root_paths
        self.setup = setup or Setup()
        self._limits = limits
        self._left = limits.mapped
        self._looks = Looks(limits.looked)

    def at(self, platform: PlatformId, tag: str) -> tuple[Judgement, ...]:
        """Judge every root on one platform: those that each interpreter opens, and each program as a process of its own."""
        hosted: dict[str, Process] = {}

        def process_of(path: str) -> Process:
            python = self.python_of(path)
            if python not in hosted:
                hosted[python] = self._process(platform, tag, self.host_of(platform, python), self.setup)
            return hosted[python]

        roots, beyond = self._roots(platform, process_of)
        if self._looks.left <= 0:
            roots, beyond = (), beyond.union(roots)
        programs = frozenset(root for root in (*roots, *beyond) if root_kind(self.own[root]) == "executable")
        opened: dict[Process, list[int]] = {}
        for root in sorted({*roots, *beyond} - programs):
            opened.setdefault(process_of(self.own[root].path), []).append(root)
        judgements = [self._judged(process, each, beyond) for process, each in opened.items()]
        if programs:
            started = self._process(platform, tag, None, replace(self.setup, executable=None, preloads=()))
            for program in sorted(programs - beyond):
                started.map(program)
            if self._looks.left <= 0:
                beyond |= programs
            judgements.append(self._judged(started, sorted(programs), beyond, programs))
        return tuple(judgements)

    def _judged(
        self, process: Process, roots: list[int], beyond: frozenset[int], programs: frozenset[int] = frozenset()
    ) -> Judgement:
        """The verdicts of one process; of the roots beyond the limit, that none was taken."""
        within = tuple(root for root in roots if root not in beyond)
        judgement = judge(process, self.exports, within, programs.intersection(within))
        for root in beyond.intersection(roots):
            limit = "looked" if self._looks.left <= 0 else "mapped"
            cause = LoadCause(kind="undecided", object=self.own[root].path, subject=self._limits.reached(limit))
            judgement.loads[root] = Load(platform=process.platform, outcome=LoadOutcome.UNDECIDED, because=cause)
        return judgement

    def _process(self, platform: PlatformId, tag: str, host: Host | None, setup: Setup) -> Process:
        return Process(
            self.installation,
            platform=platform,
            baseline=self.baseline_of(platform, tag),
            host=host,
            providers=self.providers,
            setup=setup,
            looks=self._looks,
        )

    def _roots(self, platform: PlatformId, process_of: Callable[[str], Process]) -> tuple[tuple[int, ...], frozenset[int]]:
        """The roots for one architecture, and those beyond the limit.

        Every object that no root maps is a root too: within the limit nothing goes unjudged.
        """
        covered: set[int] = set()
        beyond: set[int] = set()

        def cover(root: int) -> None:
            if self._left <= 0 or self._looks.left <= 0:
                beyond.add(root)
                return
            mapped = process_of(self.own[root].path).map(root)
            self._left -= len(mapped.order) + len(mapped.edges)
            covered.update(mapped.order)

        if self.root_paths:
            roots = [number for number, facts in enumerate(self.own) if facts.path in self.root_paths]
            fitting = []
        else:
            abi = ABIS.get(platform.architecture)
            fitting = [number for number, facts in enumerate(self.own) if abi is None or not abi.fault(facts.identity)]
            roots = [fitting[position] for position in choose_roots([self.own[number] for number in fitting])]
        for root in roots:
            cover(root)
        for number in fitting:
            # Of what roots beyond the limit would map nothing is known.
            if number not in covered and not beyond:
                roots.append(number)
                cover(number)
        return tuple(sorted(set(roots) - beyond)), frozenset(beyond)


@record
class RangeJudgement:
    """One promise, judged.

    Attributes:
        promise: with every platform on which a verdict was taken.
        judgements: the full ones.
        loads: (root, verdict) for every root and platform.
    """

    promise: Promise
    judgements: tuple[Judgement, ...]
    loads: tuple[tuple[int, Load], ...]


def judge_range(judging: Judging, promise: Promise, *, newest_in_full: bool = False) -> RangeJudgement:
    """Judge the oldest promised release, the newest known one, and each between at which the artifact can feel a change."""
    oldest = promise.oldest
    first = judging.at(oldest, promise.tag)
    if promise.tag == str(oldest):
        # An exact platform was asked for, and no later one.
        return _range(promise, first, ())
    later = [release for release in judging.releases_of(oldest.family, oldest.architecture) if release > oldest.release]
    if not later or not first:
        return _range(promise, first, ())
    newest = replace(oldest, release=later[-1])
    baseline = judging.baseline_of(newest, promise.tag)
    is_same = oldest.family == "glibc" and baseline is not None and not can_feel(first, baseline)
    if is_same and not newest_in_full:
        same = Load(platform=newest, outcome=LoadOutcome.LOADS, because=None)
        return _range(promise, first, tuple((root, same) for judgement in first for root in judgement.loads))
    felt: tuple[Release, ...] = ()
    if oldest.family == "musl":
        felt = tuple(later[:-1])
    elif not is_same:
        felt = felt_releases(first, later[:-1], lambda platform: judging.baseline_of(platform, promise.tag))
    platforms = [*(replace(oldest, release=release) for release in felt), newest]
    rest = (judgement for platform in platforms for judgement in judging.at(platform, promise.tag))
    return _range(promise, (*first, *rest), ())


def _range(promise: Promise, judgements: tuple[Judgement, ...], derived: tuple[tuple[int, Load], ...]) -> RangeJudgement:
    loads = (*((root, load) for judgement in judgements for root, load in judgement.loads.items()), *derived)
    judged = {promise.oldest, *(load.platform for _, load in loads)}
    return RangeJudgement(promise=replace(promise, judged=tuple(sorted(judged))), judgements=judgements, loads=loads)
