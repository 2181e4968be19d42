"""The script that runs a compiler on another machine, for both engines."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildtool import _data

_CLANG = """case $original in
    /*) set -- "$@" -Xclang -main-file-name -Xclang "$original" ;;
    *) name=$original && mkdir -p "./${name%/*}" ;;
esac
mv input "$name"
"""
_COMPILE = {
    "clang": _CLANG + '@COMMAND@ "$@" -MD -MF depends -o "$output" "$name"\n',
    "zig": _CLANG
    + """# Without -MD zig writes another object, and without a directory of its own no object.
ZIG_GLOBAL_CACHE_DIR=$directory ZIG_LOCAL_CACHE_DIR=$directory
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
@COMMAND@ "$@" -MD -MF depends -o "$output" "$name"
""",
    # As preprocessed input with -fdirectives-only, which gcc would record in debug information.
    # The compiler defines its own macros again.
    "gcc": """working=$(sed -n '2s/^# 1 "\\(.*\\)\\/\\/"$/\\1/p' input)
map() {
    path=$1 mapped=$1
    shift
    for word; do
        pair=${word#*=}
        case $word in
            -ffile-prefix-map=* | -fdebug-prefix-map=*)
                case $path in "${pair%%=*}"*) mapped=${pair#*=}${path#"${pair%%=*}"} ;; esac ;;
        esac
    done
    printf '%s' "$mapped"
}
set -- "$@" "-fdebug-prefix-map=$directory=$(map "$working" "$@")"
case $original in
    /*) set -- "$@" "-fdebug-prefix-map=$directory/$name=$(map "$original" "$@")"
        file=$directory/$name ;;
    *) file=$original && mkdir -p "./${file%/*}" ;;
esac
sed '/^# 0 "<built-in>"/,/^# 0 "<command-line>"/{/^#define/d;/^#undef/d}' input >"$file" || exit 1
# Without any directory it fails to search for a header that it includes by itself.
@COMMAND@ "$@" -nostdinc "-I$directory" -o "$output" "$file"
""",
}
# A package may replace the compiler while the machine runs; its time stamps are old then.
_CHECK = """checked=${{TMPDIR:-/tmp}}/{name}.checked
if [ ! -f "$checked" ] || [ "$(find -L {files} -cnewer "$checked" 2>&1)" ]; then
    sha256sum --check --status <<'SUMS' || {{
{sums}
SUMS
        echo "error: this machine has another compiler than {name}" >&2
        exit 1
    }}
    touch "$checked"
fi
"""


@functools.cache
def _template() -> str:
    return Path(__file__).with_name("node.sh.in").read_text(encoding="utf-8")


@functools.cache
def _sdk_flags() -> str:
    """The lines of a `case` that drop the flags of the Hexagon SDK's compiler, as zig's script."""
    lines = _data.path("cmake").joinpath("sdk", "zig.in").read_text(encoding="utf-8").splitlines()
    return "".join(f"    {line}\n" for line in lines if line.endswith(") continue ;;"))


def node_script(kind: str, name: str, command: Sequence[str], digests: Mapping[str, str]) -> str:
    """The script that runs `command`, a compiler of `kind`, after it has checked that the files of
    `digests` are those that the client has."""
    sums = "\n".join(f"{digest}  {path}" for path, digest in sorted(digests.items()))
    check = _CHECK.format(name=name, files=shlex.join(sorted(digests)), sums=sums)
    dropped = _sdk_flags() if kind == "zig" else ""
    return (
        _template()
        .replace("@DROPPED@", dropped)
        .replace("@CHECK@", check if digests else "")
        .replace("@COMPILE@\n", _COMPILE[kind].replace("@COMMAND@", shlex.join(command)))
    )
