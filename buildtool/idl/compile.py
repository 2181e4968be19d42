"""Compiles an IDL file to C files, or to a Python module, for `buildtool idl`.

The Hexagon SDK's IDL compiler, as a replacement of this compiler's back end.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from buildtool.core import fastrpc_codes
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import write_if_changed
from buildtool.core.processes.interrupts import signal_name
from buildtool.core.processes.process import capture
from buildtool.core.value import Value
from buildtool.idl.emit import emit
from buildtool.idl.emit.python import emit_python
from buildtool.idl.errors import IdlError
from buildtool.idl.model import Unit
from buildtool.idl.parse import load
from buildtool.idl.preprocess.preprocessor import BUILTIN_INCLUDES

# Source: CMake, which reads dependency files before Ninja does (see `drivers.cmake.scan.depfile`).
_NOT_IN_DEPFILES = re.compile(r"[\t\n\\]|[\r:]\Z")
BUILT_IN = BUILTIN_INCLUDES.resolve()


def compile_idl(
    path: Path | str,
    include_dirs: Sequence[Path | str] = (),
    defines: Sequence[str] = (),
    out_dir: Path | str = ".",
    *,
    depfile: Path | str | None = None,
    with_includes: bool = False,
    qaic: Qaic | None = None,
    python: bool = False,
    standard_types: bool = False,
    trace: bool = False,
) -> tuple[Path, ...]:
    """Write the header, stubs and skels of one IDL file into `out_dir`; returns the files' paths.

    With `python` the files are the Python module and the package that it uses instead.
    `standard_types` selects the C types, as in `load`; `trace` is that of `emit`.

    `with_includes` also writes the headers of the included IDL files, which the header includes,
    except those of the built-in IDL files, whose headers are written by hand.

    Nothing is written unless all files can be generated; files that do not change are not touched.
    `depfile` gets a rule for Make and Ninja by which the files depend on everything that was read
    and on this compiler.  With `qaic` that program generates the text; the files and their
    dependencies are still determined here.

    Raises IdlError: the IDL is invalid, or a file cannot be written; QaicError: qaic failed.
    """
    looked_in = (*include_dirs, *(qaic.includes if qaic else ()))

    def made_of(file: Path, unit: Unit) -> dict[str, str]:
        if python:
            return emit_python(unit)
        texts = emit(unit, trace=trace)
        if qaic is None:
            return texts
        return run_qaic(
            qaic, file, include_dirs, defines, list(texts), standard_types=standard_types
        )

    unit = load(path, looked_in, defines, standard_types=standard_types)
    texts = {Path(out_dir, name): text for name, text in made_of(Path(path), unit).items()}
    if with_includes and not python:  # the Python module has the types that it uses
        for included in _included(unit, qaic):
            header = f"{included.stem}.h"
            loaded = load(included, looked_in, defines, standard_types=standard_types)
            made = made_of(included, loaded)
            texts[Path(out_dir, header)] = made[header]
    if depfile is not None:
        read = [Path(name) for name in unit.dependencies]
        read += [*compiler_files(), *([qaic.program] if qaic else [])]
        texts[Path(depfile)] = depfile_text(list(texts), read)
    for target, text in texts.items():
        try:
            write_if_changed(target, text)
        except OSError as error:
            raise IdlError(
                f"cannot write `{target}`: {error}",
                code="idl-write",
                remedy="check the directory given with -o",
            ) from error
    return tuple(target for target in texts if depfile is None or target != Path(depfile))


def output_names(
    path: Path | str,
    include_dirs: Sequence[Path | str] = (),
    defines: Sequence[str] = (),
    *,
    with_includes: bool = False,
    qaic: Qaic | None = None,
    python: bool = False,
) -> tuple[str, ...]:
    """The names of the files that `compile_idl` would write.

    Raises IdlError: the IDL is invalid.
    """
    unit = load(path, (*include_dirs, *(qaic.includes if qaic else ())), defines)
    if python:
        return tuple(emit_python(unit))
    included = _included(unit, qaic) if with_includes else []
    return (*emit(unit), *(f"{path.stem}.h" for path in included))


def _included(unit: Unit, qaic: Qaic | None) -> list[Path]:
    """The included IDL files whose headers must be generated."""
    written = {BUILT_IN, *(Path(folder).resolve() for folder in (qaic.includes if qaic else ()))}
    own = [Path(name) for name in unit.dependencies[1:]]
    return [
        path for path in own if path.stem in unit.includes and path.parent.resolve() not in written
    ]


def depfile_text(targets: Sequence[Path], dependencies: Sequence[Path]) -> str:
    """A Make rule without a recipe, all paths absolute."""
    left = " ".join(_escaped(path) for path in targets)
    right = "".join(f" \\\n  {_escaped(path)}" for path in dependencies)
    return f"{left}:{right}\n"


def compiler_files() -> tuple[Path, ...]:
    """The files of this compiler: a change of one of them requires a new compilation."""
    here = Path(__file__).parent
    own = sorted(path for end in ("*.py", "*.lark", "*.c") for path in here.rglob(end))
    return (*own, fastrpc_codes.HEADER, Path(fastrpc_codes.__file__))


def _escaped(path: Path) -> str:
    text = str(path.absolute())
    if _NOT_IN_DEPFILES.search(text):
        raise IdlError(
            f"{text!a} cannot be written in a dependency file",
            code="idl-depfile",
            remedy="rename it: CMake would not see the dependency",
        )
    if "/../" in text:  # CMake resolves `link/..` to the link's directory
        text = f"{os.path.realpath(path.parent)}/{path.name}"
    for char in " #":
        text = text.replace(char, f"\\{char}")
    return text.replace("$", "$$")


TIMEOUT_SECONDS = 120.0
_LOCALE = "C.UTF-8"  # in other locales it fails on comments with non-ASCII characters


class QaicError(BuildtoolError):
    """qaic failed, or did not write all files."""

    code = "qaic"


class Qaic(Value):
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
