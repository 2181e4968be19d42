"""Finding a key's line in TOML text."""

from __future__ import annotations

import pytest

from buildtool.project.tables import line_of

TEXT = """\
# comment
[project]
name = "a" # [host.fake]

[host."my app"]
source = "x"
defines = { A = 1, B = 2 }
a.b = 3

[ skel . k ]
archs = [
  "v68",
]
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("project",), 2),
        (("project", "name"), 3),
        (("host", "my app"), 5),
        (("host", "my app", "source"), 6),
        (("host", "my app", "defines", "B"), 7),
        (("host", "my app", "a", "b"), 8),
        (("host", "my app", "missing"), 5),
        (("skel", "k", "archs"), 11),
        (("skel",), 10),
        (("nothing",), 1),
    ],
)
def test_line_of(path: tuple[str, ...], line: int) -> None:
    assert line_of(TEXT, path) == line
