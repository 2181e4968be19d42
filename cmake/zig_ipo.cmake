# Read by CMake after its own rules for compilers, in place of the project's file, if it has one.
if(BUILDTOOL_PROJECT_RULES)
  include("${BUILDTOOL_PROJECT_RULES}")
endif()
# Archives of INTERPROCEDURAL_OPTIMIZATION (-flto) as other archives: CMake's own rules for these need
# llvm-ar, which is not there, or the build machine's.
foreach(_lang C CXX)
  foreach(_step CREATE APPEND FINISH)
    set(CMAKE_${_lang}_ARCHIVE_${_step}_IPO "${CMAKE_${_lang}_ARCHIVE_${_step}}")
  endforeach()
endforeach()
