"""Results as JUnit XML that a validator accepts, whatever the tests have written."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.errors import UsageError
from buildtool.core.files import check_output_file
from buildtool.testing.junit import junit_xml, write_junit
from buildtool.testing.results import Outcome, TestResult, TestRun
from tests.junit import valid_junit

HOSTILE = "]]> <a> & \" ' \x00\x08\x0b\x1b[31m\x7f\x9f \udcff\ud800 \ufffe\uffff \u202e\r\n\tend"


def run_of(*tests: TestResult) -> TestRun:
    return TestRun(
        *("q6a", "board", "0123", "4567", "v68"),
        soc="QCS6490",
        started=1.8e9,
        seconds=2.5,
        interrupted=False,
        tests=tests,
    )


def result(outcome: Outcome = Outcome.PASSED, **fields: object) -> TestResult:
    base = TestResult("dsp", "add", "q6a", outcome, 1.25)
    return base._replace(**fields)


def test_each_outcome_has_its_element() -> None:
    tests = [result(outcome, name=outcome.value, message="why") for outcome in Outcome]

    root = valid_junit(junit_xml([run_of(*tests)]))

    found = {}
    for case in root.iter("testcase"):
        found[case.get("name")] = [(child.tag, child.get("message")) for child in case]
        assert (case.get("classname"), case.get("time")) == ("dsp", "1.250")
    assert found == {
        "passed": [],
        "skipped": [("skipped", "why")],
        "expected failure": [("skipped", "why")],
        "failed": [("failure", "why")],
        "unexpected pass": [("failure", "why")],
        "crashed": [("error", "why")],
        "timed out": [("error", "why")],
        "not run": [("error", "why")],
    }
    (suite,) = root
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped", "time")}
    assert counts == {
        "tests": "8",
        "failures": "2",
        "errors": "3",
        "skipped": "2",
        "time": "10.000",
    }
    assert (root.get("tests"), root.get("time")) == ("8", "2.500")


def test_what_ran_where_is_in_properties() -> None:
    root = valid_junit(junit_xml([run_of(result(), result(suite="host"))]))

    assert [suite.get("name") for suite in root] == ["dsp", "host"]
    for suite in root:
        assert suite.get("timestamp") == "2027-01-15T08:00:00Z"
        assert {p.get("name"): p.get("value") for p in suite.iter("property")} == {
            "device": "q6a",
            "soc": "QCS6490",
            "arch": "v68",
            "firmware": "",
            "target": "board",
            "release": "0123",
            "deployment": "4567",
        }


def test_lost_connections_are_runs_before_the_last_one() -> None:
    passed = result(lost=("cut", "cut again"))
    failed = result(Outcome.NOT_RUN, lost=("cut",))

    root = valid_junit(junit_xml([run_of(passed, failed)]))

    first, second = root.iter("testcase")
    assert [(e.tag, e.get("type"), e.get("message")) for e in first] == [
        ("flakyError", "connection lost", "cut"),
        ("flakyError", "connection lost", "cut again"),
    ]
    assert [e.tag for e in second] == ["error", "rerunError"]


def test_hostile_text_is_written_out() -> None:
    test = result(Outcome.FAILED, suite=HOSTILE, name=HOSTILE, message=HOSTILE, output=HOSTILE)

    root = valid_junit(junit_xml([run_of(test)._replace(device=HOSTILE)]))

    text = root.findtext(".//system-out") or ""
    assert text.startswith("]]> <a> & \" ' \\x00\\x08\\x0b\\x1b[31m\\x7f\\x9f \\xff\\ud800 \\ufffe")
    assert text.endswith("end")
    (case,) = root.iter("testcase")
    assert case.get("name", "").startswith("]]> <a> & \" '")


@given(st.text(alphabet=st.characters(codec=None)), st.sampled_from(Outcome))
def test_any_text_is_valid(text: str, outcome: Outcome) -> None:
    test = result(outcome, suite=text, name=text, message=text, output=text, lost=(text,))
    valid_junit(junit_xml([run_of(test)]))


def test_the_schema_refuses_what_is_no_junit() -> None:
    data = junit_xml([run_of(result())]).replace(b"testcase", b"test")
    with pytest.raises(xmlschema.XMLSchemaException):
        valid_junit(data)


def test_the_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "new" / "results.xml"
    write_junit([run_of(result())], file)
    write_junit([run_of(result(name="other"))], file)

    assert next(ElementTree.parse(file).iter("testcase")).get("name") == "other"
    assert [each.name for each in file.parent.iterdir()] == ["results.xml"]


def test_results_replace_files_only(tmp_path: Path) -> None:
    check_output_file("--junit", tmp_path / "new.xml", "results.xml")
    (tmp_path / "old.xml").touch()
    check_output_file("--junit", tmp_path / "old.xml", "results.xml")
    for place in (tmp_path, Path("/dev/null")):
        with pytest.raises(UsageError, match="it is not a file"):
            check_output_file("--junit", place, "results.xml")
