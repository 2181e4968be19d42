"""A project on disk, on which tests run `buildtool` as a user does."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from buildtool.core.events import Event, Note, StepFinished, Warned
from buildtool.engine.decide import Explanation
from buildtool.engine.options import Options
from buildtool.flow.targets import build_release, explain
from buildtool.project.read import find_project
from tests.command_line import run_buildtool

OLD = 1_000_000_000
"""A time stamp in 2001 in seconds since the epoch, such as a file from an archive has."""
Outcomes = dict[str, str]
"""Step → outcome, and the cache that it was restored from: `restored local`."""


@dataclass
class Project:
    """A project in the directory `root`, and the settings of the user who builds it.

    `cache` is the user's cache directory, by default the test's.  `variables` are added to the
    test's environment.  `prefix` is a command that runs the arguments after it as a command.
    """

    root: Path
    cache: Path = field(default_factory=lambda: Path(os.environ["BUILDTOOL_CACHE"]))
    variables: dict[str, str] = field(default_factory=dict)
    prefix: Sequence[str] = ()
    messages: str = field(default="", init=False)
    """The standard error of the last command, or the notes of the last `build_here`."""
    warnings: list[str] = field(default_factory=list, init=False)
    """The warnings of the last `build_here`, which are not in `messages`."""
    outcomes: Outcomes = field(default_factory=dict, init=False)
    """The outcomes of the steps in the last `build_here`, which may have failed."""

    def write(self, name: str, text: str, *, old: bool = False) -> None:
        """Write a file and its directory."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if old:
            os.utime(path, (OLD, OLD))

    def lay_out(self, files: Mapping[str, str]) -> None:
        """Make `files` the only sources; files that are already correct keep their time stamps."""
        for path in [*self.root.rglob("*")]:
            name = str(path.relative_to(self.root))
            if not name.startswith(".buildtool") and path.is_file() and name not in files:
                path.unlink()
        for name, text in files.items():
            path = self.root / name
            if not path.is_file() or path.read_text() != text:
                self.write(name, text)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the first occurrence of a text in a file, which must contain it."""
        text = (self.root / name).read_text()
        assert old in text, f"{old!r} is not in {name}"
        self.write(name, text.replace(old, new, 1))

    def copy_sources(self, root: Path) -> None:
        """Copy the sources, and nothing that was built, to the directory `root`."""
        ignored = shutil.ignore_patterns(".buildtool")
        shutil.copytree(self.root, root, symlinks=True, ignore=ignored)

    def forget(self, *names: str) -> None:
        """Remove directories in `.buildtool`, by default all except the build trees."""
        for name in names or ("state", "out", "release"):
            shutil.rmtree(self.root / ".buildtool" / name, ignore_errors=True)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of this user's environment that are added to the test's."""
        return {"BUILDTOOL_CACHE": str(self.cache), **self.variables}

    def run(self, *arguments: str) -> CompletedProcess[str]:
        """Run `buildtool ARGUMENTS...` in the project."""
        done = run_buildtool(
            *arguments, cwd=self.root, environment=self.environment, prefix=self.prefix
        )
        self.messages = done.stderr
        assert "Traceback" not in self.messages, self.messages
        assert "internal error" not in self.messages, self.messages
        return done

    def succeeds(self, *arguments: str) -> str:
        """Run a command, which must succeed; returns its standard output."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def fails(self, *arguments: str) -> str:
        """Run a command (default: `build`), which must fail; returns the error message."""
        done = self.run(*(arguments or ("build",)))
        assert done.returncode == 1, done.stderr
        assert "\x1b" not in done.stderr
        error = re.search(r"^error: ", done.stderr, re.MULTILINE)
        assert error, done.stderr
        return done.stderr[error.start() :]

    def steps(self, target: str = "sim", *options: str) -> list[dict[str, Any]]:
        """Build; returns the steps of `build --json`."""
        steps: list[dict[str, Any]]
        steps = json.loads(self.succeeds("build", target, "--json", *options))["steps"]
        return steps

    def build(self, target: str = "sim", *options: str) -> Outcomes:
        """Build successfully; returns the outcomes."""
        steps = self.steps(target, *options)
        return {s["name"]: f"{s['outcome']} {s['origin'] or ''}".strip() for s in steps}

    def build_here(self, target: str = "sim", *, jobs: int = 0) -> Outcomes:
        """Build in this process, which takes less time; the outcomes do not name caches.

        Raises:
            BuildtoolError: the build failed.
        """
        self.outcomes = outcomes = {}
        notes: list[str] = []
        self.warnings = warnings = []

        def listen(event: Event) -> None:
            if isinstance(event, StepFinished):
                outcomes[event.name] = event.outcome
            elif isinstance(event, Note):
                notes.append(event.text)
            elif isinstance(event, Warned):
                warnings.append(event.text)

        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            try:
                build_release(find_project(self.root), target, listen, Options(jobs=jobs))
            finally:
                self.messages = "\n".join(notes)
        return outcomes

    def explain_here(self, target: str = "sim") -> dict[str, Explanation]:
        """What a build would do to each step now and why, found out in this process."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            rows = explain(find_project(self.root), target, lambda _: None)
        return {row.name: row for row in rows}

    def why(self, *options: str) -> str:
        """What `buildtool why` prints."""
        return self.succeeds("why", *options)

    def why_json(self, *options: str) -> dict[str, dict[str, Any]]:
        """The steps of `buildtool why --json`, by name."""
        return {row["name"]: row for row in json.loads(self.why("--json", *options))["steps"]}

    def release(self, target: str = "sim") -> Path:
        """The directory of the release of a target."""
        return self.root / ".buildtool/release" / target

    def release_files(self, target: str = "sim") -> dict[str, bytes]:
        """The files of the release of a target: path → content."""
        release = self.release(target)
        return {
            str(p.relative_to(release)): p.read_bytes() for p in release.rglob("*") if p.is_file()
        }

    def tree(self, component: str) -> Path:
        """The component's only build tree."""
        (cache,) = (self.root / ".buildtool/build" / component).glob("*/CMakeCache.txt")
        return cache.parent
