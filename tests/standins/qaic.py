"""The program of the stand-in's qaic: `qaic.py SDK-VERSION -mdll -I DIR -o OUT FILE.idl`.

It runs this project's IDL compiler and makes the files look as if another compiler had written
them: a comment names the qaic, and the note with the digest of the IDL is removed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

NOTE = re.compile(r"/\* Says which IDL this was generated from.*?\n};\n", re.DOTALL)


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
        path.write_text(NOTE.sub("", text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
