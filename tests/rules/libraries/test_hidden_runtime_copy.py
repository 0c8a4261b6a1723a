from __future__ import annotations

import pytest

from checker.archive.errors import ArchiveError
from checker.elf import read_elf
from checker.model.signature import Signatures
from checker.model.sparse import SparseBytes
from checker.rules.libraries.hidden_runtime_copy import RULE
from checker.signatures import TEXTS, SignatureSearch
from tests.elfwriter import Elf, write
from tests.rules.builders import MODULE, case, elf, told

EXAMPLES = {
    "cxx": [b"terminate called after throwing an instance of '", b"libc++abi: "],
    "openmp": [b"\nlibgomp: ", b"LLVM OMP version: 5.0.20140926", b"Intel(R) OMP version: 5.0.20230118"],
    "blas": [b"OpenBLAS 0.3.21"],
    "openssl": [b"OpenSSL 3.5.4 30 Sep 2025", b"OpenSSL 1.1.1w  11 Sep 2023", b"BoringSSL"],
    "zlib": [b" inflate 1.3.1 Copyright 1995-2024 Mark Adler ", b" deflate 1.2.11 Copyright 1995-2017 Jean-loup Gailly"],
    "protobuf": [b"[libprotobuf %s %s:%d] %s"],
}


def found(data: bytes, *, kept: int | None = None) -> tuple[tuple[str, str], ...]:
    """What is found in a file whose code segment holds that; only so many of its bytes were kept."""
    image = write(Elf(text=b"\0" + data + b"\0"))
    whole = SparseBytes(size=len(image), parts=((0, image),))
    content = SparseBytes(size=len(image), parts=((0, image[:kept]),))
    search = SignatureSearch()
    search.look(read_elf("x.so", whole), content, lambda ranges: SparseBytes(
        size=len(image), parts=tuple((start, image[start : start + size]) for start, size in ranges)))  # fmt: skip
    (one,) = search.found()
    return one.texts


@pytest.mark.parametrize(("family", "text"), [(family, text) for family, texts in EXAMPLES.items() for text in texts])
@pytest.mark.parametrize("kept", [None, 64])
def test_each_text_is_found_whether_it_was_kept_or_is_read_again(family: str, text: bytes, kept: int | None) -> None:
    assert [name for name, _ in found(text, kept=kept)] == [family]


def test_every_text_has_an_example_and_every_family_is_asked_for() -> None:
    assert {family for family, _, _ in TEXTS} == EXAMPLES.keys() == set(RULE.parameters().families)


@pytest.mark.parametrize(
    "text", [b"OpenSSL 3 was not found", b"see inflate for more", b"OpenBLAS is fast", b"NotBoringSSL", b""]
)
def test_words_about_a_runtime_are_not_the_runtime(text: bytes) -> None:
    assert found(text) == ()


def test_what_cannot_be_read_again_is_an_error_that_the_engine_tells() -> None:
    image = write(Elf())

    def refuse(_: object) -> SparseBytes:
        raise ArchiveError("x.whl", 0, "cannot be read")

    whole = SparseBytes(size=len(image), parts=((0, image),))
    with pytest.raises(ArchiveError):
        SignatureSearch().look(read_elf("x.so", whole), SparseBytes(size=len(image), parts=((0, image[:64]),)), refuse)


def test_each_hidden_runtime_is_told_with_its_texts() -> None:
    texts = (("openssl", "OpenSSL 3.5.4 30 Sep 2025"), ("zlib", "deflate 1.3.1 Copyright"), ("zlib", "inflate 1.3.1 Copyright"))
    asked = case(elf(), signatures=(Signatures(file=MODULE, texts=texts),))
    assert [(one.subject, one.message.partition(": ")[2]) for one in told(RULE, asked)] == [
        ("openssl", "OpenSSL 3.5.4 30 Sep 2025"),
        ("zlib", "deflate 1.3.1 Copyright and inflate 1.3.1 Copyright"),
    ]
    assert [one.subject for one in told(RULE, asked, families=("openssl",))] == ["openssl"]


def test_a_runtime_s_own_library_and_users_of_a_shared_openssl_are_silent() -> None:
    texts = (("openssl", "OpenSSL 3.5.4 30 Sep 2025"),)
    own = elf(exports=[b"EVP_DigestInit_ex"])
    user = elf(needed=("libcrypto-0a1b2c3d.so.3", "libc.so.6"))
    for facts in (own, user):
        assert told(RULE, case(facts, signatures=(Signatures(file=MODULE, texts=texts),))) == []
    assert told(RULE, case(elf())) == []
