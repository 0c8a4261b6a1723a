"""What other distributions may bring: directories of site-packages that the artifact does not have."""

from __future__ import annotations

import re

from checker.rules.installed import layout_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.case import Case

_NO_PACKAGE = frozenset({"bin", "build", "dist", "include", "lib", "lib32", "lib64", "libs", "share", "src", "tmp", "usr"})
"""Folders that no distribution should install at the top of site-packages, and parts of layouts that say nothing of whose."""


def brought_by_others(case: Case, place: str, there: frozenset[str]) -> bool:
    """A directory of site-packages may belong to a distribution that Requires-Dist or the policy names.

    It may where the artifact has nothing beneath its top folder, and where one of its folders is in the name of a requirement:
    ``nvidia/nvjitlink/lib`` and ``nvidia-nvjitlink-cu12``, both beneath a folder that many distributions share.

    Args:
        case: the artifact.
        place: an installed directory that the artifact does not have.
        there: the installed directories that it has.
    """
    requires = (*(case.inventory.wheel.requires if case.inventory.wheel is not None else ()), *_providers(case))
    site_packages = layout_of(case).site_packages + "/"
    if not requires or not place.startswith(site_packages):
        return False
    folders = place[len(site_packages) :].split("/")
    if folders[0] in _NO_PACKAGE:
        return False
    if site_packages + folders[0] not in there:
        return True
    names = [_squeezed(re.split(r"[^A-Za-z0-9._-]", one.strip(), maxsplit=1)[0]) for one in requires]
    return any(_squeezed(folder) in name for folder in folders[1:] if folder not in _NO_PACKAGE for name in names)


def _providers(case: Case) -> tuple[str, ...]:
    return tuple(provider.requirement for provider in case.providers if provider.how == "rpath")


def _squeezed(name: str) -> str:
    return re.sub(r"[-_.]+", "", name).lower()
