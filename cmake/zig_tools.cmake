# Sets up zig as archiver, linker and assembler, so that CMake does not look for the build machine's
# tools.
set(BUILDTOOL_ZIG_LINK
    /bin/sh "${CMAKE_CURRENT_LIST_DIR}/zig_link.sh" "${CMAKE_CURRENT_LIST_DIR}/zig_linker.tsv")
set(_zig_ipo "${CMAKE_CURRENT_LIST_DIR}/zig_ipo.cmake")
macro(buildtool_zig_tools zig)
  set(CMAKE_AR "${zig}")
  # zig's linker driver supports --whole-archive, but not --push-state.
  set(CMAKE_LINKER_PUSHPOP_STATE_SUPPORTED FALSE)
  # CMake reads toolchain files more than once.
  if(NOT CMAKE_USER_MAKE_RULES_OVERRIDE STREQUAL _zig_ipo)
    set(BUILDTOOL_PROJECT_RULES "${CMAKE_USER_MAKE_RULES_OVERRIDE}")
  endif()
  set(CMAKE_USER_MAKE_RULES_OVERRIDE "${_zig_ipo}")
  # zig's linker driver rejects arguments that have no effect on what it links, such as -Map.
  # For links without -O zig compiles its runtime in another way.  CMake's checks link without it: so
  # that they need no second runtime, they get it if the project's own links have it.
  get_property(_is_check GLOBAL PROPERTY IN_TRY_COMPILE)
  if(NOT _is_check)
    string(COMPARE NOTEQUAL "${CMAKE_BUILD_TYPE}" "Debug" BUILDTOOL_ZIG_OPTIMIZES)
    list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BUILDTOOL_ZIG_OPTIMIZES)
  endif()
  foreach(_lang C CXX ASM)
    set(CMAKE_${_lang}_LINKER_LAUNCHER ${BUILDTOOL_ZIG_LINK})
    if(BUILDTOOL_ZIG_OPTIMIZES)
      # Without an entry, sections would be dropped that name the compiler.
      set(CMAKE_${_lang}_COMPILER_ID_FLAGS_ALWAYS "-O2" "-Wl,--no-gc-sections"
        ${BUILDTOOL_ZIG_LINK_OPTIONS})
      if(_is_check)
        list(APPEND CMAKE_${_lang}_LINKER_LAUNCHER "-O2")
      endif()
    endif()
    set(CMAKE_${_lang}_ARCHIVE_CREATE "\"${zig}\" ar qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
    set(CMAKE_${_lang}_ARCHIVE_APPEND "\"${zig}\" ar qD <TARGET> <LINK_FLAGS> <OBJECTS>")
    set(CMAKE_${_lang}_ARCHIVE_FINISH "\"${zig}\" ranlib <TARGET>")
    set(CMAKE_${_lang}_LINKER_PUSHPOP_STATE_SUPPORTED FALSE)
  endforeach()
  # CMake does not recognize zig as an assembler: without this, includes of .S files are unknown.
  set(CMAKE_DEPFILE_FLAGS_ASM "-MD -MT <DEP_TARGET> -MF <DEP_FILE>")
  # zig's runtime has half a megabyte of debug information.  What buildtool builds for a release (then
  # BUILDTOOL_PREFIX_MAP is set) keeps it, compressed, because a release leaves it out.
  foreach(_kind EXE SHARED MODULE)
    if(BUILDTOOL_PREFIX_MAP)
      set(CMAKE_${_kind}_LINKER_FLAGS_INIT "-Wl,--compress-debug-sections=zlib")
    else()
      foreach(_type RELEASE MINSIZEREL)
        set(CMAKE_${_kind}_LINKER_FLAGS_${_type}_INIT "-s")
      endforeach()
    endif()
  endforeach()
endmacro()
