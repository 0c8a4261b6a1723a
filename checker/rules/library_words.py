"""By which words licenses and SBOMs name a library: its file's name, and what its project is called."""

from __future__ import annotations

from functools import lru_cache

from checker.model.globs import any_match
from checker.model.regex import regex

_WORD = regex(r"[a-z0-9+]+")
_SHORTEST = 2
"""Characters of a word that says anything: ``libz`` is found by its whole name, and by that of its project."""

_PROJECTS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("openssl",), ("libssl*", "libcrypto*")),
    (("zlib",), ("libz",)),
    (("xz", "liblzma"), ("liblzma*",)),
    (("bzip2",), ("libbz2*",)),
    (("zstandard", "zstd"), ("libzstd*",)),
    (
        ("gcc", "libgcc", "libstdc++", "libgfortran"),
        ("libgcc_s*", "libgfortran*", "libgomp*", "libquadmath*", "libstdc++*", "libatomic*", "libitm*"),
    ),
    (("llvm", "clang"), ("libomp*", "libc++*", "libLLVM*", "libunwind*")),
    (("openblas",), ("libopenblas*", "libscipy_openblas*", "libflexiblas*")),
    (("mkl",), ("libmkl_*", "libiomp*")),
    (("ffmpeg",), ("libav[cdfu]*", "libsw[rs]*", "libpostproc*")),
    (("libjpeg", "libjpeg-turbo"), ("libjpeg*", "libturbojpeg*")),
    (("libpng",), ("libpng*",)),
    (("freetype",), ("libfreetype*",)),
    (("openjpeg",), ("libopenjp2*",)),
    (("lcms", "lcms2", "littlecms", "cms"), ("liblcms*",)),
    (("libwebp", "webp"), ("libwebp*", "libsharpyuv*")),
    (("brotli",), ("libbrotli*",)),
    (("libxcb",), ("libxcb*",)),
    (("krb5", "kerberos"), ("libkrb5*", "libgssapi_krb5*", "libk5crypto*")),
    (("e2fsprogs", "libcom"), ("libcom_err*",)),
    (("curl",), ("libcurl*",)),
    (("openldap",), ("libldap*", "liblber*")),
    (("cyrus",), ("libsasl2*",)),
    (("glib", "glib2"), ("libglib*", "libgobject*", "libgio*", "libgmodule*", "libgthread*")),
    (("icu",), ("libicu*",)),
    (("hdf5",), ("libhdf5*",)),
    (("boost",), ("libboost*",)),
    (("libaec", "szip"), ("libaec*", "libsz*")),
    (("sqlite",), ("libsqlite3*",)),
    (("nghttp2",), ("libnghttp2*",)),
    (("pcre",), ("libpcre*",)),
    (("expat",), ("libexpat*",)),
)
"""Names of projects by globs over their libraries, where these do not say it themselves."""


@lru_cache(maxsize=4096)
def library_words(name: str) -> frozenset[str]:
    """The words of which one must stand in a text that speaks of this library; ``name`` is its ``bundled.stem``."""
    lowered = name.lower()
    plain = _without_version(lowered)
    spellings = {lowered, plain, lowered.removeprefix("lib"), plain.removeprefix("lib")}
    first = {found[0] for each in spellings if (found := _WORD.match(each)) is not None}
    projects = {word for words, globs in _PROJECTS if any_match(globs, name) for word in words}
    return frozenset(word for word in (*spellings, *first, *projects) if len(word) >= _SHORTEST)


def _without_version(name: str) -> str:
    """``libjpeg`` of ``libjpeg-9.4``; in one pass, as names may be as long as a stranger likes."""
    head = name.rstrip("0123456789.")
    start = len(name) - len(name[len(head) :].lstrip("."))
    if start == len(name):
        return name
    return name[: start - 1] if name[:start].endswith(("-", "_", ".")) else name[:start]


def words_of(text: str) -> frozenset[str]:
    """Every word of a text in lower case; each is bounded by anything but a letter, a digit or ``+``."""
    return frozenset(_WORD.findall(text.lower()))
