"""A file exports the symbols of a runtime that it carries within itself.

## What

A C++ runtime, an unwinder, zlib or OpenSSL was linked in from a static library, and its symbols are exported:
one finding for each file and runtime, with their number. A file that *is* that runtime, by SONAME or name,
may export it, and so may a program.

## Why it breaks

The copy is not the file's own any more. What the file loads looks for these names in it first, though it was
built for another version; and its own calls go to whichever copy comes first in the process: that of
the interpreter, of a preloaded library, of a sibling. Two half-used copies of a C++ runtime crash in streams,
locales and exceptions; of OpenSSL, in its global tables.

## Causes and fixes

- Link with `-Wl,--exclude-libs,ALL`, which hides what comes of static libraries.
- Or export the interface only, by a version script: `-Wl,--version-script=exports.map` with
  `{ global: PyInit_*; local: *; };`.
- Build the static library with `-fvisibility=hidden`. With `-static-libstdc++ -static-libgcc`, hide
  both: libstdc++'s headers give its symbols default visibility whatever the option says.
- Link to the shared library, and let `auditwheel repair` bundle it. (libstdc++ and libgcc_s it leaves to the
  system, and gives the wheel the tag whose systems have their versions.)

## References

ld(1), `--exclude-libs` and "VERSION Command"; gABI chapter 5, "Shared Object Dependencies"; GCC wiki,
"Visibility"; libstdc++ manual, "Using", "Linking".
"""

from __future__ import annotations

import re

from checker.model.elf import Binding
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.runtimes import CXX, OPENMP, OPENSSL, PROTOBUF, RUNTIMES, UNWINDER, ZLIB, carried, exports, is_embedded
from checker.rules.wording import counted, evidence, shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.rules.runtimes import Runtime

_MOST_NAMES = 200
"""Names in the evidence; a runtime can have thousands."""

_STD = rb"(?:S[tabsiod]|9__gnu_cxx|10__cxxabiv1)"
_NAMES = {
    CXX.id: rb"_ZN?K?%b|_ZT[VTIS]N?%b|_Z(?:n[wa]|d[la])|__cxa_|__gxx_" % (_STD, _STD),
    UNWINDER.id: rb"_Unwind_|_?_?unw_|__(?:de)?register_frame",
    ZLIB.id: rb"(?:zng_)?(?:(?:in|de)flate|(?:adler|crc)32)|(?:un)?compress(?:2|Bound)?\Z|gz[a-z]|z(?:lib|Error|calloc)|_tr_",
    OPENSSL.id: rb"(?:%b|i2d|d2i|ossl)_|OPENSSL_|BORINGSSL_|D?TLSv1|SSLv23|SSLeay"
    % rb"|".join(
        b"AES ASN1 ASYNC BF BIO BN BUF CAMELLIA CAST CMAC CMS COMP CONF CRYPTO CT DES DH DSA DTLS EC ECDH ECDSA ENGINE ERR EVP "
        b"HMAC LHASH MD4 MD5 NCONF OBJ OCSP OSSL PEM PKCS12 PKCS5 PKCS7 PKCS8 RAND RC2 RC4 RSA SCT SEED SHA1 SHA224 SHA256 "
        b"SHA384 SHA512 SMIME SRP SSL SXNET TS TXT UI WHIRLPOOL X509 X509V3".split()
    ),
    OPENMP.id: rb"omp_|GOMP_|__kmpc?_|kmp_|ompt_",
    PROTOBUF.id: rb"_Z(?:T[VTIS])?N?K?6google8protobuf",
}
"""Runtime → what the names of its symbols begin with; one without is told by its contested names."""


@record
class Parameters:
    """Parameters.

    Attributes:
        runtimes: which are told: ``cxx``, ``unwinder``, ``openmp``, ``blas``, ``openssl``, ``zlib``, ``protobuf``,
            ``cuda-runtime``, ``allocator``.
    """

    runtimes: tuple[str, ...] = ("cxx", "unwinder", "openssl", "zlib")


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object and runtime."""
    programs = {root.path for root in case.roots if root.host == "executable"}
    told = [runtime for runtime in RUNTIMES if runtime.id in parameters.runtimes]
    for facts in case.objects:
        leaked = [runtime for runtime in told if is_embedded(facts, runtime)] if facts.path not in programs else []
        if leaked:
            strong = _strong_names(facts)
            for runtime in leaked:
                yield _observe(facts, runtime, strong)


def _strong_names(facts: ElfFacts) -> list[bytes]:
    """The names of strong definitions: every object may define weakly what the runtime's headers hold inline."""
    infos = facts.symbols.columns()[0]
    return [name for symbol, name in facts.symbols.exported() if infos[symbol] >> 4 == Binding.STB_GLOBAL]


def _observe(facts: ElfFacts, runtime: Runtime, strong: list[bytes]) -> Observation:
    implementation = carried(facts, runtime)
    name = implementation.name if implementation is not None else runtime.name
    symbols = _symbols_of(facts, runtime, strong)
    return Observation(
        file=facts.path,
        subject=runtime.id,
        message=f"exports {counted(len(symbols), 'symbol')} of {name}, of which it carries a copy: "
        f"{shown_symbols((symbol, None) for symbol in symbols)}",
        evidence=evidence(runtime=name, count=len(symbols), symbols=tuple(map(text, symbols[:_MOST_NAMES]))),
        remedy="Hide them: link with -Wl,--exclude-libs,ALL or a version script; or link the shared library",
    )


def _symbols_of(facts: ElfFacts, runtime: Runtime, strong: list[bytes]) -> list[bytes]:
    """The runtime's among the names; those first that nothing else has."""
    known = (*(marker for one in runtime.implementations for marker in one.markers), *runtime.contested)
    found = dict.fromkeys(exports(facts, known))
    pattern = _NAMES.get(runtime.id)
    if pattern is not None:
        begins = re.compile(pattern).match
        found.update(dict.fromkeys(sorted(name for name in strong if begins(name))))
    return list(found)


RULE = Rule(id="leaked-runtime-symbols", family="symbols", parameters=Parameters, check=check, doc=__doc__ or "")
