"""`buildtool profile [TARGET]`: a toolchain profile as CMake toolchain file or Conan profile, or
what other machines need to compile for the target."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json, TargetName
from buildtool.cli.parameters import Option
from buildtool.cli.show import print_json, show, write
from buildtool.core.errors import UsageError
from buildtool.core.files import file_digest, write_if_changed
from buildtool.project.model import BUILT_IN_TARGET, Header, Project, Target, find_target
from buildtool.toolchains.distribute import ENGINES
from buildtool.toolchains.distribute.launcher_scripts import archive, limits, remote_compiler
from buildtool.toolchains.select_profiles import host_profile, skel_profiles

if TYPE_CHECKING:
    from buildtool.documents.toolchains import ProfileDocument


def profile(
    target: TargetName = "",
    *,
    arch: Annotated[
        str,
        Option("--arch", "The Hexagon side for ARCH instead of the ARM64 side.", "ARCH"),
    ] = "",
    out: Annotated[
        Path | None,
        Option(
            "-o --output",
            "Write to FILE instead of printing; with --distribute, copy to the directory FILE.",
            "FILE",
        ),
    ] = None,
    conan: Annotated[
        bool, Option("--conan", "A Conan profile, for the project's Conan home.")
    ] = False,
    distribute: Annotated[
        str,
        Option(
            "--distribute",
            "Write what other machines need to compile for both sides: distcc or icecc.",
            "ENGINE",
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Print a target's CMake toolchain file, for use with plain cmake.

    Outside a project it prints the toolchain file of the built-in target, for any arch.
    `buildtool run --profile` shows which functions a program spends its time in.
    """
    from buildtool.cli.screen import Screen
    from buildtool.drivers.conan.home import ConanHome
    from buildtool.plan.plan import conan_settings
    from buildtool.project.keys import HEXAGON_ARCHS
    from buildtool.project.read import NoProjectError, find_project
    from buildtool.sdk.packaged_tools import find_cmake
    from buildtool.toolchains.conan_profile import conan_profile

    try:
        project = find_project(Path.cwd())
    except NoProjectError:
        if target or conan:
            raise
        name, described = BUILT_IN_TARGET, Target(platform="ubuntu-aarch64", archs=HEXAGON_ARCHS)
        project = Project(Path.cwd(), Header(name="none"), {}, {}, {name: described})
    else:
        name = target or project.header.default_target
        described = find_target(project, name)
    if arch and arch not in described.archs:
        raise UsageError(
            f"the target {name!r} has no arch {arch!r}",
            why=f"it has: {', '.join(described.archs) or 'none'}",
            remedy="Name one of these archs, or add it to the target's archs.",
        )
    if distribute:
        if arch or conan or json:
            raise UsageError(
                "--distribute excludes --arch, --conan and --json",
                why="it writes archives for both sides of the target",
                remedy="Leave these out.",
            )
        write_archives(project, described, distribute, out)
        return
    chosen = skel_profiles(project, described)[arch] if arch else host_profile(project, described)
    text = chosen.cmake_toolchain()
    if conan:
        home = ConanHome(*conan_settings(project))
        cmake = find_cmake(project.tool("cmake"), project.tool("ninja"))
        rendered, build = (
            conan_profile(side, home.path, cmake) for side in (chosen, home.build_machine)
        )
        with home.locked(Screen()):
            home.prepare()
            rendered.write_files()
            build.write_files()
            # Conan's default for the build machine, so that users need not name it.
            write_if_changed(home.path / "profiles" / "default", build.text)
        text = rendered.text
    if out:
        write_if_changed(out, text)
    if json:
        document: ProfileDocument = {
            "name": chosen.name,
            "digest": chosen.digest,
            "settings": dict(chosen.settings),
            "identity": chosen.identity,
            "toolchain": None if conan else text,
            "conan_profile": text if conan else None,
        }
        print_json(document)
    elif not out:
        write(text)


_NEXT = {
    "distcc": "Unpack each on every machine with distccd, as root: tar -C / -xzf ARCHIVE",
    "icecc": "Builds send them to the machines: nothing has to be installed there.",
}


def write_archives(project: Project, target: Target, engine: str, folder: Path | None) -> None:
    """Make the archives of the compilers of `target`, copy them to `folder`, and print their paths,
    digests, and what to do with them.  Raises `UsageError` for an unknown engine."""
    if engine not in ENGINES:
        raise UsageError(
            f"unknown engine {engine!r}",
            why=f"known: {', '.join(ENGINES)}",
            remedy="Name one of these.",
        )
    sides: dict[str, list[str]] = {}
    archives: dict[str, Path] = {}
    notes: dict[str, None] = {}
    for profile in (host_profile(project, target), *skel_profiles(project, target).values()):
        compiler = remote_compiler(profile)
        archives[compiler.name] = archive(compiler, engine)
        sides.setdefault(compiler.name, []).append(profile.name)
        notes |= {f"{limit.text}\n  → {limit.remedy}": None for limit in limits(profile, engine)}
    for name, path in archives.items():
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            path = Path(shutil.copy(path, folder))  # noqa: PLW2901
        write(f"{path}\n")
        show(f"    {path.stat().st_size:,} B, sha256 {file_digest(path)}")
        show(f"    for {', '.join(sides[name])}")
    for line in "\n".join([_NEXT[engine], *notes]).splitlines():
        show(line)
