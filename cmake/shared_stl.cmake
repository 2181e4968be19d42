# Links one shared C++ library, libc++_shared.so, into a project with shared libraries in C++.
#
# zig, and the NDK with c++_static, link the C++ library into each program and shared library.  Each
# copy has its own types of exceptions and its own locales: an exception of the library is not caught
# in another one, and a stream that two of them use crashes.
#
# BUILDTOOL_STL is c++_static, c++_shared, or auto.  The last one is c++_shared if the project makes a
# SHARED library in C++, or a MODULE and a program, or if a library in CMAKE_PREFIX_PATH needs it.
#
# The toolchain file sets BUILDTOOL_STL_OF_NDK to the library, or BUILDTOOL_STL_OF_ZIG to what compiles
# it, as for buildtool_compile_stl().
cmake_policy(VERSION 3.20) # in this file
set(BUILDTOOL_SHARED_STL libc++_shared.so)
include("${CMAKE_CURRENT_LIST_DIR}/compile_stl.cmake")
if(NOT BUILDTOOL_STL MATCHES "^(auto|c[+][+]_static|c[+][+]_shared)$")
  message(FATAL_ERROR "BUILDTOOL_STL is \"${BUILDTOOL_STL}\", which is none of the C++ libraries of zig."
    "  Set it to auto, c++_static or c++_shared.")
endif()

get_property(_is_test GLOBAL PROPERTY IN_TRY_COMPILE)
get_property(_is_deferred GLOBAL PROPERTY BUILDTOOL_STL_DEFERRED)
if(NOT BUILDTOOL_STL STREQUAL "c++_static" AND NOT _is_test AND NOT _is_deferred)
  set_property(GLOBAL PROPERTY BUILDTOOL_STL_DEFERRED TRUE)
  # When all targets are known.
  cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL buildtool_link_stl)
endif()
unset(_is_test)
unset(_is_deferred)

# Link it into all programs and shared libraries of the project if it is needed.
function(buildtool_link_stl)
  buildtool_cxx_targets(linked kinds)
  set(needed FALSE)
  foreach(folder IN LISTS CMAKE_PREFIX_PATH CMAKE_LIBRARY_PATH)
    if(EXISTS "${folder}/lib/${BUILDTOOL_SHARED_STL}" OR EXISTS "${folder}/${BUILDTOOL_SHARED_STL}")
      set(needed TRUE)
    endif()
  endforeach()
  if(BUILDTOOL_STL STREQUAL "c++_shared" OR "SHARED_LIBRARY" IN_LIST kinds)
    set(needed TRUE)
  elseif("MODULE_LIBRARY" IN_LIST kinds AND "EXECUTABLE" IN_LIST kinds)
    set(needed TRUE)
  endif()
  if(NOT needed OR NOT linked)
    return()
  endif()

  # One of the build tree, which stays when a cache is cleared.
  set(folder "${CMAKE_BINARY_DIR}/buildtool_stl")
  set(library "${folder}/${BUILDTOOL_SHARED_STL}")
  file(MAKE_DIRECTORY "${folder}")
  if(BUILDTOOL_STL_OF_ZIG)
    set(BUILDTOOL_STL_SETTINGS
      -DHAVE___CXA_THREAD_ATEXIT_IMPL
      -D_LIBCPP_ABI_VERSION=1 -D_LIBCPP_ABI_NAMESPACE=__1 -D_LIBCPP_HAS_MUSL_LIBC=0
      -D_LIBCPP_HAS_THREADS=1 -D_LIBCPP_HAS_MONOTONIC_CLOCK -D_LIBCPP_HAS_TERMINAL
      -D_LIBCPP_HAS_FILESYSTEM=1 -D_LIBCPP_HAS_RANDOM_DEVICE -D_LIBCPP_HAS_LOCALIZATION
      -D_LIBCPP_HAS_UNICODE -D_LIBCPP_HAS_WIDE_CHARACTERS -D_LIBCPP_HAS_TIME_ZONE_DATABASE
      -D_LIBCPP_HAS_NO_STD_MODULES -D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0
      -D_LIBCPP_PSTL_BACKEND_SERIAL -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE
      -D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE)
    buildtool_compile_stl("${library}")
  else()
    add_custom_command(
      OUTPUT "${library}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${BUILDTOOL_STL_OF_NDK}" "${library}"
      COMMENT "Copying ${BUILDTOOL_SHARED_STL}"
      VERBATIM)
  endif()
  buildtool_link_cxx_library("${library}" ${linked})
  foreach(target IN LISTS linked)
    set_property(TARGET ${target} APPEND PROPERTY LINK_OPTIONS "$<$<LINK_LANGUAGE:CXX>:-nostdlib++>")
    set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH "${folder}")
  endforeach()
  if(NOT BUILDTOOL_PREFIX_MAP) # buildtool ships the libraries of the tree that something needs
    set(_to lib)
    if(CMAKE_INSTALL_LIBDIR)
      set(_to "${CMAKE_INSTALL_LIBDIR}")
    endif()
    install(FILES "${library}" DESTINATION "${_to}" OPTIONAL)
  endif()
endfunction()
