"""Which paths are inputs of a step, their names in its record, and the inputs found so far.

Paths are normalized without changing which file they name: `a/./b`, `a//b` → `a/b`.  `a/c/../b`
becomes `a/b` too, unless `c` is a symlink: then `..` leads to the parent of its target.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path

from buildtool.core.value import Value
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob, matches
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots
from buildtool.project.model import STATE

COMPILER_DETECTION = re.compile(
    r"/Modules/(?:CMake(?:Determine|Test|FindBinUtils|NinjaFindMake|Parse[IL]|System|Generic"
    r"|Initialize|Compiler|Common|Language|\w+Information)|Compiler/|Platform/|Internal/(?!Check)|Linker/)"
)
"""CMake's modules that detect compilers.  What they read belongs to the identity of the toolchain
and is not an input of the project."""
_WILDCARD = re.compile(r"[*?\[]")


class PathFilter:
    """Decides which paths are inputs, and names these by root.

    These are not inputs: files in the build tree, which the build makes; this tool's own files in
    the project, which the step key covers; files below the directories `excluded`, whose identity
    the step key covers (the toolchain, CMake's modules); and `rule_outputs`.  A symlink in the
    build tree stands for its target.

    Of this tool's own files, the outputs of other steps are inputs: `output` is the directory of
    the step's own ones.
    """

    def __init__(
        self,
        tree: Path,
        roots: Roots,
        excluded: Collection[Path] = (),
        rule_outputs: Collection[str] = (),
        output: Path | None = None,
    ) -> None:
        self.roots = roots
        self.tree = os.path.normpath(tree)
        self.normalizer = PathNormalizer()
        self._rule_outputs = frozenset(rule_outputs)
        skipped = [self.tree, *(os.path.normpath(path) for path in excluded)]
        if project := roots.directories.get("project"):
            skipped.append(f"{os.path.normpath(project)}/{STATE}")
        real = [os.path.realpath(path) for path in skipped]
        self._outputs, self._own_output = "\0", "\0"
        if output:
            self._outputs, self._own_output = f"{output.parents[1]}/", f"{output}/"
        prefixes = [f"{path}/" for path in dict.fromkeys([*skipped, *real])]
        # Of a tool's directory that the project is in, the part with the project is an input.
        own = f"{os.path.normpath(project)}/" if project else ""
        above = [prefix for prefix in prefixes if own.startswith(prefix)]
        self._skipped = tuple(prefix for prefix in prefixes if prefix not in above)
        self._skipped_above = tuple(above)
        self._with_project = tuple(
            prefix + own[len(prefix) : own.index("/", len(prefix)) + 1] if own != prefix else own
            for prefix in above
        )
        self._tree_prefixes = tuple(f"{path}/" for path in dict.fromkeys([self.tree, real[0]]))
        self._real_roots = Roots(
            {n: Path(os.path.realpath(p)) for n, p in roots.directories.items()},
            [os.path.realpath(path) for path in roots.parents.values()],
            os.path.realpath(roots.home) if roots.home else "",
        )
        self._real_directories: dict[str, str] = {}

    def name(self, path: str) -> str | None:
        """The name by root of an absolute path; None when it is not an input."""
        path = self.normalizer.path(path)
        # A path in the build tree is no input by its name, but a symlink there may lead to one: a
        # rule that makes a link to a source does not make what compilers read through it.
        if path in self._rule_outputs or f"{path}/".startswith(self._tree_prefixes):
            real = self._real_path(path)
            if path in self._rule_outputs and real == self._real_path(path, resolve_last=False):
                return None  # it is not a symlink
            name = self._name_of(real)
            return None if name and self.roots.path_of(name) in self._rule_outputs else name
        if "/.." in path and self._is_skipped(self._real_path(path)):
            return None
        return self._name_of(path)

    def counts(self, path: str) -> bool:
        """Whether an absolute path is an input, or a file of the build tree."""
        return path.startswith(f"{self.tree}/") or self.name(path) is not None

    def _name_of(self, path: str) -> str | None:
        if self._is_skipped(path):
            return None
        # A path outside of the project by name may still be in it, or in a tool, by its real path.
        # Paths inside keep the names that they were read by.
        name = self.roots.name_of(path)
        is_parent = self.roots.is_parent(name)
        if name[0] == "/" or is_parent:
            real = self._real_path(path, resolve_last=False)
            if self._is_skipped(real):
                return None
            # A compiler may have resolved a symlink that leads to the project.
            if not is_parent or real == path:
                real_name = self._real_roots.name_of(real)
                if real_name[0] != "/" and not self._real_roots.is_parent(real_name):
                    return real_name
        return name

    def _is_skipped(self, path: str) -> bool:
        path += "/"
        if path.startswith(self._outputs):
            return path.startswith(self._own_output)
        return path.startswith(self._skipped) or (
            path.startswith(self._skipped_above) and not path.startswith(self._with_project)
        )

    def directory(self, path: str) -> str:
        """A directory as the one path that all its spellings share; for a path that names nothing,
        its `NormalizedPath.missing_directory`."""
        normalized = self.normalizer.normalize(path)
        name = self.name(normalized.missing_directory or normalized.path)
        return self.roots.path_of(name) if name else normalized.path

    def _real_path(self, path: str, *, resolve_last: bool = True) -> str:
        """The path with symlinks resolved, that of the last part only with `resolve_last`."""
        directory, _, name = path.rpartition("/")
        real = self._real_directories.get(directory)
        if real is None:
            real = self._real_directories[directory] = os.path.realpath(directory or "/")
        real = f"{real.rstrip('/')}/{name}"
        return os.path.realpath(real) if resolve_last and os.path.islink(real) else real  # noqa: PTH114


class NormalizedPath(Value):
    """A path without `.` and empty parts, and with `..` only after a symlink.

    `missing_directory` is a directory before a `..` that does not exist: as long as it is missing,
    the path that was normalized names nothing.  Else "".
    """

    path: str
    missing_directory: str = ""


class PathNormalizer:
    """Normalizes absolute paths; looks at each directory once."""

    def __init__(self) -> None:
        self._directories: dict[str, NormalizedPath] = {}

    def normalize(self, path: str) -> NormalizedPath:
        directory, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            directory, name = path, ""
        parent = self._directories.get(directory)
        if parent is None:
            parent = self._directories[directory] = _normalize_directory(directory)
        path = f"{parent.path}/{name}" if name else parent.path or "/"
        return NormalizedPath(path, parent.missing_directory)

    def path(self, path: str) -> str:
        """The `NormalizedPath.path` of `path`."""
        return self.normalize(path).path


def _normalize_directory(directory: str) -> NormalizedPath:
    """The normalized path of a directory, "" for the root."""
    if "/.." not in directory:
        path = os.path.normpath(directory).strip("/")
        return NormalizedPath(f"/{path}" if path not in ("", ".") else "")
    path = missing = ""
    for part in directory.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            path += f"/{part}"
        elif path.endswith("/..") or os.path.islink(path):  # noqa: PTH114
            path += "/.."
        else:
            if path and not missing and not os.path.isdir(path):  # noqa: PTH112
                missing = path
            path = path.rpartition("/")[0]
    return NormalizedPath(path, missing)


class InputCollector:
    """The inputs that were found so far, by root; `paths` are all of them.

    Paths that `path_filter` does not take for inputs are dropped.
    """

    def __init__(self, path_filter: PathFilter, file_states: FileStates) -> None:
        self.path_filter = path_filter
        self.file_states = file_states
        self.files: set[str] = set()
        self.absent: set[str] = set()
        self.globs: set[Glob] = set()

    @property
    def paths(self) -> PathSet:
        return PathSet.of(self.files, self.absent, self.globs)

    def add_content(self, path: str) -> None:
        """The content of a file was read."""
        if name := self._name(path):
            self.files.add(name)

    def add_existence(self, path: str) -> None:
        """It was tested whether a file exists; its content was not read."""
        if not (name := self._name(path)):
            return
        path = self.path_filter.roots.path_of(name)
        if os.path.isfile(path):  # noqa: PTH113
            self.globs.add(Glob(escape_glob(name)))
        elif os.path.lexists(path):  # the state of a directory or dangling symlink says it all
            self.files.add(name)
        else:
            self.absent.add(name)

    def add_tree(self, path: str) -> None:
        """A file, or everything in a directory, was read."""
        if not os.path.isdir(path):  # noqa: PTH112
            self.add_content(path)
        elif name := self._name(path):
            self.add_matches(Glob(f"{escape_glob(name)}/**", deep=True))

    def add_matches(self, glob: Glob) -> None:
        """The list of files that a glob matches was read, and the content of each."""
        self.globs.add(glob)
        self.files.update(matches(glob, self.path_filter.roots, self.file_states))

    def add_listing(
        self,
        pattern: str,
        base: str = "",
        *,
        recursive: bool = False,
        directories: bool = True,
        follow: bool = False,
    ) -> None:
        """The list of files that a glob of CMake matches was read; a relative `pattern` starts at
        `base`.  The flags are those of `Glob`."""
        wildcard = _WILDCARD.search(pattern)
        cut = pattern.rfind("/", 0, wildcard.start() if wildcard else None)
        directory = pattern[: max(cut, 0)]
        if not pattern.startswith("/"):
            directory = f"{base}/{directory}"
        if name := self._name(directory or "/"):
            expression = f"{escape_glob(name).rstrip('/')}/{pattern[cut + 1 :]}"
            self.globs.add(Glob(expression, recursive, directories, follow))

    def _name(self, path: str) -> str | None:
        """The name of the path; a directory that it depends on and that is missing is added."""
        if missing := self.path_filter.normalizer.normalize(path).missing_directory:
            self.add_content(missing)
        return self.path_filter.name(path)


def escape_glob(name: str) -> str:
    """The glob that matches this name only."""
    return _WILDCARD.sub(r"[\g<0>]", name)
