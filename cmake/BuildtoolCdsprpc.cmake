# Buildtool::cdsprpc: the device's libcdsprpc, as far as the linker needs it, and its headers.
#
# The library itself is a part of the device's system and is never shipped.  What is linked is an
# import stub: the system library's SONAME and its exports, with nothing behind them.  buildtool's
# own toolchain files say where it is; with another one, it is that of the pulled sysroot
# BUILDTOOL_SYSROOT, else one of the exports that all devices have.
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
    message(FATAL_ERROR "buildtool: there is no libcdsprpc to link, see above")
  endif()
endif()

add_library(Buildtool::cdsprpc INTERFACE IMPORTED GLOBAL)
set_target_properties(
  Buildtool::cdsprpc
  PROPERTIES
    # By name, not by path: CMake would write the stub's directory into the RUNPATH of programs.
    INTERFACE_LINK_LIBRARIES "cdsprpc"
    INTERFACE_LINK_DIRECTORIES "${BUILDTOOL_CDSPRPC_DIR}/lib"
    INTERFACE_LINK_OPTIONS
    "$<$<LINK_LANG_AND_ID:C,GNU>:LINKER:-rpath-link,${BUILDTOOL_CDSPRPC_DIR}/lib>;$<$<LINK_LANG_AND_ID:CXX,GNU>:LINKER:-rpath-link,${BUILDTOOL_CDSPRPC_DIR}/lib>"
    INTERFACE_INCLUDE_DIRECTORIES "${BUILDTOOL_HOST_DIR}/include;${BUILDTOOL_HOST_DIR}/include/fastrpc")
