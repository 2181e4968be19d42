"""Stand-ins for what no package registry has: the Android NDK and the Hexagon SDK.

What stands in for what:

- `make_ndk(directory, release="r27")`: an Android NDK r25 … r29 in its true layout
  (`source.properties`, `meta/`, toolchain file, `clang` and its wrappers, sysroot).  Its clang
  drives zig for ARM64 Linux with glibc, so that what it makes runs under qemu; API level and page
  size are the NDK's.
- `make_sdk(directory, version="6.4.0.2", trimmed=False)`: a Hexagon SDK 4.4 … 6.6 with its tools
  (`hexagon-clang` drives zig), C++ runtime, headers, qaic and CMake files.  qaic drives this
  project's IDL compiler and marks what it writes.

They are written from the layouts that are public (names of directories and files, keys of JSON
files, command lines, variables of CMake files) and in words of this project's own; nothing in them
comes out of a proprietary SDK.  Their headers are this project's.  What a compiled program does is
zig's doing, so a test that uses a stand-in says `stand_in` in its name.

The finders of `buildtool` may not import this package, nor this package `buildtool.sdk` or
`buildtool.toolchains`: a layout that both took from one place would prove nothing.
"""
