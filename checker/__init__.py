"""wheelproof proves, before a wheel is published, that it will load and behave as it claims.

From Python: ``from checker import audit, load_policy`` (:mod:`checker.api`). The package is laid out in layers; see
CONTRIBUTING.md. Nothing is imported here before it is asked for, so that ``wheelproof --version`` starts as fast as Python.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.api import ArtifactReport, Finding, Level, Policy, PolicyError, UsageError, Verdict, audit, load_policy

__all__ = ["ArtifactReport", "Finding", "Level", "Policy", "PolicyError", "UsageError", "Verdict", "audit", "load_policy"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name in __all__:
        from checker import api

        value: object = getattr(api, name)
        return value
    raise AttributeError(f"module 'checker' has no attribute '{name}'")
