# What every toolchain file of the ARM64 side ends with.
#
# Programs are the build machine's; its libraries are never looked up, only those in the
# directories that the caller names.  Where the build machine is an ARM64 one and its own compiler
# is used, its libraries are the right ones.
if(NOT BUILDTOOL_NATIVE)
  list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH})
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  foreach(_kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} ONLY)
  endforeach()
endif()

# The list of what it read that a linker writes does not escape spaces: with one in the path of any
# library Ninja would link at each build anew.
set(CMAKE_LINK_DEPENDS_USE_LINKER FALSE)

include("${CMAKE_CURRENT_LIST_DIR}/passed_on.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/prefix_map.cmake")
set(Buildtool_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE PATH "buildtool's CMake modules")
