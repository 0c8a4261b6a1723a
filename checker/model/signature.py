"""Texts in a file that tell which runtime is linked into it, whatever it hides."""

from __future__ import annotations

from checker.model.record import record


@record
class Signatures:
    """What was found in one file.

    Attributes:
        file: member path.
        texts: (family, text) pairs, sorted: a family of :mod:`checker.rules.runtimes` and what its code says of itself.
    """

    file: str
    texts: tuple[tuple[str, str], ...]
