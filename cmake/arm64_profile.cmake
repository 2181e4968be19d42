# What every toolchain file of the ARM64 side ends with.
#
# Programs are the build machine's; its libraries are never looked up, only those in the
# directories that the caller names.
list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(_kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} ONLY)
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/passed_on.cmake")
set(Buildtool_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE PATH "buildtool's CMake modules")
