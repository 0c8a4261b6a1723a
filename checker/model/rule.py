"""What a rule is."""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from checker.model.artifact import ReadProblem
    from checker.model.case import Case
    from checker.model.finding import Observation

    Check = Callable[[Case, Any], Iterable[Observation | ReadProblem]]
    """``check(case, parameters)``: the observations; a :class:`ReadProblem` for what the rule could not decide."""


@record
class NoParameters:
    """For rules that have none."""


def always(_: Case) -> bool:
    """The occasion of most rules: every artifact."""
    return True


@record
class Rule:
    """One question.

    Attributes:
        id: kebab-case, names the defect.
        family: folder under ``checker/rules``.
        parameters: frozen dataclass of typed, defaulted fields.
        check: the question itself.
        when: whether an artifact gives the rule an occasion; where not, it is not asked.
        doc: the rule file's docstring: first line a summary, then the headings What, Why it breaks, Causes and fixes,
            References.
    """

    id: str
    family: str
    parameters: type[Any]
    check: Check
    doc: str
    when: Callable[[Case], bool] = always
