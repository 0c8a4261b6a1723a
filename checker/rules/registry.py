"""All rules, in the order of the catalogue: the order of documentation and of reports."""

from __future__ import annotations

from checker.model.policy import RuleSpec
from checker.rules.hardening import (
    executable_stack,
    lazy_binding,
    missing_branch_protection,
    missing_fortify,
    missing_relro,
    missing_stack_protector,
    non_pie_executable,
    text_relocations,
    writable_executable_segment,
)
from checker.rules.interpreter import (
    could_be_stable_abi,
    missing_init_function,
    missing_interpreter_symbol,
    stable_abi_violation,
    wrong_extension_suffix,
)
from checker.rules.libraries import (
    forbidden_needed_library,
    library_outside_platform,
    load_failure,
    missing_library,
    preload_only_library,
    required_bundled_library,
    undeclared_dependency,
    undeclared_provider,
    unreachable_bundled_library,
)
from checker.rules.platform import (
    dt_relr_without_marker,
    elf_in_pure_wheel,
    isa_level_too_high,
    libc_mismatch,
    platform_tag_too_new,
    platform_tag_too_old,
    small_page_alignment,
    truncated_elf_data,
    wrong_architecture,
)
from checker.rules.runpaths import (
    absolute_run_path,
    dead_run_path,
    escaping_run_path,
    inherited_run_path,
    leaked_build_path,
)
from checker.rules.symbols import (
    initial_exec_tls,
    interposed_symbol,
    leaked_runtime_symbols,
    private_platform_symbol,
    symbol_not_on_platform,
    symbol_version_missing,
    symbol_version_too_new,
    unexpected_export,
    unique_symbol_export,
    unknown_version_namespace,
    unresolved_cxx_runtime_symbol,
    unresolved_symbol,
)
from checker.rules.wheel import (
    ambiguous_archive,
    bad_wheel_metadata,
    bad_wheel_name,
    debug_info,
    record_mismatch,
    size_over_budget,
    unsafe_member_path,
    unstripped_binary,
    wheel_duplicate_header,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.rule import Rule

RULES: tuple[Rule, ...] = (
    missing_library.RULE,
    unreachable_bundled_library.RULE,
    library_outside_platform.RULE,
    forbidden_needed_library.RULE,
    required_bundled_library.RULE,
    undeclared_provider.RULE,
    preload_only_library.RULE,
    undeclared_dependency.RULE,
    load_failure.RULE,
    unresolved_symbol.RULE,
    unresolved_cxx_runtime_symbol.RULE,
    symbol_version_missing.RULE,
    symbol_version_too_new.RULE,
    symbol_not_on_platform.RULE,
    unknown_version_namespace.RULE,
    private_platform_symbol.RULE,
    interposed_symbol.RULE,
    leaked_runtime_symbols.RULE,
    unexpected_export.RULE,
    unique_symbol_export.RULE,
    initial_exec_tls.RULE,
    missing_interpreter_symbol.RULE,
    missing_init_function.RULE,
    wrong_extension_suffix.RULE,
    stable_abi_violation.RULE,
    could_be_stable_abi.RULE,
    platform_tag_too_old.RULE,
    platform_tag_too_new.RULE,
    libc_mismatch.RULE,
    wrong_architecture.RULE,
    elf_in_pure_wheel.RULE,
    isa_level_too_high.RULE,
    small_page_alignment.RULE,
    dt_relr_without_marker.RULE,
    truncated_elf_data.RULE,
    absolute_run_path.RULE,
    escaping_run_path.RULE,
    dead_run_path.RULE,
    leaked_build_path.RULE,
    inherited_run_path.RULE,
    executable_stack.RULE,
    text_relocations.RULE,
    writable_executable_segment.RULE,
    missing_relro.RULE,
    lazy_binding.RULE,
    missing_stack_protector.RULE,
    missing_fortify.RULE,
    missing_branch_protection.RULE,
    non_pie_executable.RULE,
    bad_wheel_name.RULE,
    bad_wheel_metadata.RULE,
    wheel_duplicate_header.RULE,
    record_mismatch.RULE,
    ambiguous_archive.RULE,
    unsafe_member_path.RULE,
    unstripped_binary.RULE,
    debug_info.RULE,
    size_over_budget.RULE,
)


def specs() -> tuple[RuleSpec, ...]:
    """What the policy layer must know of the rules."""
    return tuple(RuleSpec(id=rule.id, parameters=rule.parameters, summary=rule.doc.partition("\n")[0]) for rule in RULES)
