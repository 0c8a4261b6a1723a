"""The oldest platform tag that a set of needs allows, and what keeps it from being older."""

from __future__ import annotations

from checker.model.record import record
from checker.platforms.catalogue import load_catalogue
from checker.platforms.policies import promise_for, promises

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from checker.platforms.policies import Promise, Release


@record
class TagChoice:
    """The answer to "which tag?".

    Attributes:
        tag: the oldest tag that is true, such as ``manylinux_2_17_x86_64``; ``None`` when no policy allows it all.
        aliases: other names of that tag, such as ``manylinux2014_x86_64``.
        versions, sonames, symbols: what of the needs the next older policy does not cover, or the newest one when none allows
            it all; sorted. Why no older tag is true; empty when ``tag`` is the oldest that was asked about.
    """

    tag: str | None
    aliases: tuple[str, ...]
    versions: tuple[str, ...]
    sonames: tuple[str, ...]
    symbols: tuple[tuple[str, str], ...]


def denied_anywhere(family: str, architecture: str) -> frozenset[tuple[str, str]]:
    """Every (soname, symbol) that some policy denies: what else of an object's imports can matter to :func:`tag_for`."""
    return frozenset(
        (soname, symbol)
        for promise in promises(family, architecture)
        for soname, symbols in promise.private.items()
        for symbol in symbols
    )


def tag_for(
    family: str,
    architecture: str,
    versions: Collection[str],
    sonames: Collection[str],
    symbols: Collection[tuple[str, str]] = (),
    *,
    oldest: Release = (),
) -> TagChoice:
    """The oldest tag among auditwheel's policies that covers all needs.

    Args:
        family: ``"glibc"`` or ``"musl"``.
        architecture: as in platform tags.
        versions: every version node that is needed of a platform library, such as ``GLIBC_2.34``. Those of a namespace that
            policies do not know limit nothing, as in auditwheel.
        sonames: every library that is needed of the platform, bundled ones left out.
        symbols: (soname, symbol) of :func:`denied_anywhere` that are wanted of libraries of the platform.
        oldest: policies before the one in force at that release of the C library are not asked about.
    """
    known = promises(family, architecture)
    in_force = promise_for(family, oldest, architecture)
    known = known[known.index(in_force) :] if in_force is not None else known
    refusals = [_refusal(promise, versions, sonames, symbols) for promise in known]
    # Newer policies take nothing away, so from the first that refuses nothing on, all do.
    chosen = next((position for position, refusal in enumerate(refusals) if not any(refusal)), None)
    before = len(known) - 1 if chosen is None else chosen - 1
    missing = refusals[before] if before >= 0 else ((), (), ())
    return TagChoice(
        tag=None if chosen is None else f"{known[chosen].tag}_{architecture}",
        aliases=() if chosen is None else tuple(f"{alias}_{architecture}" for alias in known[chosen].aliases),
        versions=missing[0],
        sonames=missing[1],
        symbols=missing[2],
    )


def _refusal(
    promise: Promise, versions: Collection[str], sonames: Collection[str], symbols: Collection[tuple[str, str]]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The versions, libraries and symbols that a policy does not cover."""
    own = load_catalogue().architectures.get((_family(promise), promise.architecture))
    allowed = promise.libraries | ({own.loader} if own is not None else set())
    return (
        tuple(sorted(version for version in versions if not promise.covers(version.encode()))),
        tuple(sorted(soname for soname in sonames if soname not in allowed)),
        tuple(sorted((soname, name) for soname, name in symbols if name in promise.private.get(soname, ()))),
    )


def _family(promise: Promise) -> str:
    return "musl" if promise.tag.startswith("musllinux") else "glibc"
