# Where a project lies must not be in what is made of it: neither in __FILE__ nor in debug
# information.  BUILDTOOL_PREFIX_MAP is a list of <directory>=<what is said instead>; of those that
# fit the compilers take the last.
foreach(_pair IN LISTS BUILDTOOL_PREFIX_MAP)
  foreach(_lang C CXX ASM)
    string(APPEND CMAKE_${_lang}_FLAGS_INIT " \"-ffile-prefix-map=${_pair}\"")
  endforeach()
endforeach()
