"""Writes an export: the tests as commands, the bundle, whose script needs only a POSIX shell on the
device, and the files of the service.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.files import value_digest
from buildtool.core.trees import remove_tree, replace_directory
from buildtool.deploy.contents import DataFile
from buildtool.device.emulated.socs import known_socs
from buildtool.plan.plan import CMakeStep
from buildtool.project.keys import arch_number
from buildtool.project.model import Project
from buildtool.project.runs import seconds
from buildtool.release.formats.entries import PackageEntry, write_zip
from buildtool.release.slices import Release
from buildtool.run.program import RUNNER_PATH, find_command, variables
from buildtool.testing.ctest.tests import ListedTest, strings
from buildtool.testing.deployment import PathMap, directories
from buildtool.testing.export.exported import (
    BUNDLE,
    FILE,
    ROOT,
    RUN,
    SERVICES,
    TEMPLATES,
    Export,
    ExportedTest,
    filled,
    write_list,
)
from buildtool.testing.suites import SUITE

EPOCH = 315532800
"""1980, the first year of zip archives: equal exports are equal files."""
ID_DIGITS = 16
NEEDS_CTEST = (
    *("PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION", "SKIP_REGULAR_EXPRESSION"),
    *("TIMEOUT_AFTER_MATCH", "ENVIRONMENT_MODIFICATION", "REQUIRED_FILES"),
    *("FIXTURES_REQUIRED", "FIXTURES_SETUP", "FIXTURES_CLEANUP", "DEPENDS"),
)
"""Properties of tests that CTest itself has to act on."""
SKIP = "SKIP_REGULAR_EXPRESSION"
SKIPPED = "[  SKIPPED ]"
OF_GOOGLETEST = {SKIP: [r"\[  SKIPPED \]"]}
"""What `gtest_discover_tests` sets: it means this text."""
MAX_NAME = 80


def make_export(
    tests: Iterable[ExportedTest],
    release: Release,
    platform: str,
    service: str,
    devices: tuple[str, ...],
) -> Export:
    """The export of `tests`, which run in `release`."""
    export = Export("", service, devices, release.target, platform, release.id, tuple(tests))
    return export._replace(id=value_digest(export)[:ID_DIGITS])


def check_directory(directory: Path) -> None:
    """Raise `UsageError` unless `directory` is new, empty, or an earlier export."""
    is_empty = directory.is_dir() and not any(directory.iterdir())
    if directory.is_symlink() or (
        directory.exists() and not ((directory / FILE).is_file() or is_empty)
    ):
        raise UsageError(
            f"--export {directory}: it is not an export of tests",
            why="the export replaces the directory as a whole",
            remedy="Name a new directory.",
        )


def write_export(
    export: Export, release: Release, data: Iterable[DataFile], directory: Path, project: str
) -> None:
    """Write `export`, whose tests run in `release` with `data`, to `directory`, which becomes
    complete or stays as it is.  Raises `OSError`."""
    service = SERVICES[export.service]
    directory = directory.absolute()
    directory.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=directory.parent, prefix=f".{directory.name}."))
    try:
        fresh.chmod(0o755)
        script = (TEMPLATES / RUN).read_bytes()
        if export.platform == "android":  # of which old releases have no /bin
            script = script.replace(b"#!/bin/sh", b"#!/system/bin/sh", 1)
        with (fresh / BUNDLE).open("wb") as stream:
            _write_tar_gz(stream, _bundle(export, release, data))
        if service.archive:
            entries = [
                PackageEntry(BUNDLE, 0o644, fresh / BUNDLE),
                PackageEntry(RUN, 0o755, script),
                *(
                    PackageEntry(name, 0o644, filled(name, export, project).encode())
                    for name in service.packed
                ),
            ]
            if service.archive.endswith(".zip"):
                write_zip(fresh / service.archive, entries, EPOCH, "")
            else:
                with (fresh / service.archive).open("wb") as stream:
                    _write_tar_gz(stream, entries)
            (fresh / BUNDLE).unlink()  # the archive has it
        else:
            (fresh / RUN).write_bytes(script)
        for name in service.files:
            (fresh / name).write_text(filled(name, export, project), encoding="utf-8")
        write_list(export, fresh)
        replace_directory(fresh, directory)
    except BaseException:
        remove_tree(fresh, ignore_errors=True)
        raise


def _bundle(export: Export, release: Release, data: Iterable[DataFile]) -> list[PackageEntry]:
    script = tests_script(export, release.archs).encode(errors="surrogateescape")
    return [
        PackageEntry("tests.sh", 0o755, script),
        *(
            PackageEntry(f"release/{file.path}", file.mode, release.directory / file.path)
            for file in release.files
        ),
        *(PackageEntry(f"release/{link.path}", 0o777, b"", link.target) for link in release.links),
        *(PackageEntry(f"release/{file.path}", 0o644, file.source) for file in data),
    ]


def _write_tar_gz(stream: io.BufferedWriter, entries: Iterable[PackageEntry]) -> None:
    """Write `entries` in the format for long names that busybox and toybox read, too."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as archive,
    ):
        for entry in entries:
            header = tarfile.TarInfo(entry.path)
            header.mode, header.mtime = entry.mode, EPOCH
            if entry.link:
                header.type, header.linkname = tarfile.SYMTYPE, entry.link
                archive.addfile(header)
                continue
            header.size = entry.size
            with entry.stream() as content:
                archive.addfile(header, content)


def tests_script(export: Export, archs: Sequence[str]) -> str:
    """`tests.sh` for the tests of `export`, whose release has skels for `archs`."""
    tests = [(at, test) for at, test in enumerate(export.tests) if not test.left_out]
    values = {
        "ARCH": _arch_of(archs),
        "ID": export.id,
        "START": "\n".join(
            ["start() {", "    case $1 in", *(_start(*each) for each in tests), "    esac", "}"]
        ),
        "TESTS": "\n".join(_run(*each) for each in tests),
    }
    text = (TEMPLATES / "tests.sh").read_text(encoding="utf-8")
    return re.sub("^@([A-Z]+)@$|@(ID)@", lambda at: values[at[1] or at[2]], text, flags=re.M)


def case_name(number: int, test: ExportedTest) -> str:
    """The name of a test for LAVA: its number makes it unique and leads back to it."""
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", f"{test.suite}.{test.name}", flags=re.ASCII)
    return f"{number}.{plain[:MAX_NAME]}"


def _arch_of(archs: Sequence[str]) -> str:
    """The function `arch_of`: it prints the newest arch of the release that is not newer than the
    SoC's, and that of a release which has only one."""
    rows: dict[str, list[str]] = {}
    for name, soc in known_socs().items() if len(archs) > 1 else ():
        fitting = [each for each in archs if arch_number(each) <= arch_number(soc.arch)]
        if fitting:
            rows.setdefault(max(fitting, key=arch_number), []).append(name)
    lines = [f"        {'|'.join(names)}) echo {arch} ;;" for arch, names in rows.items()]
    lines.append(f"        *) echo {archs[0] if len(archs) == 1 else ''} ;;")
    return "\n".join(["arch_of() {", "    case $1 in", *lines, "    esac", "}"])


def _start(number: int, test: ExportedTest) -> str:
    env = (_word(f"{name}={value}") for name, value in test.env.items())
    words = [*env, '"$root/run.sh"', *map(_word, test.command)]
    lines = [
        f"{number})",
        f"    enter {_word(test.cwd)}",
        f"    exec env BUILDTOOL_KEEP_DIRECTORY=1 {' '.join(words)}",
        "    ;;",
    ]
    return "\n".join(f"        {line}" for line in lines)


def _run(number: int, test: ExportedTest) -> str:
    results = ("fail", "pass") if test.will_fail else ("pass", "fail")
    skip = "" if test.skip_status is None else test.skip_status
    name, timeout = case_name(number, test), math.ceil(test.timeout)
    return f"run_test {number} {name} {timeout} {' '.join(results)} '{skip}' '{test.skip_text}'"


def _word(text: str) -> str:
    """`text` as one word of a shell, with the directory of the release in the place of `ROOT`."""
    quoted = "'" + text.replace("'", "'\\''") + "'"
    return quoted.replace(ROOT, "'\"$root\"'")


def programs_as_commands(
    project: Project, release: Release, timeout: float
) -> Iterator[ExportedTest]:
    """The tests of the project file; those without a timeout have `timeout` seconds.  Raises
    `ProgramError` for a program that the release does not have."""
    for name, test in project.tests.items():
        if test.pytest:
            yield ExportedTest(name, name, left_out="pytest runs on this machine")
            continue
        yield ExportedTest(
            SUITE,
            name,
            timeout=seconds(test.timeout) if test.timeout else timeout,
            command=find_command(release, (test.program, *test.args), emulated=False),
            cwd=test.cwd,
            env=variables(test.env),
        )


def ctest_as_commands(
    step: CMakeStep, tests: Sequence[ListedTest], timeout: float
) -> Iterator[ExportedTest]:
    """The CTest suite of the component that `step` builds."""
    paths = PathMap(directories(step))
    there = PathMap({here: f"{ROOT}/{path}" for here, path in directories(step).items()})
    for test in tests:
        folder = test.working_directory or str(step.tree)
        known = ExportedTest(step.component, test.name)
        program = paths.path(test.launched[0]) if test.launched else ""
        command = (RUNNER_PATH, f"{ROOT}/{program}") if step.programs else (program,)
        arguments = (there.argument(text, folder) for text in test.launched[1:])
        if test.properties.get("DISABLED"):
            yield known._replace(left_out="disabled")
        elif not program:
            yield known._replace(left_out="its command runs on this machine")
        elif found := [
            name
            for name in NEEDS_CTEST
            if (value := test.properties.get(name)) and value != OF_GOOGLETEST.get(name)
        ]:
            yield known._replace(left_out=f"{found[0]} needs CTest")
        else:
            yield known._replace(
                timeout=test.timeout or timeout,
                command=(*command, *arguments),
                cwd=paths.path(folder),
                env=_environment(test, there),
                will_fail=test.will_fail,
                skip_status=test.skip_status,
                skip_text=SKIPPED if test.properties.get(SKIP) else "",
            )


def _environment(test: ListedTest, there: PathMap) -> Mapping[str, str]:
    pairs = (pair.partition("=") for pair in strings(test.properties.get("ENVIRONMENT")))
    return {name: there.text(value) for name, _, value in pairs}
