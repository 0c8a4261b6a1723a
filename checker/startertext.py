"""A starter policy as TOML, with comments for the person who reviews it."""

from __future__ import annotations

from textwrap import wrap

from checker.policy.show import toml
from checker.report.text import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.starter import Acceptance, Ceilings, Starter

_WIDTH = 118
_COLUMN = 34
"""Where the comments behind values begin."""


def render(starter: Starter) -> str:
    """The text of the file."""
    parts = (_header(starter), _target(starter), _providers(starter), _ceilings(starter.ceilings), _waivers(starter))
    return "\n".join(line for part in (*parts, _unchecked(starter)) for line in part) + "\n"


def _header(starter: Starter) -> Iterator[str]:
    if starter.schema:
        yield f"#:schema ./{safe(starter.schema)}"
    yield from _comment(
        f"Written by wheelproof policy init on {starter.day}. These pass by it as they are today:",
        *map(_item, starter.artifacts),
    )
    if starter.given:
        yield from _comment(
            "What other distributions bring was looked up in their own files, which check takes in the same way:",
            *(_item(f"--provider {name}={file}") for name, file in starter.given),
        )
    yield from _comment("Read it through, and keep what you mean.")
    yield from ("", "schema = 1", f"name = {toml(starter.name)}", f"extends = {toml(starter.extends)}")


def _target(starter: Starter) -> Iterator[str]:
    yield from ("", "[target]")
    yield _noted(
        f"platform = {toml(starter.platform)}", "the platforms that the tags promise, and all later ones", starter.platform
    )
    yield _noted(f"python = {toml(starter.python)}", "the interpreters that the tags promise", starter.python)


def _noted(text: str, comment: str, value: str) -> str:
    return f"{text.ljust(_COLUMN)}# {comment}" if value == "from-tag" else text


def _providers(starter: Starter) -> Iterator[str]:
    if starter.known or starter.providers:
        yield ""
    if starter.known:
        yield from _comment(f"{starter.extends[0]} declares already whose libraries are used here: {', '.join(starter.known)}.")
    for number, provider in enumerate(starter.providers):
        yield from ("",) if number or starter.known else ()
        yield "[[provider]]"
        is_given = any(provider.requirement == name for name, _ in starter.given)
        told = "brings, as its file shows" if is_given else "is in Requires-Dist, and is known to bring"
        yield f"requirement = {toml(provider.requirement)}".ljust(_COLUMN) + f"# {told}"
        yield f"libraries = {toml(provider.libraries)}"
        is_run_path = provider.how == "rpath"
        told = "a run path leads into its directory" if is_run_path else "the package must import it first: does it?"
        yield f"how = {toml(provider.how)}".ljust(_COLUMN) + f"# {told}"


def _ceilings(ceilings: tuple[Ceilings, ...]) -> Iterator[str]:
    if not ceilings:
        return
    yield ""
    yield from _comment(
        "What a build needs at most today. A new call or a newer compiler that raises it is told, though the tag may allow it."
    )
    tables = {each.versions for each in ceilings}
    for number, each in enumerate(ceilings):
        if len(tables) == 1 and number:
            continue
        tags = ", ".join(one.tag for one in ceilings) if len(tables) == 1 else each.tag
        table = "".join(
            f"{', ' if index else ''}{name} = {toml(version)}" for index, (name, version) in enumerate(each.versions)
        )
        if len(tables) == 1:
            yield f"[rules.symbol-version-too-new]  # {tags}"
        else:
            yield from ("",) if number else ()
            yield f"[[override]]  # {tags}"
            yield f"architectures = {toml((each.architecture,))}"
            yield "[override.rules.symbol-version-too-new]"
        yield f"ceilings = {{ {table} }}"


def _waivers(starter: Starter) -> Iterator[str]:
    if not starter.accepted:
        return
    yield ""
    yield from _comment(
        "---- Accepted as it is today, one entry for each finding. Mend the cause and take the entry out; or let `reason` say "
        "why it may stay, with an `owner`, and with `expires` if it shall not stay for ever."
    )
    for acceptance in starter.accepted:
        yield ""
        yield from _waiver(acceptance)


def _waiver(acceptance: Acceptance) -> Iterator[str]:
    finding, waiver = acceptance.finding, acceptance.waiver
    yield from _comment(f"{finding.level.value}: {finding.file}: {finding.message}")
    if finding.remedy:
        yield from _comment(f"fix: {finding.remedy}")
    yield "[[waiver]]"
    for key in ("rule", "file", "match", "architectures", "tags", "reason"):
        if value := getattr(waiver, key):
            yield f"{key} = {toml(value)}"


def _unchecked(starter: Starter) -> Iterator[str]:
    if starter.unchecked:
        yield ""
        yield from _comment(
            "---- Could not be checked, which is never a pass and which no entry here can accept (exit code 3):",
            *(_item(f"{file}: {reason}") for file, reason in starter.unchecked),
        )


def _item(text: str) -> str:
    return f"  {text}"


def _comment(*paragraphs: str) -> Iterator[str]:
    """Each paragraph as comment lines; what comes from an artifact cannot end a line."""
    for paragraph in paragraphs:
        text = safe(paragraph)
        indent = " " * (len(text) - len(text.lstrip()))
        for row in wrap(
            text, _WIDTH, subsequent_indent=f"{indent}  " if indent else "", break_long_words=False, break_on_hyphens=False
        ):
            yield f"# {row}"
