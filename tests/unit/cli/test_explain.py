"""`buildtool explain`: arguments, text and JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from buildtool.cli import main
from buildtool.diagnose.knowledge import read_knowledge
from tests.command_line import REPOSITORY
from tests.json_documents import validate
from tests.unit.diagnose.device_crashes import NEW, OLD, SHELL, crash_lines

DIED = "ggml-hex: dspqueue_read failed: 0x0000002e"
PLT = "CDSP: undefined PLT symbol memalign in ./libscale_skel.so"


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def explain(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str, status: int = 0) -> str:
        assert main(["explain", *words]) == status
        return capsys.readouterr().out

    return run


def test_a_code_has_its_meaning_first(explain: Any) -> None:
    first, second, *rest = explain("0x80000406").splitlines()

    assert first == "0x80000406 (-2147482618): AEE_EUNABLETOLOAD, from the DSP"
    assert second == "  shared object not found or not loadable"
    assert rest[1].startswith("The code alone has ")
    assert int(rest[1].split()[4]) == sum(1 for line in rest if line[:2].strip().isdecimal())
    assert rest.count(rest[1]) == 1


def test_causes_are_grouped_by_device_and_by_evidence(explain: Any, tmp_path: Path) -> None:
    titles = [line for line in explain("0x80000406").splitlines()[3:] if line[:1].isalpha()]
    assert titles == [
        "The code alone has 20 causes. What tells them apart:",
        "On any device, read in code:",
        "On any device, said by maintainers:",
        "On any device, seen by users:",
        "Only on the emulated device (more: buildtool explain NAME):",
        "Only on Android phones (more: buildtool explain NAME):",
        "Only on Windows (more: buildtool explain NAME):",
    ]
    (tmp_path / ".buildtool" / "history").mkdir(parents=True)
    runs = tmp_path / ".buildtool" / "history" / "runs.jsonl"

    runs.write_text('{"kind": "phone"}\n')

    lines = explain("0x80000406").splitlines()
    here = lines.index("Only on Android phones, where the last run failed:")
    assert lines[here + 2].startswith(" 1. selinux-skel-denied: ")
    assert here < lines.index("On any device, read in code:")
    for damaged in ("", "{}\n", '{"kind": [1]}\n', "[]\n", '{"kind": "toaster"}\n', "\xff"):
        runs.write_text(damaged)
        assert "where the last run failed" not in explain("0x80000406")


def test_a_code_that_only_one_kind_of_devices_has_is_told_in_full(explain: Any) -> None:
    said = explain("ENOSUCHDEVICE")

    assert said.count("remedy: ") >= 1


@pytest.mark.parametrize("word", ["80000406", "-2147482618", "1030", "0X80000406"])
def test_spellings_of_a_code(word: str, explain: Any) -> None:
    assert explain(word) == explain("0x80000406")


def test_a_name_is_explained_for_both_sides(explain: Any) -> None:
    lines = explain("EUNABLETOLOAD").splitlines()

    assert lines[0] == "0x80000406 (-2147482618): AEE_EUNABLETOLOAD, from the DSP"
    assert lines[1] == "0x6 (6): AEE_EUNABLETOLOAD, from the ARM64 side"


def test_two_names_of_one_value(explain: Any) -> None:
    said = " ".join(explain("104").split())

    assert "Only the function that failed tells which is meant." in said
    assert said.startswith("0x68 (104): AEE_ECONNRESET or AEE_ENORPCMEMORY")


@pytest.mark.parametrize("name", [*read_knowledge().conditions])
def test_a_condition_by_its_name(name: str, explain: Any) -> None:
    said = explain(name)

    assert said.startswith(f"{name}: ")
    assert all(len(line) <= 80 and line == line.rstrip() for line in said.splitlines())


def test_the_docs_show_what_is_printed(explain: Any) -> None:
    text = (REPOSITORY / "docs" / "explain.md").read_text(encoding="utf-8")
    shown = text[text.index("```\n0x68") + len("```\n") : text.index("\n…\n```")]

    assert explain("104").startswith(shown)


def test_every_code_fits_the_terminal(explain: Any) -> None:
    words = [hex(int(code)) for code in read_knowledge().content["codes"]]

    said = explain(*words, *(hex(0x80000400 + int(w, 16)) for w in words if int(w, 16) < 0x400))

    assert all(len(line) <= 80 and line == line.rstrip() for line in said.splitlines())


def test_a_line(explain: Any) -> None:
    said = explain(DIED)

    assert "only consequences are in the log: queue-process-died" in said
    assert f"line:1: {DIED}" in said


def test_a_log_and_what_happened_in_order(explain: Any, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"x\n{PLT}\nremote_handle64_open failed for x: 0x80000406\n")

    said = explain("a.log")

    assert said.startswith("a.log: 3 lines\n\ncause: skel-undefined-symbol\n")
    assert "in order:\n  a.log:2  cause: skel-undefined-symbol\n  a.log:3  consequence: " in said
    assert "The code alone" not in said


def test_a_crash_without_debug_files(explain: Any, tmp_path: Path) -> None:
    registers = {"Fault PC": 0x20020044, "Bad VA": 0xFEC02002, "SSR": 0x1970420}
    calls = [(0x20020044, "scale+0x44", "./libscale_skel.so"), (0x100010, "f+0x10", SHELL)]
    lines = crash_lines(OLD, "libscale_skel.so", 0x20010000, registers, calls)
    (tmp_path / "dsp.log").write_text("\n".join([*lines, f"{DIED}"]))

    said = explain("dsp.log")

    assert said[said.index("\n\n") : said.index("\n\ncause")].splitlines()[2:] == [
        "dsp.log:1-11",
        "the DSP process crashed: misaligned read at address 0xfec02002",
        '  process my-program-with, thread "worker"',
        "  at scale+0x44 (libscale_skel.so+0x10044)",
        "  by f+0x10 (fastrpc_shell_unsigned_3+0x10)",
        "  the caller got 0x2e: dsp.log:12",
        "  Fault PC 0x20020044, Bad VA 0xfec02002, SSR 0x1970420",
        "  no debug file of libscale_skel.so was found: name the directory with",
        "      libscale_skel.so.debug, or with libscale_skel.so before it was stripped:",
        "      --debug-files DIR",
    ]
    document = json.loads(explain("dsp.log", "--json"))
    validate("explain", document)
    (crash,) = document["crashes"]
    assert crash["debug_files"] == [{"module": "libscale_skel.so", "match": "missing", "file": ""}]
    assert crash["registers"]["Bad VA"] == "0xfec02002"
    assert crash["host_call"] == {"log": "dsp.log", "line": 12, "text": DIED}


def test_a_crash_in_the_program_of_the_dsp(explain: Any, tmp_path: Path) -> None:
    calls = [(0x100010, "memcpy+0x10", f"./{SHELL}"), (0x20020044, "scale+0x44", "./libk.so")]
    lines = crash_lines(NEW, SHELL, 0x100000, {"Fault PC": 0x100010, "LR": 0x20020044}, calls)
    (tmp_path / "dsp.log").write_text("\n".join(lines))

    said = explain("dsp.log")

    assert f"  at memcpy+0x10 ({SHELL}+0x10)\n  by scale+0x44 (libk.so)\n" in said
    assert f"debug file of {SHELL}" not in said
    assert "no debug file of libk.so was found" in said


def test_debug_files_that_are_damaged_or_missing(
    explain: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = crash_lines(NEW, "libscale_skel.so", 0x20010000, {"Fault PC": 0x20020044}, [])
    (tmp_path / "dsp.log").write_text("\n".join(lines))
    (tmp_path / "debug").mkdir()
    (tmp_path / "debug/loop").symlink_to(".")
    (tmp_path / "debug/libscale_skel.so").write_bytes(b"\x7fELF" + bytes(100))
    (tmp_path / "debug/libscale_skel.so.debug").symlink_to("/no/such/file")

    assert "no debug file of libscale_skel.so was found" in explain("dsp.log")

    assert main(["explain", "dsp.log", "--debug-files", "nowhere"]) == 2
    assert "--debug-files nowhere is not a directory" in capsys.readouterr().err


def test_a_log_that_was_not_read_to_its_end(explain: Any, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"\0" * 10 + b"a" * 5000 + b"\n" + PLT.encode())

    said = " ".join(explain("a.log").split())

    assert "1 line cut at 4,000 characters; it has NUL bytes" in said
    assert "cause: skel-undefined-symbol" in said


def test_control_characters_of_a_log_are_not_printed(explain: Any, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(PLT.encode() + b" \x1b[2J \x07 \xe2\x80\xae \xff\n")

    said = explain("a.log")

    assert not {"\x1b", "\x07", "\u202e"} & {*said}


def test_without_a_known_line_the_status_is_1(explain: Any, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("all is well\n")

    assert "nothing in it is known" in explain("a.log", status=1)
    assert "not a known code" in explain("0x7fff0000", status=1)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 2, "there is nothing to explain"),
        (["missing.log"], 2, "'missing.log' is neither a code nor a file"),
        (["EUNABLETOLAOD"], 2, "Did you mean 'EUNABLETOLOAD'?"),
        (["eunabletolaod"], 2, "Did you mean 'EUNABLETOLOAD'?"),
        (["skel-notfound"], 2, "Did you mean 'skel-not-found'?"),
        (["folder"], 1, "folder cannot be read: Is a directory"),
        (["dangling"], 1, "dangling cannot be read: No such file or directory"),
        (["0x72", "--bogus"], 2, "--bogus"),
    ],
)
def test_mistakes(
    words: list[str],
    status: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")

    assert main(["explain", *words]) == status

    out, err = capsys.readouterr()
    assert said in err
    assert not out


def test_the_document(explain: Any, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"{PLT}\n{DIED}\nNo context ID matches response\n")

    printed = json.loads(explain("0x68", "selinux-denied", DIED, "a.log", "--json"))

    validate("explain", printed)
    assert printed["codes"][0]["codes"][0]["names"] == ["AEE_ECONNRESET", "AEE_ENORPCMEMORY"]
    assert printed["conditions"][0]["name"] == "selinux-denied"
    logs = printed["logs"]
    assert [each["name"] for each in logs["inputs"]] == ["line", "a.log"]
    assert [each["name"] for each in logs["causes"]] == ["skel-undefined-symbol"]
    assert logs["causes"][0]["evidence"] == [{"log": "a.log", "line": 1, "text": PLT}]
    assert [each["name"] for each in logs["benign"]] == ["late-answer"]


def test_the_list_has_every_condition(explain: Any) -> None:
    names = [*read_knowledge().conditions]

    said = explain("--list")
    document = json.loads(explain("--list", "--json"))

    assert [line.split()[0] for line in said.splitlines() if line[0] != " "] == names
    assert [each["name"] for each in document["conditions"]] == names
    validate("explain", document)


def test_a_code_needs_neither_typer_nor_expressions_nor_toml(
    monkeypatch: pytest.MonkeyPatch, explain: Any
) -> None:
    for name in ("typer", "rich", "tomllib", "textwrap", "buildtool.diagnose.line_patterns"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails

    assert explain("-2147482618", "104")
