"""Tables of text: columns for people, and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    """Rows of cells below a heading; the columns of `right` are aligned to the right."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()

    def text(self) -> str:
        """The table in columns, two spaces apart."""
        lines = [self.heading, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if number in self.right else cell.ljust(width)
                for number, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def markdown(self) -> str:
        """The table in the Markdown of GitHub and GitLab."""
        rule = ["---:" if number in self.right else "---" for number in range(len(self.heading))]
        cells = ([cell.replace("|", "\\|") for cell in row] for row in self.rows)
        return "\n".join(f"| {' | '.join(line)} |" for line in (self.heading, rule, *cells))
