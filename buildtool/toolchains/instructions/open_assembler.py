"""Compiles a source with instructions that open LLVM's assembler does not know.

The script `zig` of the SDK-shaped root calls this module after clang has rejected an instruction:
the source is compiled to assembly, or preprocessed, and such instructions are replaced by words.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.process import capture
from buildtool.core.value import Value
from buildtool.toolchains.instructions.hmx import HmxSyntaxError
from buildtool.toolchains.instructions.missing import AssemblyListing, Statement, encoded

MAX_PASSES = 8
"""The assembler may report more of a file after the first errors in it are gone."""
_ERROR = re.compile(r"^(?P<file>[^\n]*?):(?P<line>\d+):\d+: error: ", re.MULTILINE)
_ARCH = re.compile(r"-mcpu=hexagonv(\d+)")
_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ", "-x", "-Xclang", "-isystem", "-I", "-D", "-include")
_ASSEMBLER_FLAGS = ("--target=", "-mcpu=", "-mhvx-", "-fpic", "-fPIC", "-Wa,")


class SourceLine(Value):
    """A line of a source."""

    file: str
    line: int


def compile_source(compiler: Path, words: Sequence[str]) -> int:
    """Compile as `compiler` would with the arguments `words` ("cc", …); returns its exit status.

    If the source has other errors too, prints the compiler's errors.
    """
    output = words[words.index("-o") + 1] if "-o" in words[:-1] else _source(words).stem + ".o"
    _, said = _run(compiler, [*words, "-ferror-limit=0"])  # writes the dependency file too
    places = find_places(said, words)
    cpu = _ARCH.search(" ".join(words))
    arch = int(cpu[1]) if cpu else None
    with tempfile.TemporaryDirectory(prefix="buildtool-") as temporary:
        file = Path(temporary, "source.s")
        status, problem = _run(compiler, to_assembly(words, file))
        if status:
            return _failed(problem, status)
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        listing = AssemblyListing(tuple(text.splitlines()))
        for _ in range(MAX_PASSES):
            file.write_text(listing.text(), encoding="utf-8", errors="surrogateescape")
            status, problem = _run(compiler, _assemble(words, file, output))
            numbers = [int(match["line"]) - 1 for match in _ERROR.finditer(problem)]
            if not status or not numbers or max(numbers) >= len(listing.lines):
                break
            statements = [listing.statement(number) for number in numbers]
            if not all(statement.replaceable for statement in statements):
                return _failed(said, 1)
            if len(places) != len(statements):  # the two runs do not report the same
                places = [SourceLine(_source(words).name, 0)] * len(statements)
            if refused := _refusals(statements, places, arch):
                return _failed("\n".join(refused), 1)
            listing = listing.replaced(statements, arch)
            places = []
    return _failed(problem, status) if status else 0


def _refusals(
    statements: Sequence[Statement], places: Sequence[SourceLine], arch: int | None
) -> list[str]:
    """A message for each statement that cannot be encoded."""
    refused: dict[str, None] = {}
    for statement, place in zip(statements, places, strict=True):
        try:
            encoded(statement.text, arch)
        except HmxSyntaxError as problem:
            words, why = statement.text.split(), str(problem)
            shown = "" if "".join(words) in why else f"{' '.join(words)}: "
            refused[f"{place.file}:{place.line}: error: {shown}{why}"] = None
    return list(refused)


def find_places(said: str, words: Sequence[str]) -> list[SourceLine]:
    """Where the compiler's errors are, in their order; paths as they appear in outputs."""
    pairs = [word.split("=", 2) for word in words if word.startswith("-ffile-prefix-map=")]
    mapped = [(pair[1], pair[2]) for pair in pairs if len(pair) == 3]
    return [SourceLine(_mapped(m["file"], mapped), int(m["line"])) for m in _ERROR.finditer(said)]


def _mapped(file: str, mapped: Sequence[tuple[str, str]]) -> str:
    """`file` without a directory of this machine; of several prefixes the last one counts."""
    for old, new in reversed(mapped):
        if file.startswith(old):
            return os.path.normpath(new + file[len(old) :])
    return Path(file).name if Path(file).is_absolute() else os.path.normpath(file)


def to_assembly(words: Sequence[str], file: Path) -> list[str]:
    """The arguments that write assembly to `file`, and no dependency file: with one, zig writes no
    assembly."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(rest, "")
        elif word not in ("-c", "-MD", "-MMD"):
            kept.append(word)
    if _source(words).suffix in (".s", ".S"):
        return [*kept, "-o", str(file), "-E", "-P"]
    quiet = "-Wno-unused-command-line-argument"  # zig adds -c
    return [*kept, "-o", str(file), "-S", "-fno-integrated-as", quiet]


def _assemble(words: Sequence[str], file: Path, output: str) -> list[str]:
    kept = [word for word in words if word.startswith(_ASSEMBLER_FLAGS)]
    return ["cc", *kept, "-g0", "-nostdlib", "-ferror-limit=0", "-c", str(file), "-o", output]


def _source(words: Sequence[str]) -> Path:
    """The source: the last argument that is neither an option nor its value."""
    plain = [
        word
        for word, before in zip(words[1:], words, strict=False)
        if not word.startswith("-") and before not in _WITH_VALUE
    ]
    return Path(plain[-1] if plain else "source")


def _run(compiler: Path, words: Sequence[str]) -> tuple[int, str]:
    done = capture([compiler, *words], env=os.environ)
    return done.status, done.output


def _failed(said: str, status: int) -> int:
    sys.stderr.write(said + "\n")
    return status if status > 0 else 1


if __name__ == "__main__":
    try:
        sys.exit(compile_source(Path(sys.argv[1]), sys.argv[2:]))
    except (BuildtoolError, OSError) as error:
        sys.exit(f"error: {error}")
