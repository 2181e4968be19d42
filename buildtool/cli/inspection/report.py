"""`buildtool report`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from buildtool.cli.options import check_excluded
from buildtool.cli.parameters import Option
from buildtool.cli.show import show, write

EXAMPLES = (
    ("buildtool report", "An HTML file in .buildtool, for a browser."),
    ("buildtool report -o report.html", "In a file to share."),
    ("buildtool report --markdown", "A summary for a pull request or a CI job."),
)


def report(
    *,
    output: Annotated[
        Path | None,
        Option("--output -o", "Write the report to FILE; default: .buildtool/report.html.", "FILE"),
    ] = None,
    markdown: Annotated[bool, Option("--markdown", "Print a summary as Markdown instead.")] = False,
) -> None:
    """Show builds, tests, sizes, benches and devices in one file.

    The file has everything inside and needs no network. It shows what is recorded in .buildtool,
    and the cards of devices that buildtool probe keeps.
    """
    from buildtool.core.files import check_output_file, write_if_changed
    from buildtool.project.read import find_project
    from buildtool.report.markdown import markdown_text
    from buildtool.report.report import html_page, make_report

    if output:
        redirected = "Redirect it: buildtool report --markdown >FILE"
        check_excluded("--output", {"--markdown": markdown}, "the summary is printed", redirected)
        check_output_file("--output", output, "report.html")
    project = find_project(Path.cwd())
    made = make_report(project, time.time())
    if markdown:
        write(markdown_text(made))
    else:
        file = output.absolute() if output else project.state / "report.html"
        write_if_changed(file, html_page(made, file.parent))
        show(file)
