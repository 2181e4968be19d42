# Look packages up where the caller says and nowhere else, as before Conan had its say.
#
# In a cross build conan_toolchain.cmake turns CMAKE_FIND_ROOT_PATH_MODE_* from ONLY to BOTH, so that
# its own directories are found; the build machine's libraries are found then as well.  Making these
# directories roots does the former without the latter.  Read after each project(), which is the
# first moment after that toolchain file (CMAKE_PROJECT_INCLUDE).
if(CMAKE_CROSSCOMPILING)
  list(APPEND CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH} ${CMAKE_LIBRARY_PATH} ${CMAKE_INCLUDE_PATH})
  foreach(_kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} ONLY)
  endforeach()
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
endif()
