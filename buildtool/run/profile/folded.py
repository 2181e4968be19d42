"""Stacks for other tools: the folded stacks of FlameGraph, and Speedscope's JSON.

Sources: stackcollapse-perf.pl and flamegraph.pl of brendangregg/FlameGraph; Speedscope's
file-format-spec.ts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from buildtool.core.escape import escape

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def folded(stacks: Mapping[tuple[str, ...], int]) -> str:
    """A line for each stack: its functions, the outermost first, and its number of samples."""
    lines = (
        f"{';'.join(escape(name).replace(';', ':').replace(chr(10), ' ') for name in stack)} {n}\n"
        for stack, n in stacks.items()
    )
    return "".join(sorted(lines))


def speedscope(name: str, stacks: Mapping[tuple[str, ...], int]) -> str:
    """The same as a document that speedscope.app opens."""
    frames: dict[str, int] = {}
    samples = [
        [frames.setdefault(function, len(frames)) for function in stack] for stack in sorted(stacks)
    ]
    weights = [stacks[stack] for stack in sorted(stacks)]
    document = {
        "$schema": SCHEMA,
        "name": name,
        "exporter": "buildtool",
        "activeProfileIndex": 0,
        "shared": {"frames": [{"name": function} for function in frames]},
        "profiles": [
            {
                "type": "sampled",
                "name": name,
                "unit": "none",
                "startValue": 0,
                "endValue": sum(weights),
                "samples": samples,
                "weights": weights,
            }
        ],
    }
    return json.dumps(document, indent=1) + "\n"
