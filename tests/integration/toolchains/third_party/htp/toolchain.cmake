# A third party's toolchain file for skels, by the SDK's environment.
set(CMAKE_SYSTEM_NAME QURT)
set(CMAKE_SYSTEM_PROCESSOR Hexagon)
set(CMAKE_SYSTEM_VERSION 1)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEXAGON_SDK_ROOT HEXAGON_TOOLS_ROOT DSP_VERSION)
if(NOT HEXAGON_SDK_ROOT)
  set(HEXAGON_SDK_ROOT "$ENV{HEXAGON_SDK_ROOT}")
endif()
if(NOT HEXAGON_TOOLS_ROOT)
  set(HEXAGON_TOOLS_ROOT "$ENV{HEXAGON_TOOLS_ROOT}")
endif()
include("${HEXAGON_SDK_ROOT}/build/cmake/hexagon_arch.cmake")

set(CMAKE_C_COMPILER "${HEXAGON_TOOLS_ROOT}/Tools/bin/hexagon-clang")
set(CMAKE_AR "${HEXAGON_TOOLS_ROOT}/Tools/bin/hexagon-ar")
set(_qurt "${HEXAGON_SDK_ROOT}/rtos/qurt/compute${HEXAGON_ARCH}/include")
include_directories(SYSTEM "${_qurt}" "${_qurt}/qurt" "${HEXAGON_SDK_ROOT}/incs"
                    "${HEXAGON_SDK_ROOT}/incs/stddef" "${HEXAGON_SDK_ROOT}/ipc/fastrpc/incs")
set(_arch "-mcpu=${HEXAGON_ARCH} -m${HEXAGON_ARCH} -mhvx=${HEXAGON_ARCH} -mhmx")
set(CMAKE_C_FLAGS_RELEASE "${_arch} -O2 -G0 -fpic")
set(CMAKE_C_CREATE_SHARED_LIBRARY
    "<CMAKE_C_COMPILER> ${_arch} -G0 -fpic -shared -Wl,-Bsymbolic -Wl,--wrap=malloc -o <TARGET> <SONAME_FLAG><TARGET_SONAME> <LINK_FLAGS> -Wl,--start-group <OBJECTS> <LINK_LIBRARIES> -Wl,--end-group -lc")
set(CMAKE_SHARED_LIBRARY_SONAME_C_FLAG "-Wl,-soname,")
