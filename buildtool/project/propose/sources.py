"""Signs of the side in C sources, for a component whose CMake files have none."""

from __future__ import annotations

import re

from buildtool.project.propose.facts import HOST, LIKELY, SKEL, Reading, Sign, Where
from buildtool.project.propose.tree import CMakeTree

MAX_READ = 200  # files of one component
_DSP = re.compile(
    r"#\s*include\s*[<\"](?:hexagon_(?:protos|types)\.h|hvx_[a-z_]+\.h|HAP_\w+\.h|qurt\w*\.h)[>\"]"
    r"|\bQ6_V\w+_\w+\s*\(|\bHVX_Vector\b"
)
_ARM = re.compile(
    r"#\s*include\s*[<\"](?:rpcmem\.h|arm_neon\.h)[>\"]|\bremote_session_control\s*\("
)
Signs = tuple[Sign, ...]


def signs_in_sources(tree: CMakeTree, reading: Reading) -> tuple[Signs, Signs]:
    """The first sign among the sources below the component's directory: for skel, for host."""
    folder = "" if reading.directory == "." else f"{reading.directory}/"
    for path in [path for path in tree.sources if path.startswith(folder)][:MAX_READ]:
        text = tree.read(path)
        for side, pattern in ((SKEL, _DSP), (HOST, _ARM)):
            if found := pattern.search(text):
                where = Where(path, text.count("\n", 0, found.start()) + 1)
                sign = Sign(side, LIKELY, f"has {found[0].strip()}", where)
                return ((sign,), ()) if side == SKEL else ((), (sign,))
    return (), ()
