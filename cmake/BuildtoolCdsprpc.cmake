# Buildtool::cdsprpc: an import stub of the device's libcdsprpc, and its headers.
#
# The library itself is part of the device's system and is never shipped.  Programs are linked with
# an import stub, which has the SONAME and the exports of the system library and no code.
# buildtool's toolchain files set BUILDTOOL_CDSPRPC_DIR.  With another toolchain file, the stub is
# made from the pulled sysroot BUILDTOOL_SYSROOT, or has the exports that all devices have.
if(TARGET Buildtool::cdsprpc OR BUILDTOOL_HEXAGON_ARCH)
  return()
endif()

if(NOT BUILDTOOL_CDSPRPC_DIR)
  if(ANDROID)
    set(_wanted --platform android)
  else()
    set(_wanted --platform ubuntu-aarch64)
  endif()
  if(BUILDTOOL_SYSROOT)
    list(APPEND _wanted --sysroot "${BUILDTOOL_SYSROOT}")
  endif()
  execute_process(
    COMMAND ${BUILDTOOL_COMMAND} sysroot stub ${_wanted}
    OUTPUT_VARIABLE BUILDTOOL_CDSPRPC_DIR ERROR_VARIABLE _error RESULT_VARIABLE _status
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT _status EQUAL 0)
    message(NOTICE "${_error}") # by itself: CMake would wrap its lines
    message(FATAL_ERROR "buildtool: no libcdsprpc to link with, see above")
  endif()
endif()

add_library(Buildtool::cdsprpc INTERFACE IMPORTED GLOBAL)
set_target_properties(
  Buildtool::cdsprpc
  PROPERTIES
    # By name: with a path, CMake would add the stub's directory to the RUNPATH of programs.
    INTERFACE_LINK_LIBRARIES "cdsprpc"
    INTERFACE_LINK_DIRECTORIES "${BUILDTOOL_CDSPRPC_DIR}/lib"
    INTERFACE_LINK_OPTIONS
    "$<$<LINK_LANG_AND_ID:C,GNU>:LINKER:-rpath-link,${BUILDTOOL_CDSPRPC_DIR}/lib>;$<$<LINK_LANG_AND_ID:CXX,GNU>:LINKER:-rpath-link,${BUILDTOOL_CDSPRPC_DIR}/lib>"
    INTERFACE_INCLUDE_DIRECTORIES "${BUILDTOOL_HOST_DIR}/include;${BUILDTOOL_HOST_DIR}/include/fastrpc")
