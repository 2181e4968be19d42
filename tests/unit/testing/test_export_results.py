"""Results that come back for an export: what they mean, and hostile ones."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.release.unpack.entry import UnsafeArchiveError
from buildtool.testing.export.exported import Export, ExportedTest, read_list, write_list
from buildtool.testing.export.results import ResultsError, read_results
from buildtool.testing.results import Outcome, TestRun

ID = "0123456789abcdef"
TESTS = (
    ExportedTest("test", "plain", 5, ("bin/app",)),
    ExportedTest("unit", "inverted", 5, ("bin/app",), will_fail=True),
    ExportedTest("unit", "skips", 5, ("bin/app",), skip_status=77),
    ExportedTest("unit", "here", left_out="its command runs on this machine"),
    ExportedTest("unit", "Told.Test", 5, ("bin/app",), skip_text="[  SKIPPED ]"),
)


def export(service: str = "qdc", *devices: str) -> Export:
    return Export(ID, service, devices or ("q6a",), "sim", "ubuntu-aarch64", "release", TESTS)


def results(directory: Path, *lines: str, id: str = ID) -> Path:
    """A directory with a list of results."""
    directory.mkdir(parents=True)
    (directory / "results.txt").write_text(
        "".join(f"{line}\n" for line in (f"export {id}", *lines))
    )
    return directory


def read(path: Path, folder: Path, service: str = "qdc", *devices: str) -> list[TestRun]:
    return read_results(export(service, *devices), path, folder)


def outcomes(run: TestRun) -> list[tuple[Outcome, str]]:
    return [(test.outcome, test.message) for test in run.tests]


@pytest.mark.parametrize(
    ("line", "outcome", "message"),
    [
        ("test 0 0 1.5 2.25", Outcome.PASSED, ""),
        ("test 0 3 1.5 2.25", Outcome.FAILED, "exit status 3"),
        ("test 0 139 1.5 2.25", Outcome.CRASHED, "ended by SIGSEGV"),
        ("test 0 200 1.5 2.25", Outcome.FAILED, "exit status 200"),
        ("test 0 timeout 1 6", Outcome.TIMED_OUT, "did not end in 5 s"),
        ("test 1 3 1 2", Outcome.NOT_RUN, "the job has no result of it"),
        ("test 0 0 1", Outcome.NOT_RUN, "the job has no result of it"),
        ("test 0 -1 1 2", Outcome.NOT_RUN, "the job has no result of it"),
        ("test 0 0 nan inf", Outcome.NOT_RUN, "the job has no result of it"),
        ("test ٠ 0 1 2", Outcome.NOT_RUN, "the job has no result of it"),
    ],
)
def test_the_outcome_of_a_program(
    line: str, outcome: Outcome, message: str, tmp_path: Path
) -> None:
    (run,) = read(results(tmp_path / "r", line), tmp_path)

    assert outcomes(run)[0] == (outcome, message)


def test_properties_of_ctest_and_what_was_left_out(tmp_path: Path) -> None:
    (run,) = read(results(tmp_path / "r", "test 1 3 1 2", "test 2 77 1 2"), tmp_path)

    assert outcomes(run)[1:4] == [
        (Outcome.PASSED, ""),
        (Outcome.SKIPPED, "SKIP_RETURN_CODE=77"),
        (Outcome.SKIPPED, "not exported: its command runs on this machine"),
    ]


@pytest.mark.parametrize(
    ("status", "said", "outcome"),
    [
        (0, "[  SKIPPED ] Told.Test\n", Outcome.SKIPPED),
        (0, "[  PASSED  ] 1 test.\n", Outcome.PASSED),
        (1, "[  FAILED  ] Told.Test\n", Outcome.FAILED),
        (139, "[  SKIPPED ] Told.Test\n", Outcome.CRASHED),
    ],
)
def test_output_that_says_skipped(status: int, said: str, outcome: Outcome, tmp_path: Path) -> None:
    directory = results(tmp_path / "r", f"test 4 {status} 1 2")
    (directory / "4.log").write_text(said)
    (run,) = read(directory, tmp_path)

    assert run.tests[4].outcome is outcome


@pytest.mark.parametrize(("word", "outcome"), [("skip", "SKIPPED"), ("pass", "PASSED")])
def test_lava_says_what_was_skipped(word: str, outcome: str, tmp_path: Path) -> None:
    row = {"name": "4.unit.Told.Test", "result": word, "measurement": "0", "unit": "status"}
    (tmp_path / "rows.json").write_text(json.dumps([row]))
    (run,) = read(tmp_path / "rows.json", tmp_path, "lava")

    assert run.tests[4].outcome.name == outcome


def test_jobs_are_devices_and_the_last_try_counts(tmp_path: Path) -> None:
    session = tmp_path / "session-1"
    results(session / "job-000/execution-000/artifacts/x", "test 0 1 1 2")
    results(session / "job-000/execution-001/artifacts/x", "soc SM8550", "test 0 0 1 2")

    first, second = read(session, tmp_path, "google-device-run", "shiba", "tokay")

    assert (first.device, first.soc) == ("shiba", "SM8550")
    assert outcomes(first)[0] == (Outcome.PASSED, "")
    assert outcomes(second)[0] == (Outcome.NOT_RUN, "the job has no result of it")


def test_jobs_of_this_machine_are_none(tmp_path: Path) -> None:
    path = tmp_path / "job-007" / "results"
    results(path / "x", "test 0 0 1 2")

    for service in ("qdc", "google-device-run"):
        found = read(path if service == "qdc" else _session(tmp_path), tmp_path, service)
        assert outcomes(found[0])[0] == (Outcome.PASSED, "")


def _session(folder: Path) -> Path:
    session = folder / "job-007" / "session-1"
    results(session / "job-000/execution-000/artifacts/x", "test 0 0 1 2")
    return session


def test_results_of_other_exports_are_left_out(tmp_path: Path) -> None:
    results(tmp_path / "r/old", "test 0 0 1 2", id="fedcba9876543210")

    with pytest.raises(ResultsError) as caught:
        read(tmp_path / "r", tmp_path)
    assert caught.value.why == f"it has those of old, and this one is buildtool-{ID}"


def test_logs_are_neither_links_nor_too_long(tmp_path: Path) -> None:
    directory = results(tmp_path / "r", "test 0 1 1 2", "test 1 1 1 2")
    (directory / "0.log").write_bytes(b"\xff\x1b[2Jx" * (1 << 20))
    (tmp_path / "secret").write_text("secret")
    (directory / "1.log").symlink_to(tmp_path / "secret")

    with pytest.raises(OSError, match="symbolic links"):
        read(directory, tmp_path)
    (directory / "1.log").unlink()
    (run,) = read(directory, tmp_path)
    assert len(run.tests[0].output) <= 1 << 20


def test_a_bomb_of_a_service_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    with zipfile.ZipFile(tmp_path / "logs/0.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("QDC_logs/results.txt", b"0" * (80 << 20))

    with pytest.raises(UnsafeArchiveError):
        read(tmp_path / "logs", tmp_path / "folder")
    assert not (tmp_path / "folder" / "1").exists()


LAVA = {"suite": "0_buildtool", "name": "0.test.plain", "url": "/results/testcase/9"}
OTHERS = [
    {"name": "1.unit.inverted", "result": "fail", "measurement": "None", "unit": ""},
    {"name": "login-action", "result": "pass"},
]
PLACE = "log: /results/testcase/9"


@pytest.mark.parametrize(
    ("row", "outcome", "message"),
    [
        (("pass", "0.0000000000", "status"), Outcome.PASSED, ""),
        (("fail", "3.0000000000", "status"), Outcome.FAILED, f"exit status 3; {PLACE}"),
        (("fail", "137", "timeout"), Outcome.TIMED_OUT, f"did not end in 5 s; {PLACE}"),
        (("fail", "None", ""), Outcome.FAILED, f"exit status 1; {PLACE}"),
        (("pass", "1e9", "status"), Outcome.PASSED, ""),
        (("unknown", "None", ""), Outcome.NOT_RUN, "the job has no result of it"),
    ],
)
def test_the_list_of_lava(
    row: tuple[str, str, str], outcome: Outcome, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "results.json"
    fields = dict(zip(("result", "measurement", "unit"), row, strict=True))
    file.write_text(json.dumps([{**LAVA, **fields}, *OTHERS]))

    (run,) = read(file, tmp_path, "lava")

    assert outcomes(run)[:2] == [(outcome, message), (Outcome.PASSED, "")]


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "1", "null", "[1, [2]]", '[{"name": ["0.x"]}]', '[{"name": "0.x"}]'),
        '[{"name": "0.x", "result": "pass", "measurement": "0", "unit": []}, 7]',
        "[" * 100_000,
        "9" * 100_000,
        f"[{' ' * (17 << 20)}]",
        "\x00",
    ],
    ids=range(12),
)
def test_what_is_no_list_of_lava(text: str, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text(text)

    with pytest.raises(ResultsError, match="is not a list of results of LAVA"):
        read(file, tmp_path, "lava")


@pytest.mark.parametrize("damage", [b"", b"0\n{}", b"\xff"])
def test_the_list_of_an_export(damage: bytes, tmp_path: Path) -> None:
    made = export("google-device-run", "a", "b")
    write_list(made, tmp_path)
    assert read_list(tmp_path) == made

    (tmp_path / "tests.json").write_bytes(damage)
    with pytest.raises(UsageError, match="is not an export of tests"):
        read_list(tmp_path)


def test_what_is_not_there(tmp_path: Path) -> None:
    for service in ("qdc", "lava"):
        with pytest.raises((OSError, BuildtoolError)):
            read(tmp_path / "none", tmp_path, service)
