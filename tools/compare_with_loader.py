"""Compares the checker with this machine's loader, lookup by lookup: ``python -m tools.compare_with_loader WHEEL…``.

**It runs the loader on the wheels, and with it what they hold: give it wheels that you trust.** The process is killed before
constructors run, but resolvers of indirect functions, and all of a preloaded library, do run.

Each wheel is laid out in a ``site-packages`` of the tool's own, in a temporary folder. Each shared object in it is opened with
``RTLD_NOW`` in a new process that has this Python's global scope: a small program linked to its libpython or, where there is
none, the interpreter itself. ``LD_DEBUG=bindings`` tells what each symbol of each object of the closure was bound to. The
checker is asked the same about the same files on a platform that consists of this machine's libraries, so that every
difference is one of rules and none of data.

It prints, for each wheel, how many objects were opened and how many lookups compared (the same object's lookups count once for
each root that brings it in; *distinct* ones count once), and every difference. The exit code is 1 where there are any.

Needs Linux with glibc and gcc.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from checker.bindings import binding_rows, relocated_names
from checker.closure import Distribution, Preload, Process, Setup, install
from checker.engine import Options, read
from checker.exports import Exports
from checker.judge import judge
from checker.model.closure import ProviderKind
from checker.model.elf import ElfType
from checker.model.layout import Layout
from checker.model.resolution import LoadOutcome, Outcome
from checker.roots import root_kind
from tools.this_machine import INTERPRETER, Machine, Site, enter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.judge import Judgement
    from checker.model.elf import ElfFacts
    from checker.model.resolution import Load
    from tools.this_machine import Bindings, Lookup

NOT_BOUND = "(not bound)"


class Difference(NamedTuple):
    """One lookup of which the checker says another thing than the loader did."""

    root: str
    object: str
    symbol: str
    ours: str
    loaders: str


@dataclass
class Comparison:
    """What came out for one wheel.

    Attributes:
        name: of the wheel.
        roots: objects opened.
        loaded: those of them that the loader loaded.
        lookups: bindings compared, each once for every root.
        distinct: the same, once for each object and lookup.
        verdicts: (root, ours, the loader's) where we do not agree whether it loads.
        differences: where we do not agree on a binding.
    """

    name: str
    roots: int = 0
    loaded: int = 0
    lookups: int = 0
    distinct: int = 0
    verdicts: list[tuple[str, str, str]] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)


# The checker's answer


class Answers:
    """The checker's bindings, by root."""

    def __init__(self, judgement: Judgement) -> None:
        """Collects all rows."""
        self._always: Bindings = {}
        self._in_root: dict[tuple[str, str], dict[Lookup, str]] = {}
        for row in binding_rows([judgement]):
            if row.outcome is Outcome.BOUND:
                provider = INTERPRETER if row.provider is ProviderKind.HOST else row.path or ""
                everywhere = self._always.setdefault(row.object, {})
                lookups = everywhere if row.root is None else self._in_root.setdefault((row.root, row.object), {})
                enter(lookups, (row.symbol, row.version), provider)

    def of(self, root: str, name: str) -> dict[Lookup, str]:
        """The lookups of one object in one root's closure."""
        always, here = self._always.get(name, {}), self._in_root.get((root, name))
        return {**always, **here} if here else always


def _text(lookup: Lookup) -> str:
    symbol, version = lookup
    return (symbol + (b"@" + version if version else b"")).decode("utf-8", "backslashreplace")


# Both


def lay_out(artifact: Path, layout: Layout, folder: Path) -> Distribution:
    """Unpack a wheel (or copy a folder that stands for ``site-packages``) below ``folder``, and read it with the checker."""
    if artifact.is_dir():
        target = Path(f"{folder}{layout.site_packages}")
        shutil.copytree(artifact, target, dirs_exist_ok=True, copy_function=_link_or_copy)
    else:
        with zipfile.ZipFile(artifact) as archive:
            for name in archive.namelist():
                target = Path(f"{folder}{layout.installed(name)}")
                if not name.endswith("/"):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with archive.open(name) as source, target.open("wb") as copy:
                        shutil.copyfileobj(source, copy)
    inventory, objects, problems = read(str(artifact), Options())
    for problem in problems:
        print(f"  {problem.file}: {problem.reason}")
    return Distribution(name="", objects=objects, members=tuple((member.path, member.kind) for member in inventory.members))


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def is_openable(facts: ElfFacts) -> bool:
    """A shared object of this machine's kind, and no program."""
    identity = facts.identity
    return (
        facts.is_dynamic
        and identity.type == ElfType.ET_DYN
        and identity.architecture == "x86_64"
        and root_kind(facts) != "executable"
    )


def compare(artifact: Path, others: Sequence[Path] = (), preloads: Sequence[Preload] = (), *, every: int = 1) -> Comparison:
    """Compare on one wheel.

    Args:
        artifact: the wheel whose objects are opened.
        others: wheels, or folders of installed packages, that are laid out beside it.
        preloads: members of any of them that are opened before each root.
        every: open each n-th object only, for wheels with hundreds of them.
    """
    with tempfile.TemporaryDirectory(prefix="compare-with-loader-") as name:
        folder = Path(name).resolve()
        machine = Machine(folder)
        layout = Layout(python=f"python{sys.version_info.major}.{sys.version_info.minor}")
        first, *rest = (lay_out(one, layout, folder) for one in (artifact, *others))
        together = Distribution(
            name="",
            objects=tuple(facts for one in (first, *rest) for facts in one.objects),
            members=tuple(member for one in (first, *rest) for member in one.members),
        )
        installation = install(layout, together)
        paths = [facts.path for facts in first.objects if is_openable(facts)][::every]
        numbers = {facts.path: number for number, facts in enumerate(installation.objects)}
        process = Process(
            installation,
            platform=machine.platform,
            baseline=machine.baseline(installation.objects),
            host=machine.host,
            setup=Setup(preloads=tuple(preloads), lib=machine.lib),
        )
        exports = Exports(installation.objects, relocated_names(installation.objects))
        judgement = judge(process, exports, tuple(numbers[path] for path in paths), frozenset())
        return _compared(artifact.name, judgement, Site(folder, installation, machine), preloads)


def _compared(name: str, judgement: Judgement, site: Site, preloads: Sequence[Preload]) -> Comparison:
    process = judgement.process
    answers = Answers(judgement)
    result = Comparison(name)
    distinct: dict[str, set[Lookup]] = {}
    for mapped in judgement.mapped:
        root = process.facts(mapped.root).path
        opening = site.open(root, preloads)
        result.roots += 1
        result.loaded += opening.loads
        load = judgement.loads[mapped.root]
        if opening.loads != (load.outcome is LoadOutcome.LOADS):
            result.verdicts.append((root, _told(load), "loads" if opening.loads else opening.message))
        members = {process.facts(number).path for number in mapped.new if process.is_own(number)}
        for path in sorted(members | opening.bindings.keys()):
            loaders = opening.bindings.get(path, {})
            ours = answers.of(root, path) if path in members else {}
            result.lookups += len(loaders)
            distinct.setdefault(path, set()).update(loaders)
            result.differences += differences(root, path, ours, loaders, complete=opening.complete)
    result.distinct = sum(map(len, distinct.values()))
    return result


def differences(
    root: str, path: str, ours: dict[Lookup, str], loaders: dict[Lookup, str], *, complete: bool
) -> Iterator[Difference]:
    """Where both do not say the same of one object in one root's closure; unless ``complete``, the loader did not tell all."""
    if ours == loaders:
        return
    asked = ours.keys() | loaders.keys() if complete else loaders.keys()
    for lookup in sorted(asked, key=_text):
        mine, theirs = ours.get(lookup, NOT_BOUND), loaders.get(lookup, NOT_BOUND)
        if mine != theirs:
            yield Difference(root, path, _text(lookup), mine, theirs)


def _told(load: Load) -> str:
    because = f": {load.because.kind} {load.because.subject} of {load.because.object}" if load.because else ""
    return f"{load.outcome.value}{because}"


# The program


def show(result: Comparison, most: int) -> None:
    """Print the figures, and at most so many differences of each kind."""
    print(
        f"{result.name}: {result.roots} objects opened, {result.loaded} loaded, {len(result.verdicts)} verdicts differ; "
        f"{result.lookups} lookups ({result.distinct} distinct), {len(result.differences)} differ",
        flush=True,
    )
    for root, ours, loaders in result.verdicts[:most]:
        print(f"  verdict  {root}\n    ours:     {ours}\n    loader's: {loaders}")
    for one in result.differences[:most]:
        print(
            f"  binding  {one.symbol} in {one.object}, root {one.root}\n    ours:     {one.ours}\n    loader's: {one.loaders}"
        )


def main() -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", type=Path, nargs="+")
    parser.add_argument("--with", dest="others", type=Path, action="append", default=[], metavar="WHEEL_OR_FOLDER")
    parser.add_argument("--preload", action="append", default=[], metavar="MEMBER[:global]")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="open each n-th object only")
    parser.add_argument("--rows", type=int, default=20, metavar="N", help="print at most so many differences of a wheel")
    words = parser.parse_args()
    preloads = [Preload(path=text.removesuffix(":global"), is_global=text.endswith(":global")) for text in words.preload]
    results: list[Comparison] = []
    for wheel in words.wheel:
        results.append(compare(wheel, words.others, preloads, every=words.every))
        show(results[-1], words.rows)
    verdicts, differences = sum(len(one.verdicts) for one in results), sum(len(one.differences) for one in results)
    print(
        f"{len(results)} wheels: {sum(one.roots for one in results)} objects, {verdicts} verdicts differ; "
        f"{sum(one.lookups for one in results)} lookups ({sum(one.distinct for one in results)} distinct), {differences} differ"
    )
    return 1 if verdicts or differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
