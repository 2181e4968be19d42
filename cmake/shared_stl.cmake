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
# it: zig, its directory, and the target.
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
  _buildtool_targets("${CMAKE_SOURCE_DIR}" targets)
  set(linked "")
  set(kinds "")
  foreach(target IN LISTS targets)
    get_target_property(kind ${target} TYPE)
    if(kind MATCHES "^(EXECUTABLE|(SHARED|MODULE)_LIBRARY)$")
      _buildtool_has_cxx(${target})
      get_property(has_cxx GLOBAL PROPERTY "BUILDTOOL_CXX_${target}")
      if(has_cxx)
        list(APPEND linked ${target})
        list(APPEND kinds ${kind})
      endif()
    endif()
  endforeach()
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
    buildtool_compile_stl("${library}")
  else()
    add_custom_command(
      OUTPUT "${library}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${BUILDTOOL_STL_OF_NDK}" "${library}"
      COMMENT "Copying ${BUILDTOOL_SHARED_STL}"
      VERBATIM)
  endif()
  add_custom_target(buildtool_shared_stl DEPENDS "${library}")
  foreach(target IN LISTS linked)
    set_property(TARGET ${target} APPEND PROPERTY LINK_OPTIONS
      "$<$<LINK_LANGUAGE:CXX>:-nostdlib++>" "$<$<LINK_LANGUAGE:CXX>:${library}>")
    set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH "${folder}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${library}")
    if(NOT CMAKE_GENERATOR MATCHES "Ninja") # with Ninja, sources are compiled meanwhile
      add_dependencies(${target} buildtool_shared_stl)
    endif()
  endforeach()
  if(NOT BUILDTOOL_PREFIX_MAP) # buildtool ships the libraries of the tree that something needs
    set(_to lib)
    if(CMAKE_INSTALL_LIBDIR)
      set(_to "${CMAKE_INSTALL_LIBDIR}")
    endif()
    install(FILES "${library}" DESTINATION "${_to}" OPTIONAL)
  endif()
endfunction()

# The targets of a directory and of those below it.
function(_buildtool_targets directory result)
  get_property(found DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS below)
    _buildtool_targets("${each}" more)
    list(APPEND found ${more})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Set the global property BUILDTOOL_CXX_<target>: whether there is C++ in the target, or in the static
# and object libraries that it links.
function(_buildtool_has_cxx target)
  get_property(is_known GLOBAL PROPERTY "BUILDTOOL_CXX_${target}" SET)
  if(is_known)
    return()
  endif()
  set_property(GLOBAL PROPERTY "BUILDTOOL_CXX_${target}" FALSE) # for libraries that need each other
  set(texts "")
  foreach(property SOURCES INTERFACE_SOURCES LINK_LIBRARIES INTERFACE_LINK_LIBRARIES LINKER_LANGUAGE)
    get_property(value TARGET ${target} PROPERTY ${property})
    list(APPEND texts ${value})
  endforeach()
  set(has_cxx FALSE)
  if("CXX" IN_LIST texts OR "${texts}" MATCHES "[.](C|CPP|c[+][+]|cc|cpp|cxx)([;>\"]|$)")
    set(has_cxx TRUE)
  else()
    # Names of targets, also in generator expressions.
    string(REGEX MATCHALL "[A-Za-z0-9_.+-]+(::[A-Za-z0-9_.+-]+)*" names "${texts}")
    foreach(name IN LISTS names)
      if(NOT has_cxx AND TARGET "${name}")
        get_property(kind TARGET ${name} PROPERTY TYPE)
        if(kind MATCHES "^(STATIC|OBJECT|INTERFACE)_LIBRARY$")
          _buildtool_has_cxx(${name})
          get_property(has_cxx GLOBAL PROPERTY "BUILDTOOL_CXX_${name}")
        endif()
      endif()
    endforeach()
  endif()
  set_property(GLOBAL PROPERTY "BUILDTOOL_CXX_${target}" ${has_cxx})
endfunction()
