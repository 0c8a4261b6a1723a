r"""What stands below the options in ``--help``: examples to copy, each with what it is for, and the exit codes.

``\b`` on a line of its own keeps typer from filling the paragraph that follows.
"""

from __future__ import annotations

EXIT_CODES = (
    "Exit codes: 0 compliant, 1 findings at or above --fail-on, 2 wrong usage or policy, 3 something could not be checked "
    "(1 wins over 3)."
)


def _epilog(*examples: tuple[str, str], then: str = "") -> str:
    """Examples, each a purpose and a command, as a block that is printed as it is; below it another paragraph."""
    rows = [row for purpose, command in examples for row in (f"  # {purpose}", f"  {command}")]
    return "\n".join(("\b", "Examples:", *rows)) + (f"\n\n{then}" if then else "")


PROGRAM = _epilog(
    ("judge what was built, by the project's policy or by 'recommended'", "wheelproof check dist/*.whl"),
    ("upload only what passed, and only those bytes", "wheelproof gate dist/*.whl -- twine upload dist/*.whl"),
    ("why is that needed, and who could supply it?", "wheelproof explain dist/pkg.whl pthread_once"),
    ("completion of commands and options in bash, zsh and fish", "wheelproof --install-completion"),
    then=f"{EXIT_CODES} wheelproof COMMAND --help has more examples.",
)
CHECK = _epilog(
    ("every wheel of a build", "wheelproof check dist/*.whl"),
    ("a stricter policy, and warnings fail as well", "wheelproof check --policy strict --fail-on warning dist/*.whl"),
    ("another promise than the tags'", "wheelproof check --platform manylinux_2_28_x86_64 --python cp311 dist/*.whl"),
    (
        "a page to look at, and code scanning, beside the terminal's report",
        "wheelproof check --format html=report.html --format sarif=report.sarif dist/*.whl",
    ),
    ("see another distribution's libraries too", "wheelproof check --provider torch=deps/torch.whl dist/*.whl"),
    ("a list of files, such as another program writes", "ls dist/*.whl | wheelproof check --from-file -"),
    ("wheels of an index, by name (pip install 'wheelproof[index]')", "wheelproof check --all-platforms 'numpy==2.4.6'"),
    then=EXIT_CODES,
)
GATE = _epilog(
    ("upload on a pass, nothing otherwise", "wheelproof gate dist/*.whl -- twine upload dist/*.whl"),
    ("check what the command would upload; here all of dist", "wheelproof gate -- uv publish"),
    ("with options of check", "wheelproof gate --policy strict --quiet dist/*.whl -- uv publish dist/*.whl"),
    then=EXIT_CODES,
)
SHOW = _epilog(
    ("objects, needed libraries, symbol origins, the oldest true tag", "wheelproof show dist/pkg.whl"),
    ("on one exact C library", "wheelproof show --platform glibc-2.36-x86_64 dist/pkg.whl"),
)
EXPLAIN = _epilog(
    ("a symbol: who asks, where was looked, who supplies it", "wheelproof explain dist/pkg.whl memcpy@GLIBC_2.14"),
    ("a library: who needs it, and how it is found", "wheelproof explain dist/pkg.whl libstdc++.so.6"),
    ("a finding, by the fingerprint that --verbose prints", "wheelproof explain dist/pkg.whl 1f2e3d4c5b6a7988"),
    ("all that a rule says of it", "wheelproof explain dist/pkg.whl executable-stack"),
)
RULES = _epilog(
    ("what is asked of a wheel, in a line each", "wheelproof rules"),
    ("one rule: what, why, causes, fixes, parameters", "wheelproof rules platform-tag-too-old"),
)
POLICY = _epilog(
    ("a first policy, which passes today's wheels", "wheelproof policy init dist/*.whl"),
    ("what is in force here, and where each value comes from", "wheelproof policy show"),
    ("every mistake at once, with its line", "wheelproof policy validate wheelproof.toml"),
)
PLATFORM = _epilog(
    ("what is known", "wheelproof platform list"),
    ("what a tag promises", "wheelproof platform show manylinux_2_28_x86_64"),
    ("this system, or an unpacked image", "wheelproof platform capture / -o production.platform"),
    ("judge by it", "wheelproof check --platform production.platform dist/*.whl"),
)
CAPTURE = _epilog(
    (
        "with the interpreter that is used there",
        "wheelproof platform capture rootfs --python usr/bin/python3 -o image.platform",
    ),
    ("judge by both", "wheelproof check --platform image.platform --python image.platform dist/*.whl"),
)
