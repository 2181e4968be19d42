"""What to show of a Conan that failed, and what to do about it."""

from __future__ import annotations

import re
from pathlib import Path

MOST_LINES = 40
_AFTER_PROFILES = re.compile(r"^=+ Computing dependency graph =+$", re.MULTILINE)
_UNREACHABLE = re.compile(r"Unable to connect to remote ([^\s=]+)=(\S+)")
_REMEDIES = (
    (
        r"not in lockfile",
        "What a conanfile asks for has changed, or this target needs more than others did. Add it"
        " to {lock}: buildtool lock",
    ),
    (
        r"[Vv]ersion conflict",
        "Ask for versions that agree, or say which one is right in a conanfile.py:"
        ' self.requires("NAME/VERSION", force=True)',
    ),
    (
        r"Unable to find|No remote|not resolved|can't be found",
        "Correct the name or version in the conanfile. A recipe of your own goes into a directory"
        " of 'conan-recipes', a server into 'conan-remotes' of buildtool.toml.",
    ),
    (
        r"Unable to connect|Error downloading|timed out",
        "Check the network and 'conan-remotes' in buildtool.toml; conan-remotes = [] uses local"
        " recipes only.",
    ),
    (
        r"Invalid setting",
        "The recipe or this Conan does not know the target's settings; see what they are:"
        " buildtool profile --conan",
    ),
    (
        r"in build\(\) method, line",
        "The package does not build for this target: what its own tools say stands above. Correct"
        " its recipe, or ask for another version of it.",
    ),
    (
        r"in \w+\(\) method, line",
        "Correct the recipe at the line that it names.",
    ),
)


def remedy(output: str, lock: Path) -> str:
    """What to do when Conan printed `output` and failed; "" when it is not known."""
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
    return "\n".join(lines[-MOST_LINES:])
