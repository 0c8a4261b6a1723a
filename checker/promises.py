"""What an artifact promises: the platforms and the interpreter that its tags name."""

from __future__ import annotations

from checker import platforms
from checker.model.artifact import ReadProblem
from checker.model.case import Promise
from checker.model.platform import PlatformId, is_path
from checker.model.regex import regex
from checker.rules.architectures import ABIS
from checker.rules.extension_names import extension_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checker.model.artifact import Tag
    from checker.model.elf import Definition, ElfFacts
    from checker.model.platform import Host

FROM_TAG = "from-tag"

_LINUX = regex(r"linux_(\w+)")
_CPYTHON = regex(r"cp(\d)(\d+)(t?)")
_PYPY = regex(r"pp(\d)(\d+)(?:_pp\d+)?")
_PYPY_ABI = regex(r"pypy\d+_(pp\d+)")
_CPYTHON_SUFFIX = regex(r"(\d)(\d+)([a-z]*)")
_OTHER_PYTHON = regex(r"(?!py)[a-z]+\d+")
_MUSL_MARKS = ("ld-musl-", "libc.musl-")
_USUAL = {"glibc": "manylinux_2_28", "musl": "musllinux_1_2"}
"""What wheels are built for today, as an example of a promise."""
_LAST_MINOR = 99
_FALLBACK_PYTHON = "cp38"
"""For tags that name no CPython release (``py3``): the oldest interpreter that is known, whose libraries are the fewest."""


def promises(tags: Sequence[Tag], objects: Sequence[ElfFacts], platform: str = FROM_TAG) -> tuple[Promise, ...]:
    """The platforms claimed, one for each libc and architecture: the oldest of a compressed tag set holds for all.

    Args:
        tags: of the wheel; empty for other artifacts.
        objects: the ELF objects, which tell the architecture where no tag does.
        platform: ``from-tag``, a platform tag, an exact platform or the path of a platform file, as the policy or
            ``--platform`` says.

    Raises:
        ValueError: ``platform`` names none.
    """
    if is_path(platform):
        captured = platforms.open_platform_file(platform)
        oldest_known = captured.baseline.id
        return (Promise(tag=captured.name, oldest=oldest_known, judged=(oldest_known,), baseline=captured.baseline),)
    if platform != FROM_TAG:
        found = platforms.parse_platform(platform)
        return (_promise(platform, found),) if found is not None else ()
    oldest: dict[tuple[str, str], tuple[PlatformId, str]] = {}
    for claimed, text in _claims(tags, objects):
        key = (claimed.family, claimed.architecture)
        if key not in oldest or claimed < oldest[key][0]:
            oldest[key] = (claimed, text)
    return tuple(sorted((_promise(text, claimed) for claimed, text in oldest.values()), key=lambda promise: promise.tag))


def _claims(tags: Sequence[Tag], objects: Sequence[ElfFacts]) -> Iterable[tuple[PlatformId, str]]:
    """(oldest platform, tag text) of every Linux tag; without tags, the newest known of the objects' machines."""
    for text in sorted({tag.platform for tag in tags}):
        local = _LINUX.fullmatch(text)
        if local is not None:
            # PEP 425: linux_ARCH names the machine that built it and promises nothing; the newest is the mildest judge.
            newest = _newest(objects, local[1])
            if newest is not None:
                yield newest, text
            continue
        claimed = platforms.parse_platform(text) if _is_known(text) else None
        if claimed is not None:
            yield claimed, text
    if not tags:
        for architecture, abi in ABIS.items():
            mine = [facts for facts in objects if facts.is_dynamic and not abi.fault(facts.identity)]
            if mine:
                newest = _newest(mine, architecture)
                if newest is not None:
                    yield newest, str(newest)


def unjudged_platforms(tags: Sequence[Tag], promised: Sequence[Promise], artifact: str) -> tuple[ReadProblem, ...]:
    """What cannot be said of platform tags: of other systems, of no release, misspelt, or newer than this program."""
    judged = {promise.tag: promise.oldest for promise in promised}
    reasons = ((tag, _unjudged(tag, judged.get(tag))) for tag in sorted({tag.platform for tag in tags}))
    return tuple(
        ReadProblem(file=artifact, reason=f"the platform tag {tag!r} {reason}") for tag, reason in reasons if reason is not None
    )


def _unjudged(tag: str, judged: PlatformId | None) -> str | None:
    if not _is_known(tag):
        return "names no known platform: what it promises was not checked"
    system = platforms.other_system(tag)
    if system is not None:
        return f"promises {system}, whose loader is not known here: only the archive, its names and its metadata were checked"
    if _LINUX.fullmatch(tag) is None:
        return None
    family = judged.family if judged is not None else "glibc"
    example = f"{_USUAL[family]}_{tag.removeprefix('linux_')}"
    checked = "what hangs on no platform was checked"
    if judged is not None:
        checked = f"{checked}, and how it loads on {judged}, the newest known"
    return (
        "is what a build gives: it promises no C library and no release of one, and PyPI refuses it; "
        f"{checked}; run auditwheel repair WHEEL and check the wheel that it writes, "
        f"or say on what systems this one is to run: --platform {example}"
    )


def _is_known(platform: str) -> bool:
    try:
        platforms.parse_platform(platform)
    except ValueError:
        return False
    return True


def _newest(objects: Sequence[ElfFacts], architecture: str) -> PlatformId | None:
    """The newest known platform of an architecture, with the C library that the objects were made for."""
    musl = any(mark in text for facts in objects for text in (facts.interpreter or "", *facts.needed) for mark in _MUSL_MARKS)
    family = "musl" if musl else "glibc"
    release = platforms.newest(family, architecture)
    return PlatformId(family=family, release=release, architecture=architecture) if release is not None else None


def _promise(tag: str, oldest: PlatformId) -> Promise:
    """The promise of a tag; where the architecture, or what is known of it, begins later, it begins there."""
    baseline = platforms.baseline(oldest, tag)
    if baseline is not None and tag != str(oldest):
        oldest = max(oldest, baseline.id)
    private = platforms.private_symbols(tag)
    return Promise(tag=tag, oldest=oldest, judged=(oldest,), baseline=baseline, private=private)


class StandIn:
    """Measured interpreters in place of one that was not measured; implements ``Host``.

    Most of CPython's C API is older than any release that was measured, so what a near release exports is taken to be there;
    what it lacks is not known. Of an interpreter without any relative (GraalPy) nothing is known but the libraries.
    """

    is_measured = False

    def __init__(self, name: str, *relatives: Host, is_same_kind: bool = True) -> None:
        self.name = f"{name} ({' and '.join(relative.name for relative in relatives)} in its place)"
        self.libraries = relatives[0].libraries
        self._relatives = relatives if is_same_kind else ()

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """What the first relative that exports that name has; nothing where they are of another kind."""
        return next((found for relative in self._relatives if (found := relative.definitions(name))), ())


def host(tag: str, platform: PlatformId) -> Host | None:
    """The interpreter of a tag, on that platform; ``None`` for a platform without data.

    Args:
        tag: as :func:`python_tag` has it, or the path of a platform file.
        platform: where it runs.

    Raises:
        ValueError: the file has no interpreter.
    """
    if is_path(tag):
        file = platforms.open_platform_file(tag)
        measured = file.baseline.id
        is_there = (measured.family, measured.architecture) == (platform.family, platform.architecture)
        return file.interpreter if is_there else StandIn(f"{file.interpreter.name} of {platform}", file.interpreter)
    known = _measured((tag,), platform)
    if known:
        return known[0]
    cpython, pypy = _CPYTHON.fullmatch(tag), _PYPY.fullmatch(tag)
    found = cpython or pypy
    minor = min(int(found[2]), _LAST_MINOR) if found is not None and found[1] == "3" else 0
    flag = cpython[3] if cpython is not None else ""
    near = _measured(_near("pp3" if pypy is not None else "cp3", minor, flag), platform)[:1]
    # A release adds for both builds alike: what the one with the lock has is in the one without.
    near += _measured((tag.removesuffix("t"),), platform) if flag else ()
    return StandIn(tag, *near, is_same_kind=found is not None) if near else None


def _measured(tags: Iterable[str], platform: PlatformId) -> tuple[Host, ...]:
    """The interpreters of tags, those left out that were not measured."""
    found = (platforms.host(tag, platform.architecture, platform.family, platform.release) for tag in tags)
    return tuple(one for one in found if one is not None)


def _near(stem: str, minor: int, flag: str) -> Iterator[str]:
    """Tags from the wanted release downwards, then upwards: a newer one than any known is best told by the newest."""
    yield from (f"{stem}{number}{flag}" for number in (*range(minor, -1, -1), *range(minor + 1, _LAST_MINOR + 1)))


def python_tag(tags: Sequence[Tag]) -> str:
    """The oldest CPython of a tag set, such as ``cp311``, or ``cp313t`` where its ABI is that of builds without the lock.

    Where there is none, the first other interpreter with a version; PyPy with its ABI: ``pp311_pp73``.
    """
    versions = sorted(
        (int(found[1]), int(found[2]), "t" if tag.abi.startswith(("cp", "abi3")) and tag.abi.endswith("t") else "")
        for tag in tags
        if (found := _CPYTHON.fullmatch(tag.python)) is not None
    )
    if versions:
        return "cp{}{}{}".format(*versions[0])
    others = sorted(_other_tag(tag) for tag in tags if _OTHER_PYTHON.fullmatch(tag.python))
    return others[0] if others else _FALLBACK_PYTHON


def interpreter_of(path: str, otherwise: str) -> str:
    """The tag of the one interpreter that imports a file of that name, or another tag where its name says nothing.

    An import looks for the suffixes of its own interpreter (PEP 3149, CPython's ``_PyImport_DynLoadFiletab``): nobody but
    CPython 3.12 opens ``x.cpython-312-x86_64-linux-gnu.so``, whatever else the tags of the wheel promise. ``x.abi3.so`` and
    ``x.so`` are for all.
    """
    name = extension_name(path)
    if name is None:
        return otherwise
    cpython = _CPYTHON_SUFFIX.fullmatch(name.version)
    if name.interpreter == "cpython" and cpython is not None:
        return f"cp{cpython[1]}{cpython[2]}{'t' if 't' in cpython[3] else ''}"
    if name.interpreter.startswith("pypy") and name.interpreter != "pypy3":
        return "_".join(filter(None, (f"pp{name.interpreter.removeprefix('pypy')}", name.version)))
    return f"graalpy{name.version}" if name.interpreter.startswith("graalpy") else otherwise


def _other_tag(tag: Tag) -> str:
    abi = _PYPY_ABI.fullmatch(tag.abi)
    return f"{tag.python}_{abi[1]}" if abi is not None and _PYPY.fullmatch(tag.python) else tag.python


def python_folder(tag: str) -> str:
    """The folder of the standard library for a CPython tag, or for a platform file: ``python3.11`` for ``cp311``.

    Without the global lock it is ``python3.13t`` (CPython's ``configure --disable-gil``).
    """
    if is_path(tag):
        return f"python{platforms.open_platform_file(tag).interpreter.name.partition('-')[2]}"
    found = _CPYTHON.fullmatch(tag)
    return f"python{found[1]}.{found[2]}{found[3]}" if found is not None else "python3"
