"""Which wheels a command would upload: what the publishers did with the same words when they were measured."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from checker.cli.publishers import uploads, wheels_in
from checker.cli.request import UsageError

NAMES = ("a-1.0-py3-none-any.whl", "a-2.0-py3-none-any.whl", "b-1.0-py3-none-any.whl")
A1, A2, B1 = (str(Path("dist", name)) for name in NAMES)
DEEP = str(Path("dist", "sub", "a-3.0-py3-none-any.whl"))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with wheels of two distributions, one folder deeper another, and a source distribution."""
    for path in (A1, A2, B1, DEEP):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "dist" / "a-2.0.tar.gz").touch()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "src").mkdir()
    for name in ("UV_WORKING_DIR", "HATCH_PROJECT", "HATCH_PUBLISHER", "PDM_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "wheels"),
    [
        ("twine upload dist/*", (A1, A2, B1)),
        ("twine upload -r testpypi --skip-existing dist/a-1.0*", (A1,)),
        ("twine upload dist/", ()),
        ("twine upload @list", ()),
        ("uv publish", (A1, A2, B1)),
        ("uv publish --token secret", (A1, A2, B1)),
        ("uv --offline publish --dry-run dist/b-*", (B1,)),
        ("uv publish dist", ()),
        ("uv publish dist/**/a-3*.whl", (DEEP,)),
        ("uv publish --project src", (A1, A2, B1)),
        ("hatch publish", (A1, A2, B1)),
        ("hatch publish -u me -a secret", (A1, A2, B1)),
        ("hatch publish -y dist/sub", (DEEP,)),
        ("hatch publish dist/a-2.0.tar.gz", ()),
        ("poetry publish", (A2, B1)),
        ("poetry publish --dist-dir dist/sub -n", (DEEP,)),
        ("poetry publish --dist-dir=dist/sub", (DEEP,)),
        ("pdm publish --no-build", (A1, A2, B1)),
        ("pdm publish --no-build -d dist/sub", (DEEP,)),
        ("pdm publish --no-build -ddist/sub", (DEEP,)),
        ("maturin upload dist/a-1.0-py3-none-any.whl", (A1,)),
        ("python3.12 -m twine upload dist/b*", (B1,)),
        ("/usr/bin/python -I -m twine upload dist/b*", (B1,)),
        ("uvx twine@7.0 upload dist/b*", (B1,)),
        ("uv run --frozen twine upload dist/b*", (B1,)),
        ("uv tool run --from twine==7.0 twine upload dist/b*", (B1,)),
        ("pipx run twine upload dist/b*", (B1,)),
        ("env TWINE_USERNAME=me twine upload dist/b*", (B1,)),
    ],
)
def test_a_publisher_s_words_give_what_it_uploads(command: str, wheels: tuple[str, ...]) -> None:
    assert tuple(str(Path(wheel)) for wheel in uploads(command.split()) or ()) == wheels
    assert uploads(command.split()) is not None


@pytest.mark.parametrize(
    "command",
    [
        ["make", "publish"],
        ["sh", "-c", "twine upload dist/*"],
        ["xargs", "twine", "upload"],
        ["python", "publish.py", "twine", "upload"],
        ["uv", "run", "make", "publish"],
        ["uvx", "--with", "twine", "make", "upload"],
        ["twine", "check", "dist/*"],
        ["hatch", "run", "publish"],
        ["uv", "publish", "--directory", "src"],
        ["uv", "--directory=src", "publish"],
        ["hatch", "-p", "other", "publish"],
        ["hatch", "publish", "--publisher", "mine"],
        ["poetry", "-C", "src", "publish"],
        ["pdm", "publish", "--no-build", "-psrc"],
        ["env", "-C", "src", "twine", "upload", "*"],
        ["env", "UV_WORKING_DIR=src", "uv", "publish"],
    ],
)
def test_of_other_commands_nobody_can_tell(command: list[str]) -> None:
    assert uploads(command) is None


def test_a_variable_that_leads_elsewhere_makes_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert uploads(["uv", "publish"])
    monkeypatch.setenv("UV_WORKING_DIR", "src")
    assert uploads(["uv", "publish"]) is None


@pytest.mark.parametrize(
    ("command", "way"),
    [
        ("flit publish", "build first, then: wheelproof gate -- twine upload 'dist/*'"),
        ("maturin publish --release", "build first"),
        ("pdm publish", "add --no-build"),
        ("poetry publish --build", "leave out --build"),
        ("python -m flit publish", "build first"),
    ],
)
def test_what_builds_anew_is_refused_with_the_way_out(command: str, way: str) -> None:
    with pytest.raises(UsageError, match="builds anew what it uploads") as refused:
        uploads(command.split())
    assert way in refused.value.messages[0]


@pytest.mark.parametrize("command", ["hatch publish", "poetry publish", "pdm publish --no-build"])
def test_the_default_folder_is_the_project_s(command: str, monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    here = uploads(command.split())
    assert here
    monkeypatch.chdir(project / "src")
    assert uploads(command.split()) == tuple(str(Path("..", wheel)) for wheel in here)


def test_hatch_alone_takes_a_setup_script_for_the_root(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    monkeypatch.chdir(project / "src")
    (project / "src" / "setup.py").touch()
    assert uploads(["hatch", "publish"]) == ()
    assert uploads(["poetry", "publish"])


def test_uv_s_default_folder_is_that_of_the_current_directory(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    monkeypatch.chdir(project / "src")
    assert uploads(["uv", "publish"]) == ()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="glob looks into hidden folders from Python 3.11 on")
def test_hidden_folders_are_seen_as_uv_sees_them(project: Path) -> None:
    (project / "dist" / ".x").mkdir()
    (project / "dist" / ".x" / "c-1.0-py3-none-any.whl").touch()
    found = uploads(["uv", "publish", "dist/**/c*.whl"])
    assert found is not None
    assert [Path(wheel).name for wheel in found] == ["c-1.0-py3-none-any.whl"]


@pytest.mark.parametrize(
    ("words", "wheels"),
    [
        (("cp", A1, "x"), (A1,)),
        (("cp", "-r", "dist", "x"), (A1, A2, B1)),
        (("curl", "-F", f"content=@{A1}"), (A1,)),
        (("curl", "--data-binary", f"@{B1}"), (B1,)),
        (("sh", "-c", "set -e; twine upload dist/b*;true"), (B1,)),
        (("tool", "@list"), (A1, B1)),
        (("tool", "user@host", "it's"), ()),
    ],
)
def test_any_program_s_words_are_looked_into(words: tuple[str, ...], wheels: tuple[str, ...], project: Path) -> None:
    (project / "list").write_text(f"{Path(A1).as_posix()}\n'{Path(B1).as_posix()}'\n")
    assert tuple(str(Path(wheel)) for wheel in wheels_in(words)) == wheels


def test_a_response_file_that_cannot_be_read_is_refused(project: Path) -> None:
    (project / "list").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read as a list of words"):
        wheels_in(["@list"])
    (project / "list").write_bytes(b"x" * (1 << 21))
    with pytest.raises(UsageError, match="is no list of words"):
        wheels_in(["@list"])
