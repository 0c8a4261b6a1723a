"""``--baseline``: an earlier artifact, with which sizes are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.archive.zips import zip_bytes

if TYPE_CHECKING:
    from tests.cli.conftest import Commands

NEW, OLD = "new.zip", "old.zip"
POLICY = 'schema = 1\nname = "p"\n[rules.size-over-budget]\nlevel = "error"\ngrowth_percent = 10.0\n'


@pytest.fixture
def grown(commands: Commands) -> Commands:
    files = {"demo/__init__.py": b"text " * 100}
    (commands.folder / OLD).write_bytes(zip_bytes(files))
    (commands.folder / NEW).write_bytes(zip_bytes(files | {"demo/more.bin": bytes(range(256)) * 9}))
    commands.artifact("p.toml", POLICY)
    return commands


def test_growth_beyond_the_budget_fails_and_names_what_grew(grown: Commands) -> None:
    done = grown.run("check", NEW, "--policy", "p.toml", "--baseline", OLD, "-v", module="checker")
    assert done.code == 1
    assert "over old.zip, and the budget is 10 %" in done.out
    assert "demo/more.bin +2304" in done.out
    assert grown.run("check", NEW, "--policy", "p.toml", "--baseline", NEW, module="checker").code == 0


def test_without_it_a_budget_of_growth_could_not_be_checked(grown: Commands) -> None:
    done = grown.run("check", NEW, "--policy", "p.toml", module="checker")
    assert done.code == 3
    assert "give --baseline OLD" in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((NEW, "--baseline", OLD), "no budget of growth is in force"),
        ((NEW, OLD, "--policy", "p.toml", "--baseline", OLD), "one artifact is compared with it"),
        ((NEW, "--policy", "p.toml", "--baseline", "absent.whl"), "--baseline absent.whl: there is no such file"),
        ((NEW, "--policy", "p.toml", "--baseline", OLD, "--format", f"json={OLD}"), "would take its place"),
    ],
)
def test_where_nothing_would_be_compared_it_is_wrong_usage(grown: Commands, words: tuple[str, ...], message: str) -> None:
    done = grown.run("check", *words, module="checker")
    assert done.code == 2
    assert message in done.err
