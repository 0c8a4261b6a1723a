"""Wheels by name, from an index that lies in a folder or on this machine's loopback address."""

from __future__ import annotations

import hashlib
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checker import platforms
from checker.cli.index import is_requirement
from checker.cli.wheelchoice import PYTHONS, best, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.cli.conftest import Commands, Done

    Run = Callable[..., Done]

ROOT = Path(__file__).parents[2]
SAMPLE = min((ROOT / "testdata" / "sample").glob("*.whl"))
FILES = (
    "demo-1.0-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "demo-1.0-cp312-cp312-manylinux_2_17_aarch64.manylinux2014_aarch64.whl",
    "demo-1.0-cp312-cp312-musllinux_1_2_x86_64.whl",
    "demo-1.0-cp313-cp313t-manylinux_2_28_x86_64.whl",
    "demo-1.0-cp39-abi3-manylinux2014_x86_64.whl",
    "demo-1.0-pp311-pypy311_pp73-manylinux_2_28_x86_64.whl",
    "demo-1.0-cp312-cp312-macosx_11_0_arm64.whl",
    "demo-1.0-cp312-cp312-win_amd64.whl",
)


@pytest.mark.parametrize(
    ("platform", "python", "expected"),
    [
        (None, None, 4),
        (None, "cp312", 0),
        ("manylinux2014_aarch64", "cp312", 1),
        ("manylinux_2_34_aarch64", None, 1),
        ("musllinux_1_2_x86_64", None, 2),
        ("musl-1.2.5-x86_64", "cp312", 2),
        ("glibc-2.36-x86_64", "cp313t", 3),
        ("manylinux_2_17_x86_64", "cp313t", None),
        (None, "pp311", 5),
        ("manylinux1_x86_64", None, None),
    ],
)
def test_the_wheel_is_the_one_that_an_installer_would_take(
    platform: str | None, python: str | None, expected: int | None
) -> None:
    assert best(FILES, platform, python) == (None if expected is None else FILES[expected])


def test_a_release_s_other_systems_are_told_apart() -> None:
    ours, others = judged((*FILES, "demo-1.0-py3-none-any.whl"))
    assert {name.rpartition("-")[2] for name in others} == {"macosx_11_0_arm64.whl", "win_amd64.whl"}
    assert len(ours) == 7


def test_the_interpreters_to_choose_by_are_those_with_data() -> None:
    assert all(platforms.host(tag, "x86_64", "glibc") for tag in PYTHONS)
    versions = [int(tag.removeprefix("cp3")) for tag in PYTHONS]
    assert versions == list(range(versions[0], 7, -1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("numpy==2.4.6", True), ("numpy >= 2, <3", True), ("ruamel.yaml[x]~=0.18", True), ("numpy", False), ("dist", False),
        ("dist/a==1.whl", False), ("a==1.whl", False), ("./numpy==1", False), ("", False),
    ],
)  # fmt: skip
def test_a_name_is_asked_of_an_index_only_with_a_version(text: str, *, expected: bool) -> None:
    assert is_requirement(text) is expected


class Index:
    """A simple index (PEP 503) that serves the sample, and counts what is downloaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.downloads: list[str] = []
        self.redirect: str | None = None
        page = folder / "wheelproof-sample" / "index.html"
        page.parent.mkdir(parents=True)
        shutil.copy(SAMPLE, page.parent)
        self.page = page
        self.tell(hashlib.sha256(SAMPLE.read_bytes()).hexdigest())

    def tell(self, digest: str | None) -> None:
        """Say that this is the sample's hash."""
        fragment = f"#sha256={digest}" if digest else ""
        self.page.write_text(f'<a href="{SAMPLE.name}{fragment}">{SAMPLE.name}</a>\n')


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    served = Index(tmp_path / "index")

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if served.redirect is None or not self.path.endswith(".whl"):
                super().do_GET()
                return
            self.send_response(302)
            self.send_header("Location", served.redirect)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            if self.path.endswith(".whl"):
                served.downloads.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(served.folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        served.url = f"http://127.0.0.1:{server.server_port}/"  # type: ignore[attr-defined]
        yield served
        server.shutdown()
        thread.join()


@pytest.fixture
def check(commands: Commands, index: Index) -> Run:
    """``wheelproof check`` with the real engine, a cache of its own, and pip configured for that index."""

    def run(*words: str, **more: str) -> Done:
        settings = {
            "PIP_INDEX_URL": index.url,  # type: ignore[attr-defined]
            "PIP_CONFIG_FILE": "/dev/null",
            "XDG_CACHE_HOME": str(commands.folder / "cache"),
            "HOME": str(commands.folder),
        }
        return commands.run("check", *words, module="checker", **{**settings, **more})

    return run


def test_a_wheel_is_fetched_verified_judged_and_told_by_its_name(check: Run, index: Index) -> None:
    done = check("wheelproof-sample==1.0")
    assert (done.code, done.out.partition(" (")[0]) == (0, f"{SAMPLE.name}: ok")
    assert done.err == f"wheelproof: fetching {SAMPLE.name}\n"
    assert index.downloads == [f"/wheelproof-sample/{SAMPLE.name}"]


def test_what_was_fetched_is_kept_and_verified_again(check: Run, index: Index, commands: Commands) -> None:
    assert check("wheelproof-sample==1.0").code == 0
    assert check("wheelproof-sample==1.0", "-q").err == ""
    assert len(index.downloads) == 1
    (kept,) = (commands.folder / "cache").rglob("*.whl")
    kept.write_bytes(b"spoiled")
    assert check("wheelproof-sample==1.0").code == 0
    assert len(index.downloads) == 2


def test_bytes_with_another_hash_are_not_judged(check: Run, index: Index, commands: Commands) -> None:
    index.tell("0" * 64)
    done = check("wheelproof-sample==1.0")
    assert (done.code, done.out) == (2, "")
    assert SAMPLE.name in done.err
    assert list((commands.folder / "cache").rglob("*.whl")) == []


def test_an_index_without_hashes_is_told(check: Run, index: Index) -> None:
    index.tell(None)
    done = check("wheelproof-sample==1.0")
    assert done.code == 0
    assert "the index tells no hash" in done.err


def test_every_wheel_of_a_release(check: Run) -> None:
    done = check("wheelproof-sample>0", "--all-platforms", "--format", "json")
    assert done.code == 0
    assert f'"path": "{SAMPLE.name}"' in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("wheelproof-sample==2",), "wheelproof-sample==2: the index has no wheel of such a version"),
        (("no-such-project==1",), "no-such-project: not found in any index: "),
        (("wheelproof-sample==1.0", "--platform", "manylinux_2_28_s390x"), "none of its 1 wheels fits"),
        (("wheelproof-sample==1.0", "--python", "x.platform"), "it must be a tag"),
        (("wheelproof-sample==one",), "is neither a file nor a requirement"),
        (("wheelproof-sample",), "wheelproof-sample: no such file or directory"),
    ],
)
def test_what_cannot_be_had_is_told(check: Run, words: tuple[str, ...], told: str) -> None:
    done = check(*words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_without_a_network_the_reason_is_told(check: Run) -> None:
    done = check("wheelproof-sample==1.0", PIP_INDEX_URL="http://127.0.0.1:9/")
    assert done.code == 2
    assert "wheelproof-sample: " in done.err
    assert "Traceback" not in done.err


def test_an_index_named_on_the_command_line_takes_the_place_of_pip_s(check: Run, index: Index) -> None:
    url: str = index.url  # type: ignore[attr-defined]
    assert check("wheelproof-sample==1.0", "--index-url", url, PIP_INDEX_URL="http://127.0.0.1:9/").code == 0


def test_options_of_an_index_without_a_name_are_a_mistake(check: Run) -> None:
    done = check(str(SAMPLE), "--all-platforms")
    assert (done.code, "are for wheels by name" in done.err) == (2, True)


def test_a_hash_is_no_path_of_the_cache(check: Run, index: Index, commands: Commands) -> None:
    precious = commands.folder / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    for digest in (str(precious), "../../../precious", "0" * 63, ""):
        index.page.write_text(f'<a href="{SAMPLE.name}#sha256={digest}">{SAMPLE.name}</a>\n')
        done = check("wheelproof-sample==1.0")
        assert (precious / "file").read_text() == "kept"
        assert "Traceback" not in done.err
        if digest:
            assert (done.code, done.out) == (2, "")
            assert "no hash that can be verified (sha256)" in done.err


def test_an_index_elsewhere_cannot_name_files_of_this_machine(check: Run, index: Index) -> None:
    local = f"{SAMPLE.parent.as_uri()}/"
    for page in (f'<a href="{local}{SAMPLE.name}">x</a>', f'<base href="{local}"><a href="{SAMPLE.name}">x</a>'):
        index.page.write_text(page)
        done = check("wheelproof-sample==1.0")
        assert (done.code, done.out) == (2, "")


def test_a_folder_of_wheels_on_this_machine_may_serve_them(check: Run) -> None:
    done = check("wheelproof-sample==1.0", PIP_FIND_LINKS=str(SAMPLE.parent), PIP_NO_INDEX="1")
    assert (done.code, done.out.partition(" (")[0]) == (0, f"{SAMPLE.name}: ok")


def test_an_index_elsewhere_cannot_redirect_to_files_of_this_machine(check: Run, index: Index) -> None:
    index.redirect = SAMPLE.as_uri()
    done = check("wheelproof-sample==1.0")
    assert (done.code, done.out) == (2, "")
    assert "redirects to file:" in done.err


def test_a_weak_hash_is_told(check: Run, index: Index) -> None:
    digest = hashlib.md5(SAMPLE.read_bytes(), usedforsecurity=False).hexdigest()
    index.page.write_text(f'<a href="{SAMPLE.name}#md5={digest}">{SAMPLE.name}</a>\n')
    done = check("wheelproof-sample==1.0")
    assert done.code == 0
    assert "the index tells only md5, which can be forged" in done.err


def test_a_cache_that_cannot_be_written_is_told(check: Run, commands: Commands) -> None:
    (commands.folder / "taken").write_text("")
    done = check("wheelproof-sample==1.0", XDG_CACHE_HOME=str(commands.folder / "taken"))
    assert (done.code, done.out) == (2, "")
    assert "cannot be kept: " in done.err


def test_a_marker_is_refused(check: Run) -> None:
    done = check('wheelproof-sample==1.0; os_name=="nt"')
    assert (done.code, done.out) == (2, "")
    assert "leave out the marker" in done.err


def test_wheels_are_put_in_their_place_whole(check: Run, commands: Commands) -> None:
    assert check("wheelproof-sample==1.0").code == 0
    (kept,) = (commands.folder / "cache" / "wheelproof" / "wheels").iterdir()
    assert [path.name for path in kept.iterdir()] == [SAMPLE.name]
