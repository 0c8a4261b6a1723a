"""Small platforms: no more than the names that the kit's cases ask of a system, as each release has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.elf import Definition
from checker.model.platform import PlatformId
from checker.model.record import record

if TYPE_CHECKING:
    from checker.model.platform import Baseline, Host

Release = tuple[int, ...]
Row = tuple[str, str, bool]
"""Name, version (empty for none), whether it is the default version."""


@record
class System:
    """A platform; also the interpreter or program that loads, told by the names that it exports."""

    id: PlatformId
    libraries: dict[str, Library]

    def library(self, soname: str) -> Library | None:
        """See :class:`checker.model.platform.Baseline`."""
        return self.libraries.get(soname)

    def definers(self, name: bytes) -> tuple[str, ...]:
        """See there."""
        return tuple(sorted(soname for soname, library in self.libraries.items() if library.definitions(name)))

    def is_promised(self, soname: str) -> bool:
        """See there."""
        return soname in self.libraries

    def ceiling(self, namespace: str) -> tuple[int, ...] | None:  # noqa: ARG002
        """See there."""
        return None


@record
class Library:
    """A library of exports."""

    soname: str
    rows: tuple[Row, ...]
    needed: tuple[str, ...] = ()
    symbols_known: bool = True
    further_versions: tuple[bytes, ...] = ()

    @property
    def versions(self) -> tuple[bytes, ...]:
        """See :class:`checker.model.platform.PlatformLibrary`."""
        named = tuple(sorted({version.encode() for _, version, _ in self.rows if version} | set(self.further_versions)))
        return (self.soname.encode(), *named) if named else ()

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """See there."""
        versions = self.versions
        return tuple(
            Definition(
                version=version.encode() or None,
                index=versions.index(version.encode()) + 1 if version else 1,
                hidden=not default,
                binding=1,
                type=2,
                visibility=0,
                defined=True,
                absolute=False,
                value=1,
                symbol=-1,
            )
            for own, version, default in self.rows
            if own.encode() == name
        )


@record
class Opener:
    """Who opens the root: a program that exports nothing, or an interpreter."""

    name: str
    libraries: tuple[str, ...]
    is_measured: bool = True
    exports: tuple[bytes, ...] = ()

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """See :class:`checker.model.platform.Host`."""
        if name not in self.exports:
            return ()
        return Library(soname=self.name, rows=((name.decode(), "", True),)).definitions(name)


_C = "__cxa_finalize _exit calloc dl_iterate_phdr fflush free malloc printf puts realloc strdup strlen"
_MERGED = (2, 34)


def glibc(release: Release) -> System:
    """A glibc, on Debian."""
    base = "GLIBC_2.2.5"
    rows: list[Row] = [(name, base, True) for name in _C.split()]
    rows += [("__printf_chk", "GLIBC_2.3.4", True)]
    pthread: list[Row] = [("pthread_create", base, True)]
    further = [b"GLIBC_PRIVATE"]
    if release >= (2, 27):
        rows.append(("__libc_dynarray_at_failure", "GLIBC_PRIVATE", True))
    if release >= (2, 36):
        further.append(b"GLIBC_ABI_DT_RELR")
    if release >= _MERGED:
        pthread = []
        rows += [(name, "GLIBC_2.34", True) for name in ("__libc_start_main", "dlopen", "pthread_create")]
        rows += [(name, base, False) for name in ("__libc_start_main", "dlopen", "pthread_create")]
    else:
        rows.append(("__libc_start_main", base, True))
    loader = "ld-linux-x86-64.so.2"
    libraries = [
        Library(soname="libc.so.6", rows=tuple(rows), needed=(loader,), further_versions=tuple(further)),
        Library(soname=loader, rows=(("__tls_get_addr", "GLIBC_2.3", True),), further_versions=(base.encode(),)),
        Library(soname="libm.so.6", rows=(("cos", base, True),), needed=("libc.so.6",)),
        Library(soname="libpthread.so.0", rows=tuple(pthread), needed=("libc.so.6",), further_versions=(base.encode(),)),
        *(
            Library(soname=name, rows=(), needed=("libc.so.6",), further_versions=(base.encode(),))
            for name in ("libdl.so.2", "librt.so.1", "libutil.so.1")
        ),
        *_compilers_libraries(),
        Library(soname="libz.so.1", rows=(("zlibVersion", "", True),), needed=("libc.so.6",)),
        Library(soname="libfakeroot-0.so", rows=(), needed=("libc.so.6",)),
    ]
    return System(
        id=PlatformId(family="glibc", release=release, architecture="x86_64"), libraries={one.soname: one for one in libraries}
    )


def _compilers_libraries() -> tuple[Library, ...]:
    cxx = (
        "_ZTVN10__cxxabiv117__class_type_infoE",
        "__cxa_allocate_exception",
        "__cxa_begin_catch",
        "__cxa_end_catch",
        "__cxa_throw",
        "__gxx_personality_v0",
    )
    rows: tuple[Row, ...] = (*((name, "CXXABI_1.3", True) for name in cxx), ("_ZdlPvm", "CXXABI_1.3.9", True))
    unwind = ("_Unwind_Resume", "GCC_3.0", True)
    return (
        Library(soname="libstdc++.so.6", rows=rows, needed=("libm.so.6", "libc.so.6", "libgcc_s.so.1")),
        Library(soname="libgcc_s.so.1", rows=(unwind,), needed=("libc.so.6",)),
    )


def musl(release: Release) -> System:
    """A musl: one library, without versions."""
    names = f"{_C} __libc_start_main __tls_get_addr cos dlopen fopen open posix_fallocate pthread_create stdin"
    if release < (1, 2, 4):
        names += " fopen64 open64 posix_fallocate64"
    library = Library(soname="libc.so", rows=tuple((name, "", True) for name in names.split()))
    return System(id=PlatformId(family="musl", release=release, architecture="x86_64"), libraries={"libc.so": library})


def system(loader: str) -> System:
    """The platform of a loader's name: ``glibc-2.36`` or ``musl-1.2.5``."""
    family, _, text = loader.partition("-")
    release = tuple(map(int, text.split(".")))
    return glibc(release) if family == "glibc" else musl(release)


def opener(loader: str, *, interpreter: bool) -> Opener:
    """The kit's own program, or CPython 3.11 with a shared library."""
    if interpreter:
        exports = (b"PyModule_Create2",)
        return Opener(name="libpython3.11.so.1.0", libraries=("libm.so.6", "libc.so.6"), exports=exports)
    return Opener(name="(main)", libraries=("libc.so.6",) if loader.startswith("glibc") else ("libc.so",))


def _holds_protocols(one: System, other: Opener) -> tuple[Baseline, Host]:
    """For the type checker: these are what the program expects."""
    return one, other
