# The end of every toolchain file of the ARM64 side.
#
# With a native compiler on an ARM64 build machine, the machine's own libraries are right.
if(NOT BUILDTOOL_NATIVE)
  include("${CMAKE_CURRENT_LIST_DIR}/find_roots.cmake")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/cxx_modules.cmake")

# Linkers do not escape spaces in their dependency files: with a space in the path of a library,
# Ninja would link in every build.
set(CMAKE_LINK_DEPENDS_USE_LINKER FALSE)

# CMake links programs with the directories of the build tree in their RUNPATH and overwrites these
# when it installs them, but the length of the paths stays in the file.  $ORIGIN does not depend on
# the path of the tree; libraries of packages still do.  So programs that buildtool cross-compiles for
# a release (then BUILDTOOL_PREFIX_MAP is set) get the RUNPATH that they are installed with at once.
if(BUILDTOOL_PREFIX_MAP AND NOT BUILDTOOL_NATIVE)
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
else()
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON) # they may be run in the build tree
endif()

# After the flags of the project, and of the NDK, of which the linker uses the last one.
include("${CMAKE_CURRENT_LIST_DIR}/build_id.cmake")
foreach(_lang C CXX)
  # CMake reads toolchain files more than once.
  string(FIND "${CMAKE_${_lang}_STANDARD_LIBRARIES_INIT}" "${BUILDTOOL_BUILD_ID}" _at)
  if(_at EQUAL -1)
    string(APPEND CMAKE_${_lang}_STANDARD_LIBRARIES_INIT " ${BUILDTOOL_BUILD_ID}")
  endif()
endforeach()
unset(_at)

include("${CMAKE_CURRENT_LIST_DIR}/test_launcher.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/passed_on.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/prefix_map.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/debug_information.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/project_flags.cmake")
if(BUILDTOOL_STL_OF_ZIG OR BUILDTOOL_STL_OF_NDK) # not with GNU's C++ library, which is shared anyway
  include("${CMAKE_CURRENT_LIST_DIR}/shared_stl.cmake")
endif()
set(Buildtool_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE PATH "buildtool's CMake modules")
