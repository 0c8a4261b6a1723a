from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import Tag
from checker.platforms.interpreters import suffixes
from checker.rules.interpreter.wrong_extension_suffix import RULE
from tests.rules.builders import case, elf, member, told

if TYPE_CHECKING:
    from checker.model.finding import Observation

GNU = "x86_64-linux-gnu"


def ask(tags: str, *suffixes: str, beside: tuple[str, ...] = (), init: bytes = b"PyInit__core") -> list[Observation]:
    """The answers for pkg/_core with these suffixes under a tag set ``cp311-cp311-linux_x86_64 …``."""
    objects = [elf(f"pkg/_core{suffix}", exports=(init,)) for suffix in suffixes]
    expanded = tuple(Tag(python=python, abi=abi, platform=platform) for python, abi, platform in map(split, tags.split(" ")))
    return told(RULE, case(*objects, members=map(member, beside), tags=expanded))


def split(tag: str) -> list[str]:
    return tag.split("-")


@pytest.mark.parametrize(
    ("tags", "suffix", "who"),
    [
        ("cp311-cp311-manylinux_2_17_x86_64", f".cpython-310-{GNU}.so", "cp311"),
        ("cp311-cp311-manylinux_2_17_aarch64", f".cpython-311-{GNU}.so", "Python on manylinux_2_17_aarch64"),
        ("cp311-cp311-manylinux_2_17_x86_64", ".cpython-311-x86_64-linux-musl.so", "Python on manylinux_2_17_x86_64"),
        ("cp311-cp311-musllinux_1_2_x86_64", f".cpython-311-{GNU}.so", "Python on musllinux_1_2_x86_64"),
        ("cp37-abi3-manylinux_2_17_x86_64", f".cpython-310-{GNU}.so", "every later Python than cp37"),
        ("cp313-cp313t-manylinux_2_17_x86_64", f".cpython-313-{GNU}.so", "cp313t"),
        ("cp315-cp315t-manylinux_2_17_x86_64", ".abi3.so", "cp315t"),
        ("cp315-abi3t-manylinux_2_17_x86_64", ".abi3.so", "every later Python than cp315"),
        ("cp312-abi3-manylinux_2_17_x86_64", ".abi3t.so", "every later Python than cp312"),
        ("py3-none-manylinux_2_17_x86_64", ".abi3t.so", "every Python"),
        ("cp311-cp311-manylinux_2_17_x86_64", f".cpython-311d-{GNU}.so", "cp311"),
        ("pp310-pypy310_pp73-manylinux_2_17_x86_64", f".pypy39-pp73-{GNU}.so", "pp310"),
        ("cp311-cp311-manylinux_2_17_x86_64", f".pypy39-pp73-{GNU}.so", "cp311"),
        ("pp311-pypy311_pp80-manylinux_2_17_x86_64", f".pypy311-pp73-{GNU}.so", "pp311"),
        ("py3-none-manylinux_2_17_x86_64", f".cpython-311-{GNU}.so", "every Python"),
        ("cp310-cp310-linux_x86_64 cp311-cp311-linux_x86_64", f".cpython-311-{GNU}.so", "cp310"),
    ],
)
def test_a_name_that_a_promised_interpreter_does_not_look_for_fires(tags: str, suffix: str, who: str) -> None:
    (found,) = ask(tags, suffix)
    assert (found.file, found.subject) == (f"pkg/_core{suffix}", suffix)
    assert f"which {who} does not look for" in found.message


@pytest.mark.parametrize(
    ("tags", "suffix"),
    [
        ("cp311-cp311-manylinux_2_17_x86_64", f".cpython-311-{GNU}.so"),
        ("cp37-cp37m-manylinux_2_17_x86_64", f".cpython-37m-{GNU}.so"),
        ("cp313-cp313t-manylinux_2_17_x86_64", f".cpython-313t-{GNU}.so"),
        ("cp311-cp311-manylinux_2_17_i686", ".cpython-311-i386-linux-gnu.so"),
        ("cp311-cp311-manylinux_2_17_armv7l", ".cpython-311-arm-linux-gnueabihf.so"),
        ("cp311-cp311-musllinux_1_2_x86_64", ".cpython-311-x86_64-linux-musl.so"),
        ("cp39-cp39-musllinux_1_1_x86_64", f".cpython-39-{GNU}.so"),
        ("cp34-cp34m-manylinux1_x86_64", ".cpython-34m.so"),
        ("cp37-abi3-manylinux_2_17_x86_64", ".abi3.so"),
        ("cp311-cp311-manylinux_2_17_x86_64", ".abi3.so"),
        ("cp315-abi3t-manylinux_2_17_x86_64", ".abi3t.so"),
        ("cp315-abi3-manylinux_2_17_x86_64 cp315-abi3t-manylinux_2_17_x86_64", ".abi3t.so"),
        ("pp37-pypy37_pp73-manylinux_2_17_aarch64", ".pypy37-pp73-linux-gnu.so"),
        ("cp311-none-manylinux_2_17_x86_64", f".cpython-311-{GNU}.so"),
        ("pp310-pypy310_pp73-manylinux_2_17_x86_64", f".pypy310-pp73-{GNU}.so"),
        ("cp311-cp311-manylinux_2_17_x86_64", ".so"),
        ("cp311-cp311-macosx_11_0_arm64", ".cpython-310-darwin.so"),
    ],
)
def test_the_names_that_the_tag_s_interpreter_looks_for_are_silent(tags: str, suffix: str) -> None:
    assert ask(tags, suffix) == []


def test_a_stable_abi_module_that_free_threaded_python_finds_but_cannot_use_is_told_as_such() -> None:
    (found,) = ask("cp314-cp314t-manylinux_2_17_x86_64", ".abi3.so")
    assert found.message == (
        "is named .abi3.so, the ABI of builds with the global lock, and free-threaded cp314 has another; "
        "cp314-cp314t-manylinux_2_17_x86_64 promises it"
    )


def test_several_tags_promise_what_one_promises() -> None:
    (found,) = ask("cp310-abi3-manylinux_2_17_x86_64 cp310-abi3-manylinux_2_28_x86_64", f".cpython-310-{GNU}.so")
    assert found.message.endswith("; cp310-abi3-manylinux_2_17_x86_64 and cp310-abi3-manylinux_2_28_x86_64 promise it")


@pytest.mark.parametrize("kind", ["cpython", "cpython-t", "pypy"])
def test_what_measured_interpreters_look_for_is_silent_under_their_tags(kind: str) -> None:
    measured = suffixes(kind)
    assert measured
    for version, architecture, names in measured:
        python = f"{'pp' if kind == 'pypy' else 'cp'}{version[0]}{version[1]}"
        flag = "t" if kind == "cpython-t" else ""
        abi = f"pypy{python[2:]}_pp{version[2]}{version[3]}" if kind == "pypy" else f"{python}{flag}"
        silent = {name for name in names if ask(f"{python}-{abi}-manylinux_2_17_{architecture}", name) == []}
        assert silent == set(names) - ({".abi3.so"} if flag else set())


def test_files_for_several_interpreters_serve_together() -> None:
    both = (f".cpython-310-{GNU}.so", f".cpython-311-{GNU}.so")
    assert ask("cp310-cp310-linux_x86_64 cp311-cp311-linux_x86_64", *both) == []
    assert ask("py3-none-linux_x86_64", *both) == []
    assert len(ask("cp312-cp312-linux_x86_64", *both)) == 1


@pytest.mark.parametrize("beside", ["pkg/_core.py", "pkg/_core.so"])
def test_a_module_that_is_there_in_another_form_is_silent(beside: str) -> None:
    assert ask("cp311-cp311-linux_x86_64", f".cpython-310-{GNU}.so", beside=(beside,)) == []


def test_a_library_that_is_only_named_so_is_silent() -> None:
    assert ask("py3-none-linux_x86_64", f".cpython-310-{GNU}.so", init=b"compute") == []
