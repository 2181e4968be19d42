"""All rules, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.rules import (
    android_api,
    android_pages,
    arm64_machine,
    cdsprpc_functions,
    cdsprpc_soname,
    cxx_runtime,
    declared_archs,
    declared_components,
    declared_contents,
    declared_files,
    dsp_arch,
    glibc_floor,
    hexagon_machine,
    host_platform,
    host_symbols,
    hvx_instructions,
    idl_digest,
    needed_libraries,
    no_build_paths,
    no_empty_files,
    no_executable_stack,
    no_shadowed_library,
    no_shipped_cdsprpc,
    no_text_relocations,
    no_undeclared_files,
    plain_files,
    qf_values,
    runpath_in_release,
    shell_symbols,
    skel_alignment,
    skel_entry,
    skel_hash,
    skel_libraries,
    stripped,
    valid_elf,
    wrapped_malloc,
)
from buildtool.contract.subject import Subject


class RuleModule(Protocol):
    """A module of `buildtool.contract.rules`."""

    RULE: Rule

    def check(self, subject: Subject) -> Iterator[Finding]:
        """The violations of the rule in the subject."""


RULES: tuple[RuleModule, ...] = (
    # what is there
    declared_files,
    no_undeclared_files,
    declared_contents,
    declared_components,
    declared_archs,
    plain_files,
    no_empty_files,
    # whether each file is for its place
    valid_elf,
    arm64_machine,
    hexagon_machine,
    dsp_arch,
    idl_digest,
    # whether the ARM64 side starts on the devices
    host_platform,
    glibc_floor,
    android_api,
    android_pages,
    needed_libraries,
    cdsprpc_soname,
    cdsprpc_functions,
    host_symbols,
    no_shipped_cdsprpc,
    no_shadowed_library,
    runpath_in_release,
    # whether the DSP loads the skels
    skel_alignment,
    skel_hash,
    wrapped_malloc,
    shell_symbols,
    cxx_runtime,
    skel_libraries,
    skel_entry,
    # whether the DSP executes their vector instructions
    hvx_instructions,
    qf_values,
    # what no file may have
    no_text_relocations,
    no_executable_stack,
    no_build_paths,
    stripped,
)


def check(subject: Subject) -> list[Finding]:
    """All findings, in the order of the rules, and for each rule of the paths."""
    found = [finding for module in RULES for finding in module.check(subject)]
    order = {module.RULE.name: index for index, module in enumerate(RULES)}
    return sorted(found, key=lambda finding: (order[finding.rule], finding.path))
