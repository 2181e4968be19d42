# Look for packages only in the directories that the caller names.
#
# In a cross build conan_toolchain.cmake changes CMAKE_FIND_ROOT_PATH_MODE_* from ONLY to BOTH, so
# that CMake finds Conan's directories; then it finds the build machine's libraries too.  Here these
# directories become roots and the modes ONLY again.  Read after each project()
# (CMAKE_PROJECT_INCLUDE), the first point after that toolchain file.
if(CMAKE_CROSSCOMPILING)
  list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH} ${CMAKE_LIBRARY_PATH} ${CMAKE_INCLUDE_PATH})
  foreach(_kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} ONLY)
  endforeach()
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
endif()
