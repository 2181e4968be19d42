# The C library of the emulated shell, fastrpc_shell: what it uses of musl, of libunwind and of zig's
# own functions, from zig's sources.  Left to itself, zig compiles all of them, one process for each of
# 1,057 files: that takes four times as long as the rest of the emulated device.
set(_here "${CMAKE_CURRENT_LIST_DIR}")
set(_made "${CMAKE_CURRENT_BINARY_DIR}/libc")
set(_musl "${BUILDTOOL_ZIG_LIB}/libc/musl")
set(_unwind "${BUILDTOOL_ZIG_LIB}/libunwind")

include("${_here}/musl_units.cmake")
set(_units "")
foreach(_unit core math text gnu apart_1 apart_2 apart_3)
  set(_text "#include \"unit.h\"\n")
  if(_unit MATCHES "gnu|apart_1")
    string(PREPEND _text "#define _GNU_SOURCE\n#define _BSD_SOURCE\n")
  endif()
  foreach(_file IN LISTS musl_${_unit})
    string(MAKE_C_IDENTIFIER "${_file}" _name)
    string(APPEND _text "#define UNIT_FILE ${_name}\n#include \"${_file}.c\"\n#undef UNIT_FILE\n")
  endforeach()
  file(CONFIGURE OUTPUT "${_made}/${_unit}.c" CONTENT "${_text}" @ONLY)
  list(APPEND _units "${_made}/${_unit}.c")
endforeach()

# The directories and flags of zig's src/libs/musl.zig.
add_library(libc OBJECT ${_units} "${_here}/assembly.S")
target_include_directories(libc PRIVATE "${_musl}/arch/hexagon" "${_musl}/arch/generic"
  "${_musl}/src/include" "${_musl}/src/internal" "${_musl}/include" "${_musl}/src" "${_here}"
  "${_unwind}/src")
target_compile_definitions(libc PRIVATE _XOPEN_SOURCE=700)
target_compile_options(libc PRIVATE -w -Os -std=c99 -ffreestanding -fexcess-precision=standard
  -frounding-math -ffp-contract=off -fno-strict-aliasing -fno-builtin -fno-stack-protector
  -fasynchronous-unwind-tables -ffunction-sections -fdata-sections)

# Those of src/libs/libunwind.zig.  Other languages as such need compilers of their own in CMake.
add_library(unwind OBJECT "${_unwind}/src/libunwind.cpp" "${_unwind}/src/UnwindLevel1.c"
  "${_unwind}/src/UnwindLevel1-gcc-ext.c")
target_include_directories(unwind PRIVATE "${_unwind}/include")
target_compile_definitions(unwind PRIVATE _LIBUNWIND_HIDE_SYMBOLS _LIBUNWIND_IS_NATIVE_ONLY)
target_compile_options(unwind PRIVATE -w -Os -fexceptions -fvisibility=hidden -ffunction-sections
  -fdata-sections)
set_source_files_properties("${_here}/assembly.S"
  PROPERTIES LANGUAGE C COMPILE_OPTIONS "-x;assembler-with-cpp")
set_source_files_properties("${_unwind}/src/libunwind.cpp"
  PROPERTIES LANGUAGE C COMPILE_OPTIONS "-x;c++;-std=c++17;-fno-exceptions;-fno-rtti")

# c.zig and compiler_rt.zig export the names in functions.zig only.  With -fno-builtin no loop in
# memset becomes a call of memset.
foreach(_file c compiler_rt)
  file(READ "${BUILDTOOL_ZIG_LIB}/${_file}.zig" _text)
  string(REGEX REPLACE "(\n    )(if [^\n]*)?@export"
    "\\1if (comptime @hasField(@import(\"functions.zig\").Used, name)) @export" _text "${_text}")
  file(WRITE "${_made}/${_file}.zig" "${_text}")
  file(CREATE_LINK "${BUILDTOOL_ZIG_LIB}/${_file}" "${_made}/${_file}" SYMBOLIC)
endforeach()
configure_file("${_here}/functions.zig" "${_made}/functions.zig" COPYONLY)
# zig's bitcode is compiled like C, without the passes that zig's own compilation has.
set(_functions "${_made}/functions")
separate_arguments(_passes UNIX_COMMAND "${slow_passes_off}")
add_custom_command(OUTPUT "${_functions}.o"
  COMMAND "${CMAKE_C_COMPILER}" build-obj functions.zig -lc -target hexagon-linux-musl
    -mcpu=hexagonv68 -O ReleaseFast -fstrip -fno-builtin -fno-stack-check -fno-stack-protector
    -fno-compiler-rt -ffunction-sections -fdata-sections -fno-emit-bin
    "-femit-llvm-bc=${_functions}.bc"
  COMMAND "${CMAKE_C_COMPILER}" cc --target=hexagon-linux-musl -mcpu=hexagonv68 -O2 ${_passes}
    -fno-builtin -ffunction-sections -fdata-sections -Xclang -disable-llvm-passes
    -c "${_functions}.bc" -o "${_functions}.o"
  DEPENDS "${_made}/functions.zig" "${_made}/c.zig" "${_made}/compiler_rt.zig"
  WORKING_DIRECTORY "${_made}"
  COMMENT "Building functions of zig's C library" VERBATIM)
target_sources(fastrpc_shell PRIVATE $<TARGET_OBJECTS:libc> $<TARGET_OBJECTS:unwind>
  "${_functions}.o")
