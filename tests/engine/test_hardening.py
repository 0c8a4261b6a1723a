"""What compilers and linkers really make of the flags that the hardening rules and the rules on strips advise."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from checker.engine import Options, run
from checker.policy.load import load_policy
from checker.rules.registry import specs

if TYPE_CHECKING:
    from pathlib import Path

gcc = shutil.which("gcc")
pytestmark = pytest.mark.skipif(gcc is None, reason="gcc is not installed")

SOURCE = """
#include <stdio.h>
#include <string.h>
#include <time.h>
int stamp(char *out, time_t when)
{
    struct tm parts; char text[64]; struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&when, &parts);
    strcpy(text, out);
    fprintf(stderr, "%s %d %ld\\n", text, parts.tm_year, now.tv_nsec);
    return sprintf(out, "%d", parts.tm_mon);
}
"""
ASSEMBLY = """
.globl address
address: .long 0
.quad target
.data
.globl target
target: .quad 1
.section .note.GNU-stack,"",@progbits
"""
EVERYTHING = "".join(
    f"[rules.{rule}]\nlevel = 'error'\n"
    for rule in (
        "text-relocations",
        "writable-executable-segment",
        "lazy-binding",
        "missing-stack-protector",
        "missing-fortify",
        "missing-branch-protection",
        "non-pie-executable",
    )
)
POLICY = f"""
schema = 1
name = "all"
{EVERYTHING}
[rules.missing-relro]
level = "error"
require = "full"
[rules.debug-info]
level = "error"
minimum = 1
[rules.unstripped-binary]
level = "error"
minimum = 1
"""
NO_CANARY, NO_FORTIFY = "-fno-stack-protector", "-U_FORTIFY_SOURCE"
CANARY, FORTIFY = "-fstack-protector-strong", "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
GOOD = f"-shared -fPIC -O2 -g0 -s {CANARY} {FORTIFY} -Wl,-z,relro,-z,now"


def rules_told(folder: Path, flags: str, source: str = "x.c") -> set[str]:
    """The rules that fire on what those flags make; what depends on the machine's own start files is left out."""
    assert gcc is not None
    (folder / "x.c").write_text(SOURCE)
    (folder / "x.S").write_text(ASSEMBLY)
    (folder / "main.c").write_text("int main(void) { return 0; }")
    (folder / "wheelproof.toml").write_text(POLICY)
    made = folder / "x.so"
    subprocess.run([gcc, *flags.split(), "-o", made, folder / source], check=True, capture_output=True)
    report = run([str(made)], load_policy([str(folder / "wheelproof.toml")], specs()), Options())
    found = {finding.rule for artifact in report.artifacts for finding in artifact.findings}
    return found - {"missing-branch-protection"}


def test_what_the_remedies_advise_silences_every_rule(tmp_path: Path) -> None:
    assert rules_told(tmp_path, GOOD) == set()


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (f"{GOOD} {NO_CANARY}", {"missing-stack-protector"}),
        (f"{GOOD} {NO_FORTIFY}", {"missing-fortify"}),
        (f"{GOOD} -Wl,-z,lazy", {"lazy-binding", "missing-relro"}),
        (f"{GOOD} -Wl,-z,norelro", {"missing-relro"}),
        (GOOD.replace("-s ", "").replace("-g0", "-g"), {"debug-info", "unstripped-binary"}),
        (GOOD.replace("-s ", ""), {"unstripped-binary"}),
    ],
)
def test_each_flag_left_out_is_told_by_its_rule_alone(flags: str, expected: set[str], tmp_path: Path) -> None:
    assert rules_told(tmp_path, flags) == expected


@pytest.mark.parametrize(
    ("flags", "source", "expected"),
    [
        ("-shared -s -nostdlib -Wl,-z,notext", "x.S", {"text-relocations"}),
        ("-shared -s -nostdlib -Wl,-N", "main.c", {"writable-executable-segment", "missing-relro"}),
        ("-no-pie -s -Wl,-z,now", "main.c", {"non-pie-executable"}),
        ("-pie -fPIE -s -Wl,-z,now", "main.c", set()),
    ],
)
def test_what_the_linker_makes_of_a_file_as_a_whole_is_told(
    flags: str, source: str, expected: set[str], tmp_path: Path
) -> None:
    assert rules_told(tmp_path, flags, source) == expected
