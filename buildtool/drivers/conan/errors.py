"""Errors of Conan: the relevant part of its output, and remedies for known errors."""

from __future__ import annotations

import re
from pathlib import Path

MAX_LINES = 40
_AFTER_PROFILES = re.compile(r"^=+ Computing dependency graph =+$", re.MULTILINE)
_UNREACHABLE = re.compile(r"Unable to connect to remote ([^\s=]+)=(\S+)")
_REMEDIES = (
    (
        r"not in lockfile",
        "The requirements of a conanfile have changed, or this target needs more packages than"
        " others. Add them to {lock}: buildtool lock",
    ),
    (
        r"[Vv]ersion conflict",
        "Require compatible versions, or choose one in a conanfile.py:"
        ' self.requires("NAME/VERSION", force=True)',
    ),
    (
        r"Unable to find|No remote|not resolved|can't be found",
        "Correct the name or version in the conanfile. Add the directory of a local recipe to"
        " 'conan-recipes', or a server to 'conan-remotes' in buildtool.toml.",
    ),
    (
        r"Unable to connect|Error downloading|timed out",
        "Check the network and 'conan-remotes' in buildtool.toml; conan-remotes = [] uses local"
        " recipes only.",
    ),
    (
        r"Invalid setting",
        "The recipe or this version of Conan does not know the settings of the target. To see them:"
        " buildtool profile --conan",
    ),
    (
        r"in build\(\) method, line",
        "The package does not build for this target: the errors of its tools are above. Correct its"
        " recipe, or require another version.",
    ),
    (
        r"in \w+\(\) method, line",
        "Correct the recipe at the line that it names.",
    ),
)


def remedy(output: str, lock: Path) -> str:
    """The remedy for a failure with this `output`; "" for an unknown error."""
    if server := _UNREACHABLE.search(output):
        return (
            f"The server of the remote {server[1]!r} is not reachable: {server[2]}. Check the"
            " network, or 'conan-remotes' in buildtool.toml; conan-remotes = [] uses local recipes"
            " only."
        )
    for pattern, text in _REMEDIES:
        if re.search(pattern, output):
            return text.format(lock=lock) if "{lock}" in text else text
    return ""


def excerpt(output: str) -> str:
    """The end of Conan's output, without the profiles that it prints first."""
    lines = _AFTER_PROFILES.split(output)[-1].strip("\n").splitlines()
    return "\n".join(lines[-MAX_LINES:])
