# compile_idl(FILE NAME) sets NAME_STUB and NAME_SKEL to what qaic makes of FILE.
find_program(
  QAIC_PATH qaic
  PATHS $ENV{HEXAGON_SDK_ROOT}/ipc/fastrpc/qaic/bin $ENV{HEXAGON_SDK_ROOT}/ipc/fastrpc/qaic/Ubuntu18
  NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(NOT QAIC_PATH)
  message(FATAL_ERROR "no qaic: set HEXAGON_SDK_ROOT, or QAIC_PATH")
endif()

function(compile_idl file name)
  set(out ${CMAKE_CURRENT_BINARY_DIR})
  add_custom_command(
    OUTPUT ${out}/${name}.h ${out}/${name}_stub.c ${out}/${name}_skel.c
    COMMAND ${QAIC_PATH} -mdll -o ${out} -I${HEXAGON_SDK_ROOT}/incs
            -I${HEXAGON_SDK_ROOT}/incs/stddef ${CMAKE_CURRENT_SOURCE_DIR}/${file}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file}
    COMMENT "qaic ${file}")
  set(${name}_STUB ${out}/${name}_stub.c ${out}/${name}.h PARENT_SCOPE)
  set(${name}_SKEL ${out}/${name}_skel.c ${out}/${name}.h PARENT_SCOPE)
endfunction()
