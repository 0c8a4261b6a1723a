"""What an effective policy is made of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from checker.model.finding import Level
from checker.model.policy import DeclaredProvider, Policy, RuleSetting, Waiver
from checker.policy.load import discover, load_policy
from tests.policy.samples import SPECS, Colour, Everything, ForbiddenLibrary, SizeBudget, VersionTooNew

if TYPE_CHECKING:
    from pathlib import Path


class Files:
    """Writes policies into a directory and loads them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write(self, name: str, text: str) -> str:
        """The path of a new file."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def load(self, text: str, *later: str) -> Policy:
        """The policy of one text after another."""
        return load_policy([self.write(f"{index}.toml", each) for index, each in enumerate((text, *later))], SPECS)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """An empty directory of policies."""
    return Files(tmp_path)


def setting(policy: Policy, rule: str) -> RuleSetting:
    """The base setting of a rule."""
    return next(setting for setting in policy.settings if setting.rule == rule)


def test_a_rule_that_no_policy_names_is_off_with_its_defaults(files: Files) -> None:
    policy = files.load("")
    assert [setting.rule for setting in policy.settings] == [spec.id for spec in SPECS]
    assert {setting.level for setting in policy.settings} == {Level.OFF}
    assert setting(policy, "forbidden-needed-library").parameters == ForbiddenLibrary()
    assert (policy.platform, policy.python) == ("from-tag", "from-tag")
    assert (policy.providers, policy.overrides, policy.waivers) == ((), (), ())


def test_a_rule_that_is_named_without_a_level_is_an_error(files: Files) -> None:
    policy = files.load('[rules.forbidden-needed-library]\nlibraries = ["a"]')
    assert setting(policy, "forbidden-needed-library").level is Level.ERROR


def test_every_value_arrives_in_the_type_of_its_field(files: Files) -> None:
    policy = files.load(
        """
        [target]
        platform = "glibc-2.36-x86_64"
        python = "cp311"
        [rules.forbidden-needed-library]
        level = "note"
        libraries = ["a", "b*"]
        via = "closure"
        files = ["**/*.so"]
        [rules.symbol-version-too-new]
        ceilings = { GLIBCXX = "3.4.24", GLIBC = "2.28" }
        [rules.size-over-budget]
        bytes = 5
        growth = 2
        members = 7
        strict = true
        [rules.everything]
        colour = "green"
        pair = ["b", 2]
        table = { x = 1 }
        nested.aarch64 = { GLIBC = "2.17" }
        schema = "s"
        [[provider]]
        requirement = "torch"
        libraries = ["libc10*.so"]
        [[provider]]
        requirement = "nvidia-nccl-cu12"
        libraries = ["libnccl.so.2"]
        how = "rpath"
        """
    )
    assert (policy.platform, policy.python) == ("glibc-2.36-x86_64", "cp311")
    forbidden = setting(policy, "forbidden-needed-library")
    assert forbidden.level is Level.NOTE
    assert forbidden.files == ("**/*.so",)
    assert forbidden.parameters == ForbiddenLibrary(libraries=("a", "b*"), via="closure")
    ceilings = VersionTooNew(ceilings=(("GLIBC", "2.28"), ("GLIBCXX", "3.4.24")))
    assert setting(policy, "symbol-version-too-new").parameters == ceilings
    budget = setting(policy, "size-over-budget").parameters
    assert budget == SizeBudget(bytes=5, growth=2.0, members=7, strict=True)
    assert type(budget.growth) is float
    assert setting(policy, "everything").parameters == Everything(
        colour=Colour.GREEN, pair=("b", 2), table={"x": 1}, nested=(("aarch64", (("GLIBC", "2.17"),)),), schema="s"
    )
    assert policy.providers == (
        DeclaredProvider(requirement="torch", libraries=("libc10*.so",), how="preloaded"),
        DeclaredProvider(requirement="nvidia-nccl-cu12", libraries=("libnccl.so.2",), how="rpath"),
    )


def test_a_waiver_keeps_its_place_and_takes_a_date_bare_or_quoted(files: Files) -> None:
    text = '[[waiver]]\nrule = "missing-library"\nmatch = "GLIBC"\nreason = "x"\nowner = "me"\nexpires = 2027-03-31\n'
    policy = files.load(text + text.replace("2027-03-31", '"2027-04-01"').replace('match = "GLIBC"', 'file = "a/*"'))
    source = str(files.directory / "0.toml")
    kept: dict[str, Any] = {"rule": "missing-library", "reason": "x", "owner": "me", "source": source}
    assert policy.waivers == (
        Waiver(file="**", match="GLIBC", expires="2027-03-31", line=1, **kept),
        Waiver(file="a/*", match="", expires="2027-04-01", line=7, **kept),
    )


def test_a_later_policy_changes_only_the_keys_that_it_names(files: Files) -> None:
    policy = files.load(
        '[target]\nplatform = "manylinux_2_28_x86_64"\n'
        '[rules.forbidden-needed-library]\nlevel = "note"\nlibraries = ["a"]\nvia = "closure"\nfiles = ["b"]',
        '[target]\npython = "cp312"\n[rules.forbidden-needed-library]\nlibraries = ["c"]',
        '[rules.forbidden-needed-library]\nlevel = "warning"',
    )
    found = setting(policy, "forbidden-needed-library")
    assert found.level is Level.WARNING
    assert found.parameters == ForbiddenLibrary(libraries=("c",), via="closure")
    assert found.files == ("b",)
    assert (policy.platform, policy.python) == ("manylinux_2_28_x86_64", "cp312")


def test_a_parameter_is_replaced_as_a_whole_tables_too(files: Files) -> None:
    policy = files.load(
        '[rules.symbol-version-too-new]\nceilings = { GLIBC = "2.28" }',
        '[rules.symbol-version-too-new]\nceilings = { GCC = "4.8" }',
    )
    assert setting(policy, "symbol-version-too-new").parameters.ceilings == (("GCC", "4.8"),)


def test_providers_overrides_and_waivers_are_appended(files: Files) -> None:
    text = """
    [[provider]]
    requirement = "{0}"
    libraries = ["a"]
    [[override]]
    files = ["{0}"]
    rules.missing-library.level = "off"
    [[waiver]]
    rule = "missing-library"
    file = "{0}"
    reason = "x"
    """
    policy = files.load(text.format("one"), text.format("two"))
    assert [provider.requirement for provider in policy.providers] == ["one", "two"]
    assert [override.files for override in policy.overrides] == [("one",), ("two",)]
    assert [waiver.file for waiver in policy.waivers] == ["one", "two"]


def test_an_override_holds_the_complete_setting_over_the_final_base(files: Files) -> None:
    policy = files.load(
        '[rules.forbidden-needed-library]\nlibraries = ["a"]\n'
        '[[override]]\nfiles = ["bin/*"]\n[override.rules.forbidden-needed-library]\nlevel = "note"',
        '[rules.forbidden-needed-library]\nlevel = "warning"\nvia = "closure"',
    )
    (override,) = policy.overrides
    assert override.settings == (
        RuleSetting(
            rule="forbidden-needed-library",
            level=Level.NOTE,
            parameters=ForbiddenLibrary(libraries=("a",), via="closure"),
            files=(),
        ),
    )


def test_extends_are_relative_to_the_file_and_come_before_it_in_order(files: Files) -> None:
    files.write("sub/a.toml", 'extends = ["../b.toml"]\n[rules.size-over-budget]\nbytes = 2\nmembers = 2\n')
    files.write("b.toml", '[rules.size-over-budget]\nlevel = "note"\nbytes = 1\nmembers = 1\ngrowth = 1.0')
    files.write("c.toml", "[rules.size-over-budget]\nmembers = 3")
    top = files.write("top.toml", 'extends = ["sub/a.toml", "c.toml"]\n[rules.size-over-budget]\nstrict = true')
    found = setting(load_policy([top], SPECS), "size-over-budget")
    assert found.level is Level.NOTE
    assert found.parameters == SizeBudget(bytes=2, members=3, growth=1.0, strict=True)


def test_a_policy_reached_twice_applies_once_below_what_extends_it(files: Files) -> None:
    base = files.write(
        "base.toml",
        '[rules.size-over-budget]\nbytes = 1\n[[waiver]]\nrule = "missing-library"\nfile = "a"\nreason = "x"',
    )
    mine = files.write("mine.toml", 'extends = ["base.toml"]\n[rules.size-over-budget]\nbytes = 2')
    top = files.write("top.toml", 'extends = ["mine.toml", "sub/../base.toml"]')
    for sources in ([top], [mine, base], [base, mine, base]):
        policy = load_policy(sources, SPECS)
        assert setting(policy, "size-over-budget").parameters.bytes == 2
        assert len(policy.waivers) == 1


def test_the_name_is_that_of_the_last_policy_and_by_default_its_file(files: Files) -> None:
    policy = files.load('name = "one"\ndescription = "first"', 'name = "two"')
    assert (policy.name, policy.description) == ("two", "")
    assert files.load('name = "one"', "").name == str(files.directory / "1.toml")


def test_wheelproof_toml_wins_over_pyproject_and_recommended_comes_last(files: Files) -> None:
    directory = str(files.directory)
    assert discover(directory) == ("recommended",)
    pyproject = files.write("pyproject.toml", '[project]\nname = "wheelproof"\n[project.urls]\ntool = "wheelproof"')
    assert discover(directory) == ("recommended",)
    files.write("pyproject.toml", '[tool.wheelproof]\nname = "mine"')
    assert discover(directory) == (pyproject,)
    assert load_policy([], SPECS, directory=directory).name == "mine"
    project = files.write("wheelproof.toml", 'name = "own"')
    assert discover(directory) == (project,)
    assert load_policy([], SPECS, directory=directory).name == "own"


def test_in_a_repository_the_directories_above_are_searched_to_its_root(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = files.write("wheelproof.toml", 'name = "outside"')
    inner = files.directory / "repository" / "packages" / "one"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert discover(".") == ("recommended",), "no repository: this directory alone"
    (files.directory / "repository" / ".git").write_text("gitdir: elsewhere")
    assert discover(".") == ("recommended",), "what lies above the repository is nobody's project"
    files.write("repository/pyproject.toml", '[tool.wheelproof]\nname = "root"')
    assert discover(".") == ("../../pyproject.toml",)
    assert load_policy([], SPECS).name == "root"
    files.write("repository/packages/pyproject.toml", '[project]\nname = "wheelproof"')
    assert discover(".") == ("../../pyproject.toml",), "a pyproject.toml without the table is passed over"
    files.write("repository/packages/wheelproof.toml", 'name = "packages"')
    assert discover(".") == ("../wheelproof.toml",)
    assert discover(str(files.directory)) == (outside,)


@pytest.mark.parametrize(
    "text",
    [
        "[tool.wheelproof.rules.missing-library]",
        '[ tool . "wheelproof" ]',
        "['tool'.'wheelproof']",
        "tool.wheelproof.schema = 1",
        "[tool]\nwheelproof.schema = 1",
        '["tool"]\nother = 1\n\nwheelproof = {}',
        "tool = { wheelproof = {} }",
    ],
)
def test_the_table_in_pyproject_is_found_however_it_is_written(text: str, files: Files) -> None:
    assert discover(str(files.directory)) == ("recommended",)
    pyproject = files.write("pyproject.toml", text)
    assert discover(str(files.directory)) == (pyproject,)


def test_a_pyproject_named_as_a_source_is_read_in_its_table(files: Files) -> None:
    pyproject = files.write("pyproject.toml", '[tool.wheelproof]\nextends = ["x.toml"]\nname = "mine"')
    files.write("x.toml", "[rules.size-over-budget]\nbytes = 2")
    policy = load_policy([pyproject], SPECS)
    assert policy.name == "mine"
    assert setting(policy, "size-over-budget").parameters.bytes == 2


def test_equal_policies_have_equal_digests_and_others_do_not(files: Files) -> None:
    text = '[rules.size-over-budget]\nlevel = "{}"\nbytes = {}\n'
    digest = files.load(text.format("note", 2)).digest
    assert len(digest) == 64
    assert files.load('name = "other"\n# moved\n' + text.format("note", 2)).digest == digest
    assert files.load(text.format("error", 3), text.format("note", 2)).digest == digest
    assert files.load(text.format("note", 3)).digest != digest
    assert files.load(text.format("error", 2)).digest != digest
    assert files.load(text.format("off", 2)).digest == files.load("").digest
    waiver = '[[waiver]]\nrule = "missing-library"\nfile = "a"\nreason = "x"\n'
    assert files.load(waiver).digest == files.load("\n" + waiver).digest != files.load("").digest


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_named_like_a_project_s_file_is_not_waited_for(files: Files) -> None:
    os.mkfifo(files.directory / "pyproject.toml")
    assert discover(str(files.directory)) == ("recommended",)
