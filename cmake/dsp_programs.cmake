# Programs for the DSP: add_executable() links a library that the loader of buildtool loads and whose
# main it calls.  BUILDTOOL_DSP_PROGRAMS is set in projects of [dsp.NAME]; the library that is linked
# into each program is in CMAKE_PREFIX_PATH.
foreach(_prefix IN LISTS CMAKE_PREFIX_PATH)
  if(EXISTS "${_prefix}/lib/libdsp_program_main.a")
    set(_runtime "${_prefix}/lib/libdsp_program_main.a")
  endif()
endforeach()

# The functions of dsp/program/runtime that call those of the shell with the same name: of output.c,
# input.c and descriptors.c, which also work on other files than standard streams, and of threads.c.
set(_wrapped "-Wl,-u,buildtool_dsp_program")
foreach(_function
        clearerr close fclose feof ferror fflush fgetc fgets fileno fprintf fputc fputs fread fscanf fseek
        ftell fwrite getc getc_unlocked isatty pthread_create putc putc_unlocked read rewind setbuf setvbuf ungetc
        vfprintf vfscanf write)
  # Without -u, LLD leaves a __real_ function alone whose plain name nobody uses.
  string(APPEND _wrapped " -Wl,-u,${_function} -Wl,--wrap=${_function}")
endforeach()

# Checks such as check_function_exists() link as programs do.  With zig only names that all shells export
# exist; the C++ library is compiled after them, so checks in C++ find all names.  `init` configures without
# the library of programs, so that its checks only compile.
get_property(_is_test GLOBAL PROPERTY IN_TRY_COMPILE)
set(_known_C "")
set(_known_CXX "")
if(BUILDTOOL_STL_OF_ZIG AND DEFINED _runtime)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE EXECUTABLE)
  set(CMAKE_LINK_DEPENDS_USE_LINKER FALSE) # else CMake finds that linkers can report what they read
  list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_PREFIX_PATH)
  if(_is_test)
    set(_known_C "-Wl,--no-undefined \"-Wl,-T,${BUILDTOOL_SHELL_EXPORTS}\"")
  endif()
endif()

foreach(_lang C CXX)
  # As a library, also the objects: CMake compiles those of programs with -fPIE, or without.
  set(_link "${CMAKE_${_lang}_CREATE_SHARED_LIBRARY}")
  string(REPLACE " <SONAME_FLAG><TARGET_SONAME>" "" _link "${_link}")
  string(REPLACE "<LINK_FLAGS>" "${_wrapped} ${_known_${_lang}} <LINK_FLAGS>" _link "${_link}")
  string(REPLACE "<LINK_LIBRARIES>" "<LINK_LIBRARIES> \"${_runtime}\"" _link "${_link}")
  set(CMAKE_${_lang}_LINK_EXECUTABLE "${_link}")
  set(CMAKE_${_lang}_COMPILE_OBJECT
      "<CMAKE_${_lang}_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fPIC -o <OBJECT> -c <SOURCE>")
endforeach()
unset(_prefix)
unset(_runtime)
unset(_wrapped)
unset(_known_C)
unset(_known_CXX)
unset(_is_test)
unset(_function)
unset(_link)

include("${CMAKE_CURRENT_LIST_DIR}/test_launcher.cmake")

# ---- C++: open LLVM has no library for the DSP; that of zig is compiled and linked statically ----

if(NOT BUILDTOOL_STL_OF_ZIG)
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/compile_stl.cmake")

get_property(_is_test GLOBAL PROPERTY IN_TRY_COMPILE)
get_property(_is_deferred GLOBAL PROPERTY BUILDTOOL_STL_DEFERRED)
if(NOT _is_test AND NOT _is_deferred)
  set_property(GLOBAL PROPERTY BUILDTOOL_STL_DEFERRED TRUE)
  # When all targets are known.
  cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL buildtool_link_static_stl)
endif()
unset(_is_test)
unset(_is_deferred)

# The first build tree compiles the library, and keeps it for the others in the directory
# BUILDTOOL_STL_KEPT: it is the same for all archs.
function(buildtool_link_static_stl)
  buildtool_cxx_targets(linked kinds)
  if(NOT linked)
    return()
  endif()
  set(folder "${CMAKE_BINARY_DIR}/buildtool_stl")
  set(library "${folder}/libc++.a")
  file(MAKE_DIRECTORY "${folder}")
  file(MD5 "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/compile_stl.cmake" rules)
  string(MD5 kept "${rules} ${BUILDTOOL_STL_OF_ZIG} ${BUILDTOOL_STL_SETTINGS} ${BUILDTOOL_STL_HEADERS}\
${BUILDTOOL_STL_UNWINDER} ${BUILDTOOL_STL_MUSL}")
  set(kept "${BUILDTOOL_STL_KEPT}/${kept}.a")
  if(EXISTS "${kept}")
    add_custom_command(
      OUTPUT "${library}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${kept}" "${library}"
      COMMENT "Copying libc++.a"
      VERBATIM)
  else()
    buildtool_compile_stl("${folder}/compiled.a")
    string(MD5 copy "${CMAKE_BINARY_DIR}")
    string(PREPEND copy "${kept}.")
    add_custom_command(
      OUTPUT "${library}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${folder}/compiled.a" "${library}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${library}" "${copy}"
      COMMAND "${CMAKE_COMMAND}" -E rename "${copy}" "${kept}"
      DEPENDS "${folder}/compiled.a"
      COMMENT "Keeping libc++.a"
      VERBATIM)
  endif()
  buildtool_link_cxx_library("${library}" ${linked})
endfunction()
