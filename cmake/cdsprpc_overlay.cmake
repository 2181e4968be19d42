# The system's libcdsprpc, as far as the linker needs it, for whoever says -lcdsprpc or
# find_library(… cdsprpc).
#
# BUILDTOOL_CDSPRPC_DIR has lib/libcdsprpc.so, an import stub; it never ships, and no program may
# find it when it runs.
list(PREPEND CMAKE_FIND_ROOT_PATH "${BUILDTOOL_CDSPRPC_DIR}")
# CMake puts no directory of the platform's own into a RUNPATH.  Nor does it pass one with -L: the
# line below does.  (Not CMAKE_*_LINKER_FLAGS: projects and presets set these.)
list(APPEND CMAKE_PLATFORM_IMPLICIT_LINK_DIRECTORIES "${BUILDTOOL_CDSPRPC_DIR}/lib")
set(_search "-L\"${BUILDTOOL_CDSPRPC_DIR}/lib\"")
if(BUILDTOOL_CDSPRPC_RPATH_LINK)
  # GNU ld also wants to see what the libraries that it links need.
  string(APPEND _search " -Wl,-rpath-link,\"${BUILDTOOL_CDSPRPC_DIR}/lib\"")
endif()
foreach(_lang C CXX)
  # CMake reads toolchain files more than once.
  string(FIND "${CMAKE_${_lang}_STANDARD_LIBRARIES_INIT}" "${_search}" _at)
  if(_at EQUAL -1)
    string(APPEND CMAKE_${_lang}_STANDARD_LIBRARIES_INIT " ${_search}")
  endif()
endforeach()
unset(_search)
unset(_at)
