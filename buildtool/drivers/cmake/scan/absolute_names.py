"""Adds absolute names to inputs above the project that a step may reach by an absolute path.

`../../common/a.h` moves with the clone, `/srv/common/a.h` does not, and no report tells which of
them a tool was given.  So where PATH, a variable, a definition or a file of the project spells out
such a path, the input gets both names, and a clone restores the result only if both fit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.drivers.cmake.scan.path_filter import escape_glob
from buildtool.inputs.path_sets import InputSet, PathSet
from buildtool.inputs.roots import Roots
from buildtool.plan.plan import CMakeStep

SEARCHED = frozenset({"/opt", "/usr/local"})
"""Directories that CMake searches without being told."""
MAX_BYTES = 1 << 20
"""The bytes of a file that are searched for paths."""
_PATH = re.compile(rb"""/[^\s;:,"'<>()$={}\\*?\[\]]+""")


def with_absolute_names(
    inputs: InputSet, step: CMakeStep, environment: Mapping[str, str]
) -> InputSet:
    """`inputs` of `step`, with absolute names in addition; `environment` is that of its tools."""
    roots, paths = step.roots, inputs.paths
    expressions = [glob.expression for glob in paths.globs]
    if not any(map(roots.is_parent, (*paths.files, *paths.absent, *expressions))):
        return inputs
    spelled = _spelled_out(step, environment, paths.files)

    def twin(name: str) -> str:
        """The absolute name; "" if the step cannot have spelled it out."""
        if not roots.is_parent(name):
            return ""
        path, root = roots.path_of(name), roots.path_of(name.partition("/")[0])
        found = (place for place in spelled if len(place) >= len(root))
        return path if any(f"{path}/".startswith(f"{place}/") for place in found) else ""

    files = {path: name for name in paths.files if (path := twin(name))}
    absent = {path: name for name in paths.absent if (path := twin(name))}
    globs = {
        glob._replace(expression=_expression(glob.expression, roots)): glob
        for glob in paths.globs
        if twin(glob.expression)
    }
    appeared = {path for path, name in absent.items() if name in inputs.appeared}
    return InputSet(
        paths | PathSet.of(files, absent, globs),
        {**inputs.digests, **{path: inputs.digests[name] for path, name in files.items()}},
        tuple(sorted({*inputs.appeared, *appeared})),
        {
            **inputs.found,
            **{
                other.text: tuple(sorted(map(roots.path_of, inputs.found[glob.text])))
                for other, glob in globs.items()
            },
        },
    )


def _expression(expression: str, roots: Roots) -> str:
    root, slash, rest = expression.partition("/")
    return escape_glob(roots.path_of(root)) + slash + rest


def _spelled_out(
    step: CMakeStep, environment: Mapping[str, str], files: Iterable[str]
) -> frozenset[str]:
    """The paths above the project in `files`, and in the texts that say where the step searches."""
    tools = step.profile.places.values()
    programs = [*environment.get("PATH", "").split(":"), *map(os.path.dirname, tools)]
    prefixes = [os.path.dirname(place) for place in programs if place.endswith(("/bin", "/sbin"))]  # noqa: PTH120
    variables = [environment.get(name, "") for name in step.environment]
    texts = [*tools, *programs, *prefixes, *variables, *(value for _, value in step.defines)]
    found = {path for text in texts for path in _paths(os.fsencode(text), step.roots)}
    above = [os.fsencode(path) for path in step.roots.parents.values() if path.count("/") > 1]
    for name in files:
        if name.startswith("{project}/") or step.roots.is_parent(name):
            text = _head(step.roots.path_of(name))
            if any(path in text for path in above):  # far faster than to look at all paths
                found.update(_paths(text, step.roots))
            if b"ENV{HOME}" in text:
                found.add(step.roots.home)
    return SEARCHED.union(found)


def _paths(text: bytes, roots: Roots) -> Iterable[str]:
    for spelled in _PATH.findall(text):
        path = os.path.normpath(os.fsdecode(spelled))
        # Texts name the likes of /tmp and /opt for other reasons.
        if path.count("/") > 1 and roots.is_parent(roots.name_of(path)):
            yield path


def _head(path: str) -> bytes:
    try:
        return read_regular(Path(path), MAX_BYTES, follow=True)
    except OSError:
        return b""
