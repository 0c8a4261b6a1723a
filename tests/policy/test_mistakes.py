"""What is said of each kind of mistake in a policy file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.policy.load import load_policy
from checker.policy.problems import PolicyError
from tests.policy.samples import SPECS

if TYPE_CHECKING:
    from pathlib import Path

    from checker.policy.problems import PolicyProblem

W = '[[waiver]]\nrule = "missing-library"\nfile = "a"\nreason = "x"\n'
"""A waiver that is fine."""
O = "[[override]]\n"  # noqa: E741 - as W

MISTAKES: dict[str, tuple[str, str]] = {
    "a misspelt key": ('nam = "x"', '1: nam: unknown key; did you mean "name"?'),
    "a key that is like no other": (
        "[target]\nzzz = 1",
        "2: target.zzz: unknown key; known here: platform, python",
    ),
    "a misspelt table": ('[rule.missing-library]\nlevel = "error"', '1: rule: unknown key; did you mean "rules"?'),
    "the plural of a table": ('[[waivers]]\nreason = "x"', '1: waivers: unknown key; did you mean "waiver"?'),
    "a misspelt rule": (
        '\n[rules.mising-library]\nlevel = "error"',
        '2: rules.mising-library: there is no rule "mising-library"; did you mean "missing-library"?',
    ),
    "a rule with underscores": (
        '[rules.missing_library]\nlevel = "error"',
        '1: rules.missing_library: there is no rule "missing_library"; did you mean "missing-library"?',
    ),
    "a rule that is like no other": (
        '[rules.zzz]\nlevel = "error"',
        '1: rules.zzz: there is no rule "zzz"; `wheelproof rules` lists them',
    ),
    "a misspelt level": (
        '[rules.missing-library]\nlevel = "eror"',
        '2: rules.missing-library.level: "eror" is not one of error, warning, note, off; did you mean "error"?',
    ),
    "a level in capitals": (
        '[rules.missing-library]\nlevel = "Warning"',
        '2: rules.missing-library.level: "Warning" is not one of error, warning, note, off; did you mean "warning"?',
    ),
    "a level of another tool": (
        '[rules.missing-library]\nlevel = "fatal"',
        '2: rules.missing-library.level: "fatal" is not one of error, warning, note, off',
    ),
    "a level that is no string": (
        "[rules.missing-library]\nlevel = false",
        "2: rules.missing-library.level: must be one of error, warning, note, off, not a boolean",
    ),
    "a rule that is no table": ('[rules]\nmissing-library = "off"', "2: rules.missing-library: must be a table, not a string"),
    "a misspelt parameter": (
        '[rules.forbidden-needed-library]\nlibrarys = ["a"]',
        (
            '2: rules.forbidden-needed-library.librarys: "forbidden-needed-library" has no parameter "librarys"; '
            'did you mean "libraries"?'
        ),
    ),
    "a parameter of another rule": (
        "[rules.missing-library]\nceilings = {}",
        '2: rules.missing-library.ceilings: "missing-library" has no parameter "ceilings"; known here: level, files',
    ),
    "a string for an array": (
        '[rules.forbidden-needed-library]\nlibraries = "a"',
        "2: rules.forbidden-needed-library.libraries: must be an array, not a string",
    ),
    "a number in an array of strings": (
        '[rules.forbidden-needed-library]\nlibraries = [\n"a",\n1]',
        "4: rules.forbidden-needed-library.libraries[1]: must be a string, not an integer",
    ),
    "a misspelt choice": (
        '[rules.forbidden-needed-library]\nvia = "closur"',
        '2: rules.forbidden-needed-library.via: "closur" is not one of direct, closure; did you mean "closure"?',
    ),
    "a misspelt member of an enumeration": (
        '[rules.everything]\ncolour = "gren"',
        '2: rules.everything.colour: "gren" is not one of red, green; did you mean "green"?',
    ),
    "a number for a version": (
        "[rules.symbol-version-too-new]\nceilings = { GLIBC = 2.28 }",
        "2: rules.symbol-version-too-new.ceilings.GLIBC: must be a string, not a float",
    ),
    "an array for a table": (
        "[rules.symbol-version-too-new]\nceilings = []",
        "2: rules.symbol-version-too-new.ceilings: must be a table, not an array",
    ),
    "what the rule's own class refuses": (
        '\n[rules.symbol-version-too-new]\nceilings = { GLIBC = "two" }',
        '2: rules.symbol-version-too-new: "two" is no version of GLIBC',
    ),
    "a string for a number": (
        '[rules.size-over-budget]\nbytes = "10"',
        "2: rules.size-over-budget.bytes: must be an integer, not a string",
    ),
    "a fraction for a whole number": (
        "[rules.size-over-budget]\nbytes = 1.5",
        "2: rules.size-over-budget.bytes: must be an integer, not a float",
    ),
    "a boolean for a number": (
        "[rules.size-over-budget]\ngrowth = true",
        "2: rules.size-over-budget.growth: must be a number, not a boolean",
    ),
    "a number for a boolean": (
        "[rules.size-over-budget]\nstrict = 1",
        "2: rules.size-over-budget.strict: must be true or false, not an integer",
    ),
    "a date for a string": ("name = 2027-01-01", "1: name: must be a string, not a date"),
    "a time for a string": ("name = 07:32:00", "1: name: must be a string, not a time"),
    "a date and time for a string": ("name = 2027-01-01T00:00:00Z", "1: name: must be a string, not a date and time"),
    "an empty name": ('name = ""', "1: name: must not be empty"),
    "another format": ("schema = 2", "1: schema: must be 1, not 2"),
    "a format that is no number": ('schema = "1"', '1: schema: must be 1, not "1"'),
    "no files": ("[rules.missing-library]\nfiles = []", "2: rules.missing-library.files: must not be empty"),
    "an empty glob": (
        '[rules.missing-library]\nfiles = [""]',
        "2: rules.missing-library.files[0]: an empty glob matches nothing",
    ),
    "an absolute glob": (
        '[rules.missing-library]\nfiles = ["/a/*.so"]',
        (
            '2: rules.missing-library.files[0]: "/a/*.so" matches nothing: member paths are relative and plain, such as '
            '"package/lib/x.so"'
        ),
    ),
    "a glob that goes up": (
        '[[override]]\nfiles = ["a", "../b"]\n[override.rules.missing-library]\nlevel = "off"',
        '2: override[0].files[1]: "../b" matches nothing: member paths are relative and plain, such as "package/lib/x.so"',
    ),
    "a glob with backslashes": (
        "[rules.missing-library]\nfiles = ['a\\b']",
        '2: rules.missing-library.files[0]: "a\\b" matches nothing: member paths have "/" between their parts, on every system',
    ),
    "an override of everything": (
        '[[override]]\n[override.rules.missing-library]\nlevel = "off"',
        "1: override[0]: names no files, architectures or tags; what holds everywhere stands under [rules]",
    ),
    "an override of no architectures": (
        O + "architectures = []\nrules.missing-library.level = 'off'",
        "2: override[0].architectures: must not be empty",
    ),
    "a string for architectures": (
        O + "architectures = 'aarch64'\nrules.missing-library.level = 'off'",
        "2: override[0].architectures: must be an array, not a string",
    ),
    "a misspelt architecture": (
        O + "architectures = ['x86-64']\nrules.missing-library.level = 'off'",
        '2: override[0].architectures[0]: "x86-64" is no architecture of a platform tag; did you mean "x86_64"?',
    ),
    "another tool's name of an architecture": (
        O + "architectures = ['x86_64',\n'arm64']\nrules.missing-library.level = 'off'",
        '3: override[0].architectures[1]: "arm64" is no architecture of a platform tag; did you mean "aarch64"?',
    ),
    "an architecture that is like no other": (
        O + "architectures = ['z']\nrules.missing-library.level = 'off'",
        (
            '2: override[0].architectures[0]: "z" is no architecture of a platform tag; there are: aarch64, armv7l, i686, '
            "loongarch64, ppc64, ppc64le, riscv64, s390x, x86_64"
        ),
    ),
    "the singular of architectures": (
        O + "files = ['a']\narchitecture = ['aarch64']\nrules.missing-library.level = 'off'",
        '3: override[0].architecture: unknown key; did you mean "architectures"?',
    ),
    "an override of no tags": (
        O + "tags = []\nrules.missing-library.level = 'off'",
        "2: override[0].tags: must not be empty",
    ),
    "a platform for a tag": (
        O + "tags = ['manylinux_2_28_x86_64']\nrules.missing-library.level = 'off'",
        (
            '2: override[0].tags[0]: "manylinux_2_28_x86_64" matches no tag: a tag is python-abi-platform, such as '
            'cp311-cp311-manylinux_2_28_x86_64; a glob over platforms alone begins with "*-", such as '
            '"*-manylinux_2_28_x86_64"'
        ),
    ),
    "a tag with a part too many": (
        O + "tags = ['demo-cp311-cp311-*linux*']\nrules.missing-library.level = 'off'",
        (
            '2: override[0].tags[0]: "demo-cp311-cp311-*linux*" matches no tag: a tag is python-abi-platform, such as '
            'cp311-cp311-manylinux_2_28_x86_64; a glob over platforms alone begins with "*-", such as "*-*linux*"'
        ),
    ),
    "an empty tag": (
        O + "tags = ['']\nrules.missing-library.level = 'off'",
        (
            '2: override[0].tags[0]: "" matches no tag: a tag is python-abi-platform, such as '
            'cp311-cp311-manylinux_2_28_x86_64; a glob over platforms alone begins with "*-", such as "*-musllinux_*"'
        ),
    ),
    "a number for a tag": (
        O + "tags = [1]\nrules.missing-library.level = 'off'",
        "2: override[0].tags[0]: must be a string, not an integer",
    ),
    "two overrides of which one is of everything": (
        O + "tags = ['*-musllinux_*']\nrules.missing-library.level = 'off'\n\n" + O + "rules.missing-library.level = 'off'",
        "5: override[1]: names no files, architectures or tags; what holds everywhere stands under [rules]",
    ),
    "an override without rules": ('[[override]]\nfiles = ["a"]', "1: override[0].rules: is missing"),
    "an override that is one table": (
        '[override]\nfiles = ["a"]',
        "1: override: must be an array of tables: write [[override]], not [override]",
    ),
    "files for a rule in an override": (
        '[[override]]\nfiles = ["a"]\n[override.rules.missing-library]\nlevel = "off"\nfiles = ["b"]',
        '5: override[0].rules.missing-library.files: "missing-library" has no parameter "files"; known here: level',
    ),
    "a misspelt rule in an override": (
        '[[override]]\nfiles = ["a"]\n[override.rules.missing-librar]\nlevel = "off"',
        '3: override[0].rules.missing-librar: there is no rule "missing-librar"; did you mean "missing-library"?',
    ),
    "a waiver without a reason": (
        '[[waiver]]\nrule = "missing-library"\nfile = "a"',
        "1: waiver[0].reason: is missing",
    ),
    "a waiver with an empty reason": (
        '[[waiver]]\nrule = "missing-library"\nfile = "a"\nreason = ""',
        "4: waiver[0].reason: must not be empty",
    ),
    "a waiver without a rule": ('[[waiver]]\nfile = "a"\nreason = "x"', "1: waiver[0].rule: is missing"),
    "a waiver of a misspelt rule": (
        W + '[[waiver]]\nrule = "missing-libary"\nfile = "a"\nreason = "x"',
        (
            '6: waiver[1].rule: "missing-libary" is not one of missing-library, forbidden-needed-library, '
            'symbol-version-too-new, size-over-budget, everything; did you mean "missing-library"?'
        ),
    ),
    "a waiver of a whole architecture": (
        '[[waiver]]\nrule = "missing-library"\narchitectures = ["aarch64"]\nreason = "x"',
        "1: waiver[0]: names neither a file nor a match; to accept all that a rule finds, set its level to off",
    ),
    "a waiver of a misspelt architecture": (
        W + 'architectures = ["aarch46"]',
        '5: waiver[0].architectures[0]: "aarch46" is no architecture of a platform tag; did you mean "aarch64"?',
    ),
    "a waiver of a platform for a tag": (
        W + 'tags = ["musllinux_1_2_x86_64"]',
        (
            '5: waiver[0].tags[0]: "musllinux_1_2_x86_64" matches no tag: a tag is python-abi-platform, such as '
            'cp311-cp311-manylinux_2_28_x86_64; a glob over platforms alone begins with "*-", such as "*-musllinux_1_2_x86_64"'
        ),
    ),
    "a misspelt key of a waiver": (W + "expire = 2027-03-31", '5: waiver[0].expire: unknown key; did you mean "expires"?'),
    "a waiver of everything": (
        '[[waiver]]\nrule = "missing-library"\nreason = "x"',
        "1: waiver[0]: names neither a file nor a match; to accept all that a rule finds, set its level to off",
    ),
    "a day that does not exist": (
        W + 'expires = "2027-02-29"',
        '5: waiver[0].expires: "2027-02-29" is no date: write it as 2027-03-31',
    ),
    "a date in words": (
        W + 'expires = "next year"',
        '5: waiver[0].expires: "next year" is no date: write it as 2027-03-31',
    ),
    "a time of day in a date": (
        W + "expires = 2027-03-31T12:00:00",
        '5: waiver[0].expires: "2027-03-31T12:00:00" is no date: write it as 2027-03-31',
    ),
    "a number for a date": (W + "expires = 2027", "5: waiver[0].expires: must be a string, not an integer"),
    "a provider without libraries": ('[[provider]]\nrequirement = "torch"', "1: provider[0].libraries: is missing"),
    "a provider of nothing": (
        '[[provider]]\nrequirement = "torch"\nlibraries = []',
        "3: provider[0].libraries: must not be empty",
    ),
    "a version in a provider": (
        '[[provider]]\nrequirement = "torch>=2"\nlibraries = ["a"]',
        (
            '2: provider[0].requirement: "torch>=2" is no distribution name; only the name stands here, its versions stand in '
            "Requires-Dist"
        ),
    ),
    "a misspelt way to provide": (
        '[[provider]]\nrequirement = "torch"\nlibraries = ["a"]\nhow = "preload"',
        '4: provider[0].how: "preload" is not one of preloaded, rpath; did you mean "preloaded"?',
    ),
    "a platform that is none": (
        '[target]\nplatform = "manylinux_2_28-x86_64"',
        (
            '2: target.platform: "manylinux_2_28-x86_64" names no platform: write "from-tag", a platform tag such as '
            '"manylinux_2_28_x86_64", one release such as "glibc-2.36-x86_64" or "musl-1.2.5-x86_64", '
            'or a platform file such as "debian.platform"'
        ),
    ),
    "a Python that is none": (
        '[target]\npython = "3.11"',
        (
            '2: target.python: "3.11" names no Python: write "from-tag", an interpreter tag such as "cp311", '
            'or a platform file such as "debian.platform"'
        ),
    ),
    "a string for extends": ('extends = "recommended"', "1: extends: must be an array, not a string"),
    "a misspelt shipped policy": (
        'extends = [\n"recomended"]',
        '2: extends[0]: there is no shipped policy "recomended"; did you mean "recommended"?',
    ),
    "syntax": ('name = "x"\nlevel =\n', "2: not TOML: Invalid value"),
    "syntax at the end": ('\nname = """x', "2: not TOML: Unterminated string"),
    "a key given twice": ('name = "x"\nname = "y"', "2: not TOML: Cannot overwrite a value"),
    "an impossible date": ("a = 2027-02-30", "1: not TOML: Invalid date or datetime"),
    "nested too deeply": ("a = " + "[" * 100_000, "nested too deeply"),
}


def mistakes(sources: list[str]) -> tuple[PolicyProblem, ...]:
    """Everything that is wrong with these policies; empty when they can be used."""
    try:
        load_policy(sources, SPECS)
    except PolicyError as error:
        return error.problems
    return ()


def problems(path: Path) -> list[str]:
    """What is wrong with the policy, without the file's name."""
    return [str(problem).removeprefix(f"{path}:").strip() for problem in mistakes([str(path)])]


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_told_with_its_place_and_the_nearest_right_name(kind: str, tmp_path: Path) -> None:
    text, expected = MISTAKES[kind]
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    assert problems(path) == [expected]


def test_all_mistakes_of_all_files_are_told_at_once_in_file_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    first.write_text('nam = "x"\nextends = ["second.toml", "third.toml"]\n[rules.x]\n', encoding="utf-8")
    second.write_text('[[waiver]]\nrule = "y"\n', encoding="utf-8")
    found = mistakes([str(first), "fourth"])
    assert [(problem.file, problem.line, problem.path) for problem in found] == [
        (str(first), 1, "nam"),
        (str(first), 2, "extends[1]"),
        (str(first), 3, "rules.x"),
        (str(second), 1, "waiver[0].reason"),
        (str(second), 2, "waiver[0].rule"),
        ("fourth", 0, ""),
    ]
    with pytest.raises(PolicyError) as caught:
        load_policy([str(first), "fourth"], SPECS)
    assert caught.value.problems == found
    assert str(caught.value) == "\n".join(map(str, found))


def test_a_circle_of_extends_is_told_where_it_closes(tmp_path: Path) -> None:
    for name, extends in (("a", "b"), ("b", "c"), ("c", "b")):
        (tmp_path / f"{name}.toml").write_text(f'\nextends = ["{extends}.toml"]', encoding="utf-8")
    b, c = tmp_path / "b.toml", tmp_path / "c.toml"
    found = mistakes([str(tmp_path / "a.toml")])
    assert [str(problem) for problem in found] == [f"{c}:2: extends[0]: extends in a circle: {b} → {c} → {b}"]


def test_a_file_that_cannot_be_read_is_told_where_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('extends = ["x/none.toml", "./"]', encoding="utf-8")
    found = mistakes([str(path)])
    assert [str(problem) for problem in found] == [
        f"{path}:1: extends[0]: {tmp_path / 'x/none.toml'} cannot be read: No such file or directory",
        f"{path}:1: extends[1]: {tmp_path} cannot be read: Is a directory",
    ]
    found = mistakes(["none.toml", "recomended"])
    assert [str(problem) for problem in found] == [
        "none.toml: cannot be read: No such file or directory",
        'recomended: there is no shipped policy "recomended"; did you mean "recommended"?',
    ]


def test_a_file_that_is_not_utf8_is_told_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(b'name = "x"\n# \xff\n')
    assert problems(path) == ["2: not UTF-8, which TOML must be: byte 0xff"]


def test_a_huge_file_is_no_policy(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(b"#" * (1 << 20) + b"\n")
    assert problems(path) == ["has more than 1048576 bytes; that is no policy"]


def test_pyproject_mistakes_have_the_whole_path_and_the_line_in_that_file(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\nname = "x"\n\n[tool.wheelproof]\nnam = "x"\n', encoding="utf-8")
    assert problems(path) == ['5: tool.wheelproof.nam: unknown key; did you mean "name"?']
    path.write_text('[project]\nname = "x"\n', encoding="utf-8")
    assert problems(path) == ["has no table [tool.wheelproof]"]
    path.write_text("[tool]\nwheelproof = 1\n", encoding="utf-8")
    assert problems(path) == ["2: tool.wheelproof: must be a table, not an integer"]


@pytest.mark.parametrize(
    "change",
    ["[rules.size-over-budget]\nbytes = 1", '[[override]]\nfiles = ["a"]\n[override.rules.size-over-budget]\nbytes = 1'],
)
def test_parameters_for_a_rule_that_is_off_are_refused(change: str, tmp_path: Path) -> None:
    base, path = tmp_path / "base.toml", tmp_path / "p.toml"
    base.write_text('[rules.size-over-budget]\n\nlevel = "off"\n', encoding="utf-8")
    path.write_text(f'extends = ["base.toml"]\n{change}', encoding="utf-8")
    (found,) = mistakes([str(path)])
    assert found.path.endswith("rules.size-over-budget")
    assert found.message == f'the rule is off (by {base}:3), so this changes nothing; say level = "error" here as well'
    path.write_text(f'extends = ["base.toml"]\n{change}\nlevel = "note"', encoding="utf-8")
    assert mistakes([str(path)]) == ()


@pytest.mark.parametrize("form", ["{} = 1", "[{}]", "[[ {} ]]", "x = {{ {} = 1 }}"])
def test_a_key_of_very_many_parts_is_refused_before_it_is_parsed(form: str, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("\n" + form.format(' . "a\\"b" .c' * 50_000).replace(" . ", "", 1), encoding="utf-8")
    assert problems(path) == ["2: a key joins more than 32 names by dots; no key of a policy is so deep"]


def test_dots_in_comments_and_values_are_no_keys(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f'# {"-." * 100}\ndescription = "{"1." * 100}"\n', encoding="utf-8")
    assert mistakes([str(path)]) == ()


def test_tables_nested_deeper_than_the_validator_goes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f"a = {'{a = ' * 250}1{'}' * 250}", encoding="utf-8")
    assert problems(path) == ["nested too deeply"]


def test_of_very_many_mistakes_the_first_hundred_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("".join(f"[rules.zzz{number}]\n" for number in range(1234)), encoding="utf-8")
    told = problems(path)
    assert len(told) == 101
    assert told[-1] == "100: and 1,134 more mistakes, which are told once these are mended"
