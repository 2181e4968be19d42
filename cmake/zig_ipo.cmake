# Archives of INTERPROCEDURAL_OPTIMIZATION (-flto) as other archives: CMake's own rules for these need
# llvm-ar, which is not there, or the build machine's.
foreach(_lang C CXX)
  foreach(_step CREATE APPEND FINISH)
    set(CMAKE_${_lang}_ARCHIVE_${_step}_IPO "${CMAKE_${_lang}_ARCHIVE_${_step}}")
  endforeach()
endforeach()
