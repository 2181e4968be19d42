"""`buildtool init` in a directory that is not empty."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import Buildtool


def test_a_gitignore_gets_the_lines_that_it_lacks(tmp_path: Path, buildtool: Buildtool) -> None:
    (tmp_path / ".gitignore").write_bytes(b"*.o\n/dist/\ncaf\xe9")
    (tmp_path / "README.md").write_text("# Mine\n", encoding="utf-8")

    done = buildtool("init", "--name", "demo", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    lines = (tmp_path / ".gitignore").read_bytes().splitlines()
    assert lines[:4] == [b"*.o", b"/dist/", b"caf\xe9", b"/compile_commands.json"]
    assert lines.count(b"/dist/") == 1
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "# Mine\n"
    assert "README.md" not in done.stdout
    assert (tmp_path / "buildtool.toml").is_file()
    again = buildtool("init", "--template", "hvx", "--name", "demo", cwd=tmp_path)
    assert (again.returncode, "already exists" in again.stderr) == (2, True)
