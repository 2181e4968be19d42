"""The report of a project that is in use, as HTML and as Markdown."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Xml
from html.parser import HTMLParser
from pathlib import Path

from buildtool.core.history import RUNS, TESTS, append_history
from buildtool.project.model import Project
from buildtool.report.markdown import markdown_text
from buildtool.report.report import html_page, make_report

VOID = {"meta"}
FAILED = {
    **{"started": 1, "seconds": 1, "device": "sim", "command": ["bin/app"], "status": 139},
    **{"dsp_crash": "", "crash": {}, "finding": None},
}


class Page(HTMLParser):
    """Checks that elements are closed, and keeps names, texts and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


def page_of(project: Project) -> str:
    return html_page(make_report(project, 1_790_000_000), project.state)


def test_the_page_is_below_two_megabytes_and_loads_nothing(used: Project) -> None:
    text = page_of(used)
    page = Page(text)

    assert len(text.encode()) < 2 << 20
    assert not {"img", "link", "iframe", "object"} & {*page.names}
    assert not [name for name, _ in page.attributes if name in ("src", "srcset", "action")]
    links = [value or "" for name, value in page.attributes if name == "href"]
    assert [link for link in links if not link.startswith("#")] == []
    assert "url(" not in text
    assert "default-src 'none'" in text


def test_each_section_says_what_is_recorded(used: Project) -> None:
    text = Page(page_of(used)).text

    for fact in (
        "✓ last of phone succeeded in ",
        "494 of 500 succeeded, 5 flaky",
        "20 devices, 3 with differences",
        "2 numbers: 0 worse, 0 better than before",
    ):
        assert fact in text
    assert "Builds, newest first: 188 more" in text
    assert "the DSP process crashed: the method has written outside of an argument" in text
    assert "run bin/app --model llama <q4> & co on board: exit status 134" in text
    assert "Sections of phone that have changed, in bytes of memory" in text


def test_a_crash_has_its_buffer_function_and_line(used: Project) -> None:
    lines = Page(page_of(used)).text.split("\n")

    at = lines.index("buffer")
    assert lines[at + 1].startswith("1 byte past the end of parameter 'out' of matmul_q4_0 (rout, ")
    assert lines[at + 2 : at + 5] == [
        "at",
        "memcpy (memcpy.zig:137)",
        "by matmul_q4_0 (matmul.c:181)",
    ]


def test_tests_that_failed_show_the_last_line_of_their_output(used: Project) -> None:
    text = Page(page_of(used)).text

    title = (
        "test kernels-0/case_007, kernels-0/case_008, kernels-0/case_009 on phone SM8650: failed"
    )
    card = text[text.index(title) :]
    said = "\n".join(f"case_00{n}: row {n} of 64 differs" for n in (7, 8, 9))
    assert "the DSP did not find the skel" in card[: card.index(said)]


def test_tests_that_ctrl_c_ended_are_no_failures(bare: Project) -> None:
    tests = [{"suite": "unit", "name": "add", "outcome": "passed", "seconds": 1}]
    run = {
        **{"device": "sim", "soc": "", "target": "sim", "release": "1", "started": 1},
        **{"seconds": 2, "interrupted": False, "tests": tests},
    }
    rest = [{**tests[0], "outcome": "not run", "message": "interrupted"}]
    append_history(bare.state, TESTS, run)
    append_history(bare.state, TESTS, {**run, "interrupted": True, "tests": rest})
    append_history(bare.state, RUNS, {**FAILED, "status": 130})

    text = Page(page_of(bare)).text

    assert "interrupted, 0 of 1 succeeded, 0 flaky" in text
    assert "run bin/app on sim: interrupted" in text
    assert "test unit/add on sim" not in text
    assert "0 of 2" in text


def test_a_crash_of_the_program_is_named(bare: Project) -> None:
    crash = {"what": "the program crashed on the ARM64 side: null pointer", "at": "main (m.c:3)"}
    append_history(bare.state, RUNS, {**FAILED, "crash": crash})

    text = Page(page_of(bare)).text

    assert f"{crash['what']}\nat\n{crash['at']}" in text


def test_the_output_of_a_compiler_keeps_its_lines(used: Project) -> None:
    lines = Page(page_of(used)).text.split("\n")

    error = next(at for at, line in enumerate(lines) if "undeclared identifier" in line)
    assert lines[error + 1] == "  181 |     while (rows_left)"


def test_plots_have_units_and_hover_texts_in_well_formed_svg(used: Project) -> None:
    text = page_of(used)
    areas = [Xml.fromstring(svg) for svg in re.findall(r'<svg class="area".*?</svg>', text)]

    assert len(areas) == 7  # builds, tests, three slices, two numbers
    assert re.findall(r"<small>in (.*?)</small>", text) == [
        *("s", "tests", "KiB", "KiB", "KiB"),
        *("us", "tok/s"),
    ]
    assert len(areas[0].findall("rect/title")) == 200
    bench = areas[5].findall("g")
    assert len(bench) == 30
    for mark in bench:
        (interval, circle) = mark.findall("line"), mark.findall("circle")
        top, bottom = (float(interval[0].attrib[key]) for key in ("y1", "y2"))
        assert top < float(circle[0].attrib["cy"]) < bottom
        assert re.search(r"us, from [\d.]+ to [\d.]+$", mark.findtext("title") or "")


def test_a_flaky_test_passed_and_failed_with_the_same_release(used: Project) -> None:
    rows = re.findall(r'<tr><th scope="row">(kernels-\S+)</th>(.*?)</tr>', page_of(used), re.S)
    flaky = {name for name, row in rows if "! flaky" in row}
    counts = {name: re.findall(r"(\d+) of 25", row)[0] for name, row in rows}

    assert flaky == {f"kernels-{n // 50}/case_{n:03d}" for n in (41, 141, 241, 341, 441)}
    assert counts["kernels-0/case_007"] == "1"  # broken in the last run: not flaky
    assert len(rows) == 500


def test_markdown_is_short_and_has_no_markup_of_the_records(used: Project) -> None:
    text = markdown_text(make_report(used, 0))

    assert len(text) < 20_000
    assert "- Tests: ❌ 494 of 500 succeeded, 5 flaky" in text
    assert "llama &lt;q4> &amp; co" in text
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table


def test_a_project_without_records_says_which_commands_make_them(bare: Project) -> None:
    text = Page(page_of(bare)).text

    for command in ("build", "test", "bench DEVICE BENCH", "probe DEVICE"):
        assert f"buildtool {command}" in text
    assert "Builds: no build" in markdown_text(make_report(bare, 0))


def test_links_are_relative_to_the_report(bare: Project, tmp_path: Path) -> None:
    (bare.state / "traces").mkdir(parents=True)
    (bare.state / "traces" / 'a" b.pftrace').write_bytes(b"x")

    text = html_page(make_report(bare, 0), tmp_path)

    assert '<a href="demo/.buildtool/traces/a%22%20b.pftrace">trace of ' in text
