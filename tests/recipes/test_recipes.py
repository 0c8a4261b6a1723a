"""The recipes of README.md, each run with the tool that it is for."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import venv
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.conftest import BAD, GOOD, ROOT, recipe, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def shell(command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A line as a user types it; ``wheelproof`` is this checkout's."""
    words = re.sub(r"(^|\s)wheelproof ", rf"\1{shlex.quote(sys.executable)} -m checker ", command)
    return subprocess.run(  # noqa: S602 (a recipe is shell text)
        words,
        shell=True,
        env={**ENVIRONMENT, **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


class Index:
    """A package index on this machine's loopback address."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.settings = {
            "TWINE_REPOSITORY_URL": f"http://127.0.0.1:{port}/",
            "TWINE_USERNAME": "somebody",
            "TWINE_PASSWORD": "secret",
            "TWINE_NON_INTERACTIVE": "1",
        }

    @property
    def uploaded(self) -> list[str]:
        """Names of the files that it has taken."""
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An empty index that takes uploads from anybody."""
    program = tool("pypi-server")
    folder = tmp_path / "index"
    folder.mkdir()
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [program, "run", "-i", "127.0.0.1", "-p", str(port), "-P", ".", "-a", ".", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        for _ in range(200):
            with closing(socket.socket()) as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield Index(folder, port)
        server.terminate()


def test_twine_uploads_what_passed(dist: Path, index: Index) -> None:
    tool("twine")
    shutil.copy(GOOD, dist)
    done = shell(recipe("twine"), **index.settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert index.uploaded == [GOOD.name]
    assert (index.folder / GOOD.name).read_bytes() == GOOD.read_bytes()


def test_twine_uploads_nothing_where_one_fails(dist: Path, index: Index) -> None:
    tool("twine")
    shutil.copy(GOOD, dist)
    shutil.copy(BAD, dist)
    done = shell(recipe("twine"), **index.settings)
    assert done.returncode == 1
    assert "twine was not run" in done.stderr
    assert index.uploaded == []


def test_uv_publishes_its_default_folder_where_all_pass(dist: Path, index: Index) -> None:
    tool("uv")
    settings = {
        "UV_PUBLISH_URL": index.settings["TWINE_REPOSITORY_URL"],
        "UV_PUBLISH_USERNAME": "a",
        "UV_PUBLISH_PASSWORD": "b",
    }
    shutil.copy(GOOD, dist)
    shutil.copy(BAD, dist)
    done = shell(recipe("publish"), **settings)
    assert done.returncode == 1
    assert index.uploaded == []
    (dist / BAD.name).unlink()
    done = shell(recipe("publish"), **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert index.uploaded == [GOOD.name]


def test_twine_s_own_failure_is_handed_on(dist: Path, index: Index) -> None:
    tool("twine")
    shutil.copy(GOOD, dist)
    (index.folder / GOOD.name).write_bytes(b"")
    done = shell(recipe("twine"), **index.settings)
    assert done.returncode == 1
    assert "running twine upload" in done.stderr
    assert (index.folder / GOOD.name).read_bytes() == b""


def build_options(project: Path, text: str) -> Any:  # noqa: ANN401 (cibuildwheel's own record)
    """Options of a Linux build as cibuildwheel itself reads them from a project."""
    options = pytest.importorskip("cibuildwheel.options", reason="nox -s recipes installs it")
    (project / "pyproject.toml").write_text(text, encoding="utf-8")
    arguments = replace(options.CommandLineArguments.defaults(), package_dir=project, platform="linux")
    return options.compute_options("linux", arguments, {}).build_options("cp311-manylinux_x86_64")


def put_wheelproof_into(folder: Path) -> None:
    """A program ``wheelproof`` that is this checkout."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "wheelproof"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m checker "$@"\n')
    program.chmod(0o755)


def test_cibuildwheel_s_audit_step_passes_and_fails_with_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit = pytest.importorskip("cibuildwheel.audit", reason="nox -s recipes installs it")
    errors = pytest.importorskip("cibuildwheel.errors", reason="nox -s recipes installs it")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    options = build_options(tmp_path, recipe("cibuildwheel"))
    assert (options.audit_requires, options.audit_command) == (["wheelproof"], ["wheelproof check {wheel}"])
    # The environment that cibuildwheel would make, with this checkout in place of the published package.
    venv.create(tmp_path / "audit_venv", with_pip=False)
    put_wheelproof_into(tmp_path / "audit_venv" / "bin")
    installed = replace(options, audit_requires=[])
    audit.run_audit(tmp_dir=tmp_path, build_options=installed, wheel=GOOD)
    with pytest.raises(errors.AuditCommandFailedError):
        audit.run_audit(tmp_dir=tmp_path, build_options=installed, wheel=BAD)


def test_cibuildwheel_s_repair_command_fails_where_the_repaired_wheel_does(tmp_path: Path) -> None:
    util = pytest.importorskip("cibuildwheel.util.helpers", reason="nox -s recipes installs it")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"`repair-wheel-command = \"(.*?)\"`", text)
    assert found is not None
    options = build_options(tmp_path, f'[tool.cibuildwheel.linux]\nrepair-wheel-command = "{found[1]}"\n')
    for wheel, code in ((GOOD, 0), (BAD, 1)):
        (tmp_path / "repaired").mkdir(exist_ok=True)
        command = util.prepare_command(options.repair_command, wheel=wheel, dest_dir=tmp_path / "repaired")
        # A copy stands for the repair, which both wheels have behind them.
        command = command.replace("auditwheel repair -w", "cp -t").replace("pipx run wheelproof", "wheelproof")
        assert shell(command).returncode == code


def test_gitlab_s_job_is_valid_and_its_script_writes_the_report_that_it_names(dist: Path, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="nox -s recipes installs it")
    file = tmp_path / ".gitlab-ci.yml"
    file.write_text(recipe("gitlab-ci") + "\n", encoding="utf-8")
    words = [tool("check-jsonschema"), "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (job,) = yaml.safe_load(file.read_text(encoding="utf-8")).values()
    install, check = job["script"]
    assert install == "pip install wheelproof"
    shutil.copy(GOOD, dist)
    assert shell(check).returncode == 0
    assert Path(job["artifacts"]["reports"]["junit"]).read_text(encoding="utf-8").startswith("<?xml")


def test_the_nox_session_builds_and_checks(dist: Path, tmp_path: Path) -> None:
    """Run in this environment, which has what the session would install; a project whose wheel is there stands for a build."""
    noxfile = tmp_path / "noxfile.py"
    text = recipe("nox")
    assert 'session.install("build", "wheelproof")' in text
    build = '    session.run("python", "-m", "build", "--wheel")\n'
    assert build in text
    noxfile.write_text(text.replace(build, ""), encoding="utf-8")
    put_wheelproof_into(tmp_path / "bin")
    words = [tool("nox"), "--no-venv", "--no-install", "-f", str(noxfile)]
    path = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{ENVIRONMENT['PATH']}"}
    for wheel, code in ((GOOD, 0), (BAD, 1)):
        shutil.copy(wheel, dist)
        done = subprocess.run(words, env={**ENVIRONMENT, **path}, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr


def test_pre_commit_takes_the_hook_and_runs_it(dist: Path, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="nox -s recipes installs it")
    program = tool("pre-commit")
    manifest = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([program, "validate-manifest", str(manifest)], check=True, capture_output=True)
    config = yaml.safe_load(recipe("pre-commit"))
    (hook,) = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    assert [one["id"] for one in config["repos"][0]["hooks"]] == [hook["id"]]
    # The same hook as a local one: installing a tagged release needs one to be published.
    program_words = f"{shlex.quote(sys.executable)} -m checker check"
    local = {**hook, "entry": program_words, "language": "system"}
    own = tmp_path / ".pre-commit-config.yaml"
    own.write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [local]}]}), encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    words = [program, "run", "--hook-stage", "manual", "--all-files", "wheelproof"]
    for wheel, code in ((None, 1), (GOOD, 0), (BAD, 1)):
        if wheel is not None:
            shutil.copy(wheel, dist)
        done = subprocess.run(words, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
