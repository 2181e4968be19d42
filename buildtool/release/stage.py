"""`BuildResult` → a staged tree: what goes onto a device, laid out as it lies there.

The stage is a link to the tree, so that a program can run from a tree while another is staged.

bin/ lib/ …        what the ARM64 side installs
dsp/<arch>/        the skels of one DSP arch, side by side
run.sh             starts a program with the right environment
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool import __version__
from buildtool.core.checksummed_json import read_checksummed, write_checksummed
from buildtool.core.files import replace_link, value_digest
from buildtool.core.lock import held_directory, is_held
from buildtool.core.own_directory import make_directory
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value
from buildtool.engine.result import BuildResult
from buildtool.inputs.file_states import EXECUTABLE_SUFFIX, FileStates
from buildtool.plan.plan import Plan
from buildtool.release.layout import Layout, Output, StageError, lay_out
from buildtool.toolchains.cdsprpc import is_cdsprpc

RUN_SCRIPT = "run.sh"
VERSION = 1
"""Changes when the same outputs result in other contents."""


class Staged(Value):
    """A staged tree: its directory, and an id that is the digest of its file list."""

    target: str
    directory: Path
    id: str
    archs: tuple[str, ...]


class _Contents(Value):
    """Files and the texts of links, by path in the release."""

    files: Mapping[str, Path]
    links: Mapping[str, str]


def stage(build: BuildResult, file_states: FileStates) -> Staged:
    """Stage what the steps of `build` ship.

    The tree is replaced as a whole, and only when its contents differ from what it should hold.
    Raises `StageError` for two files in one place, for a file below another one, and for a
    libcdsprpc, and what `add_needed` raises.
    """
    contents = _contents(build, file_states)
    _refuse_below_files({**dict.fromkeys(contents.links, Path()), **contents.files})
    script = (Path(__file__).parent / RUN_SCRIPT).read_text(encoding="utf-8")
    directory = build.plan.stage
    wanted = {place: file_states.state(path) for place, path in contents.files.items()}
    wanted |= {place: _link_state(target) for place, target in contents.links.items()}
    wanted[RUN_SCRIPT] = hashlib.sha256(script.encode()).hexdigest() + EXECUTABLE_SUFFIX
    archs = tuple(dict.fromkeys(s.step.arch for s in build.steps if s.step.arch))
    staged = Staged(build.plan.target, directory, value_digest(sorted(wanted.items())), archs)
    if _states(directory, file_states) != wanted:
        _replace(build.plan, contents, script)
    return staged


def _contents(build: BuildResult, file_states: FileStates) -> _Contents:
    """The contents of the release; recorded, because many files must be read to determine them."""
    layout = lay_out(build)
    outputs = [
        [kind, place, str(output.path), file_states.state(output.path), _link(output.path)]
        for kind, outputs in zip(("ships", "spare"), layout, strict=True)
        for place, output in sorted(outputs.items())
    ]
    profiles = [finished.step.profile.digest for finished in build.steps]
    key = value_digest([VERSION, __version__, outputs, profiles, build.plan.system_libraries])
    note = build.plan.state / "contents" / f"{build.plan.target}.json"
    try:
        recorded = read_checksummed(note)
        if recorded["key"] == key:
            files = {str(place): Path(path) for place, path in recorded["files"].items()}
            return _Contents(files, dict(recorded["links"]))
    except (OSError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
        pass  # determined again below
    contents = _find_out(build, layout, file_states)
    paths = {place: str(path) for place, path in contents.files.items()}
    write_checksummed(note, {"key": key, "files": paths, "links": contents.links})
    return contents


def _find_out(build: BuildResult, layout: Layout, file_states: FileStates) -> _Contents:
    from buildtool.release.contents import contents  # noqa: PLC0415 - usually recorded
    from buildtool.release.libraries import add_needed  # noqa: PLC0415

    found, elves = contents(layout, file_states.state)
    add_needed(found, elves, layout.spare, build.plan)
    for output in (*layout.ships.values(), *found.files.values()):
        _refuse_cdsprpc(output)
    links = {
        place: posixpath.relpath(f"/{target}", f"/{posixpath.dirname(place)}")
        for place, target in found.links.items()
    }
    return _Contents({place: output.path for place, output in found.files.items()}, links)


def _link(path: Path) -> str:
    return str(path.readlink()) if path.is_symlink() else ""


def _link_state(target: str) -> str:
    return f"-> {target}"


def _states(directory: Path, file_states: FileStates) -> dict[str, str]:
    """The states of all files and links below the directory, by relative path."""
    states = {}
    for folder, folders, names in os.walk(directory):
        for name in (*names, *folders):
            path = Path(folder, name)
            if target := _link(path):
                states[str(path.relative_to(directory))] = _link_state(target)
            elif name in names:
                states[str(path.relative_to(directory))] = file_states.state(path)
    return states


def _replace(plan: Plan, contents: _Contents, script: str) -> None:
    """Stage a new tree, and remove earlier trees from which no program runs."""
    import shutil  # noqa: PLC0415 - the tree is usually up to date
    import tempfile  # noqa: PLC0415

    trees = plan.stage_trees
    make_directory(trees)
    fresh = Path(tempfile.mkdtemp(dir=trees, prefix=""))
    try:
        for name, path in contents.files.items():
            place = fresh / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place)
            # A library of a toolchain or package can have any mode.
            place.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        for name, target in contents.links.items():
            place = fresh / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)
        (fresh / RUN_SCRIPT).write_text(script, encoding="utf-8")
        (fresh / RUN_SCRIPT).chmod(0o755)
        for folder, _, _ in os.walk(fresh):
            os.chmod(folder, 0o755)  # noqa: PTH101 - regardless of the umask
        replace_link(plan.stage, fresh.relative_to(plan.stage.parent))
    except BaseException:
        remove_tree(fresh, ignore_errors=True)
        raise
    for tree in trees.iterdir():
        if tree != fresh and not is_held(tree):
            remove_tree(tree, ignore_errors=True)


@contextlib.contextmanager
def in_use(staged: Staged) -> Iterator[Staged]:
    """Keep later builds from removing the tree that is staged now, for the block, which gets that
    tree.  The caller holds the project's lock when the block begins."""
    tree = staged.directory.resolve()
    with held_directory(tree):
        yield staged._replace(directory=tree)


def _refuse_below_files(files: Mapping[str, Path]) -> None:
    """Raises `StageError` if a path is a file and also the directory of another file."""
    # Sorted so that the contents of a directory follow its path.
    places = sorted((RUN_SCRIPT, *files), key=lambda place: place.replace("/", "\0"))
    for place, after in itertools.pairwise(places):
        if after.startswith(f"{place}/"):
            raise StageError(
                f"{place} would be both a file and a directory",
                why=f"{files.get(place, RUN_SCRIPT)} and {files[after]} ship",
                remedy="Give one of them another name.",
                files=[files[name] for name in (place, after) if name in files],
            )


def _refuse_cdsprpc(output: Output) -> None:
    """Raises `StageError` for a libcdsprpc, recognised by name, link target or SONAME."""
    from buildtool.core.elf import is_elf, read_elf  # noqa: PLC0415 - usually staged already

    step, name, path = output.step.name, output.name, output.path
    names = [name, path.name, path.resolve().name]
    # Files that need libcdsprpc contain its name too; only these few are read.
    inside = path.is_file() and is_elf(path) and b"libcdsprpc" in path.read_bytes()
    if inside and not any(map(is_cdsprpc, names)):
        names.append(read_elf(path).soname)
    if called := next(filter(is_cdsprpc, names), ""):
        raise StageError(
            f"{step} ships {name}" + ("" if is_cdsprpc(name) else f", which is {called}"),
            why="libcdsprpc belongs to the device's system: another copy that is loaded instead"
            f" breaks every session ({path})",
            remedy="Do not install it; link Buildtool::cdsprpc, which is never shipped.",
            files=[path],
        )
