"""Options of a command line that change a target."""

from __future__ import annotations

from buildtool.core.errors import UsageError
from buildtool.project.model import BUILD_TYPES, Project, find_target


def with_options(
    project: Project,
    target_name: str,
    *,
    build_type: str = "",
    strict_isa: bool = False,
    sanitize: bool = False,
) -> Project:
    """The project with the options of a command line for that target; raises `UsageError`."""
    if build_type and build_type not in BUILD_TYPES:
        raise UsageError(
            f"{build_type!r} is not a build type", remedy=f"Take one of: {', '.join(BUILD_TYPES)}."
        )
    target = find_target(project, target_name)
    if sanitize and not any(skel.source for skel in project.skels.values()):
        raise UsageError(
            "--sanitize finds no skel to check",
            why="the checks are compiled into skels, and the project compiles none: prebuilt ones"
            " are used as they are",
            remedy="Omit --sanitize; --strict finds wrong accesses in prebuilt skels too.",
        )
    target = target._replace(
        build_type=build_type or target.build_type,
        strict_isa=strict_isa or target.strict_isa,
        sanitize=sanitize or target.sanitize,
    )
    return project._replace(targets={**project.targets, target_name: target})
