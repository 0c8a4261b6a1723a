"""wheelproof from Python: ``from checker import audit, load_policy``.

What is exported here keeps its meaning within a major version; the rest of the package does not promise to.
"""

from __future__ import annotations

from checker import engine
from checker.engine import UsageError
from checker.model.finding import Finding, Level
from checker.model.policy import Policy
from checker.model.report import ArtifactReport, Verdict
from checker.policy import load as _load
from checker.policy.problems import PolicyError
from checker.rules.registry import specs

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["ArtifactReport", "Finding", "Level", "Policy", "PolicyError", "UsageError", "Verdict", "audit", "load_policy"]


def load_policy(*policies: str | os.PathLike[str]) -> Policy:
    """The policy that these come to.

    Args:
        policies: names of shipped policies and paths of policy files; later ones win. With none, ``recommended``: unlike the
            command, this never looks for a policy around the current directory.

    Raises:
        PolicyError: with every mistake in every file concerned.
    """
    return _load.load_policy([_path(each) for each in policies] or ["recommended"], specs())


def audit(
    artifact: str | os.PathLike[str],
    policy: Policy | None = None,
    *,
    platform: str | None = None,
    python: str | None = None,
    providers: Mapping[str, str | os.PathLike[str]] | None = None,
    today: str = "",
) -> ArtifactReport:
    """Judge one artifact.

    Args:
        artifact: path of a wheel, another zip file, a directory or a single ELF file.
        policy: as :func:`load_policy` makes it; ``None`` for ``recommended``.
        platform: a platform tag, an exact platform such as ``glibc-2.36-x86_64``, or a platform file; ``None`` for what the
            policy says, which usually is what the artifact's tags promise.
        python: an interpreter tag such as ``cp311``; ``None`` for the same.
        providers: distribution → path of its wheel, for libraries that it brings into the process.
        today: ISO date with which the expiry of waivers is compared; empty when nothing shall expire.

    Returns:
        The report: ``verdict``, ``findings`` (gravest first), ``unchecked``, and in ``case`` all facts. The verdict is FAIL
        with an open finding of level error; one of a lower level is for the caller to judge.

    Raises:
        UsageError: the platform or interpreter is none, or a provider cannot be used. An artifact that cannot be read is no
            error but a report with the verdict UNCHECKED.
    """
    options = engine.Options(
        platform=platform,
        python=python,
        providers=tuple((name, _path(path)) for name, path in (providers or {}).items()),
        today=today,
    )
    return engine.audit(_path(artifact), policy or load_policy(), options)


def _path(path: str | os.PathLike[str]) -> str:
    return path if isinstance(path, str) else path.__fspath__()
