# Static libraries with zig's archiver, so that none of the build machine's is looked for.
macro(buildtool_zig_archive zig)
  set(CMAKE_AR "${zig}")
  foreach(_lang C CXX ASM)
    set(CMAKE_${_lang}_ARCHIVE_CREATE "\"${zig}\" ar qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
    set(CMAKE_${_lang}_ARCHIVE_APPEND "\"${zig}\" ar qD <TARGET> <LINK_FLAGS> <OBJECTS>")
    set(CMAKE_${_lang}_ARCHIVE_FINISH "\"${zig}\" ranlib <TARGET>")
  endforeach()
endmacro()
