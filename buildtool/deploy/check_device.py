"""What would keep a target's programs from running on a device, from the facts about the device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from buildtool.core.value import Value
from buildtool.deploy.facts import Facts
from buildtool.deploy.fit import misfits
from buildtool.project.model import Target
from buildtool.release.slices import HOST, Release, Slice

REQUIRED_TOOLS = (
    *("cat", "chmod", "cp", "df", "find", "head", "kill", "ln", "mkdir", "mkfifo", "mv"),
    *("readlink", "rm", "rmdir", "setsid", "sha256sum", "sleep", "stat", "tail", "tar", "touch"),
)
"""Programs that buildtool's scripts run on devices."""
LITTLE_SPACE = 64 << 20
DMA_HEAP = "/dev/dma_heap/system"


class Finding(Value):
    """Something that was checked; `remedy` is what to do about it, "" if it is as it should be."""

    what: str
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"ok": not self.remedy, **self._asdict()}


def check_device(facts: Facts, name: str, target: Target | None) -> tuple[Finding, ...]:
    """The findings about a device whose target is `target`, called `name`."""
    findings = [*_root(facts), *_tools(facts)]
    if target:
        if target.archs:
            findings += _dsp(facts)
        findings += _fit(facts, name, target)
    return tuple(findings)


def _root(facts: Facts) -> Iterator[Finding]:
    if facts.unwritable:
        yield Finding(
            f"releases cannot be installed in {facts.root}: {facts.unwritable}",
            f"Create it there for the user {facts.user or facts.uid}: sudo install -d -o"
            f" {facts.user or facts.uid} {facts.root}; or set another root in devices.toml.",
        )
        return
    yield Finding(f"releases can be installed in {facts.root}")
    if not facts.executable:
        yield Finding(
            f"programs in {facts.root} cannot be executed: its file system is mounted with noexec,"
            " or a security policy forbids it",
            "Set another root in devices.toml.",
        )
    if not facts.links:
        yield Finding(
            f"the file system of {facts.root} has no symbolic links, which releases need",
            "Set another root in devices.toml.",
        )
    space = f"{facts.free >> 20:,} MiB are free in {facts.root}"
    if facts.free < LITTLE_SPACE:
        yield Finding(space, "Delete files there, or set another root in devices.toml.")
    else:
        yield Finding(space)


def _tools(facts: Facts) -> Iterator[Finding]:
    missing = [tool for tool in REQUIRED_TOOLS if tool not in facts.tools]
    if missing:
        yield Finding(
            f"the device has no {', '.join(missing)}",
            "Install them there: Debian has them in coreutils, findutils, tar and util-linux;"
            " busybox and toybox have them too.",
        )
    else:
        yield Finding("the device has the programs that buildtool runs there")


def _dsp(facts: Facts) -> Iterator[Finding]:
    nodes = [node for node in facts.nodes if "rpc" in node.path]
    if facts.capabilities.get("domain_support"):
        yield Finding(f"the DSP answers: {facts.arch_source}")
    elif not nodes:
        yield Finding(
            "there is no device node of the DSP (/dev/fastrpc-cdsp, /dev/adsprpc-smd)",
            "Start the DSP: check that its firmware and the kernel's FastRPC driver are there.",
        )
    needed = [*nodes, *(node for node in facts.nodes if node.path == DMA_HEAP)]
    usable = any(node.readable and node.writable for node in nodes)
    for node in needed:
        allowed = f"{node.path} (mode {node.mode or 'unknown'}, {node.owner}:{node.group})"
        if node.readable and node.writable:
            yield Finding(f"{allowed} can be used")
        elif node.path == DMA_HEAP or not usable:  # one node of the DSP is enough
            yield Finding(
                f"{facts.user or facts.uid} may not read and write {allowed}",
                f"Add the user to its group: sudo usermod -aG {node.group} {facts.user}; then log"
                " in again."
                if node.group not in ("", "?", "root")
                else "Add a udev rule that gives it a group of the user, or run as another user.",
            )


def _fit(facts: Facts, name: str, target: Target) -> Iterator[Finding]:
    nowhere = Path()
    slices = tuple(Slice(part, (), ()) for part in (HOST, *target.archs))
    found = [*misfits(facts, Release(name, nowhere, nowhere, slices), target)]
    for misfit in found:
        yield Finding(f"{misfit.problem}: {misfit.evidence}", misfit.remedy)
    if not found:
        yield Finding(f"the target {name!r} fits")
