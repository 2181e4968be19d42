"""Bring a step's build tree up to date: CMake when what it read changed, Ninja, install."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from buildtool import _data
from buildtool.build import frame as frames
from buildtool.build import tree as trees
from buildtool.build.check_flags import check_flags
from buildtool.build.check_links import check_links
from buildtool.build.cmake_arguments import cache_entries
from buildtool.build.conan_driver import Dependencies
from buildtool.build.discover import Discovered, dependents_of, discover, shadowed
from buildtool.build.discover.ninja import finished, log_lines, read_graph
from buildtool.build.file_api import FileApiError, answer, answered, ask, read_build_tree
from buildtool.build.inputs import Change, Disk, InputSet, PathSet, changed_since, changes, observe
from buildtool.build.launcher import Launcher
from buildtool.build.logs import StepLog
from buildtool.build.plan import CMakeStep
from buildtool.build.presets import empty_written, preset_files
from buildtool.build.products import check_installed, collect, take_place
from buildtool.build.roots import RootError, Roots
from buildtool.core.ending import running_tools
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest, write_if_changed
from buildtool.core.process import Completed, ToolError, ToolInterrupt
from buildtool.sdk.cmake import CMake
from buildtool.toolchains.cdsprpc import advice
from buildtool.toolchains.refusal import Refusal, remedies

PROGRESS = re.compile(
    r"\[\d+/\d+\]|ninja: |-- |loading initial cache|Put cmake in trace mode|Trace will be"
)  # lines of Ninja and CMake about progress
STAMP = "configured.json"
TRACE, INSTALL_TRACE = "configure.trace.json", "install.trace.json"


@dataclass
class Driver:
    """One step's tools.  `needs` are the digests of what steps made that this one builds on;
    `environment` is the tools', `disk` what was on disk before they started; `log` and `say` get
    what they print, `warn` what those had to say that succeeded."""

    step: CMakeStep
    cmake: CMake
    dependencies: Dependencies | None
    launcher: Launcher | None
    needs: Mapping[str, str]
    environment: Mapping[str, str]
    roots: Roots
    disk: Disk
    log: StepLog
    say: Callable[[str], None]
    warn: Callable[[str], None]

    @property
    def cache(self) -> dict[str, str]:
        """The cache entries that CMake is given."""
        return cache_entries(self.step, self.cmake, self.dependencies, self.launcher)

    def build(self, foundation: str, killed: Callable[[], None]) -> Discovered:
        """Configure if need be, build, and fill the step's output directory.

        `foundation` names what no part of an old build tree may outlive; `killed` is called when
        Ninja died of a signal.  Returns what was read.  Raises `ToolError` when CMake or Ninja
        fails, `ProfileError` when a target asks for what the profile cannot compile, `CdsprpcError`
        when one links another libcdsprpc than the system's, `ArtifactError` when the component
        ships nothing.
        """
        begun = time.time_ns()
        note, _ = self.ready(foundation)
        command: list[str | Path] = [self.cmake.ninja, "-C", self.tree, *self.step.targets]
        commands = log_lines(self.tree)
        trees.write_note(self.tree, dataclasses.replace(note, known=False))
        try:
            done = self.log.capture(
                command, env=self.environment, cwd=self.step.source, on_line=self.say
            )
        except ToolInterrupt as interrupt:
            if interrupt.status and interrupt.status > 0:  # else it was killed in the end
                with running_tools():
                    self.settle(note, commands, begun)
            raise
        if done.status < 0:
            killed()
        elif done.status > 0:
            self.settle(note, commands, begun)
        self.show(self.check(done, "building"), "warning:")
        try:
            self.put_down()
        except BuildtoolError:
            self.settle(note, commands, begun)
            raise
        found = self.discover(note, installed=self.step.install)
        self.note(note, found, begun)
        return found

    def configured(self, foundation: str) -> bool:
        """Configure if need be, and build nothing; returns whether it was.  Raises as `build`."""
        _, done = self.ready(foundation)
        return done

    def ready(self, foundation: str) -> tuple[trees.TreeNote, bool]:
        """Bring the tree to where Ninja can run: its note, and whether CMake ran.  Raises as
        `build`."""
        note, before = self.prepare(foundation), frames.all_stamps(self.tree)
        done = self.configure()
        if done and frames.not_written_again(self.tree, note.frame):
            note, before = self.nothing(foundation), {}
            self.configure()
        if done:
            frame = frames.framed(self.tree, before, note.frame)
            note = dataclasses.replace(note, frame=frame)
            trees.write_note(self.tree, note)
        return note, done

    def settle(self, note: trees.TreeNote, commands: Collection[str], begun: int) -> None:
        """Note what a Ninja that ended by itself has made, though not all; what it did not
        finish is taken away."""
        # Without a note that tells of it, nothing is kept.
        with contextlib.suppress(BuildtoolError):
            made = {name for name, at in self.products().items() if note.products.get(name) != at}
            trees.take_away(self.tree, made - finished(self.tree, commands))
            self.note(note, self.discover(note, installed=False), begun)

    def note(self, note: trees.TreeNote, found: Discovered, begun: int) -> None:
        """Note the tree as Ninja left it, which ended by itself."""
        inputs = observe(found.paths, self.roots, self.disk.again())
        # Nobody knows of which state of these the products are.
        late = {
            name: ""
            for name in changed_since(found.paths, self.roots, begun)
            if inputs.digests[name] != note.inputs.digests.get(name)
        }
        whole = trees.TreeNote(
            note.foundation,
            known=True,
            inputs=dataclasses.replace(inputs, digests={**inputs.digests, **late}),
            configure=found.configure,
            install=found.install,
            products=trees.stamps(self.tree, found.made),
            frame=frames.again(self.tree, list(note.frame), note.frame),
            headers=frames.headers_sum(self.tree),
            answer=answer(self.tree),
        )
        trees.write_note(self.tree, whole)

    @property
    def tree(self) -> Path:
        return self.step.tree

    def prepare(self, foundation: str) -> trees.TreeNote:
        """Take away from the tree what Ninja would wrongly keep: all of it, if need be.

        Returns the note of the tree as it is then.
        """
        note = trees.read_note(self.tree)
        now = self.seen(note) if note and note.foundation == foundation else None
        if note is None or now is None:
            return self.nothing(foundation)
        if frames.headers_sum(self.tree, note.headers[0]) != note.headers:
            return self.nothing(foundation)
        differences = changes(note.inputs, now)
        harmed = frames.unlike(self.tree, note.frame)
        if (differences or not note.known) and frames.tells_graph(harmed):
            return self.nothing(foundation)
        try:
            unlike = self.unlike(note)
            stale = self.stale(
                [row for row in differences if not note.install.covers(row)], note.configure
            )
        except (ToolError, FileApiError):
            return self.nothing(foundation)
        if stale is None:
            return self.nothing(foundation)
        if harmed or any(note.configure.covers(row) for row in differences):
            (self.tree / STAMP).unlink(missing_ok=True)
        trees.take_away(self.tree, [*unlike, *harmed, *map(str, stale)])
        kept = {name: stamp for name, stamp in note.products.items() if name not in unlike}
        note = dataclasses.replace(note, known=True, inputs=now, products=kept)
        trees.write_note(self.tree, note)
        return note

    def unlike(self, note: trees.TreeNote) -> set[str]:
        """The products that are not as they are noted."""
        now = trees.stamps(self.tree, note.products) if note.known else self.products()
        return {name for name, stamp in now.items() if note.products.get(name) != stamp}

    def nothing(self, foundation: str) -> trees.TreeNote:
        """Begin with an empty tree."""
        trees.delete(self.tree)
        empty = PathSet.of()
        inputs = InputSet(empty, {}, (), {})
        return trees.TreeNote(foundation, True, inputs, empty, empty, {}, {}, (0, ""))

    def seen(self, note: trees.TreeNote) -> InputSet | None:
        """What there is to see now of what the tree was made from; None when it is of tools that
        this project no longer uses."""
        try:
            return observe(note.inputs.paths, self.roots, self.disk.again())
        except RootError:
            return None

    def stale(self, differences: Sequence[Change], configure: PathSet) -> set[Path] | None:
        """What was made of files that changed: Ninja misses those with old time stamps, and headers
        that are found in place of others.

        None when nobody knows what was made of one of them.
        """
        if not differences:
            return set()
        appeared, changed = [], []
        for row in differences:
            if row.kind == "glob":
                if not configure.covers(row):
                    return None
            elif "present" in (row.old, row.new):
                appeared.append(self.roots.placed(row.path))
            else:
                changed.append(self.roots.placed(row.path))
        known = dependents_of(self.tree, self.cmake.ninja, changed, self.environment)
        for row in differences:
            path = self.roots.placed(row.path)
            if path in changed and not known.get(path) and not configure.covers(row):
                return None
        return {path for paths in known.values() for path in paths}.union(
            shadowed(
                self.tree,
                ninja=self.cmake.ninja,
                environment=self.environment,
                roots=self.roots,
                appeared=appeared,
                ignore=self.known_places,
            )
        )

    def products(self) -> dict[str, trees.Stamp]:
        """The stamps of all that Ninja has made."""
        if not (self.tree / "build.ninja").is_file():
            return {}
        graph = read_graph(self.tree, self.cmake.ninja, self.environment, self.step.targets)
        return trees.stamps(self.tree, graph.made)

    @property
    def known_places(self) -> tuple[str, ...]:
        """The roots whose files have an identity of their own in the step's key."""
        return tuple(name.lower() for name in self.step.profile.places)

    def discover(self, note: trees.TreeNote, *, installed: bool) -> Discovered:
        """What the build read, as the tools tell; `note` is the tree's from before it."""
        return discover(
            self.tree,
            source=self.step.source,
            ninja=self.cmake.ninja,
            environment=self.environment,
            targets=self.step.targets,
            trace=self.tree / TRACE,
            roots=self.roots,
            declared=self.step.inputs,
            ignore=self.known_places,
            install_trace=self.tree / INSTALL_TRACE if installed else None,
            disk=self.disk.again(),
            # Had any of it changed, CMake would have run and answered anew.
            configured=note.configure if note.answer == answer(self.tree) else None,
        )

    def put_down(self) -> None:
        """Fill the step's output directory, as a whole."""
        fresh = self.tree / "install.new"
        trees.delete(fresh)
        fresh.mkdir()
        if self.step.install:
            # The script itself, not `cmake --install`: only so can absolute destinations be refused
            # before anything is written to them.
            command: list[str | Path] = [
                self.cmake.program,
                *_traced(self.tree / INSTALL_TRACE),
                f"-DCMAKE_INSTALL_PREFIX={fresh}",
                "-DCMAKE_ERROR_ON_ABSOLUTE_INSTALL_DESTINATION=ON",
                *("-P", self.tree / "cmake_install.cmake"),
            ]
            self.tool(command, "installing")
            check_installed(self.step, fresh)
        else:
            collect(self.step, fresh)
        take_place(fresh, self.step.output)

    def configure(self) -> bool:
        """Run CMake unless the tree was configured with these very arguments and nothing that it
        read has changed; check then what it would build."""
        step, stamp = self.step, self.tree / STAMP
        toolchain = step.tree / "toolchain.cmake"
        arguments = [
            *(["--preset", step.preset] if step.preset else []),
            # The profile's entries go to a toolchain file that may know none of them.
            *(["--no-warn-unused-cli"] if step.toolchain_file else []),
            *("-G", "Ninja", "-S", str(step.source), "-B", str(step.tree)),
            *(f"-D{name}={value}" for name, value in self.cache.items()),
        ]
        presets = preset_files(step.source) if step.preset else []
        own = [step.toolchain_file] if step.toolchain_file else []
        wanted = json.dumps(
            {
                "cmake": self.cmake.identity,
                "arguments": arguments,
                "dependencies": self.dependencies.key if self.dependencies else "",
                "needs": dict(self.needs),
                "environment": dict(step.profile.environment),
                "toolchain": step.profile.cmake_toolchain(),
                "files": [file_digest(file) for file in [*presets, *own] if file.is_file()],
            },
            indent=1,
        )
        made = [step.tree / name for name in ("build.ninja", "CMakeCache.txt", "CMakeFiles", TRACE)]
        if (
            all(path.exists() for path in made)
            and answered(step.tree)
            and stamp.is_file()
            and stamp.read_text() == wanted
            and toolchain.is_file()
        ):
            return False
        stamp.unlink(missing_ok=True)
        # What a former configuration cached must not shape this one.
        trees.unconfigure(self.tree)
        if step.preset:
            empty_written(step.source)
        write_if_changed(toolchain, step.profile.cmake_toolchain())
        ask(step.tree)
        quiet = _data.path("cmake") / "quiet_policies.cmake"
        command: list[str | Path] = [
            self.cmake.program,
            *_traced(self.tree / TRACE),
            "-C",
            quiet,
            *arguments,
        ]
        self.show(self.tool(command, "configuring"), "CMake Warning")
        self.check_tree()
        write_if_changed(stamp, wanted)
        return True

    def check_tree(self) -> None:
        """Refuse flags and libraries that would not do."""
        if not self.refusals and not self.step.profile.cdsprpc:
            return
        tree = read_build_tree(self.tree)
        if self.refusals:
            check_flags(tree, self.step.profile)
        if self.step.profile.cdsprpc:
            check_links(tree, self.step.profile.cdsprpc)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """A toolchain file of the component's own brings a compiler of its own."""
        return () if self.step.toolchain_file else self.step.profile.refusals

    def show(self, done: Completed, sign: str) -> None:
        """Show what a tool that succeeded said, when there is a warning in it."""
        if sign in done.output:
            said = [line for line in done.output.splitlines() if not PROGRESS.match(line)]
            self.warn("\n".join(said))

    def tool(self, argv: Sequence[str | Path], doing: str) -> Completed:
        done = self.log.capture(argv, env=self.environment, cwd=self.step.source, on_line=self.say)
        return self.check(done, doing)

    def check(self, done: Completed, doing: str) -> Completed:
        step = self.step
        return self.log.check(
            done,
            f"{doing} {step.summary}",
            remedy=remedies(self.refusals, done.output)
            or (advice(done.output, step.profile.cdsprpc) if step.profile.cdsprpc else "")
            or f"The build tree is {step.tree}; fix what the tool reports and build again.",
        )


def _traced(file: Path) -> tuple[str, ...]:
    """What makes CMake tell of everything that it reads, in `file`."""
    return ("--trace-expand", "--trace-format=json-v1", f"--trace-redirect={file}")
