"""The Hexagon SDK's IDL compiler, as a replacement of this compiler's back end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.process import capture
from buildtool.core.processes.signals import signal_name

TIMEOUT_SECONDS = 120.0
_LOCALE = "C.UTF-8"  # in other locales it fails on comments with non-ASCII characters


class QaicError(BuildtoolError):
    """qaic failed, or did not write all files."""

    code = "qaic"


@dataclass(frozen=True, slots=True)
class Qaic:
    """The program, and the directories of the SDK's IDL files, which have hand-written headers."""

    program: Path
    includes: tuple[Path, ...] = ()


def run_qaic(
    qaic: Qaic,
    path: Path,
    include_dirs: Iterable[Path | str],
    defines: Iterable[str],
    names: Sequence[str],
    *,
    standard_types: bool = False,
) -> dict[str, str]:
    """Compile the IDL file `path` with qaic; returns the text of each file in `names`.

    `standard_types` passes -st, which older releases do not know.

    Raises `QaicError` if it fails, crashes or does not write one of them, `ToolError` if it cannot
    be started or hangs.
    """
    with tempfile.TemporaryDirectory(prefix="buildtool-qaic-") as out:
        command: list[str | Path] = [qaic.program, "-mdll", "-o", out]
        if standard_types:
            command.append("-st")
        for directory in (*include_dirs, *qaic.includes):
            command += ["-I", Path(directory).absolute()]
        for define in defines:
            command += ["-D", define]
        # Absolute: some releases hang on a relative path.
        command.append(path.absolute())
        done = capture(
            command,
            env={"PATH": "/usr/bin:/bin", "LANG": _LOCALE, "LC_ALL": _LOCALE},
            timeout=TIMEOUT_SECONDS,
        )
        output = f"command: {done.command}\n{done.output}".rstrip()
        if done.status < 0:
            raise QaicError(
                f"qaic crashed on {path.name} ({signal_name(-done.status)})",
                why=output,
                remedy='Compile it with idl-compiler = "buildtool", or try another SDK\'s qaic.',
            )
        if done.status:
            raise QaicError(
                f"qaic rejects {path.name} (exit status {done.status})",
                why=output,
                remedy="Correct the interface as qaic says, and build again.",
            )
        missing = [name for name in names if not Path(out, name).is_file()]
        if missing:
            raise QaicError(
                f"qaic did not write {', '.join(missing)} for {path.name}",
                why=output,
                remedy=f"Check that {qaic.program} is the qaic of a complete SDK.",
            )
        return {
            name: Path(out, name).read_text(encoding="utf-8", errors="replace") for name in names
        }
