"""An extension module's file name is none that the promised interpreters look for.

## What

The suffix of a file that exports the init function of its name (`.cpython-310-x86_64-linux-gnu.so`)
names another interpreter, version, architecture or C library than the tags, and no file beside it
serves the interpreters that are left out. A wheel for every Python (`py3-none-…`) with files for
several versions is taken to know what it does. Plain `.so` is every interpreter's.

With musl, CPython up to 3.10 looked for `-linux-gnu` as built from source, for `-linux-musl` on Alpine:
neither is told there. From 3.11 on only `-linux-musl` is right.

Free-threaded CPython looks for `.abi3.so` up to 3.14, though a module of that ABI counts references in
another way than it does: that is told as well. From 3.15 on it looks for `.abi3t.so`, as other builds do.

## Why it breaks

An import looks for a handful of exact file names. A file with another one is not there:
"ModuleNotFoundError: No module named 'pkg._core'", or a slow fallback in silence. `pip` installs the
wheel all the same.

## Causes and fixes

- A cross build took the suffix of the build machine's Python: set `EXT_SUFFIX`
  (`_PYTHON_SYSCONFIGDATA_NAME`, crossenv, `SETUPTOOLS_EXT_SUFFIX`).
- An abi3 wheel was built without `py_limited_api=True` on the *extension*, so that only the wheel says
  abi3: set both.
- A stale file of another version was swept into the wheel: clean `build/`.
- The tag was set by hand: `wheel tags --remove --python-tag cp311 --abi-tag cp311 WHEEL` gives the one
  that the file's name says. Never rename the file: it was compiled for that Python's structures.
- maturin and older PyO3 tools named musl modules `-linux-gnu`: build natively in the musllinux image.

## References

PEP 3149, PEP 384, PEP 803; CPython `Python/dynload_shlib.c`, `_PyImport_DynLoadFiletab`; bpo-43112 (musl).
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.record import record
from checker.model.regex import regex
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.extension_names import ExtensionName, extension_name, has_init
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import Tag
    from checker.model.case import Case

_MUSL_SINCE = (3, 11)
_ABI3T_SINCE = (3, 15)
_PYTHON = regex(r"(?:cp|py)(\d)(\d+)")
_LINUX = ("linux_", "manylinux", "musllinux")

_TRIPLETS = {
    "x86_64": ("x86_64-linux-gnu",),
    "i686": ("i386-linux-gnu", "i686-linux-gnu"),
    "aarch64": ("aarch64-linux-gnu",),
    "armv7l": ("arm-linux-gnueabihf",),
    "ppc64le": ("powerpc64le-linux-gnu",),
    "s390x": ("s390x-linux-gnu",),
    "riscv64": ("riscv64-linux-gnu",),
    "loongarch64": ("loongarch64-linux-gnu", "loongarch64-linux-gnuf64"),
}
"""Architecture of a tag → what CPython's configure calls it."""

_PYPY_WITHOUT_MACHINE = "linux-gnu"
"""PyPy 7.3.5 for AArch64 looked for ``.pypy37-pp73-linux-gnu.so``."""


@record
class _File:
    path: str
    name: ExtensionName


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each module, at the first of its files."""
    tags = [tag for tag in case.tags if tag.platform.startswith(_LINUX)]
    members = {member.path for member in case.inventory.members}
    modules: dict[str, list[_File]] = {}
    for facts in case.objects:
        name = extension_name(facts.path)
        if name is not None and is_native(facts) and has_init(facts, name.module):
            modules.setdefault(name.folder + name.module, []).append(_File(path=facts.path, name=name))
    for stem, files in sorted(modules.items()):
        if {stem + ".so", stem + ".py", stem + ".pyc"} & members:
            continue
        names = [file.name for file in files]
        lost = [tag for tag in tags if not any(_serves(name, tag) for name in names)]
        if not lost or (len(names) > 1 and all(tag.abi == "none" for tag in lost)):
            continue
        suffixes = [name.suffix for name in names]
        told = sorted({str(tag) for tag in lost})
        yield Observation(
            file=files[0].path,
            subject=suffixes[0],
            message=f"is named {listing(suffixes)}, {_what_is_wrong(names, lost)}; {listing(told)} "
            f"promise{'s' if len(told) == 1 else ''} it",
            evidence=evidence(suffixes=tuple(suffixes), tags=tuple(told)),
            remedy="Build it with the Python of the tag, and in a cross build with its EXT_SUFFIX (for abi3: "
            f"py_limited_api=True on the extension too), or take a stale file out{_true_tag(names, lost)}",
        )


def _true_tag(names: list[ExtensionName], lost: list[Tag]) -> str:
    """The other way round: one file, whose name tells its interpreter."""
    name = names[0]
    if len(names) > 1 or name.interpreter != "cpython" or all(_serves_interpreter(name, tag) for tag in lost):
        return ""
    python = f"cp{name.version.rstrip('dmtu')}"
    return (
        f"; or, if the file is right, mend the tag: wheel tags --remove --python-tag {python} --abi-tag cp{name.version} WHEEL"
    )


def _serves(name: ExtensionName, tag: Tag) -> bool:
    """Every interpreter that the tag promises looks for that name."""
    return _serves_interpreter(name, tag) and _serves_platform(name, tag)


def _serves_interpreter(name: ExtensionName, tag: Tag) -> bool:
    if name.interpreter.startswith("graalpy") or tag.python.startswith("graalpy"):
        return True
    if tag.python.startswith("pp"):
        is_of_abi = not tag.abi.startswith("pypy") or not name.version or tag.abi.endswith(f"_{name.version}")
        return is_of_abi and name.interpreter in {f"pypy{tag.python[2:]}", "pypy3"}
    return _serves_cpython(name, tag)


def _serves_cpython(name: ExtensionName, tag: Tag) -> bool:
    if name.interpreter == "abi3":
        return not tag.abi.endswith("t")
    if name.interpreter == "abi3t":
        return _version_of(tag) >= _ABI3T_SINCE
    if name.interpreter != "cpython":
        return False
    if tag.abi.startswith("cp"):
        return name.version == tag.abi.removeprefix("cp")
    # cp311-none is for one version; abi3 and py3 are for every later one, which a name for one version does not serve.
    return tag.abi == "none" and tag.python == f"cp{name.version.rstrip('m')}"


def _version_of(tag: Tag) -> tuple[int, ...]:
    """The oldest version of Python that a tag promises; ``()`` for ``py3``."""
    found = _PYTHON.fullmatch(tag.python)
    return (int(found[1]), int(found[2])) if found is not None else ()


def _serves_platform(name: ExtensionName, tag: Tag) -> bool:
    if name.triplet == _PYPY_WITHOUT_MACHINE and name.interpreter.startswith("pypy"):
        return True
    known = next((triplets for arch, triplets in _TRIPLETS.items() if tag.platform.endswith(f"_{arch}")), None)
    if known is None or not name.triplet or name.interpreter.startswith("graalpy"):
        return True
    musl = tuple(triplet.replace("-gnu", "-musl") for triplet in known)
    if tag.platform.startswith("manylinux"):
        return name.triplet in known
    if tag.platform.startswith("musllinux") and _version(name) >= _MUSL_SINCE:
        return name.triplet in musl
    return name.triplet in (*known, *musl)


def _version(name: ExtensionName) -> tuple[int, ...]:
    digits = name.version.rstrip("abcdefghijklmnopqrstuvwxyz")
    return (int(digits[:1]), int(digits[1:])) if len(digits) > 1 and digits.isascii() and digits.isdigit() else ()


def _what_is_wrong(names: list[ExtensionName], lost: list[Tag]) -> str:
    """Why these names do not serve, as a clause."""
    tag = lost[0]
    if tag.abi.endswith("t") and _version_of(tag) < _ABI3T_SINCE and any(name.interpreter == "abi3" for name in names):
        return f"the ABI of builds with the global lock, and free-threaded {tag.python} has another"
    return f"which {_who_is_left_out(names, lost)} does not look for"


def _who_is_left_out(names: list[ExtensionName], lost: list[Tag]) -> str:
    """Which interpreter is left out, as a phrase."""
    tag = lost[0]
    if all(_serves_interpreter(name, tag) for name in names):
        return f"Python on {tag.platform}"
    if tag.abi in {"abi3", "abi3t"}:
        return f"every later Python than {tag.python}"
    return "every Python" if tag.python.startswith("py") else tag.abi if tag.abi.startswith("cp") else tag.python


RULE = Rule(id="wrong-extension-suffix", family="interpreter", parameters=NoParameters, check=check, doc=__doc__ or "")
