# The directory of a project must not appear in its outputs, neither in __FILE__ nor in debug
# information.  BUILDTOOL_PREFIX_MAP is a list of <directory>=<replacement>; the compilers use the
# last one that matches.
foreach(_pair IN LISTS BUILDTOOL_PREFIX_MAP)
  foreach(_lang C CXX ASM)
    string(APPEND CMAKE_${_lang}_FLAGS_INIT " \"-ffile-prefix-map=${_pair}\"")
  endforeach()
endforeach()
