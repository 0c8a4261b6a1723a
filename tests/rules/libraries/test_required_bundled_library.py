from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.rules.libraries.required_bundled_library import RULE
from tests.rules.builders import MODULE, case, edge, elf, member, told

NAME = "libextension_cuda.so"


def test_an_absent_library_fires_for_the_artifact() -> None:
    (found,) = told(RULE, case(elf()), libraries=(NAME,))
    assert (found.file, found.subject) == ("pkg.whl", NAME)


def test_a_file_of_the_name_that_is_no_library_does_not_do() -> None:
    assert told(RULE, case(elf(), members=(member(f"pkg/{NAME}"),)), libraries=(NAME,)) != []


def test_one_that_something_else_supplies_fires_for_the_needer() -> None:
    supplied = (edge(NAME, ProviderKind.DECLARED, "torch"),) * 2
    (found,) = told(RULE, case(elf(), elf(f"pkg/{NAME}"), libraries=supplied), libraries=("lib*_cuda.so",))
    assert (found.file, found.subject) == (MODULE, NAME)
    assert "torch" in found.message


def test_present_and_used_or_unreached_is_silent() -> None:
    for provider in (ProviderKind.MEMBER, ProviderKind.NONE):
        asked = case(elf(), elf(f"pkg/{NAME}"), libraries=(edge(NAME, provider, f"pkg/{NAME}"),))
        assert told(RULE, asked, libraries=(NAME,)) == []


def test_without_a_list_nothing_is_required() -> None:
    assert told(RULE, case(elf())) == []
