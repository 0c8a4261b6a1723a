"""A wheel's file name (PyPA specification "Binary distribution format", which was PEP 427) and its tags (PEP 425)."""

from __future__ import annotations

import re
from itertools import islice, product

from checker.model.artifact import Tag
from checker.model.record import record, replace
from checker.model.regex import regex

_NAME = regex(
    r"""
    (?P<distribution> [a-z0-9] (?: [a-z0-9._]* [a-z0-9] )? )
    - (?P<version>
        v? (?: [0-9]+ ! )? [0-9]+ (?: \. [0-9]+ )*                               # epoch and release
        (?: [._]? (?: alpha | beta | preview | pre | rc | a | b | c ) [._]? [0-9]* )?
        (?: [._]? (?: post | rev | r ) [._]? [0-9]* )?
        (?: [._]? dev [._]? [0-9]* )?
        (?: \+ [a-z0-9]+ (?: [._] [a-z0-9]+ )* )?                                # local version
      )
    (?: - (?P<build> [0-9] [a-z0-9_.]* ) )?
    - (?P<python> [a-z0-9_.]+ ) - (?P<abi> [a-z0-9_.]+ ) - (?P<platform> [a-z0-9_.]+ )
    \.whl
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
"""The version is that of PEP 440 (appendix B), less the forms with a hyphen, which a file name cannot hold."""


@record
class WheelName:
    """A wheel's file name, taken apart; ``problem`` is empty when the name is a wheel's name."""

    distribution: str
    version: str
    build: str
    tags: tuple[Tag, ...]
    problem: str


def parse_wheel_name(name: str, most_tags: int) -> WheelName:
    """Take a file name apart; of a name that is none, all parts are empty."""
    match = _NAME.fullmatch(name)
    if match is not None and "__" not in match["distribution"]:
        tags = expand_tag(f"{match['python']}-{match['abi']}-{match['platform']}", most_tags)
        if tags is not None:
            return WheelName(
                distribution=match["distribution"], version=match["version"], build=match["build"] or "", tags=tags, problem=""
            )
    return _second_opinion(name, most_tags)


def _second_opinion(name: str, most_tags: int) -> WheelName:
    """Of a name that the expression refuses: what installers' own library says of it."""
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    empty = WheelName(distribution="", version="", build="", tags=(), problem="")
    tags = expand_tag("-".join(name.removesuffix(".whl").split("-")[-3:]), most_tags)
    if tags is None:
        return replace(empty, problem="the file name has no three tags (python-abi-platform), or far too many in one")
    try:
        _, _, build, _ = parse_wheel_filename(name)
    except InvalidWheelFilename as error:
        return replace(empty, problem=f"this is no file name of a wheel: {error}")
    distribution, version = name.split("-")[:2]
    return WheelName(distribution=distribution, version=version, build="".join(map(str, build)), tags=tags, problem="")


def expand_tag(compressed: str, most: int) -> tuple[Tag, ...] | None:
    """The tags of a compressed tag set, sorted, in lower case; ``None`` unless it has three parts and at most ``most`` tags."""
    parts = [part.lower().split(".") for part in compressed.split("-")]
    if len(parts) != 3 or not all(all(part) for part in parts):  # noqa: PLR2004 -- python, abi, platform
        return None
    tags = list(islice(product(*parts), most + 1))
    if len(tags) > most:
        return None
    return tuple(Tag(python=python, abi=abi, platform=platform) for python, abi, platform in sorted(set(tags)))
