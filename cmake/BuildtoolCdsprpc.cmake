# Buildtool::cdsprpc: the device's libcdsprpc, as far as the linker needs it.
#
# The library itself is a part of the device's system and is never shipped.  What is linked is an
# import stub: the system library's SONAME and its exports, with nothing behind them.
if(TARGET Buildtool::cdsprpc)
  return()
endif()

if(ANDROID)
  set(_soname "libcdsprpc.so")
else()
  set(_soname "libcdsprpc.so.1")
endif()

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/cdsprpc_exports.txt" _exports REGEX "^[A-Za-z_]")
set(_text "/* Import stub of ${_soname}: the real one is the device's. */\n")
foreach(_export IN LISTS _exports)
  string(APPEND _text "void ${_export}(void);\nvoid ${_export}(void) {}\n")
endforeach()
set(_directory "${CMAKE_BINARY_DIR}/buildtool-cdsprpc")
file(CONFIGURE OUTPUT "${_directory}/cdsprpc.c" CONTENT "${_text}" @ONLY)

add_library(buildtool_cdsprpc_import SHARED EXCLUDE_FROM_ALL "${_directory}/cdsprpc.c")
set_target_properties(
  buildtool_cdsprpc_import
  PROPERTIES OUTPUT_NAME cdsprpc
             LIBRARY_OUTPUT_DIRECTORY "${_directory}"
             NO_SONAME ON)
# -fno-builtin and no warnings: these are names, not functions.
target_compile_options(buildtool_cdsprpc_import PRIVATE -w -fno-builtin)
target_link_options(buildtool_cdsprpc_import PRIVATE -nostdlib "LINKER:-soname,${_soname}")
target_include_directories(
  buildtool_cdsprpc_import SYSTEM
  INTERFACE "${BUILDTOOL_HOST_DIR}/include" "${BUILDTOOL_HOST_DIR}/include/fastrpc")
add_library(Buildtool::cdsprpc ALIAS buildtool_cdsprpc_import)
