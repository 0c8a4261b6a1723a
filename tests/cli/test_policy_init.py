"""``wheelproof policy init``, with the real engine."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from checker.cli.main import main
from checker.policy.builtin import schema_text
from tests.cli.conftest import Done
from tests.elfwriter.spec import AARCH64, X86_64
from tests.engine.artifacts import library, wheel

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable

DEFECTS = Path(__file__).parents[2] / "testdata" / "defects"
BROKEN = sorted(DEFECTS.glob("*/*-1.0-*.whl"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command in the test's folder, within this process."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Done:
        code = main(words)
        told = capsys.readouterr()
        return Done(code=code, out=told.out, err=told.err)

    return call


def read(path: Path) -> dict[str, Any]:
    """The policy, valid by the schema that was written beside it."""
    schema = json.loads(path.with_suffix(".schema.json").read_text(encoding="utf-8"))
    text = path.read_text(encoding="utf-8")
    assert text.splitlines()[0] == f"#:schema ./{path.stem}.schema.json"
    content = tomllib.loads(text)
    jsonschema.Draft202012Validator(schema).validate(content)
    return content


@pytest.mark.parametrize("broken", BROKEN, ids=lambda path: path.parent.name)
def test_a_starter_passes_a_broken_wheel_of_today_and_spells_out_why(
    broken: Path, here: Callable[..., Done], tmp_path: Path
) -> None:
    done = here("policy", "init", str(broken))
    assert (done.code, done.err) == (0, "")
    content = read(tmp_path / "wheelproof.toml")
    (waiver,) = content["waiver"]
    text = (tmp_path / "wheelproof.toml").read_text(encoding="utf-8")
    assert text.count("\n# error: ") == text.count("\n# fix: ") == 1
    assert "to be reviewed" in waiver["reason"]
    assert content["target"] == {"platform": "from-tag", "python": "from-tag"}
    assert here("policy", "validate", "wheelproof.toml").code == 0
    assert here("check", str(broken)).code == 0, "the policy of the directory is found"
    assert here("check", "--policy", "recommended", str(broken)).code == 1


def test_one_starter_passes_all_broken_wheels_together(here: Callable[..., Done], tmp_path: Path) -> None:
    names = list(map(str, BROKEN))
    assert here("policy", "init", "-o", "mine.toml", *names).code == 0
    assert len(read(tmp_path / "mine.toml")["waiver"]) == len(BROKEN)
    assert here("check", "--policy", "mine.toml", *names).code == 0
    assert here("check", "--policy", "recommended", *names).code == 1


def test_a_mended_wheel_needs_no_waiver_and_a_raised_floor_is_told(here: Callable[..., Done], tmp_path: Path) -> None:
    newer = {"f": ("libc.so.6", "GLIBC_2.28")}
    tag = "cp311-cp311-manylinux_2_28_x86_64"
    today = wheel(tmp_path, {"demo/lib.so": library(needed=("libc.so.6",))}, tag=tag)
    assert here("policy", "init", str(today)).code == 0
    content = read(tmp_path / "wheelproof.toml")
    assert "waiver" not in content
    assert content["rules"]["symbol-version-too-new"]["ceilings"]["GLIBC"] == "2.5"
    assert here("check", str(today)).code == 0
    (tmp_path / "next").mkdir()
    later = wheel(tmp_path / "next", {"demo/lib.so": library(needed=("libc.so.6",), wants=newer)}, tag=tag)
    done = here("check", str(later))
    assert done.code == 1
    assert "symbol-version-too-new" in done.out


def extension_and_other(tmp_path: Path, **run_path: Any) -> tuple[str, str]:  # noqa: ANN401 - as library
    """A wheel whose module needs a library of the distribution ``other``, and that distribution's wheel."""
    tag = "cp311-cp311-manylinux_2_28_x86_64"
    module = library(needed=("libother.so",), uses=("other_call",), defines=("PyInit_x",), **run_path)
    extension = wheel(tmp_path, {"demo/x.cpython-311-x86_64-linux-gnu.so": module}, tag=tag, requires=("other",))
    (tmp_path / "elsewhere").mkdir()
    brought = library(soname="libother.so", defines=("other_call",))
    return str(extension), str(wheel(tmp_path / "elsewhere", {"other/lib/libother.so": brought}, tag=tag))


@pytest.mark.parametrize(("run_path", "how"), [({"runpath": "$ORIGIN/../other/lib"}, "rpath"), ({}, "preloaded")])
def test_what_a_provider_at_hand_brings_is_declared_and_not_accepted(
    run_path: dict[str, str], how: str, here: Callable[..., Done], tmp_path: Path
) -> None:
    extension, other = extension_and_other(tmp_path, **run_path)
    assert here("policy", "init", extension).code == 0
    assert [waiver["rule"] for waiver in read(tmp_path / "wheelproof.toml")["waiver"]] == ["missing-library"]
    done = here("policy", "init", "--force", "--provider", f"other={other}", extension)
    assert (done.code, "other declared as the provider of libother.so" in done.out) == (0, True)
    content = read(tmp_path / "wheelproof.toml")
    assert content["provider"] == [{"requirement": "other", "libraries": ["libother.so"], "how": how}]
    assert "waiver" not in content
    text = (tmp_path / "wheelproof.toml").read_text(encoding="utf-8")
    assert f"#   --provider other={Path(other).name}\n" in text
    assert "# brings, as its file shows\n" in text
    assert here("check", "--provider", f"other={other}", extension).code == 0
    assert here("check", extension).code == 0, "the declaration holds without the bytes too"


def test_what_the_extended_policy_declares_of_a_provider_at_hand_is_not_repeated(
    here: Callable[..., Done], tmp_path: Path
) -> None:
    tag = "cp311-cp311-manylinux_2_28_x86_64"
    module = library(needed=("libtorch.so",), uses=("at_call",), defines=("PyInit_x",))
    extension = wheel(tmp_path, {"demo/x.cpython-311-x86_64-linux-gnu.so": module}, tag=tag, requires=("torch",))
    (tmp_path / "elsewhere").mkdir()
    torch = wheel(tmp_path / "elsewhere", {"torch/lib/libtorch.so": library(soname="libtorch.so")}, tag=tag)
    assert here("policy", "init", str(extension)).code == 0
    assert "waiver" not in read(tmp_path / "wheelproof.toml")
    assert here("policy", "init", "--force", "--provider", f"torch={torch}", str(extension)).code == 0
    content = read(tmp_path / "wheelproof.toml")
    assert "provider" not in content
    assert [waiver["match"] for waiver in content["waiver"]] == ["at_call"], "which torch's bytes do not have"


@pytest.mark.parametrize("provider", ["other", "other=nowhere.whl", "=x.whl"])
def test_a_provider_is_parsed_as_check_parses_it(provider: str, here: Callable[..., Done], tmp_path: Path) -> None:
    extension, _ = extension_and_other(tmp_path)
    done = here("policy", "init", "--provider", provider, extension)
    assert (done.code, f"--provider {provider}: " in done.err) == (2, True)
    assert here("check", "--provider", provider, extension).err == done.err
    assert not (tmp_path / "wheelproof.toml").exists()


def test_each_architecture_has_its_own_ceilings_where_they_differ(here: Callable[..., Done], tmp_path: Path) -> None:
    made = []
    for machine, version in ((X86_64, "GLIBC_2.2.5"), (AARCH64, "GLIBC_2.28")):
        member = library(needed=("libc.so.6",), wants={"f": ("libc.so.6", version)}, machine=machine)
        made.append(wheel(tmp_path, {"demo/lib.so": member}, tag=f"cp311-cp311-manylinux_2_28_{machine.name}"))
    names = list(map(str, made))
    assert here("policy", "init", *names).code in {0, 3}
    overrides = read(tmp_path / "wheelproof.toml")["override"]
    assert {
        override["architectures"][0]: override["rules"]["symbol-version-too-new"]["ceilings"]["GLIBC"] for override in overrides
    } == {"x86_64": "2.5", "aarch64": "2.28"}


def test_nothing_is_overwritten_unasked(here: Callable[..., Done], tmp_path: Path) -> None:
    policy, schema = tmp_path / "wheelproof.toml", tmp_path / "wheelproof.schema.json"
    policy.write_text("mine")
    schema.write_text("mine")
    done = here("policy", "init", str(BROKEN[0]))
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        f"wheelproof: {file} is there already: name another with --output, or overwrite it with --force"
        for file in ("wheelproof.toml", "wheelproof.schema.json")
    ]
    assert policy.read_text() == schema.read_text() == "mine"
    assert here("policy", "init", "--force", str(BROKEN[0])).code == 0
    read(policy)
    policy.unlink()
    assert here("policy", "init", str(BROKEN[0])).code == 0, "a schema of our own is renewed"


def test_standard_output_gets_the_policy_alone(here: Callable[..., Done], tmp_path: Path) -> None:
    done = here("policy", "init", "-o", "-", str(BROKEN[0]))
    assert done.code == 0
    assert tomllib.loads(done.out)["schema"] == 1
    assert not done.out.startswith("#:schema")
    assert list(tmp_path.iterdir()) == []


def test_a_base_by_its_path_is_extended_relative_to_the_file(here: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('extends = ["manylinux"]\n[rules.elf-in-pure-wheel]\nlevel = "warning"\n')
    (tmp_path / "sub").mkdir()
    shutil.copy(DEFECTS / "elf-in-pure-wheel" / "elf_in_pure_wheel-1.0-py3-none-any.whl", tmp_path)
    words = ("policy", "init", "--policy", "./base.toml", "-o", "sub/mine.toml", "elf_in_pure_wheel-1.0-py3-none-any.whl")
    assert here(*words).code == 0
    content = read(tmp_path / "sub" / "mine.toml")
    assert content["extends"] == ["../base.toml"]
    assert "waiver" not in content
    assert here(*words, "--force", "--fail-on", "warning").code == 0
    assert [waiver["rule"] for waiver in read(tmp_path / "sub" / "mine.toml")["waiver"]] == ["elf-in-pure-wheel"]


def test_what_could_not_be_checked_is_told_and_never_accepted(here: Callable[..., Done], tmp_path: Path) -> None:
    made = wheel(tmp_path, {"demo/lib.so": library()[:100]})
    done = here("policy", "init", str(made))
    assert done.code == 3
    assert "could not be checked: demo/lib.so: " in done.out
    assert "# ---- Could not be checked" in (tmp_path / "wheelproof.toml").read_text(encoding="utf-8")
    assert here("check", str(made)).code == 3


def test_a_hostile_name_stays_within_its_comment(here: Callable[..., Done], tmp_path: Path) -> None:
    made = wheel(tmp_path, {'demo/\n[rules]\n"\u202e.so': library()[:100], "demo/\r\x1b.so": library(needed=("libx.so\n[a]",))})
    assert here("policy", "init", str(made)).code in {1, 3}
    assert set(read(tmp_path / "wheelproof.toml")) <= {"schema", "name", "extends", "target", "rules", "waiver"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none.whl",), "none.whl: no such file or directory"),
        ((str(BROKEN[0]), "-o", "none/x.toml"), "--output none/x.toml: there is no folder for that file"),
        (
            (str(BROKEN[0]), "--policy", "recomended"),
            'recomended: there is no shipped policy "recomended"; did you mean "recommended"?',
        ),
    ],
)
def test_wrong_usage_is_told_and_nothing_is_written(
    words: tuple[str, ...], message: str, here: Callable[..., Done], tmp_path: Path
) -> None:
    done = here("policy", "init", *words)
    assert (done.code, done.out, done.err) == (2, "", f"wheelproof: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_is_none_is_wrong_usage(here: Callable[..., Done]) -> None:
    done = here("policy", "init", str(BROKEN[0]), "--platform", "manylinux")
    assert done.code == 2
    assert done.err.startswith('wheelproof: target.platform: "manylinux" names no platform')


def test_the_schema_is_the_shipped_one(here: Callable[..., Done], tmp_path: Path) -> None:
    here("policy", "init", str(BROKEN[0]))
    assert (tmp_path / "wheelproof.schema.json").read_text(encoding="utf-8") == schema_text()
