"""Every command and example of the documents: words that are understood, and output that is printed.

``UPDATE_SNAPSHOTS=1`` writes the examples anew that are not cut.
"""

from __future__ import annotations

import os
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest

from checker.cli.app import parse
from tests.documents import CUT, DOCUMENTS, ROOT, Block, blocks, every_block, is_shown, read, wheelproof

if TYPE_CHECKING:
    from pathlib import Path

DEFECT = "new-glibc-under-old-tag"
LINES = [
    pytest.param(command, id=f"{block}-{number}")
    for block in every_block()
    for number, command in enumerate(block.commands)
    if "wheelproof " in command and not command.startswith(("python", "pip"))
]
SHOWN = [pytest.param(block, id=str(block)) for block in every_block() if block.mark.startswith("shown: ")]
RUN = [pytest.param(block, id=str(block)) for block in every_block() if block.mark == "run"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project as the documents have it: a wheel in ``dist``, which is not what its tag says."""
    (tmp_path / "dist").mkdir()
    shutil.copy(min((ROOT / "testdata" / "defects" / DEFECT).glob("*-1.0-*.whl")), tmp_path / "dist")
    return tmp_path


@pytest.mark.parametrize("command", LINES)
def test_each_command_of_a_document_is_understood(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for part in command.partition("  #")[0].split(" && "):
        program, *words = shlex.split(part)
        if program != "wheelproof" or "--install-completion" in words:
            continue
        if words[0] == "gate":
            words = ["check", "artifact", *words[1 : words.index("--")]]
        assert not isinstance(parse([word for word in words if word != ">"]), int), capsys.readouterr().err


@pytest.mark.parametrize("block", SHOWN)
def test_an_example_shows_what_is_printed(block: Block) -> None:
    command, _, shown = block.text.partition("\n")
    if "cyclonedx" in command:
        pytest.importorskip("cyclonedx", reason="the extra cyclonedx is not installed")
    answer = wheelproof(command.removeprefix("$ "))
    assert f"shown: {answer.returncode}" == block.mark, answer.stderr
    if os.environ.get("UPDATE_SNAPSHOTS") and CUT not in block.text:
        mended = read(block.document).replace(f"\n{block.text}\n```", f"\n{command}\n{answer.stdout.rstrip()}\n```")
        (ROOT / block.document).write_text(mended, encoding="utf-8", newline="\n")
        return
    assert is_shown(shown, answer.stdout), answer.stdout


@pytest.mark.parametrize("block", RUN)
def test_the_commands_of_a_block_run_one_after_the_other(block: Block, folder: Path) -> None:
    for command in block.commands:
        answer = wheelproof(command, folder)
        assert (answer.returncode in {0, 1, 3}, answer.stderr) == (True, ""), command


def test_a_cut_stands_for_any_lines_and_for_the_rest_of_one() -> None:
    printed = "first\nsecond of two\nthird\n"
    for shown in (
        "first\nsecond of two\nthird",
        "…\nthird",
        "first\n…",
        "first\n…\nthird",
        "first\n…\nsecond …\nthird",
        "f…\n…",
    ):
        assert is_shown(shown, printed), shown
    for shown in ("first\nthird", "…\nsecond of two", "first", "first\n…\nother", "second …\n…"):
        assert not is_shown(shown, printed), shown


def test_every_console_block_is_an_example_that_is_held_to_what_is_printed() -> None:
    free = [
        str(block)
        for block in every_block()
        if block.language == "console" and not block.mark.startswith(("shown: ", "example: "))
    ]
    assert free == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_has_a_language(document: str) -> None:
    assert read(document).count("\n```") == 2 * len(blocks(document))


@pytest.mark.parametrize("picture", ["terminal.png", "report.png"])
def test_a_picture_is_small_and_shown(picture: str) -> None:
    content = (ROOT / "docs" / "pictures" / picture).read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(content) < 200_000
    assert f"](docs/pictures/{picture})" in read("README.md")
