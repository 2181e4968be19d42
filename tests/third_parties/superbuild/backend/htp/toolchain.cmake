# For skels, as the superbuild passes it on.
set(CMAKE_SYSTEM_NAME QURT)
set(CMAKE_SYSTEM_VERSION 1)
set(CMAKE_SYSTEM_PROCESSOR Hexagon)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEXAGON_SDK_ROOT HEXAGON_TOOLS_ROOT DSP_VERSION)
include(${HEXAGON_SDK_ROOT}/build/cmake/hexagon_arch.cmake)

set(CMAKE_C_COMPILER ${HEXAGON_TOOLS_ROOT}/Tools/bin/hexagon-clang)
set(CMAKE_ASM_COMPILER ${HEXAGON_TOOLS_ROOT}/Tools/bin/hexagon-clang)
set(CMAKE_AR ${HEXAGON_TOOLS_ROOT}/Tools/bin/hexagon-ar)
set(arch_flags "-mcpu=hexagon${HEXAGON_ARCH} -m${HEXAGON_ARCH} -mhvx=${HEXAGON_ARCH}")
set(CMAKE_C_FLAGS_RELEASE "${arch_flags} -O2 -G0 -fpic")
include_directories(SYSTEM ${HEXAGON_SDK_ROOT}/ipc/fastrpc/incs)
set(CMAKE_C_CREATE_SHARED_LIBRARY
    "<CMAKE_C_COMPILER> ${arch_flags} -G0 -fpic -shared -Wl,-Bsymbolic -Wl,--wrap=malloc -o <TARGET> <SONAME_FLAG><TARGET_SONAME> <LINK_FLAGS> -Wl,--start-group <OBJECTS> <LINK_LIBRARIES> -Wl,--end-group -lc")
set(CMAKE_SHARED_LIBRARY_SONAME_C_FLAG "-Wl,-soname,")
