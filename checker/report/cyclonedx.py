"""``--format cyclonedx``: the native code that an artifact brings, as a CycloneDX 1.6 bill of materials.

Each ELF file is a component with its digest; its soname, build id, architecture and place are properties, and what it needs of
the artifact's own files is a dependency. One artifact is the bill's subject; of several, each is a component with its files.
"""

from __future__ import annotations

import json
import re
import uuid
from typing import TYPE_CHECKING

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.bom_ref import BomRef
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.tool import ToolRepository
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from checker.model.closure import ProviderKind
from checker.report.text import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.elf import ElfFacts
    from checker.model.report import ArtifactReport, Report

_NAMESPACE = uuid.UUID("5f0c5b0e-7d3c-5b39-9d0a-6a6f6d3f9f0e")
"""Of the serial numbers, which are made of the bill's content (RFC 9562, version 5): equal bills have equal ones."""


def render(report: Report) -> str:
    """The bill as JSON; a pure function of the report, and so without the time that such bills usually bear."""
    subjects = [_subject(artifact) for artifact in report.artifacts]
    alone = len(subjects) == 1
    if not alone:
        for subject, artifact in zip(subjects, report.artifacts, strict=True):
            subject.components = _files(artifact)
    bom = Bom(
        components=_files(report.artifacts[0]) if alone else subjects,
        dependencies=[row for artifact in report.artifacts for row in _dependencies(artifact)],
        metadata=BomMetaData(
            tools=ToolRepository(
                components=[Component(type=ComponentType.APPLICATION, name="wheelproof", version=report.version)]
            ),
            component=subjects[0] if alone else None,
        ),
        serial_number=uuid.UUID(int=0),
    )
    document = json.loads(JsonV1Dot6(bom).output_as_string())
    del document["metadata"]["timestamp"]
    document["serialNumber"] = ""
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(_NAMESPACE, json.dumps(document, sort_keys=True))}"
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _subject(artifact: ArtifactReport) -> Component:
    inventory = artifact.case.inventory
    wheel = inventory.wheel
    is_named = wheel is not None and bool(wheel.distribution)
    return Component(
        type=ComponentType.LIBRARY if is_named else ComponentType.FILE,
        name=safe(wheel.distribution if wheel is not None and is_named else inventory.name),
        version=safe(wheel.version) if wheel is not None and is_named else None,
        bom_ref=_reference(artifact, ""),
        purl=_package_url(wheel.distribution, wheel.version, inventory.name) if wheel is not None and is_named else None,
        hashes=_hashes(inventory.sha256),
    )


def _package_url(distribution: str, version: str, file: str) -> PackageURL:
    # The purl specification of type pypi: lower case, and dashes for underscores.
    name = re.sub(r"[-_.]+", "-", distribution).lower()
    return PackageURL(type="pypi", name=name, version=version, qualifiers={"file_name": file})


def _hashes(sha256: str) -> list[HashType]:
    return [HashType(alg=HashAlgorithm.SHA_256, content=sha256)] if sha256 else []


def _files(artifact: ArtifactReport) -> list[Component]:
    digests = {member.path: member.sha256 for member in artifact.case.inventory.members}
    roots = {root.path for root in artifact.case.roots}
    return [_file(artifact, facts, digests.get(facts.path, ""), is_root=facts.path in roots) for facts in artifact.case.objects]


def _file(artifact: ArtifactReport, facts: ElfFacts, sha256: str, *, is_root: bool) -> Component:
    return Component(
        type=ComponentType.APPLICATION if facts.interpreter is not None else ComponentType.LIBRARY,
        name=safe(facts.soname or facts.path.rpartition("/")[2]),
        bom_ref=_reference(artifact, facts.path),
        hashes=_hashes(sha256),
        properties=[Property(name=f"wheelproof:{name}", value=value) for name, value in _properties(facts, is_root=is_root)],
    )


def _properties(facts: ElfFacts, *, is_root: bool) -> Iterator[tuple[str, str]]:
    yield "path", safe(facts.path)
    yield "architecture", facts.identity.architecture
    yield "loaded-by-itself", "true" if is_root else "false"
    if facts.soname is not None:
        yield "soname", safe(facts.soname)
    if facts.notes.build_id is not None:
        yield "build-id", facts.notes.build_id


def _dependencies(artifact: ArtifactReport) -> Iterable[Dependency]:
    needs: dict[str, set[str]] = {facts.path: set() for facts in artifact.case.objects}
    for edge in artifact.case.libraries:
        if edge.provider is ProviderKind.MEMBER and edge.path in needs and edge.needer in needs:
            needs[edge.needer].add(edge.path)
    # The artifact itself, for which the path "" stands, needs what is loaded by itself; where files need one another, all.
    needs[""] = {root.path for root in artifact.case.roots} & set(needs) or set(needs)
    made = {path: Dependency(ref=BomRef(_reference(artifact, path))) for path in needs}
    for path, needed in needs.items():
        made[path].dependencies = [made[each] for each in sorted(needed)]
    return [made[path] for path in sorted(made)]


def _reference(artifact: ArtifactReport, path: str) -> str:
    """Unique in the bill: the artifact's path as the user typed it, and the member's."""
    name = artifact.case.inventory.path
    return safe(f"{name}!/{path}" if path else name)
