"""Which codec reads an artifact, and that all of them read the same."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING

import pytest

from checker.archive.codec import codec_for
from tests.archive.zips import wheel_files, zip_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from checker.archive.codec import Codec

BODY = b"a wheel's member " * 5000


def test_every_codec_inflates_sums_and_hashes_the_same(codec: Codec) -> None:
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(BODY) + packer.flush()
    decoder, digest = codec.inflater(), codec.sha256()

    unpacked = decoder.decompress(packed + b"tail", 1000)
    unpacked += decoder.decompress(decoder.unconsumed_tail, len(BODY))
    digest.update(unpacked)

    assert unpacked == BODY
    assert (decoder.eof, decoder.unused_data) == (True, b"tail")
    assert codec.crc32(BODY[9:], codec.crc32(BODY[:9], 0)) == zlib.crc32(BODY)
    assert digest.hexdigest() == hashlib.sha256(BODY).hexdigest()


def test_every_codec_refuses_a_damaged_stream_as_it_says(codec: Codec) -> None:
    with pytest.raises(codec.InflateError):
        codec.inflater().decompress(b"\xff" * 99, 99)


SCAN = (
    "import sys\n"
    "for name in sys.argv[2:]: sys.modules[name] = None\n"
    "from checker.archive import scan\n"
    "found = scan(sys.argv[1], lambda *_: None, lambda *_: None)\n"
    "print(sorted({'_hashlib', 'isal', 'zlib'} & {name for name, module in sys.modules.items() if module}))\n"
    "print(len(found.problems), *(member.sha256 for member in found.members if member.path == 'body'))\n"
)


def scan_in_a_process_of_its_own(path: Path, *missing: str) -> tuple[str, list[str]]:
    """The modules that it loaded, and the number of problems with the digest of ``body``."""
    ran = subprocess.run([sys.executable, "-c", SCAN, str(path), *missing], capture_output=True, text=True, check=True)
    modules, told = ran.stdout.splitlines()
    return modules, told.split()


@pytest.mark.parametrize(("size", "expected"), [(1000, "['zlib']"), (1 << 18, "['_hashlib', 'isal']")], ids=["small", "large"])
def test_what_is_slow_to_load_is_loaded_for_a_large_artifact_only(tmp_path: Path, size: int, expected: str) -> None:
    body = hashlib.sha512(b"seed").digest() * (size // 64)
    path = tmp_path / "demo.zip"
    path.write_bytes(zip_bytes({"body": body, "incompressible": hashlib.shake_256(b"seed").digest(size)}))

    assert scan_in_a_process_of_its_own(path) == (expected, ["0", hashlib.sha256(body).hexdigest()])


def test_what_is_always_there_serves_where_isal_and_openssl_are_missing(tmp_path: Path) -> None:
    body = hashlib.shake_256(b"seed").digest(1 << 18)
    path = tmp_path / "demo.zip"
    path.write_bytes(zip_bytes({**wheel_files(), "body": body}))

    told = scan_in_a_process_of_its_own(path, "isal", "_hashlib")

    assert told == ("['zlib']", ["0", hashlib.sha256(body).hexdigest()])


def test_the_codec_is_chosen_by_the_size_of_the_artifact() -> None:
    assert codec_for(1 << 17).crc32 is zlib.crc32
    assert codec_for(1 << 18).sha256().hexdigest() == hashlib.sha256().hexdigest()
