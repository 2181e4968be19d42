#!/bin/sh
# Good guess: the File API's codemodel lists in "artifacts" the files that a target makes, so a tool
# that copies them has a complete shared library.
#
# What happens: of a library with VERSION and SOVERSION the target object has only the link for
# developers: "nameOnDisk" and "artifacts" are libthing.so.  Neither the file, libthing.so.1.2.3, nor
# its SONAME, libthing.so.1, is there.  Only the installers of the directory object have all three,
# and only if there is an install() rule.
#
# Why it matters: copied with its link followed, the library is called libthing.so on the device,
# where programs look for libthing.so.1 and do not start.
#
# Seen with cmake 4.4.5 and ziglang 0.17.1 from PyPI.
set -eu
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check \
    cmake==4.4.5 ninja==1.13.0 ziglang==0.17.1
PATH=$scratch/venv/bin:$PATH
export ZIG_GLOBAL_CACHE_DIR="$scratch/zig"

mkdir -p "$scratch/src" "$scratch/build/.cmake/api/v1/query"
touch "$scratch/build/.cmake/api/v1/query/codemodel-v2"
echo 'int thing(void) { return 1; }' >"$scratch/src/thing.c"
cat >"$scratch/src/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.24)
project(library C)
add_library(thing SHARED thing.c)
set_target_properties(thing PROPERTIES VERSION 1.2.3 SOVERSION 1)
install(TARGETS thing)
END
printf '#!/bin/sh\nexec python3 -m ziglang cc "$@"\n' >"$scratch/cc"
chmod +x "$scratch/cc"
cmake -G Ninja -S "$scratch/src" -B "$scratch/build" "-DCMAKE_C_COMPILER=$scratch/cc" >/dev/null
ninja -C "$scratch/build" >/dev/null

python3 - "$scratch/build" <<'END'
import json, pathlib, sys
tree = pathlib.Path(sys.argv[1])
reply = tree / ".cmake/api/v1/reply"
(target,) = (json.loads(file.read_text()) for file in reply.glob("target-thing-*.json"))
(folder,) = (json.loads(file.read_text()) for file in reply.glob("directory-*.json"))
named = [row["path"] for row in target["artifacts"]]
made = sorted(path.name for path in tree.glob("libthing.so*"))
installed = sorted(name for rule in folder["installers"] for name in rule["paths"])
print("artifacts:", named, "on disk:", target["nameOnDisk"])
print("made:     ", made)
print("installed:", installed)
every = ["libthing.so", "libthing.so.1", "libthing.so.1.2.3"]
sys.exit((named, target["nameOnDisk"], made, installed) != (["libthing.so"], "libthing.so", every, every))
END
