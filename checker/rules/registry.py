"""All rules, in the order of the catalogue: the order of documentation and of reports.

A rule's module is imported when the rule is first asked or described: importing all of them takes longer than checking a small
wheel. Rules that most wheels give no occasion stand here with the occasion (:mod:`checker.rules.occasions`).
"""

from __future__ import annotations

from importlib import import_module

from checker.model.rule import always
from checker.rules import occasions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.case import Case
    from checker.model.policy import RuleSpec
    from checker.model.rule import Rule


class _Named:
    """Stands for the :class:`Rule` of that name; what is not told here is its module's ``RULE`` to tell."""

    def __init__(self, family: str, identity: str, when: Callable[[Case], bool]) -> None:
        self.family, self.id, self.when = family, identity, when

    def __getattr__(self, name: str) -> object:
        rule = import_module(f"checker.rules.{self.family}.{self.id.replace('-', '_')}").RULE
        self.parameters, self.check, self.doc = rule.parameters, rule.check, rule.doc
        return object.__getattribute__(self, name)


def _named(family: str, identity: str, when: Callable[[Case], bool] = always) -> Rule:
    named: object = _Named(family, identity, when)
    return named  # type: ignore[return-value] # it has all that a rule has


class _Spec:
    """Stands for the :class:`RuleSpec` of a rule."""

    def __init__(self, rule: Rule) -> None:
        self.id, self._rule = rule.id, rule

    @property
    def parameters(self) -> type[object]:
        """The class of the rule's parameters."""
        return self._rule.parameters

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return self._rule.doc.partition("\n")[0]


RULES: tuple[Rule, ...] = (
    _named("libraries", "missing-library", when=occasions.has_lost_libraries),
    _named("libraries", "unreachable-bundled-library", when=occasions.has_lost_libraries),
    _named("libraries", "library-outside-platform"),
    _named("libraries", "forbidden-needed-library"),
    _named("libraries", "required-bundled-library"),
    _named("libraries", "forbidden-bundled-library"),
    _named("libraries", "orphan-bundled-library"),
    _named("libraries", "duplicate-bundled-library", when=occasions.has_several_objects),
    _named("libraries", "soname-mismatch", when=occasions.has_bundled_needs),
    _named("libraries", "clashing-runtimes"),
    _named("libraries", "hidden-runtime-copy"),
    _named("libraries", "generic-library-at-install-root"),
    _named("libraries", "undeclared-provider", when=occasions.has_declared_libraries),
    _named("libraries", "preload-only-library", when=occasions.hangs_on_preloads),
    _named("libraries", "unused-needed-library", when=occasions.has_unused_libraries),
    _named("libraries", "undeclared-dependency", when=occasions.has_open_imports),
    _named("libraries", "load-failure", when=occasions.has_refused_roots),
    _named("symbols", "unresolved-symbol", when=occasions.has_open_imports),
    _named("symbols", "unresolved-cxx-runtime-symbol", when=occasions.has_open_imports),
    _named("symbols", "symbol-version-missing", when=occasions.has_open_imports),
    _named("symbols", "symbol-version-too-new"),
    _named("symbols", "symbol-not-on-platform", when=occasions.has_open_imports),
    _named("symbols", "unknown-version-namespace"),
    _named("symbols", "private-platform-symbol"),
    _named("symbols", "interposed-symbol", when=occasions.has_interpositions),
    _named("symbols", "leaked-runtime-symbols"),
    _named("symbols", "unexpected-export"),
    _named("symbols", "unique-symbol-export"),
    _named("symbols", "initial-exec-tls", when=occasions.has_static_tls),
    _named("interpreter", "missing-interpreter-symbol", when=occasions.has_open_imports),
    _named("interpreter", "missing-init-function"),
    _named("interpreter", "wrong-extension-suffix"),
    _named("interpreter", "stable-abi-violation", when=occasions.has_stable_abi_tags),
    _named("interpreter", "could-be-stable-abi"),
    _named("platform", "platform-tag-too-old"),
    _named("platform", "platform-tag-too-new"),
    _named("platform", "libc-mismatch"),
    _named("platform", "wrong-architecture"),
    _named("platform", "elf-in-pure-wheel"),
    _named("platform", "platform-tag-without-code", when=occasions.has_no_objects),
    _named("platform", "isa-level-too-high", when=occasions.has_isa_needs),
    _named("platform", "unexpected-instruction-set"),
    _named("platform", "small-page-alignment"),
    _named("platform", "dt-relr-without-marker", when=occasions.has_relr),
    _named("platform", "truncated-elf-data", when=occasions.has_cut_objects),
    _named("runpaths", "absolute-run-path", when=occasions.has_run_paths),
    _named("runpaths", "escaping-run-path", when=occasions.has_run_paths),
    _named("runpaths", "dead-run-path", when=occasions.has_run_paths),
    _named("runpaths", "leaked-build-path"),
    _named("runpaths", "inherited-run-path", when=occasions.has_run_paths),
    _named("hardening", "executable-stack"),
    _named("hardening", "text-relocations", when=occasions.has_text_relocations),
    _named("hardening", "writable-executable-segment"),
    _named("hardening", "missing-relro"),
    _named("hardening", "lazy-binding"),
    _named("hardening", "missing-stack-protector"),
    _named("hardening", "missing-fortify"),
    _named("hardening", "missing-branch-protection"),
    _named("hardening", "non-pie-executable", when=occasions.has_fixed_programs),
    _named("wheel", "bad-wheel-name"),
    _named("wheel", "bad-wheel-metadata"),
    _named("wheel", "wheel-duplicate-header"),
    _named("wheel", "record-mismatch"),
    _named("wheel", "ambiguous-archive"),
    _named("wheel", "unsafe-member-path"),
    _named("wheel", "unstripped-binary", when=occasions.has_symbol_tables),
    _named("wheel", "debug-info", when=occasions.has_debug_sections),
    _named("wheel", "size-over-budget"),
    _named("wheel", "undocumented-bundled-library"),
    _named("wheel", "missing-dlopen-target", when=occasions.opens_by_name),
)
_SPECS: tuple[object, ...] = tuple(map(_Spec, RULES))


def specs() -> tuple[RuleSpec, ...]:
    """What the policy layer must know of the rules."""
    return _SPECS  # type: ignore[return-value] # they have all that a spec has
