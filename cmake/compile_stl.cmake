# Compiles zig's C++ library, with its ABI and unwinding libraries, as one shared library:
#   cmake -D ZIG=… -D ZIG_LIB=… -D TARGET=aarch64-linux-gnu.2.35 -P compile_stl.cmake OUTPUT
#
# The sources and settings are those that zig compiles for its static library, which are in its cache
# from then on, as these will be.  Source: zig 0.17, src/libs/libcxx.zig and libunwind.zig.
cmake_minimum_required(VERSION 3.20)
math(EXPR _last "${CMAKE_ARGC} - 1")
set(_output "${CMAKE_ARGV${_last}}")
cmake_path(GET _output PARENT_PATH _folder)
file(MAKE_DIRECTORY "${_folder}")
file(REAL_PATH "${ZIG_LIB}" ZIG_LIB) # the path is part of the keys of zig's cache

function(run)
  execute_process(COMMAND "${ZIG}" ${ARGN} WORKING_DIRECTORY "${_folder}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "zig cannot compile its C++ library as a shared library.")
  endif()
endfunction()

set(_common -target ${TARGET} -O2 -g0 -fPIC -fvisibility=hidden -fno-sanitize=undefined -w -DNDEBUG
  "-ffile-prefix-map=${ZIG_LIB}=zig" -I "${ZIG_LIB}/libunwind/include")
set(_unwind "")
foreach(_name libunwind.cpp UnwindLevel1.c UnwindLevel1-gcc-ext.c gcc_personality_v0.c
        UnwindRegistersRestore.S UnwindRegistersSave.S)
  list(APPEND _unwind "${ZIG_LIB}/libunwind/src/${_name}")
endforeach()
run(cc ${_common} -D_LIBUNWIND_IS_NATIVE_ONLY -fno-exceptions -funwind-tables -r
  ${_unwind} -o unwind.o)

file(GLOB _sources "${ZIG_LIB}/libcxx/src/*.cpp" "${ZIG_LIB}/libcxxabi/src/*.cpp"
  "${ZIG_LIB}/libcxx/src/filesystem/*.cpp" "${ZIG_LIB}/libcxx/src/ryu/*.cpp"
  "${ZIG_LIB}/libcxx/src/experimental/*.cpp")
list(FILTER _sources EXCLUDE REGEX "/cxa_noexception\\.cpp$") # in place of exceptions
# A version of its own for all symbols: otherwise the device's libstdc++, which other libraries need,
# would take these for its own, and the reverse.
file(WRITE "${_folder}/stl.map" "BUILDTOOL_LIBCXX_1 { global: *; };\n")
# Not -isystem: zig's directories of the C library come before those, and with its own C++ headers
# zig would link its static library too.
run(c++ ${_common} -std=c++23 -fvisibility-inlines-hidden -nostdinc++ -nostdlib++ -shared
  -I "${ZIG_LIB}/libcxx/include" -I "${ZIG_LIB}/libcxxabi/include" -I "${ZIG_LIB}/libcxx/src"
  -I "${ZIG_LIB}/libcxx/libc"
  -D_LIBCPP_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI -D_LIBCXXABI_BUILDING_LIBRARY
  -DHAVE___CXA_THREAD_ATEXIT_IMPL
  -D_LIBCPP_ABI_VERSION=1 -D_LIBCPP_ABI_NAMESPACE=__1 -D_LIBCPP_HAS_MUSL_LIBC=0
  -D_LIBCPP_HAS_THREADS=1 -D_LIBCPP_HAS_MONOTONIC_CLOCK -D_LIBCPP_HAS_TERMINAL
  -D_LIBCPP_HAS_FILESYSTEM=1 -D_LIBCPP_HAS_RANDOM_DEVICE -D_LIBCPP_HAS_LOCALIZATION
  -D_LIBCPP_HAS_UNICODE -D_LIBCPP_HAS_WIDE_CHARACTERS -D_LIBCPP_HAS_TIME_ZONE_DATABASE
  -D_LIBCPP_HAS_NO_STD_MODULES -D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0
  -D_LIBCPP_PSTL_BACKEND_SERIAL -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE
  -D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE
  ${_sources} unwind.o -s -Wl,-soname,libc++_shared.so -Wl,--version-script=stl.map
  -o "${_output}.new")
file(RENAME "${_output}.new" "${_output}")
