"""The output tree of a step as a value: its files and links, with the digests of their content.

Empty directories are not outputs, and of a file's mode only the executable bit is kept, as in a
release.  A tree is restored as a whole or not at all.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest, is_digest, value_digest
from buildtool.core.trees import make_directory, remove_tree, replace_directory
from buildtool.core.value import Value

Kind = Literal["file", "executable", "link"]
COUNT_LIMIT = 100_000
SIZE_LIMIT = 1 << 40
"""Bytes of all files of one tree."""
_PATH_LIMIT, _NAME_LIMIT = 4096, 255  # Linux's PATH_MAX and NAME_MAX
_DEPTH_LIMIT = 64
_HOPS = 40  # as many links as Linux follows
_STEPS = 1_000_000  # through all links of a tree: bounds the time that a hostile tree takes
Fetch = Callable[[str, Path], bool]
"""Writes the blob with this sha256 to this path, whole and verified; False when it is missing."""
Check = Callable[[Path], None]
"""Checks the tree in this directory before it is moved into place; raises to prevent that."""


class OutputsError(BuildtoolError):
    """An output tree holds something that cannot be cached, or its description is invalid."""

    code = "outputs"


class Output(Value):
    """One file or link of an output tree, at `path` (relative, with `/`).

    A file has its sha256 `digest` and its `size` in bytes, a link its `target` as written.
    """

    path: str
    kind: Kind
    digest: str = ""
    size: int = 0
    target: str = ""

    def as_json(self) -> dict[str, Any]:
        """The flat object that `outputs_from_json` reads."""
        if self.kind == "link":
            return {"path": self.path, "kind": self.kind, "target": self.target}
        return {"path": self.path, "kind": self.kind, "digest": self.digest, "size": self.size}

    @staticmethod
    def from_json(value: Any) -> Output:
        """Raises `OutputsError` for anything that `as_json` does not return."""
        match value:
            case {"path": str(path), "kind": "link", "target": str(target), **rest} if not rest:
                return Output(path, "link", target=target)
            case {"path": str(path), "kind": kind, "digest": str(digest), "size": size, **rest} if (
                not rest
                and kind in ("file", "executable")
                and is_digest(digest)
                and type(size) is int  # True is not a size
                and 0 <= size <= SIZE_LIMIT
            ):
                return Output(path, kind, digest, size)
        raise _refuse("a list of outputs", f"{str(value)[:200]} is not an output")


def read_outputs(directory: Path) -> tuple[Output, ...]:
    """All files and links below `directory`, sorted by path.

    Raises `OutputsError` for anything else and for a link that leads out of the directory, and
    `OSError` for a file that cannot be read.
    """
    found: list[Output] = []
    waiting = [directory]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                else:
                    found.append(_read(directory, entry))
    return check_outputs(found, str(directory))


def outputs_as_json(outputs: Sequence[Output]) -> list[dict[str, Any]]:
    """The list that `outputs_from_json` reads."""
    return [output.as_json() for output in outputs]


def outputs_from_json(value: Any) -> tuple[Output, ...]:
    """The outputs that untrusted, parsed JSON describes.

    Raises `OutputsError` unless they can be written to an empty directory without any effect
    outside of it.
    """
    if not isinstance(value, list) or len(value) > COUNT_LIMIT:
        raise _refuse("a list of outputs", f"it is not a list of at most {COUNT_LIMIT}")
    return check_outputs([*map(Output.from_json, value)], "a list of outputs")


def outputs_digest(outputs: Sequence[Output]) -> str:
    """sha256 of the tree: paths, kinds, contents and link targets."""
    return value_digest(outputs_as_json(sorted(outputs, key=lambda output: output.path)))


def check_outputs(outputs: Sequence[Output], where: str) -> tuple[Output, ...]:
    """The outputs sorted by path; raises `OutputsError` when they do not form a safe tree."""
    tree: dict[str, Output] = {}
    for output in outputs:
        if not _is_path(output.path):
            raise _refuse(where, f"{output.path[:200]!r} is not a path inside of it")
        if output.path in tree:
            raise _refuse(where, f"{output.path} is in it twice")
        tree[output.path] = output
    # In this order the content of a directory follows directly after it.
    for path, after in itertools.pairwise(sorted(tree, key=lambda path: path.replace("/", "\0"))):
        if after.startswith(path + "/"):
            raise _refuse(where, f"{path} is a {tree[path].kind} and a directory")
    budget = iter(range(_STEPS))
    for path, output in tree.items():
        if output.kind == "link" and not _stays_inside(path, tree, budget):
            raise _refuse(where, f"the link {path} → {output.target[:200]} leads out of it")
    if sum(output.size for output in outputs) > SIZE_LIMIT:
        raise _refuse(where, f"it has more than {SIZE_LIMIT:,} bytes")
    return tuple(tree[path] for path in sorted(tree))


def restore(
    outputs: Sequence[Output], into: Path, fetch: Fetch, check: Check = lambda _: None
) -> bool:
    """Replace the directory `into` by one with exactly these (safe) outputs, all modified now.

    Returns False when `fetch` does not have one of them, or has it with another size.  Raises what
    `check` raises, and `OSError` when there is no space or no permission.  In each of these cases
    `into` stays as it was; see `replace_directory` for processes that are killed.
    """
    fresh = into.with_name(f".{into.name}.new")
    remove_tree(fresh, ignore_errors=True)
    make_directory(into.parent)
    try:
        fresh.mkdir()
        if not all(_write(output, fresh, fetch) for output in outputs):
            return False
        for folder, _, _ in os.walk(fresh):
            os.chmod(folder, 0o755)  # noqa: PTH101 - walk yields strings
        check(fresh)
        replace_directory(fresh, into)
    finally:
        remove_tree(fresh, ignore_errors=True)
    return True


def _read(directory: Path, entry: os.DirEntry[str]) -> Output:
    path = Path(entry.path)
    name = path.relative_to(directory).as_posix()
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        return Output(name, "link", target=str(path.readlink()))
    if not stat.S_ISREG(status.st_mode):
        raise _refuse(str(directory), f"{name} is neither a file nor a link nor a directory")
    kind: Kind = "executable" if status.st_mode & 0o100 else "file"
    return Output(name, kind, file_digest(path), status.st_size)


def _is_path(path: str) -> bool:
    """Whether it is a relative path below a directory, in its normal form."""
    try:
        parts = os.fsencode(path).split(b"/")
    except UnicodeEncodeError:
        return False
    return (
        len(path) <= _PATH_LIMIT
        and len(parts) <= _DEPTH_LIMIT
        and max(map(len, parts)) <= _NAME_LIMIT
        and not {b"", b".", b".."}.intersection(parts)
        and "\0" not in path
    )


def _stays_inside(path: str, tree: Mapping[str, Output], budget: Iterator[int]) -> bool:
    """Whether a link, followed as the kernel does, through links and `..`, stays in the tree."""
    at: list[str] = []
    ahead = path.split("/")[::-1]
    hops = 0
    while ahead:
        part = ahead.pop()
        if next(budget, None) is None or len(at) > _DEPTH_LIMIT:
            return False
        if part == "..":
            if not at:
                return False
            at.pop()
            continue
        at.append(part)
        link = tree.get("/".join(at))
        if link is None or link.kind != "link":
            continue
        hops += 1
        at.pop()
        if hops > _HOPS or not _is_target(link.target):
            return False
        ahead += [part for part in link.target.split("/") if part not in ("", ".")][::-1]
    return True


def _is_target(target: str) -> bool:
    try:
        size = len(os.fsencode(target))
    except UnicodeEncodeError:
        return False
    return 0 < size < _PATH_LIMIT and not target.startswith("/") and "\0" not in target


def _refuse(where: str, why: str) -> OutputsError:
    return OutputsError(
        f"{where} cannot be kept as the outputs of a step",
        why=why,
        remedy="Let the install rules create files, directories and relative links only.",
    )


def _write(output: Output, directory: Path, fetch: Fetch) -> bool:
    path = directory / output.path
    path.parent.mkdir(parents=True, exist_ok=True)
    if output.kind == "link":
        path.symlink_to(output.target)
        return True
    if not fetch(output.digest, path) or path.stat().st_size != output.size:
        return False
    path.chmod(0o755 if output.kind == "executable" else 0o644)
    os.utime(path)
    return True
