# buildtool_compile_stl(LIBRARY): rules that compile zig's C++ library, with its ABI and unwinding
# libraries, as one shared library.
#
# Each source has a rule, so that the build compiles them beside its own, in as many jobs as it may run,
# and counts them.  The sources and settings are those that zig compiles for its static library; without
# dependency files, so that zig keeps the objects in its cache.
# Source: zig 0.17, src/libs/libcxx.zig and libunwind.zig.
cmake_policy(VERSION 3.20) # in this file

function(buildtool_compile_stl library)
  list(GET BUILDTOOL_STL_OF_ZIG 0 zig)
  list(GET BUILDTOOL_STL_OF_ZIG 1 zig_lib)
  list(GET BUILDTOOL_STL_OF_ZIG 2 target)
  cmake_path(GET library PARENT_PATH folder)
  cmake_path(GET library FILENAME name)
  file(REAL_PATH "${zig_lib}" zig_lib) # the path is part of the keys of zig's cache
  set(objects "")

  set(common -target ${target} -O2 -g0 -fPIC -fvisibility=hidden -fno-sanitize=undefined -w -DNDEBUG
    "-ffile-prefix-map=${zig_lib}=zig" -I "${zig_lib}/libunwind/include")
  # Not -isystem: zig's directories of the C library come before those.
  set(cxx -std=c++23 -fvisibility-inlines-hidden -nostdinc++
    -I "${zig_lib}/libcxx/include" -I "${zig_lib}/libcxxabi/include" -I "${zig_lib}/libcxx/src"
    -I "${zig_lib}/libcxx/libc"
    -D_LIBCPP_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI -D_LIBCXXABI_BUILDING_LIBRARY
    -DHAVE___CXA_THREAD_ATEXIT_IMPL
    -D_LIBCPP_ABI_VERSION=1 -D_LIBCPP_ABI_NAMESPACE=__1 -D_LIBCPP_HAS_MUSL_LIBC=0
    -D_LIBCPP_HAS_THREADS=1 -D_LIBCPP_HAS_MONOTONIC_CLOCK -D_LIBCPP_HAS_TERMINAL
    -D_LIBCPP_HAS_FILESYSTEM=1 -D_LIBCPP_HAS_RANDOM_DEVICE -D_LIBCPP_HAS_LOCALIZATION
    -D_LIBCPP_HAS_UNICODE -D_LIBCPP_HAS_WIDE_CHARACTERS -D_LIBCPP_HAS_TIME_ZONE_DATABASE
    -D_LIBCPP_HAS_NO_STD_MODULES -D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0
    -D_LIBCPP_PSTL_BACKEND_SERIAL -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE
    -D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE)
  file(GLOB sources "${zig_lib}/libcxx/src/*.cpp" "${zig_lib}/libcxxabi/src/*.cpp"
    "${zig_lib}/libcxx/src/filesystem/*.cpp" "${zig_lib}/libcxx/src/ryu/*.cpp"
    "${zig_lib}/libcxx/src/experimental/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/cxa_noexception\\.cpp$") # in place of exceptions
  foreach(source IN LISTS sources)
    _buildtool_compile_source("${source}" c++ ${common} ${cxx})
  endforeach()
  foreach(source libunwind.cpp UnwindLevel1.c UnwindLevel1-gcc-ext.c gcc_personality_v0.c
          UnwindRegistersRestore.S UnwindRegistersSave.S)
    _buildtool_compile_source("${zig_lib}/libunwind/src/${source}" cc ${common}
      -D_LIBUNWIND_IS_NATIVE_ONLY -fno-exceptions -funwind-tables)
  endforeach()

  # A version of its own for all symbols: otherwise the device's libstdc++, which other libraries need,
  # would take these for its own, and the reverse.
  file(WRITE "${folder}/stl.map" "BUILDTOOL_LIBCXX_1 { global: *; };\n")
  list(TRANSFORM objects PREPEND "${folder}/" OUTPUT_VARIABLE paths)
  # With its own C++ headers zig would link its static library too.
  add_custom_command(
    OUTPUT "${library}"
    COMMAND "${zig}" c++ ${common} -nostdinc++ -nostdlib++ -shared ${objects} -s
      -Wl,-soname,${name} -Wl,--version-script=stl.map -o "${name}"
    DEPENDS ${paths} "${folder}/stl.map"
    WORKING_DIRECTORY "${folder}"
    COMMENT "Linking ${name}"
    VERBATIM)
endfunction()

# The rule that runs zig with the arguments for a source; adds the object's name to `objects`.
macro(_buildtool_compile_source source)
  file(RELATIVE_PATH object "${zig_lib}" "${source}")
  string(REPLACE "/" "-" object "${object}.o")
  add_custom_command(
    OUTPUT "${folder}/${object}"
    COMMAND "${zig}" ${ARGN} -c "${source}" -o "${object}"
    WORKING_DIRECTORY "${folder}"
    COMMENT "Compiling ${name}: ${object}"
    VERBATIM)
  list(APPEND objects "${object}")
endmacro()
