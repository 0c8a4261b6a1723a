"""The wheel holds a third-party library of which its dist-info folder says nothing.

## What

For each library that a repair tool grafted (in a `NAME.libs` or `.libs` folder, or with a hash in its
name), and for those that `libraries` names: whether a license text in dist-info (`licenses/`,
`LICENSE*`, `COPYING*`, `NOTICE*`, `AUTHORS*`) speaks of it, and whether an SBOM in `dist-info/sboms`
lists it. Texts are searched for the library's name and its project's (`libcrypto` is found as
OpenSSL), so that a word which happens to stand there counts too. What could not be read, or is no
JSON, could not be checked.

## Why it breaks

Most licenses ask for their text wherever a copy goes, and a wheel is a copy. Scanners look for
vulnerable versions in SBOMs: what is not listed is not patched.

## Causes and fixes

- No license text: add one file with the licenses of everything that is bundled, and name it in
  `license-files` of pyproject.toml.
- No SBOM entry: recent versions of auditwheel write `sboms/auditwheel.cdx.json` for libraries of
  system packages; of what was built from source they know nothing. Write a CycloneDX file for these
  and let the build backend put it into `dist-info/sboms` (hatchling: `sbom-files`; maturin writes one
  for crates).
- The library is your own: exclude it with an override for its files.

## References

PEP 639 ("Add License-File field"), PEP 770; CycloneDX 1.4 and later; SPDX 2.3; auditwheel,
`create_sbom_for_wheel`.
"""

from __future__ import annotations

from checker.model.artifact import FileKind, ReadProblem
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.bundled import is_grafted, stem
from checker.rules.library_words import library_words, words_of
from checker.rules.member_paths import entries
from checker.rules.sboms import listed
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import Member, WheelMetadata
    from checker.model.case import Case


@record
class Parameters:
    """Parameters.

    Attributes:
        license: ask for a license text.
        sbom: ask for an SBOM entry.
        libraries: globs over member paths of further libraries that come from elsewhere.
    """

    license: bool = True
    sbom: bool = True
    libraries: tuple[str, ...] = ()


_SHOWN = 20
"""Documents that the evidence names; every finding has it."""


@record
class _Said:
    """Words of one sort of document, and where such documents were not read: then silence proves nothing."""

    words: frozenset[str]
    unread: tuple[ReadProblem, ...]
    names: tuple[str, ...]


def check(case: Case, parameters: Parameters) -> Iterator[Observation | ReadProblem]:
    """One observation for each library."""
    wheel = case.inventory.wheel
    bundled = [member for member in entries(case) if _is_bundled(member, parameters)]
    if wheel is None or not bundled:
        return
    asked = [(what, said) for what, wanted, said in _sources(wheel, parameters) if wanted]
    unread = {what for what, said in asked if said.unread}
    problems: set[ReadProblem] = set()
    for member in bundled:
        words = library_words(stem(member.path))
        silent = [(what, said) for what, said in asked if words.isdisjoint(said.words)]
        problems.update(problem for _, said in silent for problem in said.unread)
        missing = tuple(what for what, _ in silent if what not in unread)
        if missing:
            yield _undocumented(member, missing, words, silent, wheel.dist_info)
    yield from sorted(problems, key=lambda problem: (problem.file, problem.reason))


def _is_bundled(member: Member, parameters: Parameters) -> bool:
    return member.kind is FileKind.ELF and (is_grafted(member.path) or any_match(parameters.libraries, member.path))


def _sources(wheel: WheelMetadata, parameters: Parameters) -> Iterator[tuple[str, bool, _Said]]:
    folder = f"{wheel.dist_info}/sboms/"
    own = [document for document in wheel.documents if document.path.startswith(f"{wheel.dist_info}/")]
    licenses = [document for document in own if not document.path.startswith(folder)]
    yield (
        "license text",
        parameters.license,
        _Said(
            words=frozenset().union(
                *(words_of(f"{each.path} {(each.content or b'').decode('utf-8', 'replace')}") for each in licenses)
            ),
            unread=tuple(_unread(each.path, "it was not read") for each in licenses if each.content is None),
            names=tuple(each.path for each in licenses),
        ),
    )
    sboms = [(document.path, listed(document)) for document in own if document.path.startswith(folder)]
    yield (
        "SBOM entry",
        parameters.sbom,
        _Said(
            words=frozenset().union(*(words_of(name) for _, each in sboms for name in each.names)),
            unread=tuple(_unread(path, each.problem) for path, each in sboms if each.problem),
            names=tuple(path for path, _ in sboms),
        ),
    )


def _unread(path: str, reason: str) -> ReadProblem:
    return ReadProblem(file=path, reason=f"which bundled libraries it speaks of is not known: {reason}")


def _undocumented(
    member: Member, missing: tuple[str, ...], words: frozenset[str], silent: list[tuple[str, _Said]], dist_info: str
) -> Observation:
    searched = tuple(name for _, said in silent for name in said.names[:_SHOWN])
    remedies = {
        "license text": f"name the library's license file in license-files of pyproject.toml, to go to {dist_info}/licenses",
        "SBOM entry": f"list the library in a CycloneDX file in {dist_info}/sboms (auditwheel writes one for system packages)",
    }
    remedy = "; ".join(remedies[what] for what in missing)
    return Observation(
        file=member.path,
        subject=stem(member.path),
        message=f"{stem(member.path)} is bundled and has no {' and no '.join(missing)} in {dist_info}",
        evidence=evidence(missing=missing, searched=searched, words=tuple(sorted(words))),
        remedy=f"{remedy[0].upper()}{remedy[1:]}",
    )


RULE = Rule(id="undocumented-bundled-library", family="wheel", parameters=Parameters, check=check, doc=__doc__ or "")
