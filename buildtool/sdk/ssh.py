"""ssh, the user's own: with the configuration, agent and known hosts that the user has."""

from __future__ import annotations

from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.program import version_of
from buildtool.sdk.tool_search import ANY, Found, Problem, identity, programs, search

INSTALL = "Install it: apt-get install openssh-client"


class Ssh(Found, kw_only=True):
    """A found OpenSSH client; `where` is the program, `version` OpenSSH's ("9.2p1")."""


def find_ssh(wish: Tool = ANY) -> Ssh:
    """The ssh that [tool.ssh] path names, else that on PATH.

    Raises `ToolMissingError`, `ToolUnfitError`.
    """
    return search(
        "ssh", wish=wish, variables=(), usual=programs("ssh"), look=_look, install=INSTALL
    )


def _look(program: Path) -> Ssh | None:
    if not program.is_file():
        return None
    version, problems = version_of(program, "-V", pattern=r"^OpenSSH_(?:\D+_)?(\d[\w.]{0,20})")
    if problems:
        problems = tuple(
            Problem(f"it is not OpenSSH's: {problem.text}", INSTALL) for problem in problems
        )
    return Ssh(
        where=program,
        version=version or "unknown",
        identity=identity("ssh", version, {"ssh": program}),
        problems=problems,
    )
