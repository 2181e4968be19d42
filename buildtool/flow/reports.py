"""`buildtool report`: what is recorded of a project, as a file or as text."""

from __future__ import annotations

import time
from pathlib import Path

from buildtool.core.files import write_if_changed
from buildtool.project.model import Project
from buildtool.report.report import make_report

NAME = "report.html"


def write_report(project: Project, output: Path | None) -> Path:
    """Write the report of `project` as HTML, by default into its `.buildtool`; returns its path."""
    from buildtool.report.report import html_page

    file = output.absolute() if output else project.state / NAME
    write_if_changed(file, html_page(make_report(project, time.time()), file.parent))
    return file


def report_markdown(project: Project) -> str:
    """The report of `project` as Markdown."""
    from buildtool.report.markdown import markdown_text

    return markdown_text(make_report(project, time.time()))
