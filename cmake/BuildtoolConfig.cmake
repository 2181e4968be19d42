# find_package(Buildtool): FastRPC stubs and skels from IDL, in any CMake project.
#
#   buildtool_add_skel(<target> IDL <file.idl> SOURCES <file>... [STANDARD_TYPES]
#                      [INCLUDE_DIRECTORIES <dir>...] [DEFINITIONS <NAME[=value]>...])
#       The Hexagon side: a shared library lib<idl file>_skel.so with the generated skel in it.
#   buildtool_add_stub(<target> IDL <file.idl> [STANDARD_TYPES]
#                      [INCLUDE_DIRECTORIES <dir>...] [DEFINITIONS <NAME[=value]>...])
#       The ARM64 side: an object library with the generated stub.  A target that links it contains
#       the whole stub, and passes the directory of the generated header on to its users.
#   buildtool_idl(<variable prefix> IDL <file.idl> [...as above])
#       Only generates the files.  Sets <prefix>_HEADER, <prefix>_STUBS, <prefix>_SKELS, <prefix>_DIRECTORY.
#   Buildtool::cdsprpc
#       The device's libcdsprpc, for linking and for its headers; never installed.
#
# STANDARD_TYPES, or the variable BUILDTOOL_IDL_STANDARD_TYPES, is qaic's -st.
# With the variable BUILDTOOL_IDL_TRACE, skels record their methods for `buildtool run --trace`.
# Files are generated again when the .idl, a file that it includes, or the IDL compiler changes.
cmake_minimum_required(VERSION 3.22)

get_filename_component(_buildtool_data "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(BUILDTOOL_HOST_DIR "${_buildtool_data}/host")
set(BUILDTOOL_DSP_DIR "${_buildtool_data}/dsp")

if(BUILDTOOL_PYTHON)
  # -P: a directory named buildtool in the working directory must not hide the package.
  set(BUILDTOOL_COMMAND "${BUILDTOOL_PYTHON}" -P -m buildtool)
else()
  # In a wheel this file is <environment>/lib/python3.x/site-packages/buildtool/_data/cmake/.
  find_program(BUILDTOOL_PROGRAM buildtool HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../../../../bin"
               NO_CMAKE_FIND_ROOT_PATH)
  if(NOT BUILDTOOL_PROGRAM)
    set(Buildtool_NOT_FOUND_MESSAGE
        "the program 'buildtool' is not on PATH: activate the environment it is installed in, or pass -DBUILDTOOL_PYTHON=<its python>")
    set(Buildtool_FOUND FALSE)
    return()
  endif()
  set(BUILDTOOL_COMMAND "${BUILDTOOL_PROGRAM}")
endif()

include("${CMAKE_CURRENT_LIST_DIR}/BuildtoolIdl.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/BuildtoolCdsprpc.cmake")
set(Buildtool_FOUND TRUE)
