# What buildtool builds for a release (then BUILDTOOL_PREFIX_MAP is set) has debug information in
# every build type: it does not ship, and reports of crashes and debuggers read it
# (buildtool/release/split_debug.py).  Options of a project come later on the command line, so -g0
# removes it.
if(BUILDTOOL_PREFIX_MAP)
  foreach(_lang C CXX ASM)
    # CMake reads toolchain files more than once.
    if(NOT "${CMAKE_${_lang}_FLAGS_INIT} " MATCHES " -g ")
      string(APPEND CMAKE_${_lang}_FLAGS_INIT " -g")
    endif()
  endforeach()
endif()
