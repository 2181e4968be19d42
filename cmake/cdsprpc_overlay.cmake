# The import stub of the system's libcdsprpc, for projects that use -lcdsprpc or
# find_library(… cdsprpc).
#
# BUILDTOOL_CDSPRPC_DIR has lib/libcdsprpc.so, the stub.  It is never shipped, and programs must not
# find it at run time.
list(PREPEND CMAKE_FIND_ROOT_PATH "${BUILDTOOL_CDSPRPC_DIR}")
list(PREPEND CMAKE_SYSTEM_LIBRARY_PATH "${BUILDTOOL_CDSPRPC_DIR}/lib") # see find_roots.cmake
# CMake adds implicit link directories neither to a RUNPATH nor with -L: the line below adds -L.
# (Not CMAKE_*_LINKER_FLAGS: projects and presets set these.)
list(APPEND CMAKE_PLATFORM_IMPLICIT_LINK_DIRECTORIES "${BUILDTOOL_CDSPRPC_DIR}/lib")
set(_search "-L\"${BUILDTOOL_CDSPRPC_DIR}/lib\"")
if(BUILDTOOL_CDSPRPC_RPATH_LINK)
  # GNU ld also looks for the libraries that linked libraries need.
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
