"""Stand-ins for tools that are in no package registry: the Android NDK and the Hexagon SDK.

There are two:

- `make_ndk(directory, release="r27")`: an Android NDK r25 … r29 in its real layout
  (`source.properties`, `meta/`, toolchain file, `clang` and its wrappers, sysroot).  Its clang
  runs zig for ARM64 Linux with glibc, so that its programs run under QEMU; API level and page
  size are the NDK's.
- `make_sdk(directory, version="6.4.0.2", trimmed=False)`: a Hexagon SDK 4.4 … 6.6 with its tools
  (`hexagon-clang` runs zig), C++ runtime, headers, qaic and CMake files.  qaic runs this
  project's IDL compiler and marks its output.

They are written from public information on the layouts (names of directories and files, keys of
JSON files, command lines, variables of CMake files); nothing in them comes from a proprietary SDK.
Their headers are this project's.  zig determines the behaviour of compiled programs, so the name of
a test that uses a stand-in contains `stand_in`.

The finders of `buildtool` must not import this package, and this package must not import
`buildtool.sdk` or `buildtool.toolchains`: with a shared description of the layouts, the tests would
prove nothing.
"""
