"""From a request to the engine's arguments, shared by ``check``, ``show`` and ``explain``."""

from __future__ import annotations

import os
import time

from checker.cli.request import UsageError
from checker.model.finding import Level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checker.archive.limits import Limits
    from checker.cli.request import Target
    from checker.engine import Options
    from checker.model.case import Case
    from checker.model.finding import Finding
    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport
    from checker.setup import Setup


def expanded(paths: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths that are there, each once, and those that are not.

    A pattern that the shell left alone (Windows' shells leave all) is expanded here.
    """
    there: list[str] = []
    missing: list[str] = []
    for path in paths:
        if os.path.lexists(path):
            there.append(path)
        elif any(character in path for character in "*?["):
            from glob import glob

            found = sorted(glob(path))  # noqa: PTH207 (paths stay as the user typed them)
            (there if found else missing).extend(found or [path])
        else:
            missing.append(path)
    return tuple(dict.fromkeys(there)), tuple(missing)


def listed(files: Iterable[str]) -> tuple[str, ...]:
    """The artifacts that these files list, one a line; ``-`` is standard input.

    Raises:
        UsageError: a list cannot be read, or names nothing.
    """
    found: list[str] = []
    for file in files:
        names = [row for row in _list_text(file).splitlines() if row]
        if not names:
            raise UsageError(f"--from-file {file}: lists no artifact")
        found += names
    return tuple(found)


_LIST_LIMIT = 1 << 24
"""Characters of a list that are read; more is no list of files."""


def _list_text(file: str) -> str:
    import sys

    try:
        if file == "-":
            text = sys.stdin.read(_LIST_LIMIT)
        else:
            with open(file, encoding="utf-8", errors="surrogateescape") as stream:  # noqa: PTH123 (pathlib is slow to import)
                text = stream.read(_LIST_LIMIT)
    except (OSError, ValueError) as error:
        raise UsageError(f"--from-file {file}: cannot be read: {error}") from error
    if len(text) == _LIST_LIMIT:
        raise UsageError(f"--from-file {file}: has more than {_LIST_LIMIT} characters; that is no list of files")
    return text


def refuse_wheelhouses(paths: Iterable[str]) -> None:
    """Refuse a directory of wheels: as an artifact it has no ELF object of its own, and would pass without any being read.

    Raises:
        UsageError: with every such directory.
    """
    held = [path for path in paths if os.path.isdir(path) and _holds_wheels(path)]  # noqa: PTH112 (as above)
    if held:
        told = "holds wheels, which are judged one by one: name them"
        raise UsageError(*(f"{path}: {told} ({path.rstrip('/')}/*.whl)" for path in held))


def _holds_wheels(directory: str) -> bool:
    try:
        with os.scandir(directory) as entries:
            return any(entry.name.endswith(".whl") and entry.is_file() for entry in entries)
    except OSError:  # told when it is read
        return False


def policy_for(target: Target) -> Policy:
    """The policy in force.

    Raises:
        UsageError: with every mistake in it.
    """
    from checker.policy.load import load_policy
    from checker.policy.problems import PolicyError
    from checker.rules.registry import specs

    try:
        return load_policy(target.policies, specs())
    except PolicyError as error:
        raise UsageError(*map(str, error.problems)) from error


def options_for(
    target: Target,
    *,
    bindings: bool = False,
    closures: bool = False,
    digest: bool = False,
    searches: bool = False,
    symbols: Callable[[Case, tuple[Finding, ...]], Iterable[str]] | None = None,
    baseline: str | None = None,
    fail_on: str = Level.ERROR.value,
    progress: Callable[[str, int, int], None] | None = None,
) -> Options:
    """The engine's options.

    Raises:
        UsageError: an option's value is none that it may have.
    """
    from checker.engine import Options

    _check_target(target)
    return Options(
        platform=target.platform,
        python=target.python,
        roots=target.roots,
        providers=_providers(target.providers),
        setup=_setup(target),
        bindings=bindings,
        baseline=baseline,
        closures=closures,
        digest=digest,
        searches=searches,
        symbols=symbols,
        # The engine has no clock: whether a waiver has expired is asked of the day on which the command is given.
        today=time.strftime("%Y-%m-%d"),
        fail_on=Level(fail_on),
        limits=_limits(target.limits),
        progress=progress,
    )


def check_baseline(artifacts: tuple[str, ...], baseline: str, policy: Policy) -> None:
    """Refuse ``--baseline`` where nothing would be compared with it: silence would look like a pass.

    Raises:
        UsageError: there are several artifacts, or no budget of growth is in force.
    """
    if len(artifacts) > 1:
        raise UsageError(f"--baseline {baseline}: one artifact is compared with it; check the others by themselves")
    from checker.policy.settings import variants

    rule = "size-over-budget"
    budgets = [each.parameters for each in variants(policy, rule) if each.level is not Level.OFF]
    if all(budget.growth is None and budget.growth_percent is None for budget in budgets):
        raise UsageError(
            f"--baseline {baseline}: no budget of growth is in force; set growth or growth_percent and a level for {rule} "
            "in a policy"
        )


def check_roots(artifacts: Iterable[ArtifactReport], roots: tuple[str, ...]) -> None:
    """Refuse ``--root`` where it would leave an artifact without any root: what is not looked at must not pass.

    Raises:
        UsageError: a root is in no artifact, or an artifact has none of the roots. (One that could not be read says so itself.)
    """
    read = [artifact.case for artifact in artifacts if artifact.case.inventory.members]
    if not roots or not read:
        return
    held = {case.inventory.path: {facts.path for facts in case.objects} for case in read}
    nowhere = [
        f"--root {root}: no ELF object of that path" for root in roots if not any(root in paths for paths in held.values())
    ]
    rootless = [f"{path}: has none of the objects named by --root" for path, paths in held.items() if not paths & set(roots)]
    if nowhere or rootless:
        raise UsageError(*(nowhere or rootless))


def _check_target(target: Target) -> None:
    if target.platform is None and target.python is None:
        return
    from checker.policy.target import check_platform, check_python

    for flag, value, check in (("--platform", target.platform, check_platform), ("--python", target.python, check_python)):
        if value is not None:
            try:
                check(value)
            except ValueError as error:
                raise UsageError(f"{flag}: {error}") from error


def _providers(written: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for provider in written:
        name, _, path = provider.partition("=")
        if not name or not path:
            raise UsageError(f"--provider {provider}: write NAME=PATH, such as torch=torch-2.5.1-….whl")
        if not os.path.lexists(path):
            raise UsageError(f"--provider {provider}: no such file or directory")
        pairs.append((name, path))
    return tuple(pairs)


_GLOBAL = ":global"


def _setup(target: Target) -> Setup | None:
    """The process that the options describe, with paths as they were written; ``None`` for the usual one."""
    if not (target.preloads or target.library_path) and target.executable is None:
        return None
    from checker.setup import Preload, Setup

    preloads = []
    for written in target.preloads:
        path = written.removesuffix(_GLOBAL)
        if not path:
            raise UsageError(f"--preload {written}: write MEMBER or MEMBER{_GLOBAL}")
        preloads.append(Preload(path=path, is_global=path != written))
    return Setup(executable=target.executable, preloads=tuple(preloads), library_path=target.library_path)


def _limits(settings: tuple[str, ...]) -> Limits:
    from checker.archive.limits import Limits

    limits = Limits()
    setting = ""
    try:
        for setting in settings:
            limits = limits.with_setting(setting)
    except ValueError as error:
        raise UsageError(f"--limit {setting}: {error}") from error
    return limits
