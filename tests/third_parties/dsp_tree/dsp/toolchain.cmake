# The Hexagon SDK's compiler, for the arch DSP_VERSION.
if(BLEND_TOOLCHAIN_INCLUDED)
  return()
endif()
set(BLEND_TOOLCHAIN_INCLUDED TRUE)

set(CMAKE_SYSTEM_NAME QURT)
set(CMAKE_SYSTEM_PROCESSOR Hexagon)
set(CMAKE_SYSTEM_VERSION 1)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEXAGON_SDK_ROOT HEXAGON_TOOLS_ROOT)

foreach(place SDK TOOLS)
  if(NOT HEXAGON_${place}_ROOT)
    set(HEXAGON_${place}_ROOT $ENV{HEXAGON_${place}_ROOT})
  endif()
  file(TO_CMAKE_PATH "${HEXAGON_${place}_ROOT}" HEXAGON_${place}_ROOT)
endforeach()
if(NOT HEXAGON_TOOLS_ROOT)
  # The tools that the SDK describes first.
  file(READ ${HEXAGON_SDK_ROOT}/hexagon_sdk.json description)
  string(JSON tools GET "${description}" root tools info 0 path)
  set(HEXAGON_TOOLS_ROOT ${HEXAGON_SDK_ROOT}/${tools})
endif()

include(${HEXAGON_SDK_ROOT}/build/cmake/hexagon_arch.cmake)

set(V_ARCH ${HEXAGON_ARCH})
set(PROGRAMS ${HEXAGON_TOOLS_ROOT}/Tools/bin)
set(LIBRARIES ${HEXAGON_TOOLS_ROOT}/Tools/target/hexagon/lib)
set(QURT ${HEXAGON_SDK_ROOT}/rtos/qurt/compute${V_ARCH}${V_ARCH_EXTN}/include)
include_directories(${QURT} ${QURT}/qurt ${QURT}/posix)
include_directories(SYSTEM ${HEXAGON_SDK_ROOT}/incs ${HEXAGON_SDK_ROOT}/incs/stddef
                    ${HEXAGON_SDK_ROOT}/ipc/fastrpc/incs)

set(CMAKE_C_COMPILER ${PROGRAMS}/hexagon-clang)
set(CMAKE_CXX_COMPILER ${PROGRAMS}/hexagon-clang++)
set(CMAKE_ASM_COMPILER ${PROGRAMS}/hexagon-clang++)
set(CMAKE_AR ${PROGRAMS}/hexagon-ar)
set(CMAKE_SHARED_LIBRARY_SONAME_C_FLAG "-Wl,-soname,")
set(CMAKE_SHARED_LIBRARY_SONAME_CXX_FLAG "-Wl,-soname,")

set(ARCH_FLAGS "-mcpu=${V_ARCH} -m${V_ARCH} -mhvx=${V_ARCH} -mhvx-length=128B -mhmx")
set(FLAGS "${ARCH_FLAGS} -fvectorize -flto -Wall -Werror -fno-zero-initialized-in-bss -G0 -fdata-sections -fpic ${XQF_ARGS}")
foreach(language C CXX ASM)
  set(CMAKE_${language}_FLAGS_DEBUG "${FLAGS} -O0 -D_DEBUG -g")
  set(CMAKE_${language}_FLAGS_RELEASE "${FLAGS} -O2")
endforeach()

set(WRAP "-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=free -Wl,--wrap=realloc -Wl,--wrap=memalign")
set(LINK "${PROGRAMS}/hexagon-clang ${ARCH_FLAGS} -G0 -fpic -Wl,-Bsymbolic -Wl,-L${LIBRARIES}/${V_ARCH}/G0/pic -Wl,-L${LIBRARIES} -Wl,--no-threads ${WRAP} -shared -o <TARGET> <SONAME_FLAG><TARGET_SONAME> <LINK_FLAGS> -Wl,--start-group <OBJECTS> <LINK_LIBRARIES> -Wl,--end-group -lc")
set(CMAKE_C_CREATE_SHARED_LIBRARY "${LINK}")
set(CMAKE_CXX_CREATE_SHARED_LIBRARY "${LINK}")
