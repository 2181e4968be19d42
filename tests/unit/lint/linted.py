"""Texts as files of a project that `buildtool lint` checks, without git."""

from __future__ import annotations

from pathlib import Path

from buildtool.idl.parse import load
from buildtool.lint.check import LintResult, lint
from buildtool.lint.subject import read_subject

SUFFIXES = {"c": ".c", "idl": ".idl", "sh": ".sh"}


def lint_texts(folder: Path, released: dict[str, str] | None = None, **texts: str) -> LintResult:
    """Check texts: `a_c="…"` is the file a.c.  `released` has older texts of IDL files."""
    files = {}
    for name, text in texts.items():
        path = ".".join(name.rsplit("_", 1))
        files[path] = folder / path
        files[path].write_bytes(text.encode(errors="surrogateescape"))
    units = {}
    for path, text in (released or {}).items():
        (folder / "released").mkdir(exist_ok=True)
        (folder / "released" / path).write_text(text)
        units[path] = load(folder / "released" / path)
    return lint(read_subject(files, units))


def rules_of(result: LintResult) -> list[tuple[str, int]]:
    """The rules of the findings with their lines."""
    return [(finding.rule, finding.place.line) for finding in result.findings]


def in_function(body: str, parameters: str = "void") -> str:
    """C code with the statements in a function, the first one in line 2."""
    return f"int run({parameters}) {{\n{body}\n}}\n"
