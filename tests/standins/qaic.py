"""The program of the stand-in's qaic: `qaic.py SDK-VERSION -mdll -I DIR -o OUT FILE.idl`.

It runs this project's IDL compiler and makes the files look as if another compiler had written
them: a comment names the qaic, and the note with the digest of the IDL is removed.  Like those of
the real qaic, stubs include HAP_farf.h and log with it (qualcomm/QAIC, src/Language/SO/ToCStub.hs).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

NOTE = re.compile(r"/\* Says which IDL this was generated from.*?\n};\n", re.DOTALL)

LOGGING = """\
#ifndef _WIN32
#include "HAP_farf.h"
#include <inttypes.h>
#endif
static inline void _stand_in_log(int _err, uint64_t _handle)
{
    if (_err != 0 && HAP_debug_v2 != 0) {
        FARF(RUNTIME_ERROR, "ERROR 0x%x: handle=0x%" PRIx64, (unsigned)_err, _handle);
        FARF(ERROR, "ERROR 0x%x", (unsigned)_err);
    }
}
"""
INVOKED = re.compile(
    r"^( +)(_err = __QAIC_REMOTE\(remote_handle(?:64)?_invoke\)[^;]*;)$", re.MULTILINE
)


def with_logging(stub: str) -> str:
    """The stub with the includes and the messages of the real qaic."""
    first = stub.index("\n", stub.index('#include "')) + 1
    logged = INVOKED.sub(r"\1\2\n\1_stand_in_log(_err, (uint64_t)_h);", stub[first:])
    return f"{stub[:first]}{LOGGING}{logged}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="qaic")
    parser.add_argument("sdk")
    parser.add_argument("-m", action="append", default=[])  # -mdll
    parser.add_argument("-I", action="append", default=[], dest="include")
    parser.add_argument("-D", action="append", default=[], dest="define")
    parser.add_argument("-o", default=".", dest="out")
    parser.add_argument("-st", action="store_true")
    parser.add_argument("files", nargs="+")
    asked = parser.parse_args()
    if asked.m != ["dll"]:
        parser.error("the stand-in knows -mdll only")
    out = Path(asked.out)
    command = [sys.executable, "-P", "-m", "buildtool", "idl", *asked.files, "-o", str(out)]
    if asked.st:
        command.append("-st")
    for option, values in (("-I", asked.include), ("-D", asked.define)):
        command += [word for value in values for word in (option, value)]
    listed = subprocess.run([*command, "--list"], capture_output=True, text=True, check=False)
    status = subprocess.run(command, check=False).returncode
    if status:
        return status
    for name in listed.stdout.splitlines():
        path = Path(name)
        text = f"/* written by the stand-in qaic of Hexagon SDK {asked.sdk} */\n" + path.read_text(
            encoding="utf-8"
        )
        text = NOTE.sub("", text)
        path.write_text(with_logging(text) if name.endswith("_stub.c") else text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
