# Directories of this machine must not appear in outputs, neither in __FILE__ nor in debug
# information.  BUILDTOOL_PREFIX_MAP is a list of <directory>=<replacement>; the compilers use the
# last one that matches.  CMake reads toolchain files more than once.
set(_map "")
foreach(_pair IN LISTS BUILDTOOL_PREFIX_MAP)
  string(APPEND _map " \"-ffile-prefix-map=${_pair}\"")
endforeach()
foreach(_lang C CXX ASM)
  string(FIND "${CMAKE_${_lang}_FLAGS_INIT}" "${_map}" _at)
  if(_at EQUAL -1)
    string(APPEND CMAKE_${_lang}_FLAGS_INIT "${_map}")
  endif()
endforeach()
unset(_map)
unset(_at)
