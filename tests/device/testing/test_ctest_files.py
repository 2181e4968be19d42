"""The files of this machine that tests of CTest read and write on a device."""

from __future__ import annotations

import os

import pytest

from tests.device.testing.third_party import PROJECT, by_name, results
from tests.project import Project

OPENS = """
#include <stdio.h>
int main(int argc, char **argv)
{
    if (fopen("more/extra.dat", "r")) return 0;
    if (argc > 1) perror("more/extra.dat");
    return 2;
}
"""


@pytest.mark.long
def test_a_file_that_a_test_writes_comes_back_and_is_no_data_of_tests(meter: Project) -> None:
    report = meter.tree("meter") / "test/reports/small.report"
    report.unlink(missing_ok=True)
    for _ in range(2):
        assert results(meter, "sim", "report.write")["report.write"]["outcome"] == "passed"
        assert report.read_text() == "count 3, mean 6, largest 10\n"
    (deployed,) = (meter.root / ".buildtool/tests/deployments/sim").iterdir()
    assert not list(deployed.rglob("reports"))


def test_files_that_tests_open_by_themselves_are_named_in_the_project(meter: Project) -> None:
    meter.write("test/data/more/extra.dat", "1\n2\n6\n")
    added = """
add_executable(opens opens.c)
add_test(NAME open.source COMMAND opens aloud WORKING_DIRECTORY "${data}")
file(COPY "${data}/more" DESTINATION "${CMAKE_CURRENT_BINARY_DIR}")
add_test(NAME open.copied COMMAND opens aloud)
add_test(NAME open.silent COMMAND opens WORKING_DIRECTORY "${data}")
"""
    meter.write("test/opens.c", OPENS)
    meter.edit("test/CMakeLists.txt", "# A report", f"{added}# A report")
    ran = meter.run("test", "sim", "open.*", "--json")
    without = by_name(ran.stdout)
    more = PROJECT.replace('"."', '"."\ntest-files = ["test/**/*.dat"]')
    (meter.root / "buildtool.toml").write_text(more)
    named = results(meter, "sim", "open.*")
    (meter.root / "buildtool.toml").write_text(PROJECT)
    meter.edit("test/CMakeLists.txt", f"{added}# A report", "# A report")
    (meter.root / "test/opens.c").unlink()

    files = {
        "open.source": meter.root / "test/data/more/extra.dat",
        "open.copied": meter.tree("meter") / "test/more/extra.dat",
        "open.silent": meter.root / "test/data/more/extra.dat",
    }
    assert without.keys() == named.keys() == files.keys()
    for name, file in files.items():
        test = without[name]
        is_silent = name == "open.silent"
        assert (test["outcome"], test["message"]) == ("failed", "exit status 2")
        assert is_silent or "extra.dat: No such file or directory" in test["output"]
        hint = f"the device has no {file}: add it to 'test-files' of [host.meter]"
        assert test["output"].splitlines()[-1] == hint
        assert named[name]["outcome"] == "passed"
    assert without["open.silent"]["output"] == hint
    assert (
        "3 tests look for files that the device does not have. In buildtool.toml:\n"
        "  [host.meter]\n"
        '  test-files = ["test/data/more/*.dat", "test/more/*.dat"]\n'
    ) in ran.stderr


@pytest.mark.long
def test_relative_arguments_name_files(meter: Project) -> None:
    meter.write("test/data/more/extra.dat", "1\n2\n6\n")
    added = """
file(COPY "${data}/more" DESTINATION "${CMAKE_CURRENT_BINARY_DIR}")
add_test(NAME named.copied COMMAND meter-cli more/extra.dat)
add_test(NAME named.source COMMAND meter-cli ../small.txt WORKING_DIRECTORY "${data}/more")
"""
    meter.edit("test/CMakeLists.txt", "# A report", f"{added}# A report")
    try:
        found = results(meter, "sim", "named.*")
    finally:
        meter.edit("test/CMakeLists.txt", f"{added}# A report", "# A report")
    outputs = {name: test["output"] for name, test in found.items()}
    assert outputs == {
        "named.copied": "count 3, mean 3, largest 6",
        "named.source": "count 3, mean 6, largest 10",
    }


@pytest.mark.long
def test_what_is_no_file_in_a_directory_of_data_is_left_out(meter: Project) -> None:
    working = 'small.txt WORKING_DIRECTORY "${data}"'
    with_data = f'"${{data}}/small.txt" "${{data}}" {working[10:]}'
    meter.edit("test/CMakeLists.txt", working, with_data)
    data = meter.root / "test/data"
    os.mkfifo(data / "fifo")
    (data / "dangling").symlink_to("missing")
    (data / "link").symlink_to("small.txt")
    try:
        assert "cli.directory" in results(meter, "sim", "cli.directory")
    finally:
        meter.edit("test/CMakeLists.txt", with_data, working)
        for name in ("fifo", "dangling", "link"):
            (data / name).unlink()
    (sent,) = (meter.root / ".buildtool/tests/deployments/sim").glob("*/files/tests/*/*/test/data")
    names = {path.name for path in sent.iterdir()}
    assert "link" in names
    assert not names & {"fifo", "dangling"}
