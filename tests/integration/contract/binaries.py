"""Small real programs, libraries and skels, linked by clang and LLD without a C library.

clang takes a tenth of a second for each, also the first time.  Each is compiled once for a test
run: its name is the digest of its command and its source.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

HOST = ("--target=aarch64-linux-gnu", "-Wl,--hash-style=gnu")
SKEL = (
    *("--target=hexagon-linux-musl", "-Wl,--hash-style=sysv", "-Wl,-z,max-page-size=4096"),
    "-Wl,-z,norelro",
)
ENTRY = "int demo_skel_handle_invoke(int x) {{ return {body}; }}"
_COMMON = ("-fuse-ld=lld", "-shared", "-nostdlib", "-fPIC", "-O2", "-w", "-fno-builtin")
NOTE = """\
__attribute__((section(".note.{owner}"), used, aligned(4))) static const struct {{
    unsigned owner_size, size, type; char owner[{room}]; unsigned char content[{size}];
}} note_{owner} = {{ {owner_size}, {size}, 1, "{owner}", {{ {octets} }} }};
"""


class Linker:
    """Compiles C to shared objects, and keeps them in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def link(self, source: str, flags: Sequence[str], *, stripped: bool = True) -> Path:
        """The shared object of C `source`."""
        command = ["clang", *_COMMON, *(["-s"] if stripped else []), *flags]
        name = hashlib.sha256("\0".join([*command, source]).encode()).hexdigest()[:32]
        made = self.folder / name
        if not made.exists():
            with tempfile.TemporaryDirectory() as work:
                code = Path(work, "source.c")
                code.write_text(source, encoding="utf-8")
                out = self.folder / f"{name}.new"
                # In its directory, so that no path gets into debug information.
                subprocess.run([*command, "source.c", "-o", out], check=True, cwd=work)
                out.replace(made)
        return made

    def host(self, soname: str, source: str, *flags: str, stripped: bool = True) -> Path:
        """An ARM64 library."""
        return self.link(source, (*HOST, f"-Wl,-soname,{soname}", *flags), stripped=stripped)

    def skel(self, source: str, *flags: str, arch: str = "v68") -> Path:
        """A Hexagon library for `arch`."""
        return self.link(source, (*SKEL, f"-mcpu=hexagon{arch}", *flags))

    def needing(self, *sonames: str) -> list[str]:
        """Linker flags that make a library need ARM64 libraries."""
        return ["-Wl,--no-as-needed", *(str(self.host(name, "")) for name in sonames)]

    def skel_needing(self, *sonames: str) -> list[str]:
        """Linker flags that make a skel need Hexagon libraries."""
        made = [self.skel("", f"-Wl,-soname,{name}") for name in sonames]
        return ["-Wl,--no-as-needed", *map(str, made)]

    def versioned(self, soname: str, version: str, symbol: str) -> list[str]:
        """Linker flags for a library that defines `symbol` in the symbol version `version`."""
        script = self.folder / f"{version}_{symbol}.map"
        script.write_text(f"{version} {{ global: {symbol}; local: *; }};\n", encoding="utf-8")
        library = self.host(soname, f"void {symbol}(void) {{}}", f"-Wl,--version-script={script}")
        return [str(library)]


def entry(body: str = "x") -> str:
    """C source of a skel's entry."""
    return ENTRY.format(body=body)


def note(owner: str, content: bytes) -> str:
    """C source of an ELF note of type 1."""
    return NOTE.format(
        owner=owner,
        owner_size=len(owner) + 1,
        room=(len(owner) + 4) & -4,
        size=len(content),
        octets=", ".join(map(str, content)),
    )
