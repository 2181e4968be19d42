"""The DSP side refuses inconsistent lengths, even if the stub has accepted them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from buildtool.idl.compile import compile_idl

from . import builds

DSP = builds.KERNELS.parent
HEADERS = (f"-I{DSP / 'include'}", f"-I{DSP.parent / 'host' / 'include' / 'fastrpc'}")


def test_lengths_are_checked(tmp_path: Path) -> None:
    compile_idl(DSP / "htp_ops.idl", out_dir=tmp_path)
    includes = (*HEADERS, f"-I{tmp_path}", f"-I{builds.KERNELS}")
    # qemu has no HMX, and clang by itself no instructions of it: lengths.c replaces its kernels.
    sources = [path for path in sorted(builds.KERNELS.glob("*.c")) if path.stem != "matmul_hmx"]
    objects = builds.hexagon_objects(tmp_path, "v68", sources, includes)
    main = builds.HERE / "lengths.c"
    program = builds.link_hexagon(tmp_path / "lengths", main, objects, includes)
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
