"""What the scripts `zig` and `hexagon-clang` of the SDK-shaped root do when clang is not enough.

When they link, and the archive of what C++ headers need is missing, they have it made:
`python -m … library ZIG DIRECTORY`.

After clang has rejected an instruction of assembly, `zig` calls `python -m … compile ZIG cc …`: the
source is compiled to assembly, or preprocessed, and instructions that the assembler of open LLVM
does not know are replaced by words: those of HMX, and reads of performance counters of the user.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.process import capture, check
from buildtool.core.value import Value
from buildtool.toolchains.hmx import HmxSyntaxError, hmx_words

LIBRARY = "libc++.a"  # what the compiler and C++ headers need and no DSP shell exports
# The oldest arch, and the calling convention of skels: see hexagon.cmake.in.
_LIBRARY_OPTIONS = (
    *("--target=hexagon-linux-musl", "-mcpu=hexagonv68", "-nostdlib", "-O2", "-g0", "-fPIC"),
    *("-fno-sanitize=undefined", "-Xclang", "-triple", "-Xclang", "hexagon-unknown-none-elf"),
)


def make_library(zig: Path, folder: Path) -> None:
    """Make the archive of the C files in `folder`, there.  Raises `ToolError` when zig fails."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as temporary:
        library = Path(temporary, LIBRARY)
        sources = sorted(file.name for file in folder.glob("*.c"))
        objects = {source: Path(temporary, source).with_suffix(".o") for source in sources}
        commands: list[list[str | Path]] = [
            [zig, "cc", *_LIBRARY_OPTIONS, "-c", source, "-o", file]
            for source, file in objects.items()
        ]
        commands.append([zig, "ar", "rcsD", library, *objects.values()])
        for command in commands:
            check(capture(command, env=os.environ, cwd=folder), "making the C++ library of skels")
        library.replace(folder / LIBRARY)


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


_HMX = r"\b(mx[a-z]\w*|(activation|weight)\.\w+|acc|bias|cvt(\.\w+)?)\b"
_LABELS = r"(\s*[\w.$]+:(?!\w))+"
_COUNTER = r"\s*(?:\{\s*)?r(\d+)\s*=\s*upmucnt([0-7])\s*;?\s*(?:\}\s*)?"


class Statement(Value):
    """Lines `first` to `last` (from 0) of an assembly file, which are replaced together."""

    first: int
    last: int
    text: str

    @property
    def replaceable(self) -> bool:
        return bool(re.search(_HMX, self.text)) or "upmucnt" in self.text


class AssemblyListing(Value):
    """The lines of an assembly file."""

    lines: tuple[str, ...]

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def statement(self, number: int) -> Statement:
        """The instruction of the line `number`, or the packet in braces that it is part of."""
        lines, first = self.lines, number
        while "{" not in lines[first]:
            first -= 1
            ended = first < 0 or "InlineAsm" in lines[first]
            if ended or lines[first].rfind("}") > lines[first].rfind("{"):
                return Statement(number, number, lines[number].strip())
        last = number
        while last < len(lines) - 1 and "}" not in lines[last]:
            last += 1
        return Statement(first, last, "\n".join(lines[first : last + 1]).strip())

    def replaced(self, statements: Sequence[Statement], arch: int | None = None) -> AssemblyListing:
        """The listing with words in place of the statements.

        Raises `HmxSyntaxError`.
        """
        lines = list(self.lines)
        by_line = {statement.first: statement for statement in statements}
        for first in sorted(by_line, reverse=True):  # line numbers before it stay valid
            lines[first : by_line[first].last + 1] = [encoded(by_line[first].text, arch)]
        return AssemblyListing(tuple(lines))


def encoded(text: str, arch: int | None = None) -> str:
    """The statement as words, behind its labels; `arch` (68) refuses what that arch does not have.

    `r5 = upmucnt3` is a transfer from the control register C23.  Source: the Hexagon V73
    programmer's reference manual, "Transfer from control register"; QEMU's list of registers.
    Raises `HmxSyntaxError`.
    """
    if labels := re.match(_LABELS, text):
        return f"{labels[0].strip()} {encoded(text[labels.end() :], arch)}"
    if match := re.fullmatch(_COUNTER, text):
        return f".word 0x{0x6A00C000 | (20 + int(match[2])) << 16 | int(match[1]):08x}"
    if "upmucnt" in text:
        raise HmxSyntaxError("a read of a counter is encoded only if it is alone in its packet")
    # Without braces, each instruction is a packet.
    packets = [text] if "{" in text else [part for part in text.split(";") if part.strip()]
    plain = [re.sub(r"//.*|/\*.*?\*/", "", packet) for packet in packets]
    words = [f"0x{word:08x}" for packet in plain for word in hmx_words(packet, arch)]
    return f".word {', '.join(words)}"


if __name__ == "__main__":
    try:
        if sys.argv[1] == "library":
            make_library(Path(sys.argv[2]), Path(sys.argv[3]))
        else:
            sys.exit(compile_source(Path(sys.argv[2]), sys.argv[3:]))
    except (BuildtoolError, OSError) as error:
        sys.exit(f"error: {error}" if sys.argv[1] == "compile" else str(error))
