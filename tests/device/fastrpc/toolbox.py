"""Builds the emulated device, skels and clients with zig, each once for all test workers."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from buildtool.device.emulated.emulator import build_emulator
from buildtool.sdk.packaged_tools import usable_zig
from tests.conftest import LONG

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
EMULATOR = ROOT / "emulator"
COMMON = EMULATOR / "common"
CROSS_LIBRARIES = Path("/usr/aarch64-linux-gnu/lib")
HEADERS = [f"-I{ROOT / 'host/include'}", f"-I{ROOT / 'host/include/fastrpc'}"]
ARM = ["-target", "aarch64-linux-gnu.2.35", "-O2", "-pthread"]
ZIG_LIBC = usable_zig().library.resolve() / "libc/include"
# -nostdlib removes libc's headers too.
SKEL_HEADERS = [
    *("-isystem", str(ZIG_LIBC / "hexagon-linux-musl")),
    *("-isystem", str(ZIG_LIBC / "generic-musl")),
    f"-I{ROOT / 'dsp/include'}",
]
HEXAGON = ["-target", "hexagon-linux-musl", "-O2", "-g"]
# As the toolchain file of ubuntu-aarch64 links it.
START_FILE: list[str | Path] = ["-Wno-unused-command-line-argument", ROOT / "cmake/crtbeginS.s"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion"]

CONF = {
    "soc": "QCS6490",
    "arch": "68",
    "vtcm_bytes": str(2 << 20),
    "hvx_units": "4",
    "hw_threads": "6",
    "unsigned_pd": "1",
    "qemu_cpu": "v67",
}


def zig_program() -> str:
    return str(usable_zig().where)


def zig(*arguments: str | Path, cache: Path | None = None) -> str:
    """Run `zig cc` and return its warnings; when it fails, the assertion quotes its messages.

    zig prints no warnings for an object from its cache, so `cache` is a new cache for objects.
    """
    environment = dict(os.environ)
    if cache is not None:
        environment["ZIG_LOCAL_CACHE_DIR"] = str(cache)
    command: list[str | Path] = [zig_program(), "cc", "-fno-sanitize=undefined", "-std=gnu11"]
    return run_compiler([*command, *arguments], environment)


def zig_assembles(lines: list[str], file: Path) -> list[bool]:
    """Whether the assembler takes each line, of instructions up to v81."""
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    target = ["-target", "hexagon-linux-musl"]
    cpu = "-mcpu=hexagonv81+hvxv81+hvx_length128b+hvx_qfloat+hvx_ieee_fp"
    command = [
        zig_program(),
        "cc",
        *target,
        cpu,
        "-ferror-limit=0",
        "-c",
        str(file),
        "-o",
        os.devnull,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    refused = {int(line) for line in re.findall(r"\.s:(\d+):\d+: error", done.stderr)}
    return [number not in refused for number in range(1, len(lines) + 1)]


def run_compiler(command: list[str | Path], environment: dict[str, str] | None = None) -> str:
    """Run a compiler and return its warnings; when it fails, the assertion quotes its messages."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@dataclass(frozen=True)
class Toolbox:
    """A directory of build results; the first caller builds each of them, under a file lock.

    Their objects come from zig's cache, except in the long suite, which looks at warnings.
    """

    base: Path

    def _once(
        self, target: Path, arguments: Iterable[str | Path], compiler: str | None = None
    ) -> Path:
        target.parent.mkdir(parents=True, exist_ok=True)
        with Path(f"{target}.lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                partial = target.with_name(f"{target.name}.partial")
                if compiler:
                    warnings = run_compiler([compiler, *arguments, "-o", partial])
                else:
                    cache = self.base / "zig" if LONG else None
                    warnings = zig(*arguments, "-o", partial, cache=cache)
                Path(f"{target}.warnings").write_text(warnings, encoding="utf-8")
                partial.rename(target)
        return target

    def shell(self) -> Path:
        """The DSP shell of the product, where it keeps no translated code."""
        target = self.base / "fastrpc_shell"
        if not target.exists():
            self.base.mkdir(parents=True, exist_ok=True)  # nothing may have been built there yet
            partial = target.with_name(f"{target.name}.{os.getpid()}")
            shutil.copy(build_emulator(lambda _: None).shell, partial)
            partial.rename(target)
        return target

    def hmx_unit(self) -> Path:
        """The program that computes HMX, for the build machine."""
        sources = sorted((EMULATOR / "hmx").glob("*.c"))
        return self._once(self.base / "hmx_unit", [*WARNINGS, "-O2", *sources])

    def library(self) -> Path:
        """The device's libcdsprpc.so.1."""
        source = EMULATOR / "cdsprpc"
        return self._once(
            self.base / "lib" / "libcdsprpc.so.1",
            [
                *ARM,
                *WARNINGS,
                *HEADERS,
                "-fPIC",
                "-shared",
                "-fvisibility=hidden",
                *(f"-I{folder}" for folder in (source, COMMON)),
                *sorted(source.glob("*.c")),
                *sorted(COMMON.glob("*.c")),
                *START_FILE,
                f"-Wl,--version-script={source / 'libcdsprpc.map'}",
                "-Wl,-soname,libcdsprpc.so.1",
            ],
        )

    def client(self) -> Path:
        """The program that runs scripts of calls."""
        library = self.library()
        sources = sorted((HERE / "client").glob("*.c"))
        return self._once(self.base / "client", [*ARM, *HEADERS, *sources, library])

    def client_with_sanitizer(self, kind: str) -> Path:
        """The client, linked with the library, for the build machine.

        It is compiled by gcc, whose packages contain the sanitizers' libraries, which zig takes
        minutes to build.
        """
        folders = (EMULATOR / "cdsprpc", COMMON, HERE / "client")
        sources = [source for folder in folders for source in sorted(folder.glob("*.c"))]
        sources.append(HERE / "sanitized_fork.c")
        flags = [f"-fsanitize={kind}", "-D_Fork=sanitized_fork"]
        flags += ["-std=gnu11", "-O1", "-g", "-pthread", *HEADERS]
        includes = [f"-I{folder}" for folder in folders]
        return self._once(
            self.base / f"client-{kind}", [*flags, *includes, *sources], compiler="gcc"
        )

    def skel(
        self, name: str, *flags: str | Path, arch: str = "v68", source: str = "probe.c"
    ) -> Path:
        """The skel `lib<name>_skel.so`, linked with the options of skels."""
        return self._once(
            self.base / "skels" / name / f"lib{name}_skel.so",
            [
                "-target",
                "hexagon-linux-musl",
                f"-mcpu=hexagon{arch}+hvx_length128b+hvx{arch}+hvx_qfloat",
                *("-O2", "-fPIC", "-shared", "-nostdlib"),
                *HEADERS,
                *SKEL_HEADERS,
                HERE / "skel" / source,
                *("-Wl,-Bsymbolic", "-Wl,--hash-style=sysv", "-Wl,-z,max-page-size=4096"),
                *flags,
            ],
        )

    def library_for_skels(self, file: str, source: str) -> Path:
        """A shared object with the SONAME `file`, which skels can need."""
        return self._once(
            self.base / "needed" / file,
            [
                *("-target", "hexagon-linux-musl", "-mcpu=hexagonv68+hvx_length128b+hvxv68"),
                *("-O2", "-fPIC", "-shared", "-nostdlib", f"-Wl,-soname,{file}"),
                "-Wl,--hash-style=sysv",
                HERE / "skel" / source,
            ],
        )


@dataclass(frozen=True)
class Result:
    """The output and the exit status of a client."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    def __getitem__(self, command: str) -> str:
        """The result of the (last) command with these words."""
        found = [line.split(" = ", 1)[1] for line in self.lines if line.startswith(f"{command} = ")]
        assert found, f"no '{command}' in:\n{self.out}\n{self.err}"
        return found[-1]


@dataclass(frozen=True)
class Device:
    """An emulated device's directory, and how programs run on it."""

    root: Path
    client: Path

    @classmethod
    def lay_out(cls, root: Path, toolbox: Toolbox, **changes: str | None) -> Device:
        """Make a device; `changes` replace lines of its configuration, None removes one."""
        for directory in ("etc", "lib", "usr/lib/rfsa/adsp", "usr/lib/dsp"):
            (root / directory).mkdir(parents=True)
        for library in CROSS_LIBRARIES.glob("*.so*"):
            (root / "lib" / library.name).symlink_to(library)
        shutil.copy(toolbox.library(), root / "lib")
        (root / "lib" / "libcdsprpc.so").symlink_to("libcdsprpc.so.1")
        device = cls(root, toolbox.client())
        qemu = shutil.which("qemu-hexagon")
        assert qemu is not None
        places = {"qemu": qemu, "shell": str(toolbox.shell())}
        if changes.get("hmx"):
            places["hmx_unit"] = str(toolbox.hmx_unit())
        device.configure({**CONF, **places, **changes})
        return device

    def configure(self, values: dict[str, str | None]) -> None:
        lines = [f"{key}={value}\n" for key, value in values.items() if value is not None]
        (self.root / "etc/buildtool-sim.conf").write_text("".join(lines))

    def install(self, *files: Path, directory: str = "usr/lib/rfsa/adsp") -> None:
        target = self.root / directory
        target.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(file, target)

    def command(self, script: str) -> list[str]:
        qemu = shutil.which("qemu-aarch64")
        assert qemu is not None
        return [qemu, "-L", str(self.root), str(self.client), script]

    def environment(self, **variables: str) -> dict[str, str]:
        clean = {
            key: value
            for key, value in os.environ.items()
            if not key.endswith("_LIBRARY_PATH") and not key.startswith("BUILDTOOL_SIM")
        }
        return {**clean, **variables}

    def run(self, script: str, *, cwd: Path | None = None, **variables: str) -> Result:
        """Run the client's script; the working directory is the device's root."""
        done = subprocess.run(
            self.command(script),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=cwd or self.root,
            env=self.environment(**variables),
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def start(self, script: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(script),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.root,
            env=self.environment(),
        )
