"""The files that the tests of a CTest suite need on a device, and where they work there."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from buildtool.core.lock import held_directory, locked
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import CMakeStep
from buildtool.release.slices import Release
from buildtool.testing.ctest.tests import ListedTest
from buildtool.testing.deployment import (
    Additions,
    directories,
    make_test_release,
    named_files,
    opened_files,
    programs,
)
from buildtool.testing.path_map import PathMap

FOLDER = "tests"
"""Below a project's state: what test deployments are made of, and what runs of CTest leave."""


def files_of_tests(
    step: CMakeStep,
    tests: Iterable[ListedTest],
    patterns: Iterable[str],
    written: Collection[str] = (),
) -> Additions:
    """The files of a component in the test deployment: its programs, those that `tests` name,
    except the ones that tests have `written`, and those that match `patterns`."""
    named = (Path(path) for path in _named(step, tests) if path not in written)
    return {**opened_files(step, patterns), **named_files(step, named), **programs(step)}


def working_directories(step: CMakeStep, tests: Collection[ListedTest]) -> set[str]:
    """The directories of the test deployment that tests work in, or may write files to."""
    paths = [
        *(test.working_directory for test in tests),
        *(
            path if Path(path).is_dir() else str(Path(path).parent)
            for path in [*_named(step, tests)]
        ),
    ]
    mapped = map(PathMap(directories(step)).path, paths)
    return {path for path in mapped if path}


def _named(step: CMakeStep, tests: Iterable[ListedTest]) -> Iterator[str]:
    """The paths that arguments and variables of tests name; relative ones if they name a file."""
    paths = PathMap(directories(step))
    for test in tests:
        for text in test.texts if test.launched else ():
            yield from paths.named_in(text)
        folder = test.working_directory or step.tree
        for text in test.launched[1:]:
            # Not pathlib: an argument may be too long for a name.
            if os.path.isfile(path := os.path.normpath(Path(folder, text))):  # noqa: PTH113
                yield path


def held_test_release(
    stack: ExitStack, folder: Path, release: Release, added: Iterable[Additions]
) -> Release:
    """`release` with all files `added`, which `stack` keeps from being removed; `folder` is
    `FOLDER` of the project."""
    everything = {place: output for part in added for place, output in part.items()}
    with locked(folder / "lock"):  # another process removes what nobody holds
        states = FileStates(folder / "digests")
        place = folder / "deployments" / release.target
        found = make_test_release(release, everything, place, states)
        states.save()
        stack.enter_context(held_directory(found.directory))
    return found
