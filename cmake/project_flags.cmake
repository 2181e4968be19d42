# CMAKE_<LANG>_FLAGS of `defines` in the project file, which buildtool passes under these names so that
# they follow the flags of the profile instead of replacing them.
foreach(_lang C CXX ASM)
  if(BUILDTOOL_${_lang}_FLAGS)
    # CMake reads toolchain files more than once.
    string(FIND "${CMAKE_${_lang}_FLAGS_INIT}" " ${BUILDTOOL_${_lang}_FLAGS}" _at)
    if(_at EQUAL -1)
      string(APPEND CMAKE_${_lang}_FLAGS_INIT " ${BUILDTOOL_${_lang}_FLAGS}")
    endif()
  endif()
endforeach()
unset(_at)
