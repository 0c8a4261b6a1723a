"""Everything that a rule may look at."""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.artifact import Inventory, Sizes, Tag
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts
    from checker.model.platform import Baseline, Host, PlatformId, StableAbi
    from checker.model.policy import DeclaredProvider
    from checker.model.resolution import Interposition, MissingVersion, Resolution, ResolutionCounts, RootVerdict
    from checker.model.signature import Signatures
    from checker.model.startup import Startup


@record
class Promise:
    """One platform that the artifact claims.

    Attributes:
        tag: the platform tag, such as ``manylinux_2_17_x86_64``, or the ``--platform`` that was given.
        oldest: the oldest exact platform it promises.
        judged: every exact platform on which a verdict is taken, ascending; ``oldest`` is the first.
        baseline: of ``oldest``; ``None`` when this program has no data for it.
        private: (soname, symbol) pairs, sorted: what some builds of a promised library export and others do not, so that the
            policy of the tag denies it (auditwheel's ``blacklist``).
    """

    tag: str
    oldest: PlatformId
    judged: tuple[PlatformId, ...]
    baseline: Baseline | None
    private: tuple[tuple[str, str], ...] = ()


@record
class Because:
    """One symbol that raises the computed platform.

    Attributes:
        file: the member that needs it.
        soname: of the library it is needed of.
        symbol: empty where it is the library itself, or a version of which no symbol is used.
        version: of the symbol; with neither soname nor symbol a level of processors (``x86-64-v2``), which no tag promises.
    """

    file: str
    soname: str
    symbol: str
    version: str


@record
class ComputedPlatform:
    """The oldest platform tag that would be true of all files together.

    Attributes:
        platform: a tag, or ``None`` when no policy tag holds.
        by_file: (path, tag or ``None``) of each ELF object that needs a C library, by its libraries and versions; sorted.
        because: what keeps it from being older, sorted.
    """

    platform: str | None
    by_file: tuple[tuple[str, str | None], ...]
    because: tuple[Because, ...]


@record
class Case:
    """One artifact with all that was found out about it; what rules judge.

    Attributes:
        inventory: the artifact.
        objects: ELF facts of every ELF member that could be read, sorted by path.
        tags: of the file name, whatever platform and interpreter are asked for; empty for what is no wheel.
        promises: the platforms claimed, sorted by tag; empty for artifacts that claim none.
        host: the interpreter, oldest promised; ``None`` when the artifact claims none.
        other_hosts: further interpreters, that alone open modules for their file names' sake; by version.
        roots: verdicts of all roots, sorted by path.
        libraries: every DT_NEEDED of every closure, told once for each (needer, soname, provider, path, how): ``root`` is
            the first root, by path, in whose closure it is so.
        resolutions: imports that failed, are undecided, or hang on something beyond the object's needs; sorted.
        missing_versions: version needs that the load-time check refuses; sorted.
        counts: how all imports fared.
        providers: the policy's declared providers.
        computed: the computed platform; ``None`` for artifacts without a Linux promise or ELF object.
        stable_abi: of CPython; ``None`` where there is no data for it.
        baseline: sizes of the earlier artifact that was named to compare with; ``None`` when none was.
        provided: (distribution, version) of each other wheel whose bytes were given, sorted.
        provided_objects: (distribution, facts) of every shared object of these, in the order given.
        interpositions: on the oldest platform of the first promise, sorted.
        signatures: what runtimes say of themselves in each file, sorted; ``None`` where nobody looked.
        startup: what was found in each x86 file that runs whenever it is loaded, sorted; ``None`` where nobody looked.
    """

    inventory: Inventory
    objects: tuple[ElfFacts, ...]
    tags: tuple[Tag, ...]
    promises: tuple[Promise, ...]
    host: Host | None
    roots: tuple[RootVerdict, ...]
    libraries: tuple[Edge, ...]
    resolutions: tuple[Resolution, ...]
    missing_versions: tuple[MissingVersion, ...]
    counts: ResolutionCounts
    providers: tuple[DeclaredProvider, ...]
    computed: ComputedPlatform | None
    stable_abi: StableAbi | None = None
    baseline: Sizes | None = None
    provided: tuple[tuple[str, str], ...] = ()
    provided_objects: tuple[tuple[str, ElfFacts], ...] = ()
    interpositions: tuple[Interposition, ...] = ()
    signatures: tuple[Signatures, ...] | None = None
    startup: tuple[Startup, ...] | None = None
    other_hosts: tuple[Host, ...] = ()

    def hosts(self) -> tuple[Host, ...]:
        """Every interpreter that opens something of it; the tags' first."""
        return self.other_hosts if self.host is None else (self.host, *self.other_hosts)

    def object(self, path: str) -> ElfFacts | None:
        """The facts of that member, or ``None``."""
        return next((facts for facts in self.objects if facts.path == path), None)
