"""Comments that silence one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.linted import lint_texts, rules_of

CALL = "HAP_power_set(&h, &r);"
FOUND = [("power-context", 3)]
IGNORE = "buildtool-lint: ignore power-context"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "", FOUND),
        (f"// {IGNORE}", "", []),
        (f"/* {IGNORE} */", "", []),
        (f"/* Why it is right.\n   {IGNORE} */", "", []),
        ("", f"// {IGNORE}", []),
        ("", f"/* {IGNORE}: it is right here */", []),
        (f"// {IGNORE}, hmx-power", "", []),
        (f"// {IGNORE}\n", "", [("power-context", 4)]),
        (f"work(); // {IGNORE}", "", FOUND),
        ("// buildtool-lint: ignore hmx-power", "", FOUND),
        (f'const char *s = "{IGNORE}";', "", FOUND),
    ],
)
def test_a_place_in_c(
    before: str, after: str, expected: list[tuple[str, int]], tmp_path: Path
) -> None:
    code = f"int f(remote_handle64 h) {{\n{before}\n{CALL} {after}\n}}\n"
    result = lint_texts(tmp_path, a_c=code)

    assert rules_of(result) == expected
    assert result.silenced == (not expected)


def test_places_in_idl_and_scripts(tmp_path: Path) -> None:
    idl = "interface a {\n  // buildtool-lint: ignore idl-result\n  short f();\n  short g();\n};"
    script = "A=1\nADSP_LIBRARY_PATH=a:b # buildtool-lint: ignore dsp-path-separator\n"

    result = lint_texts(tmp_path, a_idl=idl, b_sh=script)

    assert rules_of(result) == [("idl-result", 4)]
    assert result.silenced == 2


@pytest.mark.parametrize(
    ("comment", "message", "remedy"),
    [
        ("ignore power-contxt", "there is no rule 'power-contxt'", "Did you mean power-context?"),
        ("ignore", "the comment silences nothing", "Write: "),
        ("off power-context", "the comment silences nothing", "Write: "),
    ],
)
def test_a_comment_that_silences_nothing(
    comment: str, message: str, remedy: str, tmp_path: Path
) -> None:
    result = lint_texts(tmp_path, a_h=f"int x;\nint y; // buildtool-lint: {comment}\n")

    assert rules_of(result) == [("lint-comment", 2)]
    assert result.findings[0].message == message
    assert result.findings[0].remedy.startswith(remedy)
