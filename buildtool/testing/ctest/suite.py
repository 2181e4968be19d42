"""The CTest suites of a target's components on a device."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property, partial
from pathlib import Path

from buildtool.core.events import Note
from buildtool.core.files import read_checksummed, write_checksummed
from buildtool.core.lock import held_directory, is_held, locked
from buildtool.core.trees import make_directory, remove_tree
from buildtool.deploy.contents import Deployment, Site, deployment, read_known
from buildtool.deploy.site import make_current, make_current_after, reset
from buildtool.plan.plan import CMakeStep
from buildtool.project.components import Dsp, Host
from buildtool.run.method_counts import with_names, with_parameters
from buildtool.run.watched_run import STRICT, explain_reports, first_line
from buildtool.testing.ctest.launch import VARIABLE
from buildtool.testing.ctest.launch_server import LaunchServer, script_launcher
from buildtool.testing.ctest.results import CTestReport, ProgramRecords, Reported
from buildtool.testing.ctest.tests import (
    FOLDER,
    CTest,
    CTestError,
    ListedTest,
    files_of_tests,
    has_tests,
    held_test_release,
    tested_component,
    working_directories,
)
from buildtool.testing.deployment import Additions, PathMap, directories, programs
from buildtool.testing.on_device import LaunchedPrograms, TestPlace
from buildtool.testing.results import FAILURES, Outcome, TestResult, after_dsp_crash, matches
from buildtool.testing.session import Session, retried
from buildtool.testing.unsent_files import Hints, SentFiles

MAKE_DIRECTORIES = 'cd "$project/releases/$id" && mkdir -p -- "$@"'


class CTestSuites:
    """The CTest suites of the ARM64 side, and of programs for its DSP, on the device of `session`.
    They have one test deployment.  Tests without a TIMEOUT have `timeout` seconds."""

    def __init__(self, session: Session, timeout: float) -> None:
        self.session = session
        self.timeout = timeout
        self.folder = session.project.state / FOLDER
        archs = (None, session.ready.deployment.arch)
        built = session.build.plan.cmake_steps
        steps = [step for step in built if step.has_tests and step.arch in archs]
        self.suites = [CTestSuite(self, step) for step in steps if has_tests(step.tree)]

    @cached_property
    def complete(self) -> Deployment:
        """The test deployment, which is brought onto the device.  Raises `DeviceError`."""
        return self._push(
            [suite.additions() for suite in self.suites],
            [suite.directories() for suite in self.suites],
        )

    @cached_property
    def of_programs(self) -> Deployment:
        """The deployment without the files that tests name, on the device: programs tell the names
        of tests there, before these files are known."""
        trees = [{directories(suite.step)[str(suite.step.tree)]} for suite in self.suites]
        return self._push([programs(suite.step) for suite in self.suites], trees)

    @property
    def jobs(self) -> int:
        """How many tests run at the same time; 0 for as many as CTest decides, which is one unless
        CTEST_PARALLEL_LEVEL says more.

        Each program has an emulated device of its own.  The tests of a board have one DSP with its
        memory and clocks, and one connection.
        """
        if not self.session.ready.site.device.transport.direct:
            return 0
        if self.session.options.jobs or "CTEST_PARALLEL_LEVEL" in os.environ:
            return self.session.options.jobs
        return len(os.sched_getaffinity(0))

    def _push(self, added: Iterable[Additions], needed: Iterable[set[str]]) -> Deployment:
        ready = self.session.ready
        with ExitStack() as stack:
            release = held_test_release(stack, self.folder, ready.release, added)
            found = deployment(release, ready.deployment.arch, ready.deployment.data)
            retried(partial(_bring, ready.site, found, sorted(set().union(*needed))))
        return found


def _bring(site: Site, found: Deployment, folders: Sequence[str]) -> None:
    """Bring `found` onto the device, if it is not there, and make its directories `folders`:
    releases have only files, and tests also work in other directories, and write to them."""
    if read_known(site.known).id != found.id:
        make_current(site, found)
    reset(site, found, "")  # earlier runs of the tests have written there
    values = {"project": site.project, "id": found.id}
    if site.device.exec(MAKE_DIRECTORIES, values, folders).status:
        make_current_after(site, found, "")  # the device has lost what was there
        site.device.exec(MAKE_DIRECTORIES, values, folders)


class CTestSuite:
    """The CTest suite of the component that `step` builds; see `suites.Suite`."""

    def __init__(self, suites: CTestSuites, step: CMakeStep) -> None:
        self.suites = suites
        self.step = step
        self._fetched_file = suites.folder / "fetched" / f"{step.component}.json"

    @property
    def name(self) -> str:
        return self.step.component

    @property
    def _component(self) -> Host | Dsp:
        return tested_component(self.suites.session.project, self.step)

    def names(self) -> Sequence[str]:
        return [test.name for test in self.tests]

    def known_names(self) -> Sequence[str]:
        return self.names() if "tests" in self.__dict__ else (self.name,)

    @cached_property
    def tests(self) -> tuple[ListedTest, ...]:
        """The tests.  Programs that tell the names of theirs, and have changed since, run on the
        device.  Raises `CTestError` and `DeviceError`."""
        with self._ctest() as ctest:
            with self._programs(ctest, None) as (programs, environment):
                try:
                    found = ctest.tests(environment)
                except CTestError:
                    if not programs.wanted:
                        raise
                if not programs.wanted:
                    return found
            with self._programs(ctest, self.suites.of_programs) as (programs, environment):
                try:
                    return ctest.tests(environment)
                except CTestError:
                    if not any(record.lost for record in programs.records.left()):
                        raise
                    return ctest.tests(environment)

    def run(
        self, session: Session, names: Collection[str] | None, begin: Callable[[str], None]
    ) -> Iterator[TestResult]:
        deployed = self.suites.complete
        missing = {test.name for test in self.tests if names is None or test.name in names}
        device = session.ready.site.device.name
        hints = self._hints(deployed)
        strict = session.choice.strict
        with (
            self._ctest() as ctest,
            self._programs(
                ctest,
                deployed,
                {STRICT: strict} if strict else {},
                scripts=not all(test.launched for test in self.tests),
            ) as (programs, environment),
        ):
            report = CTestReport(
                self.name,
                device,
                self._by_name(),
                programs.records,
                begin=begin,
                explain=self._explained,
                may_crash=self._may_crash,
            )
            chosen = None if names is None else sorted(names)
            timeout, jobs = self.suites.timeout, self.suites.jobs
            with closing(ctest.run(environment, chosen, timeout=timeout, jobs=jobs)) as lines:
                for line in lines:
                    if ended := report.read(line):
                        missing.discard(ended.result.name)
                        if ended.record:
                            self._note_fetched(ended.record.fetched)
                            hints.note_fetched(ended.record.fetched)
                        yield self._with_hints(ended, hints)
            errors = ctest.errors() if missing else ""
            yield from self._crash_elsewhere(programs.records, device)
        for name in sorted(missing):
            yield TestResult(
                *(self.name, name, device, Outcome.NOT_RUN),
                seconds=0,
                message="CTest did not run it",
                output=errors,
            )
        if proposal := hints.proposal():
            session.ready.site.listener(Note(proposal))

    def additions(self) -> Additions:
        """The files of this component in the test deployment."""
        patterns = self._component.test_files
        return files_of_tests(self.step, self.tests, patterns, self._fetched())

    def directories(self) -> set[str]:
        """The directories of the test deployment that tests work in, or may write files to."""
        return working_directories(self.step, self.tests)

    @contextmanager
    def _ctest(self) -> Iterator[CTest]:
        """CTest in a new directory, which is removed after the block."""
        runs = self.suites.folder / "runs"
        make_directory(runs)
        with ExitStack() as stack:
            with locked(self.suites.folder / "lock"):
                for left in runs.iterdir():  # by a process that was killed
                    if not is_held(left):
                        remove_tree(left, ignore_errors=True)
                folder = Path(tempfile.mkdtemp(dir=runs, prefix=f"{self.step.component}-"))
                stack.callback(remove_tree, folder, ignore_errors=True)
                stack.enter_context(held_directory(folder))
            ctest = CTest(self.step.cmake, self.step.tree, folder)
            ctest.prepare()
            yield ctest

    @contextmanager
    def _programs(
        self,
        ctest: CTest,
        deployed: Deployment | None,
        variables: Mapping[str, str] = {},
        *,
        scripts: bool = False,
    ) -> Iterator[tuple[LaunchedPrograms, Mapping[str, str]]]:
        """The runner of the programs of tests for the block, and the environment of CTest for it;
        without a deployment it runs nothing.  Programs that run at the end of the block are ended.
        With `scripts`, it also runs the programs that scripts start."""
        folder = Path(tempfile.mkdtemp(dir=ctest.folder, prefix="programs-"))
        site = self.suites.session.ready.site
        environment = {**os.environ, VARIABLE: str(folder)}
        with ExitStack() as stack:
            if scripts:
                system = "android" if self.step.profile.platform == "android" else "linux"
                environment |= stack.enter_context(script_launcher(folder, system))
            # Its root is where a device of this machine keeps what belongs to a run.
            device = site.device._replace(root=str(folder))
            where = TestPlace(
                site=site._replace(device=device),
                deployment=deployed,
                paths=directories(self.step),
                environment=environment,
                variables=variables,
                tests=self._by_name() if deployed else {},
                timeout=self.suites.timeout,
            )
            programs = LaunchedPrograms(where, ProgramRecords(folder))
            stack.callback(programs.close)
            stack.enter_context(LaunchServer(folder, programs.run))
            yield programs, environment

    def _by_name(self) -> Mapping[str, ListedTest]:
        """The tests by name, as far as they are known."""
        return {test.name: test for test in self.__dict__.get("tests", ())}

    def _hints(self, deployed: Deployment) -> Hints:
        site, paths = self.suites.session.ready.site, PathMap(directories(self.step))
        sent = SentFiles(
            table=f"{'dsp' if self.step.arch else 'host'}.{self.step.component}",
            place=site.release(deployed.id),
            paths=paths,
            sent={*deployed.contents, *map(paths.path, self._fetched())},
            is_here=site.device.transport.direct,
        )
        patterns = self._component.test_files
        return Hints(sent, (str(self.step.tree), str(self.step.source)), patterns)

    def _with_hints(self, ended: Reported, hints: Hints) -> TestResult:
        """The result of a test, with its counts; the output of one that failed on the device also
        tells which files of this machine it did not find there."""
        names, record = self.suites.session.method_names, ended.record
        methods = with_names(names, record.methods if record else ())
        failed = with_parameters(names, record.failed if record else ())
        result = ended.result._replace(methods=methods, failed=failed)
        listed = self._by_name().get(result.name)
        if not listed or not ended.record or result.outcome not in FAILURES:
            return result
        folder = listed.working_directory or str(self.step.tree)
        lines = hints.add(result.name, result.output, folder, ended.record.missing)
        return result._replace(output="\n".join(filter(None, (result.output, *lines))))

    def _explained(self, crashes: Path) -> tuple[str, ...]:
        """Explanations of crashes of skels on the emulated DSP, and of calls that take long."""
        return explain_reports(self.suites.session.project, self.suites.session.ready, crashes)

    def _may_crash(self, test: str) -> bool:
        """Whether `test` may crash the DSP process."""
        host = self._component
        return isinstance(host, Host) and matches(self.name, test, host.dsp_may_crash)

    def _crash_elsewhere(self, records: ProgramRecords, device: str) -> Iterator[TestResult]:
        """A test that has crashed, if a program that CTest did not start itself, such as one that a
        script starts, has crashed the DSP process."""
        explained = tuple(t for one in records.left() for t in self._explained(one.crashes))
        if (crash := first_line(explained)) and not self._may_crash(self.name):
            result = TestResult(self.name, self.name, device, Outcome.PASSED, 0)
            message = f"{crash}; this was in a program that no test names"
            yield after_dsp_crash(result._replace(output="\n".join(explained)), message)

    def _fetched(self) -> frozenset[str]:
        """The files in the build tree that tests wrote on a device: they are not data of tests."""
        try:
            return frozenset(map(str, read_checksummed(self._fetched_file)))
        except (OSError, ValueError, TypeError):
            return frozenset()

    def _note_fetched(self, paths: Iterable[str]) -> None:
        known = self._fetched()
        if new := known.union(paths) - known:
            make_directory(self._fetched_file.parent)
            write_checksummed(self._fetched_file, sorted(known | new))
