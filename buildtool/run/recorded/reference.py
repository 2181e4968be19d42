"""`diverge --reference`: a library for the ARM64 side that answers in place of the DSP."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from buildtool.core.errors import UsageError
from buildtool.device.arm64_code import COUNTING_SOURCE, SYSTEMS, compile_arm64
from buildtool.project.model import Project
from buildtool.release.slices import LIBRARIES, Release
from buildtool.run.recorded.batches import HEADER, header_of, operators_of
from buildtool.sdk.packaged_tools import usable_zig

GGML = "ggml"
"""Names the CPU backend of the ggml that the project has, for messages of ggml-hexagon."""
GGML_LIBRARY = "libbuildtool-ggml-reference.so"
_SOURCE = Path(__file__).with_name("ggml_reference.c")
_PUBLIC_HEADER = "ggml-cpu.h"
_BASE, _CPU = "libggml-base.so", "libggml-cpu.so"
_IMPORTS = {
    _BASE: (
        *("ggml_build_forward_expand", "ggml_free", "ggml_init", "ggml_nbytes", "ggml_new_graph"),
        *("ggml_new_tensor", "ggml_op_name"),
    ),
    _CPU: ("ggml_graph_compute", "ggml_graph_plan"),
}
_LIBC_HEADERS = ("aarch64-linux-gnu", "generic-glibc", "aarch64-linux-any", "any-linux-any")
_LIBC = ("free", "malloc", "memcpy", "memset", "mmap", "munmap", "strcmp", "strcpy", "strlen")


def check_shipped(release: Release, library: str) -> None:
    """Raises `UsageError` unless `release` has the library for the ARM64 side."""
    shipped = _libraries(release)
    if library not in shipped:
        raise UsageError(
            f"--reference: the release has no {LIBRARIES}/{library}",
            why=f"it has {', '.join(shipped) or 'nothing'} in {LIBRARIES}/",
            remedy="Name a library that a component of the ARM64 side installs there.",
        )


def _libraries(release: Release) -> list[str]:
    paths = [*(file.path for file in release.files), *(link.path for link in release.links)]
    return sorted(PurePosixPath(p).name for p in paths if PurePosixPath(p).parent.name == LIBRARIES)


def ggml_reference(project: Project, release: Release) -> bytes:
    """The library that answers messages of ggml-hexagon, compiled with the headers of the project
    for the CPU backend of `release`.  Raises `UsageError` if one of both has none, and the errors
    of running zig."""
    header = header_of(project)
    public = next(iter(sorted(project.root.rglob(_PUBLIC_HEADER))), None) if header else None
    if header is None or public is None:
        raise UsageError(
            "--reference ggml: the project has no ggml-hexagon",
            why=f"{HEADER if header is None else _PUBLIC_HEADER} was not found",
            remedy="Name a library of the release in its place.",
        )
    shipped = _libraries(release)
    sonames = {}
    for library, imports in _IMPORTS.items():
        found = [name for name in shipped if re.fullmatch(rf"{re.escape(library)}(\.\d+)?", name)]
        if not found:
            raise UsageError(
                f"--reference ggml: the release has no {library}",
                why=f"it has {', '.join(shipped) or 'nothing'} in {LIBRARIES}/",
                remedy="Build ggml as shared libraries, without GGML_BACKEND_DL:"
                " its CPU backend is the reference.",
            )
        sonames[max(found, key=len)] = imports
    _, libc, _ = SYSTEMS[project.targets[release.target].platform]
    operators = "".join(f"NAME({number},{name})" for number, name in operators_of(header).items())
    libc_headers = usable_zig().library / "libc" / "include"
    flags = (
        *("-fPIC", "-shared", "-std=gnu11", "-fno-builtin", f"-DOPERATORS(NAME)={operators}"),
        *(f"-isystem{libc_headers / name}" for name in _LIBC_HEADERS),
    )
    return compile_arm64(
        _SOURCE,
        flags,
        {libc: (*_LIBC, "strncmp"), **sonames},
        "the reference of ggml",
        (header, *sorted(public.parent.glob("*.h")), COUNTING_SOURCE.with_name("reference.h")),
    )
