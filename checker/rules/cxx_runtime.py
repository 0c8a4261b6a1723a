"""Which symbol names belong to the C++ runtime: the Itanium C++ ABI's support library, the standard library and the unwinder.

A standard template made for the user's own types (``std::vector<Shape>``) is the user's code and no
runtime's.
"""

from __future__ import annotations

import re
from functools import lru_cache

from checker.model.demangle import demangled

LIBC_OWN = frozenset({"__cxa_atexit", "__cxa_finalize", "__cxa_thread_atexit_impl", "__cxa_at_quick_exit"})
"""Names of the C++ ABI that the C library defines (glibc ``stdlib/Versions``)."""

PERSONALITIES = frozenset({"__gxx_personality_v0", "__gxx_personality_sj0", "__gcc_personality_v0"})

CORE = PERSONALITIES | {
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_rethrow",
    "__cxa_throw",
    "_Unwind_Resume",
    "_ZTVN10__cxxabiv117__class_type_infoE",
    "_ZTVN10__cxxabiv120__si_class_type_infoE",
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdlPvj",
    "_Znwm",
    "_Znwj",
}
"""Names that nearly every C++ object asks for: where these are missing, the whole runtime is."""

# Compiled by re when they are first used: start-up time counts, and most wheels never ask.
_ABI = r"__cxa_\w+|__dynamic_cast|_Unwind_\w+|__(?:de)?register_frame\w*|__emutls_get_address|__cpu_(?:model|indicator_init)"

# libgcc, "Routines for integer arithmetic" and "for floating point emulation" (GCC Internals); *i2/*i3 by operand count.
_LIBGCC = (
    r"__(?:u?div|u?mod|u?divmod|mul|ashl|ashr|lshr|u?cmp|clz|ctz|ffs|parity|popcount|neg|bswap|clrsb|absv|addv|subv|mulv|negv)[sdt]i[2-5]"
    r"|__(?:add|sub|mul|div|neg|powi|eq|ne|lt|le|gt|ge|unord|mulc?|divc?)[hbsdxt][fc][23]"
    r"|__(?:fix|fixuns|float|floatun|extend|trunc)[hbsdxt][fi][hbsdxt][fi]2?"
)

_OPERATOR_NEW_DELETE = r"_Z(?:n[wa][jm]|d[la]P)"

# What a mangled name of the namespaces std, __gnu_cxx and __cxxabiv1 begins with: data and functions, then vtables, VTTs, type
# information and its names, guards, thunks (Itanium C++ ABI, 5.1.4 and 5.1.5).
_NAMESPACE = r"(?:S[tabsiod]|9__gnu_cxx|10__cxxabiv1)"
_SCOPED = (
    rf"_Z(?:T[VTISC]|GV|GR|T[hv]n?\d+_(?:n?\d+_)?|GTt)?(?:{_NAMESPACE}|N[rVK]*[RO]?{_NAMESPACE})"
    r"|_ZT[IS](?:P|PK)?(?:[vwbcahstijlmxynofdegz]|D[nisdefh])\Z"
)

_OUTERMOST = r"(?<![\w:>~])[A-Za-z_]\w*"
_WORDS = """
    std __gnu_cxx __cxxabiv1 const volatile signed unsigned char short int long float double bool
    void wchar_t char8_t char16_t char32_t __int128 __float128 decltype nullptr_t auto restrict
    noexcept operator new delete vtable VTT construction typeinfo name for guard variable virtual
    thunk non to covariant return type reference temporary transaction clone true false in abi cxx11
    tm_clone_alias lambda unnamed enable_if requires
"""
_NOT_THE_USERS = frozenset(_WORDS.split())
"""What demangled names hold besides the user's own."""


@lru_cache(maxsize=65536)
def is_cxx_runtime_symbol(name: str) -> bool:
    """The symbol is one that a C++ runtime supplies (libstdc++, libc++, libsupc++, libc++abi, libgcc, libunwind)."""
    if not name.startswith("_"):
        return False
    if not name.startswith("_Z"):
        return (
            (re.fullmatch(_ABI, name) is not None and name not in LIBC_OWN)
            or name in PERSONALITIES
            or re.fullmatch(_LIBGCC, name) is not None
        )
    if re.match(_OPERATOR_NEW_DELETE, name):
        return True
    return re.match(_SCOPED, name) is not None and not _names_the_user(name)


def is_template(name: str) -> bool:
    """The symbol is, or belongs to, an instance of a template, which any library that uses it may define."""
    return "<" in demangled(name)


def _names_the_user(name: str) -> bool:
    """Some type or function in it lies outside the runtime's namespaces."""
    shown = demangled(name)
    return shown != name and any(word not in _NOT_THE_USERS for word in re.findall(_OUTERMOST, shown))
