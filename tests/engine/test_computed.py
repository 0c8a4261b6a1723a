from __future__ import annotations

from checker.computed import computed_platform
from checker.model.case import Because, Promise
from checker.model.closure import ProviderKind
from checker.model.elf import Segment
from checker.model.record import replace
from tests.rules.builders import MODULE, edge, elf, promise, version_need

TEXT = Segment(type=1, flags=5, offset=0, address=0, file_size=1, memory_size=1, alignment=4096)


def musl(*release: int) -> Promise:
    made = promise("musllinux_1_1_x86_64", family="musl")
    return replace(made, oldest=replace(made.oldest, release=release))


def test_a_denied_symbol_of_the_platform_raises_the_tag_and_is_told() -> None:
    needer = elf(needed=("libz.so.1", "libc.so.6"), imports=[b"inflate_fast"])
    found = computed_platform((needer,), (promise(),), ())
    assert found is not None
    assert found.platform is None
    assert Because(file=MODULE, soname="libz.so.1", symbol="inflate_fast", version="") in found.because


def test_a_bundled_library_may_be_asked_for_it() -> None:
    needer = elf(needed=("libz.so.1", "libc.so.6"), imports=[b"inflate_fast"])
    found = computed_platform((needer,), (promise(),), (edge("libz.so.1", ProviderKind.MEMBER, "pkg.libs/libz.so.1"),))
    assert found is not None
    assert (found.platform, found.because) == ("manylinux_2_5_x86_64", ())


def test_a_version_raises_the_tag_of_its_file() -> None:
    old, new = elf("a.so"), elf("b.so", version_needs=(version_need("libc.so.6", b"GLIBC_2.28"),))
    found = computed_platform((old, new), (promise(),), ())
    assert found is not None
    assert found.platform == "manylinux_2_28_x86_64"
    assert found.by_file == (("a.so", "manylinux_2_5_x86_64"), ("b.so", "manylinux_2_28_x86_64"))


def test_of_a_static_program_the_oldest_tag_is_true() -> None:
    found = computed_platform((elf("pkg.data/scripts/tool", needed=(), segments=(TEXT,)),), (promise(),), ())
    assert found is not None
    assert (found.platform, found.by_file, found.because) == ("manylinux_2_5_x86_64", (), ())


def test_without_a_promise_or_a_file_there_is_none() -> None:
    assert computed_platform((elf(),), (), ()) is None
    assert computed_platform((), (promise(),), ()) is None


def test_nothing_in_a_file_shows_it_to_run_on_an_older_musl_than_it_is_judged_on() -> None:
    needer = elf(needed=("libc.musl-x86_64.so.1",))
    for release, expected in (((1, 1, 24), "musllinux_1_1_x86_64"), ((1, 2, 2), "musllinux_1_2_x86_64")):
        found = computed_platform((needer,), (musl(*release),), ())
        assert found is not None
        assert (found.platform, found.by_file, found.because) == (expected, ((MODULE, expected),), ())


def test_a_library_that_no_musllinux_tag_promises_is_told_whatever_the_release() -> None:
    needer = elf(needed=("libc.musl-x86_64.so.1", "libssl.so.3"))
    found = computed_platform((needer,), (musl(1, 2, 2),), ())
    assert found is not None
    assert found.platform is None
    assert found.because == (Because(file=MODULE, soname="libssl.so.3", symbol="", version=""),)


def test_no_tag_is_true_of_what_needs_a_newer_processor() -> None:
    newer = elf("b.so", notes=replace(elf().notes, x86_isa_needed=0b11))
    found = computed_platform((elf("a.so"), newer), (promise(),), ())
    assert found is not None
    assert found.platform is None
    assert found.by_file == (("a.so", "manylinux_2_5_x86_64"), ("b.so", "manylinux_2_5_x86_64"))
    assert found.because == (Because(file="b.so", soname="", symbol="", version="x86-64-v2"),)


def test_a_directory_that_only_such_processors_are_led_to_raises_nothing() -> None:
    newer = elf("lib/glibc-hwcaps/x86-64-v3/libx.so", notes=replace(elf().notes, x86_isa_needed=0b111))
    found = computed_platform((newer,), (promise(),), ())
    assert found is not None
    assert found.platform == "manylinux_2_5_x86_64"
