"""The platform tag promises older systems than a file allows.

## What

A file wants symbol versions of system libraries that are newer than the oldest promised platform's:
GLIBC by the tag's own number, the C++ runtime and the others by the list of PEP 600 and auditwheel.
Programs and libraries count alike, whatever their names and whether or not they have section
headers. Needs that a library of the artifact satisfies, and weak ones, do not count.

## Why it breaks

Installers choose the wheel on every system that the tag names. On those older than the file's needs
the import fails: "version `GLIBC_2.34' not found (required by …)"; all versions are checked before
anything runs.

## Causes and fixes

- It was built on a newer system than the tag's: build in the container of the promised tag
  (`quay.io/pypa/manylinux…`, or cibuildwheel's `manylinux-x86_64-image`).
- The tag was set by hand (`--plat-name`, maturin `--compatibility off`, `sed` over the file name):
  let `auditwheel repair` or `wheel tags --remove --platform-tag TAG WHEEL` give the true one.
  (Without `--remove` the wheel of the old name stays beside it, and is uploaded with it.)
- A prebuilt file, a Go or Rust program, was copied in after the repair: build it in the same
  container too, or link it statically.
- GLIBCXX and CXXABI only: link with `-static-libstdc++ -static-libgcc` through the `g++` driver.

## References

PEP 600; glibc `elf/dl-version.c`, `_dl_check_map_versions`; auditwheel `manylinux-policy.json`.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import suits
from checker.rules.platform_needs import PlatformNeed, PlatformNeeds, newest_first, wanted
from checker.rules.versions import dotted
from checker.rules.wording import evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case, Promise
    from checker.model.elf import ElfFacts


_TAGS = ("manylinux", "linux_")
"""How platform tags begin; other promises are one exact platform (``glibc-2.31-x86_64``) or a captured one."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file; a problem for each promise without data."""
    promises = [promise for promise in case.promises if promise.oldest.family == "glibc"]
    if not promises:
        return
    needs = PlatformNeeds(case)
    tags = dict(case.computed.by_file) if case.computed is not None else {}
    for facts in case.objects:
        beyond = [need for need in needs.of(facts) if needs.exceeds_tag(facts, need)]
        if beyond:
            yield _observe(facts, beyond, needs, _oldest(promises, facts), tags.get(facts.path))
    for promise in promises:
        if promise.baseline is None and case.objects:
            yield ReadProblem(
                file=case.inventory.name,
                reason=f"no data for {promise.oldest}: version needs other than GLIBC were not compared with {promise.tag}",
            )


def _oldest(promises: list[Promise], facts: ElfFacts) -> Promise:
    fitting = [promise for promise in promises if suits(facts, promise.oldest.architecture)]
    return min(fitting or promises, key=lambda promise: (promise.oldest, promise.tag))


def _observe(
    facts: ElfFacts, beyond: list[PlatformNeed], needs: PlatformNeeds, promise: Promise, computed: str | None
) -> Observation:
    beyond = newest_first(beyond)
    shown, symbols = wanted(facts, beyond)
    true_tag = computed or _from_glibc_alone(beyond, promise)
    is_tag = promise.tag.startswith(_TAGS)
    would = f"; {true_tag} would be true" if true_tag and is_tag else ""
    return Observation(
        file=facts.path,
        subject=text(beyond[0].version),
        message=f"needs {listing(shown)}, newer than {promise.tag} {'promises' if is_tag else 'has'}{would}",
        evidence=evidence(
            versions=tuple(dict.fromkeys(f"{text(need.version)} of {need.file}" for need in beyond)),
            symbols=symbols,
            ceilings=tuple(
                f"{namespace}_{dotted(ceiling)}"
                for namespace in dict.fromkeys(need.namespace for need in beyond)
                if (ceiling := needs.ceiling(facts, namespace)) is not None
            ),
            tag=promise.tag,
            true_tag=true_tag,
        ),
        # A platform tag asked for in place of the wheel's own is none to change.
        remedy=_remedy(beyond, promise, true_tag if needs.is_tagged(promise.tag) else None)
        if is_tag
        else _remedy_on_one_system(beyond, promise),
    )


def _from_glibc_alone(beyond: list[PlatformNeed], promise: Promise) -> str | None:
    """The tag by PEP 600's rule, where nothing but glibc decides."""
    if any(need.namespace != "GLIBC" for need in beyond):
        return None
    major, minor = (*max(need.release for need in beyond), 0)[:2]
    return f"manylinux_{major}_{minor}_{promise.oldest.architecture}"


def _remedy(beyond: list[PlatformNeed], promise: Promise, true_tag: str | None) -> str:
    build = f"Build it in a container of {promise.tag} and repair the wheel (auditwheel repair --plat {promise.tag} WHEEL)"
    static = _STATIC if _is_the_cxx_runtime_alone(beyond) else ""
    tag = f"; or let the tag say the truth: wheel tags --remove --platform-tag {true_tag} WHEEL" if true_tag else ""
    return build + static + tag


def _remedy_on_one_system(beyond: list[PlatformNeed], promise: Promise) -> str:
    """Where the user asked about one release or one image, and not for a tag."""
    if _is_the_cxx_runtime_alone(beyond):
        return f"Build it on {promise.tag} or an older system{_STATIC}, or install a newer C++ runtime there"
    glibc = [need.release for need in beyond if need.namespace == "GLIBC"]
    newer = f"on glibc {dotted(max(glibc))} or later" if glibc else "where the libraries are newer"
    return f"Build it on {promise.tag} or an older system, or run it {newer}"


_STATIC = "; or link the C++ runtime into it (g++ -static-libstdc++ -static-libgcc)"


def _is_the_cxx_runtime_alone(beyond: list[PlatformNeed]) -> bool:
    return all(need.namespace in {"GLIBCXX", "CXXABI", "GCC"} for need in beyond)


RULE = Rule(id="platform-tag-too-old", family="platform", parameters=NoParameters, check=check, doc=__doc__ or "")
