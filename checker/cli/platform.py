"""``wheelproof platform``: capture a system, list those that are known, show one."""

from __future__ import annotations

import os

from checker.cli import output
from checker.cli.request import UsageError
from checker.report.text import Line, Style, counted, line
from checker.rules.versions import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checker.cli.request import PlatformRequest
    from checker.platforms.assembly import PlatformBaseline
    from checker.platforms.captured import CapturedLibrary, PlatformFile

Release = tuple[int, ...]


def platform(request: PlatformRequest) -> int:
    """Do what was asked for.

    Raises:
        UsageError: a root, file or name is none; or a file cannot be written.
    """
    if request.action == "capture":
        _capture(request)
    else:
        output.print_lines(tuple(_listing() if request.action == "list" else _shown(request.subject)))
    return 0


def _capture(request: PlatformRequest) -> None:
    from checker.capturing import Wish, capture
    from checker.cli.progress import ProgressBar
    from checker.platforms.capture import render
    from checker.platforms.rootfs import CaptureError

    if not os.path.isdir(os.path.dirname(request.output) or "."):  # noqa: PTH112, PTH120 (as the user typed it)
        raise UsageError(f"--output {request.output}: there is no folder for that file")
    try:
        with ProgressBar() as bar:
            wish = Wish(
                architecture=request.architecture,
                python=request.python,
                libraries=request.libraries,
                progress=bar.callback,
            )
            captured = capture(request.subject, wish)
    except CaptureError as error:
        raise UsageError(str(error)) from error
    output.write_file(request.output, "".join(render(captured)))
    measured = sum(file.facts is not None for file in captured.libraries)
    host = f", {captured.interpreter.name}" if captured.interpreter is not None else ""
    system = " ".join(word for word in captured.system if word != "-")
    rows = [
        line(f"{request.output}: {captured.id}{f', {system}' if system else ''}{host}"),
        line(f"{len(captured.libraries)} libraries, {measured} with their symbols", indent=2),
    ]
    rows += [
        Line(lead=(("  could not be read: ", Style.WARNING),), body=((f"{file.path}: {file.unmeasured}", Style.PLAIN),))
        for file in captured.libraries
        if file.facts is None and file.digest
    ]
    output.print_lines(rows)


def _listing() -> Iterator[Line]:
    from checker import platforms
    from checker.platforms.catalogue import load_catalogue
    from checker.platforms.interpreters import measured_interpreters

    catalogue = load_catalogue()
    for family in sorted({family for family, _ in catalogue.architectures}):
        yield line(family, style=Style.STRONG)
        for known, architecture in sorted(catalogue.architectures):
            if known == family:
                releases = platforms.releases(family, architecture)
                told = f"{dotted(releases[0])} to {dotted(releases[-1])}  ({counted(len(releases), 'release')})"
                yield line(f"{architecture:<12} {told}", indent=2)
    yield line("interpreters", style=Style.STRONG)
    yield line(", ".join(measured_interpreters()), indent=2)


def _shown(name: str) -> Iterator[Line]:
    from checker import platforms
    from checker.model.platform import is_path

    try:
        if is_path(name):
            yield from _shown_file(platforms.open_platform_file(name))
            return
        parsed = platforms.parse_platform(name)
    except ValueError as error:
        raise UsageError(str(error)) from error
    baseline = platforms.baseline(parsed, name) if parsed is not None else None
    if baseline is None:
        raise UsageError(f"there is no data for {name}; wheelproof platform list tells what there is data for")
    yield from _shown_baseline(baseline)


def _shown_file(file: PlatformFile) -> Iterator[Line]:
    baseline = file.baseline
    system = " ".join(word for word in file.system if word != "-")
    yield line(str(baseline.id), style=Style.STRONG)
    yield line(f"captured from {system or 'a system without os-release'}, by wheelproof {file.tool}", indent=2)
    yield line(f"sha256 {file.digest}", indent=2)
    if file.host is not None:
        yield line(f"{file.host.name}, brings {', '.join(file.host.libraries)}", indent=2)
        yield from (line(f"{one.path}  {counted(one.symbol_count(), 'symbol')}", indent=4) for one in file.host.files)
    yield from _newest(baseline.newest_versions)
    yield line(f"{len(baseline.libraries)} libraries", style=Style.STRONG)
    yield from (line(f"{_names(one)}  {_count(one)}", indent=2) for one in baseline.libraries)


def _names(library: CapturedLibrary) -> str:
    return ", ".join(library.names) or f"{library.soname} (through a run path only)"


def _count(library: CapturedLibrary) -> str:
    if not library.symbols_known:
        return f"symbols not known: {library.unmeasured}"
    return counted(library.symbol_count(), "symbol")


def _shown_baseline(baseline: PlatformBaseline) -> Iterator[Line]:
    from checker.platforms.captured import newest_versions

    sonames = baseline.sonames()
    libraries = [library for soname in sonames if (library := baseline.library(soname)) is not None]
    yield line(str(baseline.id), style=Style.STRONG)
    yield from _newest(newest_versions(version for library in libraries for version in library.versions))
    yield line(f"{len(sonames)} libraries", style=Style.STRONG)
    for soname in sonames:
        promised = "" if baseline.is_promised(soname) else "  not promised"
        yield line(f"{soname}  {counted(baseline.symbol_count(soname), 'symbol')}{promised}", indent=2)


def _newest(versions: Mapping[str, Release]) -> Iterable[Line]:
    yield line("newest versions", style=Style.STRONG)
    for namespace in sorted(versions):
        yield line(f"{namespace}_{dotted(versions[namespace])}", indent=2)
