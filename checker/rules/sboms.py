"""Software bills of materials in a wheel's dist-info folder (PEP 770): the names of the components that they list."""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import Document

_MOST = 200_000
"""Components that are looked at; a large SBOM of a compiled language has some thousands."""


@record
class Listed:
    """What one SBOM lists: names and package URLs, each component's in one string; ``problem`` where it cannot be read."""

    names: tuple[str, ...]
    problem: str


def listed(document: Document) -> Listed:
    """The components of a CycloneDX or SPDX document in JSON; of any other format its whole text.

    The component that a CycloneDX document is about (``metadata``) is none of those that it lists.
    """
    if document.content is None:
        return Listed(names=(), problem="it was not read")
    text = document.content.decode("utf-8", "replace")
    if not document.path.endswith(".json"):
        return Listed(names=(text,), problem="")
    import json

    try:
        content = json.loads(text)
    except RecursionError:
        return Listed(names=(), problem="it is nested too deeply")
    except ValueError as error:
        return Listed(names=(), problem=f"it is no JSON: {str(error)[:80]}")
    if not isinstance(content, dict):
        return Listed(names=(), problem="it is neither CycloneDX nor SPDX")
    return Listed(names=tuple(_names(content, _subject(content))), problem="")


def _subject(content: dict[str, object]) -> object:
    """The reference of what the whole document is about; auditwheel lists the wheel itself once more."""
    metadata = content.get("metadata")
    component = metadata.get("component") if isinstance(metadata, dict) else None
    return component.get("bom-ref") if isinstance(component, dict) else None


def _names(content: dict[str, object], subject: object) -> Iterator[str]:
    """Names of components, those within others included; bounded, as it is a stranger's file."""
    waiting: list[object] = [content.get("components"), content.get("packages")]
    seen = 0
    while waiting:
        each = waiting.pop()
        for component in each if isinstance(each, list) else ():
            seen += 1
            if seen > _MOST:
                return
            if isinstance(component, dict) and (subject is None or component.get("bom-ref") != subject):
                yield " ".join(str(component[key])[:300] for key in ("name", "purl", "group") if key in component)
                waiting.append(component.get("components"))
