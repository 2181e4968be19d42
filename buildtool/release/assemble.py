"""`BuildResult` → `Release`: a directory with what goes onto a device, laid out as it lies there.

bin/ lib/ …        what the ARM64 side installs
dsp/<arch>/        the skels of one DSP arch, side by side
run.sh             starts a program with the right environment

Programs and libraries ship without debug information, which is kept in a directory beside: as
`.build-id/12/3456….debug`, where debuggers look for it, and under the path of the file.

The plan's `release` is a link to the directory, so that a program can run from a release while
another one is made.
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
from buildtool.core.files import replace_link, value_digest
from buildtool.core.lock import held_directory, is_held
from buildtool.core.stored import read_value, write_value
from buildtool.core.trees import make_directory, remove_tree, replace_directory
from buildtool.core.value import Value
from buildtool.engine.result import BuildResult
from buildtool.inputs.file_states import EXECUTABLE_SUFFIX, FileStates
from buildtool.plan.plan import Plan
from buildtool.release.slices import (
    Layout,
    Release,
    ReleaseError,
    ReleaseFile,
    ReleaseLink,
    ShippedOutput,
    Slice,
    in_slices,
    lay_out,
)
from buildtool.toolchains.cdsprpc import is_cdsprpc

RUN_SCRIPT = "run.sh"
VERSION = 3
"""Changes when the same outputs result in another release."""
FILES, DEBUG = "files", "debug"
"""Directories of the shipped files, and of their debug information, in that of one release."""


class _Contents(Value):
    """Outputs and the texts of links, by path in the release."""

    files: Mapping[str, ShippedOutput]
    links: Mapping[str, str]


class _Made(Value):
    """What outputs with the `key` resulted in."""

    key: str
    slices: tuple[Slice, ...]


def make_release(build: BuildResult, file_states: FileStates) -> Release:
    """Make the release of what the steps of `build` ship.

    The directory is replaced as a whole, and only when its contents differ from what it should
    hold.  Raises `ReleaseError` for two files in one place, for a file below another one, and for a
    libcdsprpc, and what `add_needed` raises.
    """
    layout = lay_out(build)
    key = _key(build, layout, file_states)
    slices = _made(build.plan, key, file_states)
    if not slices:
        contents = _find_out(build, layout, file_states)
        _refuse_below_files(contents)
        archs = dict.fromkeys(s.step.arch for s in build.steps if s.step.arch)
        slices = _replace(build.plan, contents, tuple(archs), file_states)
        write_value(_note(build.plan), _Made(key, slices), VERSION)
    return Release(build.plan.target, build.plan.release, build.plan.debug, slices)


def find_release(build: BuildResult, file_states: FileStates) -> Release | None:
    """The release that `make_release` has made of the same steps; None if it would make it now."""
    slices = _made(build.plan, _key(build, lay_out(build), file_states), file_states)
    plan = build.plan
    return Release(plan.target, plan.release, plan.debug, slices) if slices else None


def _key(build: BuildResult, layout: Layout, file_states: FileStates) -> str:
    """The digest of everything that shapes the release."""
    outputs = [
        [kind, place, str(output.path), file_states.state(output.path), _link(output.path)]
        for kind, outputs in zip(("ships", "spare"), layout, strict=True)
        for place, output in sorted(outputs.items())
    ]
    profiles = [finished.step.profile.digest for finished in build.steps]
    return value_digest([VERSION, __version__, outputs, profiles, build.plan.system_libraries])


def _note(plan: Plan) -> Path:
    return plan.state / "releases" / f"{plan.target}.json"


def _made(plan: Plan, key: str, file_states: FileStates) -> tuple[Slice, ...]:
    """The slices of the release that is there if it has this key and is complete, else ()."""
    made = read_value(_note(plan), _Made, VERSION)
    slices = made.slices if made and made.key == key else ()
    is_made = slices and plan.debug.is_dir()
    return slices if is_made and _entries(plan.release, file_states) == _expected(slices) else ()


def _expected(slices: tuple[Slice, ...]) -> dict[str, str]:
    """The result of `_entries` for a directory with these slices."""
    return {
        **{
            file.path: file.sha256 + (EXECUTABLE_SUFFIX if file.mode & 0o100 else "")
            for part in slices
            for file in part.files
        },
        **{link.path: _link_state(link.target) for part in slices for link in part.links},
    }


def _find_out(build: BuildResult, layout: Layout, file_states: FileStates) -> _Contents:
    from buildtool.release.contents import add_needed, contents  # noqa: PLC0415 - usually recorded

    found, elves = contents(layout, file_states.state)
    add_needed(found, elves, layout.spare, build.plan)
    for output in (*layout.ships.values(), *found.files.values()):
        _refuse_cdsprpc(output)
    links = {
        place: posixpath.relpath(f"/{target}", f"/{posixpath.dirname(place)}")
        for place, target in found.links.items()
    }
    return _Contents(found.files, links)


def _link(path: Path) -> str:
    return str(path.readlink()) if path.is_symlink() else ""


def _link_state(target: str) -> str:
    return f"-> {target}"


def _entries(directory: Path, file_states: FileStates) -> dict[str, str]:
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


def _replace(
    plan: Plan, contents: _Contents, archs: tuple[str, ...], file_states: FileStates
) -> tuple[Slice, ...]:
    """Make the directory of a release, and remove earlier ones from which no program runs."""
    import tempfile  # noqa: PLC0415 - the release is usually up to date

    make_directory(plan.releases)
    fresh = Path(tempfile.mkdtemp(dir=plan.releases, prefix=""))
    try:
        slices = _fill(fresh, contents, archs)
        kept = fresh
        if _entries(plan.release, file_states) == _expected(slices):
            kept = plan.release.resolve().parent  # programs may run from it
            replace_directory(fresh / DEBUG, kept / DEBUG)
            remove_tree(fresh)
        replace_link(plan.release, (kept / FILES).relative_to(plan.release.parent))
        make_directory(plan.debug.parent)
        replace_link(plan.debug, Path(os.path.relpath(kept / DEBUG, plan.debug.parent)))
    except BaseException:
        remove_tree(fresh, ignore_errors=True)
        raise
    for other in plan.releases.iterdir():
        if other != kept and not is_held(other / FILES):
            remove_tree(other, ignore_errors=True)
    return slices


def _fill(fresh: Path, contents: _Contents, archs: tuple[str, ...]) -> tuple[Slice, ...]:
    """Write files and debug information into the new directory `fresh`."""
    from buildtool.release.split_debug import ship  # noqa: PLC0415 - the release is usually up to date

    root, debug = fresh / FILES, fresh / DEBUG
    debug.mkdir()
    files = [ship(output, place, root, debug) for place, output in contents.files.items()]
    for place, target in contents.links.items():
        link = root / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    script = Path(__file__).with_name(RUN_SCRIPT).read_bytes()
    root.mkdir(exist_ok=True)
    (root / RUN_SCRIPT).write_bytes(script)
    (root / RUN_SCRIPT).chmod(0o755)
    files.append(ReleaseFile(RUN_SCRIPT, 0o755, len(script), hashlib.sha256(script).hexdigest()))
    for folder, _, _ in os.walk(fresh):
        os.chmod(folder, 0o755)  # noqa: PTH101 - regardless of the umask
    links = (ReleaseLink(place, target) for place, target in contents.links.items())
    return in_slices(files, links, archs)


@contextlib.contextmanager
def in_use(release: Release) -> Iterator[Release]:
    """Keep later builds from removing the directory that the release has now, for the block, which
    gets it with that directory.

    The caller holds the project's lock when the block begins, or then looks whether the release
    still has that directory."""
    directory = release.directory.resolve()
    with held_directory(directory):
        yield release._replace(directory=directory, debug=release.debug.resolve())


def _refuse_below_files(contents: _Contents) -> None:
    """Raises `ReleaseError` if a path is a file and also the directory of another file."""
    paths = {place: output.path for place, output in contents.files.items()}
    # Sorted so that the contents of a directory follow its path.
    places = sorted(
        (RUN_SCRIPT, *paths, *contents.links), key=lambda place: place.replace("/", "\0")
    )
    for place, after in itertools.pairwise(places):
        if after.startswith(f"{place}/"):
            raise ReleaseError(
                f"{place} would be both a file and a directory",
                why=f"{paths.get(place, place)} and {paths.get(after, after)} ship",
                remedy="Give one of them another name.",
                files=[paths[name] for name in (place, after) if name in paths],
            )


def _refuse_cdsprpc(output: ShippedOutput) -> None:
    """Raises `ReleaseError` for a libcdsprpc, recognised by name, link target or SONAME."""
    from buildtool.core.elf.read import is_elf, read_elf  # noqa: PLC0415 - the release is usually up to date

    step, name, path = output.step.name, output.name, output.path
    names = [name, path.name, path.resolve().name]
    # Files that need libcdsprpc contain its name too; only these few are read.
    inside = path.is_file() and is_elf(path) and b"libcdsprpc" in path.read_bytes()
    if inside and not any(map(is_cdsprpc, names)):
        names.append(read_elf(path).soname)
    if called := next(filter(is_cdsprpc, names), ""):
        raise ReleaseError(
            f"{step} ships {name}" + ("" if is_cdsprpc(name) else f", which is {called}"),
            why="libcdsprpc belongs to the device's system: another copy that is loaded instead"
            f" breaks every session ({path})",
            remedy="Do not install it; link Buildtool::cdsprpc, which is never shipped.",
            files=[path],
        )
