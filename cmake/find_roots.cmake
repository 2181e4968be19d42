# The find_…() commands find what is in these directories, and nothing else of the build machine: the
# directories that the caller names, the source and build tree of the project, the whole project of a
# component (then BUILDTOOL_PREFIX_MAP is set), and the Hexagon SDK.
#
# CMake searches a path below a root as it is, and any other path below each root.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(_kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} ONLY)
endforeach()
set(_roots "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}" ${HEXAGON_SDK_ROOT} ${HEXAGON_TOOLS_ROOT})
foreach(_pair IN LISTS BUILDTOOL_PREFIX_MAP)
  if(_pair MATCHES "^(.+)=([.]|build)$")
    list(APPEND _roots "${CMAKE_MATCH_1}")
  endif()
endforeach()

# A project finds its own files where it says that they are.  It does not find
# - what is in its own lib/ and include/, as if it were a system's root directory (with "/" here,
#   find_package() would find nothing),
list(APPEND CMAKE_IGNORE_PATH "/lib" "/lib64" "/include")
# - what is beside the programs in PATH: a virtual or Conda environment in the project,
string(REPLACE ":" ";" _programs "$ENV{PATH}")
foreach(_directory IN LISTS _programs)
  get_filename_component(_prefix "${_directory}" DIRECTORY)
  foreach(_root IN LISTS _roots)
    string(FIND "${_prefix}/" "${_root}/" _at)
    if(_at EQUAL 0)
      list(APPEND CMAKE_IGNORE_PREFIX_PATH "${_prefix}")
    endif()
  endforeach()
endforeach()
# - what other builds of it installed or registered.
set(CMAKE_FIND_USE_INSTALL_PREFIX FALSE)
set(CMAKE_FIND_USE_PACKAGE_REGISTRY FALSE)

list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH} ${_roots})
list(REMOVE_DUPLICATES CMAKE_FIND_ROOT_PATH)
list(REMOVE_ITEM CMAKE_FIND_ROOT_PATH "/")
