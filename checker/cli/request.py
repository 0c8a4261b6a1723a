"""What a command line asks for, as values; both parsers make these and nothing else."""

from __future__ import annotations

from checker.model.record import record


class UsageError(Exception):
    """A wrong command line or policy: exit code 2.

    Attributes:
        messages: each a line to print.
    """

    def __init__(self, *messages: str) -> None:
        super().__init__(*messages)
        self.messages = messages


@record
class Target:
    """How artifacts are looked at.

    Attributes:
        policies: names or files; later ones win; empty for the project's own, else the default.
        platform, python: in place of what the tags say; ``None`` to believe the tags.
        roots: member paths; empty for the objects that are loaded on their own.
        providers: ``NAME=PATH`` each.
        preloads: member paths, ``:global`` behind those opened with RTLD_GLOBAL.
        library_path: folders of the artifact.
        executable: member path of a program.
        limits: ``NAME=NUMBER`` each.
    """

    policies: tuple[str, ...] = ()
    platform: str | None = None
    python: str | None = None
    roots: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    preloads: tuple[str, ...] = ()
    library_path: tuple[str, ...] = ()
    executable: str | None = None
    limits: tuple[str, ...] = ()


@record
class CheckRequest:
    """``wheelproof check``.

    Attributes:
        artifacts: paths, or requirements such as ``numpy==2.4.6`` of wheels in an index.
        target: how they are looked at.
        formats: ``FMT`` or ``FMT=FILE`` each.
        fail_on: a level's name.
        bindings: tell every binding in the JSON report.
        baseline: an earlier artifact to compare sizes with.
        verbose, quiet: how much the terminal shows.
        index_url: of the index; ``None`` for the one that pip is configured for.
        all_platforms: every wheel of a release, and not one alone.
        from_files: files that list further artifacts, one a line; ``-`` is standard input.
        output_width: columns of the terminal's report; ``None`` for the terminal's own.
    """

    artifacts: tuple[str, ...]
    target: Target = Target()
    formats: tuple[str, ...] = ()
    fail_on: str = "error"
    bindings: bool = False
    baseline: str | None = None
    verbose: bool = False
    quiet: bool = False
    index_url: str | None = None
    all_platforms: bool = False
    from_files: tuple[str, ...] = ()
    output_width: int | None = None


@record
class GateRequest:
    """``wheelproof gate``; ``command`` is run if ``check`` passes."""

    check: CheckRequest
    command: tuple[str, ...]


@record
class ShowRequest:
    """``wheelproof show``."""

    artifact: str
    target: Target = Target()
    verbose: bool = False


@record
class ExplainRequest:
    """``wheelproof explain``; ``what`` is a symbol, library, file, rule or fingerprint."""

    artifact: str
    what: str
    target: Target = Target()


@record
class RulesRequest:
    """``wheelproof rules``; ``rule`` is an id, ``None`` to list all."""

    rule: str | None = None


@record
class PolicyRequest:
    """``wheelproof policy``; ``action`` is ``show``, ``validate`` or ``schema``."""

    action: str
    policies: tuple[str, ...] = ()


@record
class PolicyInitRequest:
    """``wheelproof policy init``.

    Attributes:
        artifacts: those that the starter shall pass.
        output: the file to write; ``-`` for standard output.
        force: overwrite it.
        policies: what the starter extends; empty for the default.
        fail_on: the least level that is accepted by a waiver.
        platform, python: of ``[target]``.
        providers: ``NAME=PATH`` each, as of :class:`Target`.
    """

    artifacts: tuple[str, ...]
    output: str
    force: bool = False
    policies: tuple[str, ...] = ()
    fail_on: str = "error"
    platform: str = "from-tag"
    python: str = "from-tag"
    providers: tuple[str, ...] = ()


@record
class PolicyTestRequest:
    """``wheelproof policy test``; ``directory`` has the folders ``good`` and ``bad``."""

    directory: str
    policies: tuple[str, ...] = ()
    fail_on: str = "error"


@record
class PlatformRequest:
    """``wheelproof platform``.

    Attributes:
        action: ``capture``, ``list`` or ``show``.
        subject: the root to capture; the name or file to show.
        output: the file to write.
        python: path of an interpreter inside the root; ``None`` for none.
        libraries: globs over those to capture with their symbols; empty for all.
        architecture: of several in the root; ``None`` for the first.
    """

    action: str
    subject: str = ""
    output: str = ""
    python: str | None = None
    libraries: tuple[str, ...] = ()
    architecture: str | None = None


Request = (
    CheckRequest
    | GateRequest
    | ShowRequest
    | ExplainRequest
    | RulesRequest
    | PolicyRequest
    | PolicyInitRequest
    | PolicyTestRequest
    | PlatformRequest
)
