"""What no file of either side may have."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from buildtool.contract.finding import WARNING, Finding, rule
from buildtool.contract.subject import Subject


@rule("no-text-relocations")
def no_text_relocations(subject: Subject) -> Iterator[Finding]:
    """No file has relocations in its code.

    The loader would have to make the code writable: Android refuses such files, and so may the DSP.
    """
    for path, elf in subject.elves.items():
        if elf.text_relocations:
            yield no_text_relocations.error(
                path,
                f"{posixpath.basename(path)} has text relocations",
                why="it has DT_TEXTREL: loaders have to write into its code, which some refuse",
                remedy="Compile all of its objects with -fPIC, and link without -Wl,-z,notext.",
            )


_EXECUTABLE = 1  # PF_X


@rule("no-executable-stack")
def no_executable_stack(subject: Subject) -> Iterator[Finding]:
    """No file asks for an executable stack.

    It makes attacks easier, and newer systems refuse to load such a file.
    """
    for path, elf in subject.elves.items():
        if elf.stack_flags is not None and elf.stack_flags & _EXECUTABLE:
            yield no_executable_stack.error(
                path,
                f"{posixpath.basename(path)} asks for an executable stack",
                why="its segment PT_GNU_STACK is executable",
                remedy="Link it with -Wl,-z,noexecstack; assembly sources need the section"
                " .note.GNU-stack.",
            )


CHUNK, OVERLAP = 1 << 20, 4096  # bytes; a path is shorter than the overlap
_SUSPICIOUS = (b"/home/", b"/root/", b"/Users/", b"/tmp/")
_DIRECTORY = re.compile(rb"/(?:home|Users|tmp)/[\w+-][\w.+-]{0,63}/[\w.+-]|/root/[\w.+-]")
_BEFORE = re.compile(rb"[\w.~-]\Z")  # part of a longer path, such as /data/local/tmp/x/y
_TEXT = re.compile(rb"[^\0-\x1f\x7f\"'<>]{0,200}")


@rule("no-build-paths")
def no_build_paths(subject: Subject) -> Iterator[Finding]:
    """No file contains a path of the machine that built it.

    Such a file differs when it is built elsewhere, and tells who built it. If the directories of
    the build are unknown, paths in /home, /root, /Users and /tmp are a warning.
    """
    known = subject.promise.build_paths
    for path, file in subject.files.items():
        text = _find(file, known)
        if text is None:
            continue
        report = no_build_paths.warning if known is None else no_build_paths.error
        yield report(
            path,
            f"{posixpath.basename(path)} contains a path of the build machine: {text}",
            why="the file differs when it is built in another directory"
            if known is not None
            else "it looks like a directory of a build or of a user, which devices do not have",
            remedy="Strip debug information, compile with -ffile-prefix-map=DIRECTORY=., and do not"
            " write paths of the build into generated sources.",
        )


def _find(file: Path, known: Sequence[str] | None) -> str | None:
    """The first build path in a file, as text; None if there is none, or if it cannot be read."""
    wanted = _SUSPICIOUS if known is None else [path.encode() for path in known]
    try:
        with file.open("rb") as stream:
            before = b""
            while chunk := stream.read(CHUNK):
                data = before + chunk
                for text in wanted:
                    at = data.find(text)
                    while at >= 0:
                        if _is_path(data, at, text, suspicious=known is None):
                            found = _TEXT.match(data, at)
                            return found[0].decode(errors="replace") if found else ""
                        at = data.find(text, at + 1)
                before = data[-OVERLAP:]
    except OSError:
        pass  # the rule valid-elf reports it
    return None


def _is_path(data: bytes, at: int, text: bytes, *, suspicious: bool) -> bool:
    short = suspicious or text.count(b"/") == 1  # often the end of a longer path
    if short and _BEFORE.search(data[max(0, at - 1) : at]):
        return False
    if suspicious:
        return bool(_DIRECTORY.match(data, at))
    end = data[at + len(text) : at + len(text) + 1]
    return not re.match(rb"[\w.+-]", end)  # /build/a is not in /build/abc


@rule("stripped", foreign=WARNING)
def stripped(subject: Subject) -> Iterator[Finding]:
    """Every ELF file is stripped of its symbol table and debug information.

    Devices do not need them. They are large, and contain paths and names of the sources.
    """
    for path, elf in subject.elves.items():
        if elf.debug_sections and elf.kind in ("DYN", "EXEC"):
            yield stripped.error(
                path,
                f"{posixpath.basename(path)} is not stripped",
                why=f"it has the sections {', '.join(elf.debug_sections)}",
                remedy="Strip it with the strip or objcopy of its toolchain, for example"
                " llvm-strip FILE.",
            )
