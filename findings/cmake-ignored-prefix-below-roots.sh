#!/bin/sh
# Good guess: CMAKE_IGNORE_PREFIX_PATH names directories of the build machine, so "/" in it, in a
# toolchain file for cross-compiling, only keeps find_package() out of the build machine's /lib.
#
# What happens: with CMAKE_FIND_ROOT_PATH each entry is also taken below each root.  "/" is then the
# root itself, and "/pre" is ROOT/pre: find_package() ignores a package in a prefix that the user
# named in CMAKE_PREFIX_PATH by its full path, as if it were not there, and says only "not found".
#
# Why it matters: a sysroot or an install prefix is usually both a root and a prefix.
#
# Seen with cmake 4.4.4 from PyPI.
set -eu
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check cmake==4.4.4 ninja==1.13.0
PATH=$scratch/venv/bin:$PATH

mkdir -p "$scratch/tree/pre/lib/cmake/deep" "$scratch/src"
echo 'set(deep_FOUND TRUE)' >"$scratch/tree/pre/lib/cmake/deep/deep-config.cmake"
cat >"$scratch/src/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.24)
project(finding NONE)
find_package(deep CONFIG QUIET)
message("found=${deep_FOUND}")
END

# found ROOT IGNORED: whether the package is found with this root and this ignored prefix
found() {
    rm -rf "$scratch/build"
    cmake -G Ninja -S "$scratch/src" -B "$scratch/build" "-DCMAKE_PREFIX_PATH=$scratch/tree/pre" \
        "-DCMAKE_FIND_ROOT_PATH=$1" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY \
        "-DCMAKE_IGNORE_PREFIX_PATH=$2" 2>&1 | sed -n 's/^found=//p'
}

status=0
# expect WANTED ROOT IGNORED
expect() {
    got=$(found "$2" "$3")
    printf 'root %s, ignored "%s": found=%s\n' "${2#"$scratch"}" "$3" "$got"
    [ "$got" = "$1" ] || status=1
}
expect 1 "$scratch/tree/pre" ""
expect 0 "$scratch/tree/pre" /    # the prefix is the root
expect 1 "$scratch/tree/pre" /pre
expect 1 "$scratch/tree" /
expect 0 "$scratch/tree" /pre     # ROOT/pre, and not /pre of this machine
exit $status
