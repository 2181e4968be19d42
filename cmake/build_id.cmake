# The build-id that linkers write: a constant, because one computed by a linker depends on debug
# information, and so on paths of the machine.  A release replaces it by the digest of what ships
# (buildtool/release/split_debug.py).
set(BUILDTOOL_BUILD_ID "-Wl,--build-id=0x6275696c64746f6f6c206275696c64206964203f")
