"""``Requires-Dist`` by name."""

from __future__ import annotations

import re

from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.artifact import Inventory
    from checker.model.case import Case

_NAME = regex(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")


def normalized(name: str) -> str:
    """A distribution's name as the index compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(inventory: Inventory) -> tuple[str, ...]:
    """The normalized names in ``Requires-Dist``, in order; those behind a marker or an extra too."""
    wheel = inventory.wheel
    values = wheel.requires if wheel is not None else ()
    return tuple(normalized(found[1]) for value in values if (found := _NAME.match(value)))


def requirements(case: Case, name: str) -> tuple[str, ...]:
    """The ``Requires-Dist`` values that name a distribution, as written."""
    wheel = case.inventory.wheel
    values = wheel.requires if wheel is not None else ()
    return tuple(value for value in values if (found := _NAME.match(value)) and normalized(found[1]) == normalized(name))


def requires(case: Case, name: str) -> bool:
    """``Requires-Dist`` names that distribution, or a variant of it for one CUDA version (``nvidia-cublas-cu12``)."""
    wanted = normalized(name)
    return any(
        each == wanted or re.fullmatch(re.escape(wanted) + r"-cu\d+", each) is not None for each in required(case.inventory)
    )
