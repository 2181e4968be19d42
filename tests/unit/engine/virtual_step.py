"""A step whose project, outputs and caches are in memory, and whose build is simulated."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from buildtool.cache.outputs import Output
from buildtool.drivers.step_drivers import driver_of
from buildtool.engine.context import BuildContext
from buildtool.engine.decide import Restore, StepCheck, UpToDate, check_step, decide
from buildtool.engine.options import Options
from buildtool.engine.record import StepRecord, record_file, write_record
from buildtool.inputs.file_states import FileView
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import InputSet, PathSet, observe
from buildtool.inputs.roots import Roots
from buildtool.plan.plan import CMakeStep
from buildtool.toolchains.profile import Compiler, Profile
from tests.made_up import CMAKE

ROOT = Path("/p")
READ = PathSet.of(
    ["{project}/src/main.c", "{project}/src/main.h", "{project}/gone.txt", "/usr/lib/libm.so"],
    ["{project}/first/main.h", "{project}/src/optional.h"],
    [Glob("{project}/src/*.c"), Glob("{project}/parts/*.c", recursive=True)],
)
"""What the step reads, where it searches in vain, and which globs it expands."""


class VirtualFiles(FileView):
    """Files and links by absolute path, and the directories that they are in."""

    def __init__(self) -> None:
        self.content: dict[str, str] = {}  # ends with +x if it is executable
        self.links: dict[str, str] = {}
        self.folders: set[str] = set()

    def write(self, path: str, text: str) -> None:
        self.delete(path)
        self.content[path] = text

    def delete(self, path: str) -> None:
        """Remove what is there, with everything below it."""
        for known in (self.content, self.links):
            for other in [each for each in known if f"{each}/".startswith(f"{path}/")]:
                del known[other]
        self.folders = {each for each in self.folders if not f"{each}/".startswith(f"{path}/")}

    def states(self, paths: Sequence[str]) -> list[str]:
        return [self._state(path) for path in paths]

    def entries(self, directory: str) -> Mapping[str, bool] | None:
        below = [path for path in self._all() if path.startswith(f"{directory.rstrip('/')}/")]
        names = {path[len(directory.rstrip("/")) + 1 :].partition("/")[0] for path in below}
        if not names and directory not in self.folders:
            return None
        return {name: self._is_directory(f"{directory.rstrip('/')}/{name}") for name in names}

    def exists(self, path: str) -> bool:
        return path in self.links or bool(self._state(path))

    def link(self, path: str) -> str:
        return self.links.get(path, "")

    def _all(self) -> list[str]:
        return [*self.content, *self.links, *self.folders]

    def _is_directory(self, path: str) -> bool:
        return self._state(path) == "directory"

    def _state(self, path: str) -> str:
        if path in self.links:
            target = posixpath.join(posixpath.dirname(path), self.links[path])
            return self._state(posixpath.normpath(target))
        if path in self.content:
            text, runs, _ = self.content[path].partition("+x")
            return hashlib.sha256(text.encode()).hexdigest() + runs
        return "directory" if self.entries(path) is not None else ""


class VirtualStep:
    """A step that was built once; tests change its surroundings and ask for the decision.

    `state` is the directory of its record, which is a real file.
    """

    def __init__(self, state: Path) -> None:
        self.state = state
        self.files = VirtualFiles()
        self.step = CMakeStep(
            name="host/app",
            component="app",
            arch=None,
            profile=Profile(
                *("p", "ubuntu-aarch64", "ubuntu_aarch64.cmake.in", {}, "", {}),
                Compiler("clang", "22", "", (), ()),
            ),
            root=ROOT,
            source=ROOT / "src",
            tree=ROOT / ".buildtool/build/app/1",
            output=ROOT / ".buildtool/out/app/1",
            cmake=CMAKE,
            environment=("BUILDTOOL_TEST_LET_THROUGH",),
        )
        self.needs: dict[str, str] = {"host/base": "b" * 64}
        self.options = Options()
        self.rebuild: frozenset[str] = frozenset()
        self.trees: frozenset[str] = frozenset()
        self.built: list[StepRecord] = []  # what the cache has
        for path in ("/p/src/main.c", "/p/src/main.h", "/usr/lib/libm.so", "/p/parts/deep/part.c"):
            self.files.write(path, path)

    def build(self, **fields: Any) -> None:
        """Simulate a build of what is there now; `fields` are those of its record."""
        check = self.check()
        outputs = {"bin/app": "program+x", "lib/libapp.so.1": "library"}
        for name, text in outputs.items():
            self.files.write(f"{self.step.output}/{name}", text)
        self.files.links[f"{self.step.output}/lib/libapp.so"] = "libapp.so.1"
        made = (
            self._output("bin/app", outputs["bin/app"]),
            Output("lib/libapp.so", "link", target="libapp.so.1"),
            self._output("lib/libapp.so.1", outputs["lib/libapp.so.1"]),
        )
        inputs = observe(READ, self.step.roots, self.files)
        record = StepRecord(check.key, inputs, made, 1.0, fields=check.fields, **fields)
        self.built.append(record)
        self.keep(record)

    def keep(self, record: StepRecord) -> None:
        """Write the record of the step."""
        file = record_file(self.state, self.step)
        file.parent.mkdir(exist_ok=True)
        write_record(file, record)

    def check(self) -> StepCheck:
        return check_step(self.step, self.needs, self._context())

    def decision(self) -> tuple[str, list[str]]:
        """What would be done, and the reasons: their kind and their name."""
        check = self.check()
        decision = decide(check, self._context())
        match decision:
            case UpToDate(record):
                assert record == check.record
                word = "up to date"
            case Restore(record):
                word = "restore"
            case _:
                word = "build"
        return word, [f"{reason.kind} {reason.name}".strip() for reason in check.reasons]

    def _output(self, name: str, text: str) -> Output:
        digest = hashlib.sha256(text.removesuffix("+x").encode()).hexdigest()
        return Output(name, "executable" if text.endswith("+x") else "file", digest, 1)

    def _find(self, key: str, roots: Roots, files: FileView) -> StepRecord | None:
        def same(inputs: InputSet) -> bool:
            return observe(inputs.paths, roots, files) == inputs

        return next((r for r in self.built if r.key == key and same(r.inputs)), None)

    def _context(self) -> BuildContext:
        lookup = SimpleNamespace(find=self._find)
        return BuildContext(
            self.state,
            driver_of,
            cast(Any, self.files),
            cast(Any, None),
            cast(Any, SimpleNamespace(lookup=lookup)),
            lambda _: None,
            self.options,
            self.rebuild,
            self.trees,
        )
