"""`buildtool clean [TARGET]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show


def clean(
    target: Annotated[
        str,
        Argument("[TARGET]", "Target of buildtool.toml; default: all targets."),
    ] = "",
    *,
    everything: Annotated[
        bool, Option("--all", "Also Conan packages and emulated devices.")
    ] = False,
    json: Json = False,
) -> None:
    """Remove build trees, outputs, releases, logs and state.

    Conan packages and emulated devices are kept unless --all is given. The cache, which all
    projects of a user share, is always kept, and the next build restores from it; 'buildtool cache
    clear' empties it.
    """
    from buildtool.cli.screen import Screen
    from buildtool.flow.targets import clean as remove_built
    from buildtool.project.read import find_project

    project = find_project(Path.cwd())
    removed = remove_built(project, target, include_expensive=everything, listener=Screen())
    if json:
        print_json(removed.as_json())
    elif not removed.removed:
        show("nothing to remove")
    else:
        for path in removed.removed:
            show(path.relative_to(project.root))
        show(f"{removed.bytes / 1e6:,.1f} MB freed")
