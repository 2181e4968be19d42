"""`buildtool profile [TARGET]`: a toolchain profile as CMake toolchain file or Conan profile, or
what other machines need to compile for the target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json, TargetName
from buildtool.cli.parameters import Option
from buildtool.cli.show import print_json, write
from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed

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
    from buildtool.plan.plan import conan_settings, find_target
    from buildtool.project.archs import HEXAGON_ARCHS
    from buildtool.project.model import BUILT_IN_TARGET, Header, Project, Target
    from buildtool.project.read import NoProjectError, find_project
    from buildtool.sdk.packaged_tools import find_cmake
    from buildtool.toolchains.conan_profile import conan_profile
    from buildtool.toolchains.select_profiles import host_profile, skel_profiles

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
        from buildtool.cli.inspection.distribute import write_archives

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
