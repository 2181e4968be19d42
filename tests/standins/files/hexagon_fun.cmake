# hexagon_fun.cmake of a stand-in SDK: build_idl() and link_custom_library(), as third-party CMake
# files call them.
set(HEXAGON_SDK_ROOT "$ENV{HEXAGON_SDK_ROOT}") # overrides -D
if(NOT HEXAGON_SDK_ROOT)
  message(FATAL_ERROR "The environment has no HEXAGON_SDK_ROOT: source setup_sdk_env.source first.")
endif()
set(HEXAGON_CMAKE_ROOT "${HEXAGON_SDK_ROOT}/build/cmake")
include("${HEXAGON_CMAKE_ROOT}/hexagon_arch.cmake")
foreach(_variable HEXAGON_TOOLS_ROOT DEFAULT_HEXAGON_TOOLS_ROOT)
  if(NOT HEXAGON_TOOLS_ROOT)
    set(HEXAGON_TOOLS_ROOT "$ENV{${_variable}}")
  endif()
endforeach()
set(HEXAGON_LIB_DIR "${HEXAGON_TOOLS_ROOT}/Tools/target/hexagon/lib")
set(_stand_in_qaic "${HEXAGON_SDK_ROOT}/@QAIC@")

# The name of one of the system libraries for LINK_CUSTOM_LIBRARY.
set(dsprpc dsprpc)
set(cdsprpc cdsprpc)
set(rpcmem rpcmem)

# build_idl(FILE TARGET): stub, skel and header of an interface, on TARGET's include path.
function(build_idl idl_file target)
  get_filename_component(idl "${idl_file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(stem "${idl}" NAME_WE)
  file(STRINGS "${idl}" interface REGEX "^[ \t]*interface[ \t]+[A-Za-z0-9_]+")
  string(REGEX REPLACE "^[ \t]*interface[ \t]+([A-Za-z0-9_]+).*" "\\1" interface "${interface}")
  set(outputs "${CMAKE_CURRENT_BINARY_DIR}/${stem}.h"
              "${CMAKE_CURRENT_BINARY_DIR}/${interface}_stub.c"
              "${CMAKE_CURRENT_BINARY_DIR}/${interface}_skel.c")
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND "${_stand_in_qaic}" -mdll -o "${CMAKE_CURRENT_BINARY_DIR}"
            -I "${HEXAGON_SDK_ROOT}/incs" -I "${HEXAGON_SDK_ROOT}/incs/stddef" "${idl}"
    DEPENDS "${idl}"
    VERBATIM)
  add_custom_target(${target}_${stem}_idl DEPENDS ${outputs})
  add_dependencies(${target} ${target}_${stem}_idl)
  target_include_directories(${target} PUBLIC "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()

# link_custom_library(TARGET NAME): a library that the SDK has built for PREBUILT_LIB_DIR.
function(link_custom_library target name)
  if("${PREBUILT_LIB_DIR}" STREQUAL "")
    message(FATAL_ERROR "PREBUILT_LIB_DIR is not set: link_custom_library() needs it.")
  endif()
  if(name MATCHES "dsprpc$")
    set(library "${HEXAGON_SDK_ROOT}/ipc/fastrpc/remote/ship/${PREBUILT_LIB_DIR}/lib${name}.so")
    if(name STREQUAL "dsprpc")
      set(library "${HEXAGON_SDK_ROOT}/ipc/fastrpc/remote/ship/${PREBUILT_LIB_DIR}/libcdsprpc.so")
    endif()
  elseif(name STREQUAL "rpcmem")
    target_include_directories(${target} PUBLIC "${HEXAGON_SDK_ROOT}/ipc/fastrpc/rpcmem/inc")
    set(library "${HEXAGON_SDK_ROOT}/ipc/fastrpc/rpcmem/prebuilt/${PREBUILT_LIB_DIR}/rpcmem.a")
  else()
    set(library "${HEXAGON_SDK_ROOT}/libs/${name}/prebuilt/${PREBUILT_LIB_DIR}/lib${name}.a")
  endif()
  if(NOT EXISTS "${library}")
    message(FATAL_ERROR "${name} is not built for ${PREBUILT_LIB_DIR}: there is no ${library}")
  endif()
  target_link_libraries(${target} PRIVATE "${library}")
endfunction()
