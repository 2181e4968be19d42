"""The user's ssh, with the user's configuration, agent and known hosts."""

from __future__ import annotations

from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.program import probe_version
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    ToolMissingError,
    programs_on_path,
    search,
    tool_identity,
)

INSTALL = "Install it: apt-get install openssh-client"


class SshProgram(FoundTool, kw_only=True):
    """A found OpenSSH client; `where` is the program, `version` OpenSSH's ("9.2p1")."""


def find_ssh(requirement: Tool = NO_REQUIREMENT) -> SshProgram:
    """Find ssh: `path` in [tool.ssh], else on PATH.

    Raises `ToolMissingError`, `ToolUnfitError`.
    """
    return search(
        "ssh",
        requirement=requirement,
        variables=(),
        default_paths=programs_on_path("ssh"),
        probe=_probe,
        install_remedy=INSTALL,
    )


def find_ssh_keygen() -> Path:
    """The program ssh-keygen on PATH.  Raises `ToolMissingError`."""
    for program in programs_on_path("ssh-keygen"):
        return program
    raise ToolMissingError(
        "ssh-keygen is not installed",
        why="OpenSSH's keys sign releases and verify them",
        remedy=INSTALL,
    )


def _probe(program: Path) -> SshProgram | None:
    if not program.is_file():
        return None
    version, problems = probe_version(program, "-V", pattern=r"^OpenSSH_(?:\D+_)?(\d[\w.]{0,20})")
    if problems:
        problems = tuple(
            Problem(f"it is not OpenSSH: {problem.text}", INSTALL) for problem in problems
        )
    return SshProgram(
        where=program,
        version=version or "unknown",
        identity=tool_identity("ssh", version, {"ssh": program}),
        problems=problems,
    )
