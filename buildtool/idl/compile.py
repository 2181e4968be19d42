"""Compiles an IDL file to C files, or to a Python module, for `buildtool idl`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.files import write_if_changed
from buildtool.idl.emit import emit
from buildtool.idl.emit.python import emit_python
from buildtool.idl.errors import IdlError
from buildtool.idl.model import Unit
from buildtool.idl.parse import load
from buildtool.idl.preprocess.preprocessor import BUILTIN_INCLUDES
from buildtool.idl.qaic import Qaic, run_qaic

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

    Raises:
        IdlError: the IDL is invalid, or a file cannot be written.
        QaicError: qaic failed.
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

    Raises:
        IdlError: the IDL is invalid.
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
    return tuple(sorted(path for end in ("*.py", "*.lark", "*.c") for path in here.rglob(end)))


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
