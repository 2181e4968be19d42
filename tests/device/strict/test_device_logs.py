"""Real crashes, as a device would log them: `explain` names their code as the emulated device and
llvm-addr2line do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import REPOSITORY, run_buildtool
from tests.json_documents import validate
from tests.unit.diagnose.device_crashes import NEW, OLD, TIME, crash_lines

from .conftest import Faults

SKEL = "libfaults_skel.so"
DEBUG = f".buildtool/debug/sim/dsp/v68/{SKEL}.debug"
LOADS = {OLD: 0x20010000, NEW: 0xFDE3B000}
INVOKE = (
    f"{TIME} 18847 18854 E my-program : fastrpc_apps_user.c:1491: Error 0xd: remote_handle64_invoke"
    f" failed for module {SKEL}, handle 0xaaaad7759380, method 2 on domain 3 (sc 0x2020100)"
)


class Crash:
    """A crash on the emulated device: the addresses in the skel, and the call path that was
    printed."""

    def __init__(self, faults: Faults, tmp_path: Path, *call: str | int) -> None:
        self.path = _path(faults.call(*call).stderr)
        reports = tmp_path / "crashes"
        reports.touch()
        faults.call(*call, env=f"BUILDTOOL_SIM_CRASHES={reports}")
        report = json.loads(reports.read_text().removeprefix("@crash "))
        self.pc = report["pc"]["offset"] if "pc" in report else None  # no code is there
        self.returns = [frame["offset"] for frame in (report["lr"], *report["frames"])]
        self.root = faults.root

    def log(self, form: str) -> list[str]:
        """The lines in which a device would log it; a device knows exported functions only."""
        load = LOADS[form]
        skel = self.root / f".buildtool/release/sim/dsp/v68/{SKEL}"
        output = _output("llvm-nm", "--dynamic", "--defined-only", skel)
        exports = [(int(a, 16), name) for a, name in re.findall(r"^(\w+) T (\w+)$", output, re.M)]
        calls = []
        addresses = [*self.returns] if self.pc is None else [self.pc, *self.returns]
        for offset in addresses:
            start, name = max(pair for pair in exports if pair[0] <= offset)
            calls.append((load + offset, f"{name}+0x{offset - start:X}", f"./{SKEL}"))
        registers = {
            **{"Fault PC": load + self.pc if self.pc else 0, "LR": load + self.returns[0]},
            **{"SP": 0x297270, "Bad VA": 0x18, "FP": 0x297620, "SSR": 0x1970471},
        }
        lines = crash_lines(form, SKEL, load, registers, calls)
        return [line for line in lines if self.pc or "Crashed Shared Object" not in line]

    def addr2line(self) -> list[str]:
        """What llvm-addr2line says of these addresses; a call is before where it returns to."""
        lines = []
        addresses = [offset - 4 for offset in self.returns]
        for address in addresses if self.pc is None else [self.pc, *addresses]:
            said = _output("llvm-addr2line", "-fise", self.root / DEBUG, hex(address))
            pairs = re.findall(r"^(\w+)\n(\S+:\d+)", said, re.MULTILINE)
            lines += [f"{function} ({place})" for function, place in pairs]
        return lines


def _output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def _path(text: str) -> list[str]:
    return re.findall(r"^  (?:at|by) (.*)$", text, re.MULTILINE)


def explained(faults: Faults, *words: str) -> tuple[str, dict[str, Any]]:
    """The text for a log in the project's directory, and the crash in the document."""
    text = faults.succeeds("explain", *words)
    document = json.loads(faults.run("explain", *words, "--json").stdout)
    validate("explain", document)
    (crash,) = document["crashes"]
    return text, crash


@pytest.fixture(scope="module")
def null_write(faults: Faults, tmp_path_factory: pytest.TempPathFactory) -> Crash:
    return Crash(faults, tmp_path_factory.mktemp("null"), "crash", "null")


@pytest.mark.parametrize("form", [OLD, NEW])
def test_function_line_and_method(faults: Faults, null_write: Crash, form: str) -> None:
    (faults.root / "dsp.log").write_text("\n".join(null_write.log(form)))

    text, crash = explained(faults, "dsp.log")

    assert f"\n  at write_null (faults_imp.c:{faults.line('null')})\n" in text
    assert _path(text) == null_write.path == null_write.addr2line()
    assert "\n  in faults_crash, method 9 of libfaults_skel.so\n" in text
    assert "Fault PC 0x" in text
    assert crash["cause"] == "write to an address that is not mapped: 0x18, through a null pointer"
    assert crash["debug_files"] == [{"module": SKEL, "match": "symbols", "file": DEBUG}]


@pytest.mark.parametrize(
    ("form", "call", "depth"),
    [
        pytest.param(OLD, ("crash", "float"), 1, id="return address of an earlier call"),
        pytest.param(NEW, ("crash", "data"), 1, id="jump to where no code is"),
        pytest.param(OLD, ("vectors", 1024, 9_000_000), 4, id="inlined and static functions"),
        pytest.param(NEW, ("sum", 1024, 0, 9_000_000), 5, id="several functions"),
    ],
)
def test_call_paths(
    faults: Faults, tmp_path: Path, form: str, call: tuple[str | int, ...], depth: int
) -> None:
    crash = Crash(faults, tmp_path, *call)
    (faults.root / "dsp.log").write_text("\n".join(crash.log(form)))

    text, _ = explained(faults, "dsp.log")

    assert len(crash.path) == depth
    assert _path(text) == crash.path
    assert [line for line in crash.addr2line() if line in crash.path][:depth] == crash.path


def test_the_page(faults: Faults, tmp_path: Path) -> None:
    """The commands of docs/explain.md work, and print what it shows."""
    page = (REPOSITORY / "docs/explain.md").read_text()
    page = page[page.index("## Crashes on a device") :]
    crash = Crash(faults, tmp_path, "sum", 1024, 0, 9_000_000)
    log = "\n".join([*crash.log(NEW), INVOKE])
    log = log.replace("0x1970471", "0x1970470").replace("    0x18 ", "    0xFEC02000 ")
    (faults.root / "dsp.log").write_text(log)
    shutil.copytree(faults.root / ".buildtool/debug/sim", faults.root / "artifact/debug")

    texts = [
        faults.succeeds(*command.split()[1:])
        for command in re.findall(r"^buildtool explain dsp\.log.*$", page, re.MULTILINE)
    ]

    assert len(texts) == 2
    assert {tuple(_path(text)) for text in texts} == {tuple(crash.path)}
    shown = page[page.index("```\ndsp.log:") + 4 :].partition("```")[0]
    assert _without_numbers(shown) in _without_numbers(texts[0])


def _without_numbers(text: str) -> str:
    text = text.replace("scale", "faults").replace("my-project", "my-program-with")
    return re.sub(r"\b(0x\w+|\d+)\b", "N", " ".join(text.split()))


def test_the_call_that_failed(faults: Faults, null_write: Crash) -> None:
    """In a thread of the skel's own, no method is in the call path."""
    lines = [line for line in null_write.log(NEW) if "[<" not in line and "LR " not in line]
    (faults.root / "dsp.log").write_text("\n".join([*lines, INVOKE]))

    text, document = explained(faults, "dsp.log")

    assert (document["skel"], document["method"]) == (SKEL, 2)
    assert document["method_name"] == "faults_sum"
    assert document["host_call"]["text"] == INVOKE
    assert "\n  the caller got 0xd: dsp.log:" in text


def test_lines_that_are_missing(faults: Faults, null_write: Crash) -> None:
    lines = null_write.log(NEW)
    trace = next(i for i, line in enumerate(lines) if "Call trace" in line)
    (faults.root / "dsp.log").write_text("\n".join(lines[3:trace]))

    # a later release for another arch has a file of the same name
    text, crash = explained(faults, "dsp.log", "--debug-files", ".buildtool/debug/sim")

    assert _path(text)[0] == f"write_null (faults_imp.c:{faults.line('null')})"
    assert crash["debug_files"][0]["match"] == "name"
    assert "of which only the name matches" in " ".join(text.split())


def test_an_offset_and_the_line_of_the_emulated_device(faults: Faults, tmp_path: Path) -> None:
    crash = Crash(faults, tmp_path, "crash", "null")
    said = faults.call("crash", "null").stderr.splitlines()
    (faults.root / "sim.log").write_text(next(line for line in said if " died: " in line))

    text, _ = explained(faults, f"{SKEL}+0x{crash.pc:x}")
    assert _path(text) == crash.addr2line()[:1] == crash.path[:1]

    text, document = explained(faults, "sim.log")
    assert _path(text) == crash.path[:1]
    assert document["cause"].startswith("bad memory access (SIGSEGV) at address 0x18")
    assert (document["skel"], document["method"]) == (SKEL, 9)
    assert document["method_name"] == "faults_crash"


def test_debug_files_of_another_build(faults: Faults, null_write: Crash, tmp_path: Path) -> None:
    (faults.root / "dsp.log").write_text("\n".join(null_write.log(NEW)))
    artifact = tmp_path / "artifact/debug"
    shutil.copytree(faults.root / ".buildtool/debug/sim", artifact)
    source = (faults.root / "dsp/faults_imp.c").read_text()
    more = "int faults_more(int a) { return a * 7 / 3; }\n"
    faults.write("dsp/faults_imp.c", source.replace("int faults_open", f"{more}int faults_open", 1))
    faults.succeeds("build")
    try:
        text, crash = explained(faults, "dsp.log")
        assert crash["debug_files"] == [{"module": SKEL, "match": "other-build", "file": DEBUG}]
        assert _path(text)[0].startswith("faults_crash+0x")
        assert "is of another build" in " ".join(text.split())

        text, crash = explained(faults, "dsp.log", "--debug-files", str(artifact))
        assert _path(text) == null_write.path
        assert crash["debug_files"][0]["match"] == "symbols"
    finally:
        faults.write("dsp/faults_imp.c", source)
        faults.succeeds("build")


def test_a_log_with_its_debug_files_beside_it(
    faults: Faults, null_write: Crash, tmp_path: Path
) -> None:
    """As CI uploads them; the method needs the IDL of the project, or a line of the caller."""
    shutil.copytree(faults.root / ".buildtool/debug/sim", tmp_path / "debug")
    (tmp_path / "dsp.log").write_text("\n".join(null_write.log(OLD)))

    done = run_buildtool("explain", "dsp.log", cwd=tmp_path)

    assert _path(done.stdout) == null_write.path
    assert "method 9" not in done.stdout
