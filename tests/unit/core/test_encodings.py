"""Text files are UTF-8 in every locale: each call that opens one specifies it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.command_line import REPOSITORY

MODE_AT = {"open": 0, "fdopen": 1, "NamedTemporaryFile": 0}  # among the positional arguments
TEXT = ("read_text", "write_text", "TextIOWrapper")
OTHER_FILES = ("os", "tarfile", "webbrowser", "archive")  # whose open() has no encoding


def unspecified(tree: ast.AST) -> Iterator[int]:
    """The lines of calls that read or write text in the encoding of the locale."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if "encoding" in named or (name == "open" and owner in OTHER_FILES):
            continue
        if name in MODE_AT:
            given = dict(enumerate(node.args))
            mode = named.get("mode", given.get(MODE_AT[name] + isinstance(node.func, ast.Name)))
            if not (isinstance(mode, ast.Constant) and "b" in str(mode.value)):
                yield node.lineno
        elif name in TEXT or named.keys() & {"text", "universal_newlines"}:
            yield node.lineno


def test_every_text_file_is_opened_as_utf8() -> None:
    folders = ("buildtool", "recipes")
    files = [file for folder in folders for file in (REPOSITORY / folder).rglob("*.py")]
    assert len(files) > 200
    found = {
        f"{file.relative_to(REPOSITORY)}:{line}"
        for file in files
        for line in unspecified(ast.parse(file.read_bytes()))
    }
    assert not found


def test_what_is_looked_for_is_found() -> None:
    wrong = """
        open(name); path.open(); open(name, "w"); path.open("a"); path.read_text(errors="replace")
        os.fdopen(handle); subprocess.run(command, text=True); path.write_text("x")
    """
    right = """
        open(name, "rb"); path.open("wb"); path.open(mode="xb"); path.read_text(encoding="utf-8")
        os.fdopen(handle, "wb"); os.open(name, flags); open(name, encoding="utf-8")
    """
    one = [line.strip() for line in wrong.replace(";", "\n").splitlines() if line.strip()]
    other = [line.strip() for line in right.replace(";", "\n").splitlines() if line.strip()]
    assert all(list(unspecified(ast.parse(line))) for line in one)
    assert not any(list(unspecified(ast.parse(line))) for line in other)
