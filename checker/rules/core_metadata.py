"""Which values of METADATA break the core metadata standard.

Ordinary values are told here; ``packaging`` is asked of the others: importing it costs more than a check of a small wheel, and
compiling expressions for what it knows costs as much. So what is right may be called unusual here, and is then asked about;
what is wrong must never be called ordinary.
"""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_OPERATORS = (">=", "<=", "==", "!=", "~=", ">", "<")
"""Of PEP 440, the longer first; ``===`` is unusual."""
_STAGES = ("a", "b", "rc", "post", "dev")
_COMPARED = ("==", "!=", ">=", "<=", ">", "<", " not in", " in")
_VARIABLES = frozenset({
    "extra", "implementation_name", "os_name", "platform_machine", "platform_python_implementation", "platform_release",
    "platform_system", "python_full_version", "python_version", "sys_platform",
})  # fmt: skip
_LICENSES = frozenset({
    "0BSD", "AGPL-3.0-only", "AGPL-3.0-or-later", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later", "ISC", "LGPL-2.1-only", "LGPL-2.1-or-later",
    "LGPL-3.0-only", "LGPL-3.0-or-later", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib", "ZPL-2.1",
})  # fmt: skip
_CONTENT_TYPES = frozenset({"text/plain", "text/x-rst", "text/markdown"})
_HIGHEST_MAJOR = 2
"""Core metadata: a tool must refuse a higher major version, and should take a higher minor one."""
_LONGEST = 4096
"""Characters of a value that is parsed; packaging's parser is recursive."""
_MOST_ASKED = 500
"""Values that packaging is asked of; each may take a millisecond."""


@record
class Fault:
    """One value that breaks the standard; ``unchecked`` where it could not be told whether it does."""

    field: str
    value: str
    reason: str
    unchecked: bool = False


def faults(fields: Iterable[tuple[str, str]]) -> tuple[Fault, ...]:
    """What is wrong with each header on its own, in order; equal headers are told once."""
    found: list[Fault] = []
    asked = 0
    for field, value in dict.fromkeys(fields):
        key = field.lower()
        if key in _PLAIN:
            is_right, reason = _PLAIN[key]
            if not is_right(value):
                found.append(Fault(field=field, value=value, reason=reason))
        elif key in _ORDINARY and (len(value) > _LONGEST or not value.isprintable() or not _ORDINARY[key][0](value)):
            asked += 1
            if asked > _MOST_ASKED or len(value) > _LONGEST:
                reason = "it is too long" if len(value) > _LONGEST else f"more than {_MOST_ASKED} values are unusual"
                found.append(Fault(field=field, value=value, reason=reason, unchecked=True))
            elif reason := _ORDINARY[key][1](value):
                found.append(Fault(field=field, value=value, reason=reason))
    return tuple(found)


def metadata_version(fields: Iterable[tuple[str, str]]) -> tuple[int, int] | None:
    """The version of the standard that the file follows; ``None`` where it does not say so."""
    return _version(next((value for field, value in fields if field.lower() == "metadata-version"), ""))


def _version(said: str) -> tuple[int, int] | None:
    major, _, minor = said.partition(".")
    longest = 9
    is_number = (major + minor).isascii() and major.isdigit() and minor.isdigit() and len(said) <= longest
    return (int(major), int(minor)) if is_number else None


def _is_name(text: str) -> bool:
    """PEP 508: a distribution or an extra."""
    plain = text.replace("-", "").replace("_", "").replace(".", "")
    return plain.isalnum() and text.isascii() and text[0].isalnum() and text[-1].isalnum()


def is_ordinary_requirement(value: str) -> bool:
    """PEP 508 as build backends write it: no URL, and in markers a variable before each text; ``value`` is printable."""
    required, semicolon, marker = value.partition(";")
    required = required.strip()
    head = required.rstrip(")")
    at = min((head.find(each) for each in "<>=!~([" if each in head), default=len(head))
    name, rest = head[:at].strip(), head[at:].strip()
    if rest.startswith("["):
        extras, closed, rest = rest[1:].partition("]")
        if not closed or not all(_is_name(each.strip()) for each in extras.split(",")):
            return False
        rest = rest.strip()
    closing = len(required) - len(head)
    if rest.startswith("("):
        rest, closing = rest[1:].strip(), closing - 1
        if not rest:
            return False
    return (
        closing == 0
        and _is_name(name)
        and (not rest or is_ordinary_specifier_set(rest))
        and (not semicolon or _is_joined(marker, (" and ", " or "), _is_comparison))
    )


def is_ordinary_specifier_set(value: str) -> bool:
    """Ordinary specifiers with commas between them, or none at all."""
    return not value.strip() or all(map(_is_ordinary_specifier, value.split(",")))


def _is_ordinary_specifier(text: str) -> bool:
    """PEP 440: an operator and a version without epoch or local part."""
    text = text.strip()
    operator = next((each for each in _OPERATORS if text.startswith(each)), "")
    version = text[len(operator) :].strip()
    if operator in {"==", "!="}:
        version = version.removesuffix(".*")
    *parts, last = version.split(".")
    number = last.rstrip("0123456789")
    stage = number.lstrip("0123456789")
    is_version = version.isascii() and all(part.isdigit() for part in parts)
    is_last = last.isdigit() or (stage in _STAGES and (bool(parts) or last[0].isdigit()) and ".*" not in text)
    is_compatible = operator != "~=" or len(parts) > (0 if last[:1].isdigit() else 1)
    return bool(operator) and is_version and is_last and is_compatible


def _is_joined(text: str, joints: tuple[str, str], is_part: Callable[[str], bool]) -> bool:
    """Parts with a word between every two, and parentheses around some of them that open and close as they must."""
    depth = 0
    for part in text.replace(joints[1], joints[0]).split(joints[0]):
        opened = part.lstrip("( ")
        inner = opened.rstrip(") ")
        depth += part[: len(part) - len(opened)].count("(")
        if not is_part(inner):
            return False
        depth -= opened[len(inner) :].count(")")
        if depth < 0:
            return False
    return depth == 0


def _is_comparison(text: str) -> bool:
    """``variable operator "text"``."""
    quote = text[-1:]
    if quote not in {'"', "'"} or text.count(quote) != len((quote, quote)):
        return False
    left = text[: text.index(quote)].rstrip()
    operator = next((each for each in _COMPARED if left.endswith(each)), "")
    return bool(operator) and left[: -len(operator)].rstrip() in _VARIABLES


def is_ordinary_license(value: str) -> bool:
    """An SPDX expression of well-known licenses, spelt as SPDX has them."""
    return _is_joined(value, (" AND ", " OR "), _LICENSES.__contains__)


def _ask(parse: Callable[[str], object], value: str, error_type: type[Exception]) -> str:
    """The first line of what packaging says against a value; empty when it takes it."""
    try:
        parse(value)
    except error_type as error:
        return str(error).partition("\n")[0] or "it cannot be parsed"
    except RecursionError:
        return "its marker is nested too deeply"
    return ""


def _requirement(value: str) -> str:
    from packaging.requirements import InvalidRequirement, Requirement

    return _ask(Requirement, value, InvalidRequirement)


def _specifiers(value: str) -> str:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    return _ask(SpecifierSet, value, InvalidSpecifier)


def _license(value: str) -> str:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    return _ask(canonicalize_license_expression, value, InvalidLicenseExpression)


def _is_known_version(value: str) -> bool:
    version = _version(value)
    return version is not None and 1 <= version[0] <= _HIGHEST_MAJOR


def _is_content_type(value: str) -> bool:
    """What the standard allows, and the word that setuptools once wrote for "not said"."""
    kind, *parameters = [part.strip() for part in value.split(";")]
    told = {name.strip().lower(): said.strip().strip('"') for name, _, said in (each.partition("=") for each in parameters)}
    variant = told.get("variant", "GFM") if kind.lower() == "text/markdown" else "GFM"
    is_known = kind.lower() in _CONTENT_TYPES and told.get("charset", "UTF-8").upper() == "UTF-8"
    return value == "UNKNOWN" or (is_known and variant in {"GFM", "CommonMark"})


def _is_license_path(value: str) -> bool:
    return not (value.startswith("/") or "\\" in value or value[1:2] == ":" or ".." in value.split("/"))


_PLAIN: dict[str, tuple[Callable[[str], bool], str]] = {
    "metadata-version": (_is_known_version, "the standard has versions 1.0 to 2.x"),
    "summary": (lambda value: "\n" not in value, "it must be one line"),
    "description-content-type": (
        _is_content_type,
        "it must be text/plain, text/x-rst or text/markdown, with charset=UTF-8 and variant=GFM or CommonMark at most",
    ),
    "provides-extra": (
        _is_name,
        "a name has letters, digits, '-', '_' and '.', and neither starts nor ends with one of the last three",
    ),
    "license-file": (_is_license_path, "it must be a relative path with '/' that does not lead out"),
    "dynamic": (
        lambda value: value.lower() not in {"metadata-version", "name", "version"},
        "this field must be the same in all files of a release",
    ),
}
"""Fields about which we know all: what is right, and what the standard says to the rest."""
_ORDINARY: dict[str, tuple[Callable[[str], bool], Callable[[str], str]]] = {
    "requires-dist": (is_ordinary_requirement, _requirement),
    "requires-python": (is_ordinary_specifier_set, _specifiers),
    "license-expression": (is_ordinary_license, _license),
}
"""Fields of which the ordinary values are known, and who is asked about the others."""
