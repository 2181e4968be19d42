"""What to do about the ways in which Conan fails."""

from __future__ import annotations

import re
from pathlib import Path

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
    for pattern, text in _REMEDIES:
        if re.search(pattern, output):
            return text.format(lock=lock) if "{lock}" in text else text
    return ""
