# zig's C++ library, with its ABI and unwinding libraries: the rules that compile it, and which targets
# of a project link it.
#
# Each source has a rule, so that the build compiles them beside its own, in as many jobs as it may run,
# and counts them.  Without dependency files, so that zig keeps the objects in its cache.
# Source of the lists of files and settings: zig 0.17, src/libs/libcxx.zig and libunwind.zig.
cmake_policy(VERSION 3.20) # in this file

# buildtool_compile_stl(LIBRARY): the rules that make LIBRARY, a shared library with NAME.so as its
# name, else an archive.  BUILDTOOL_STL_OF_ZIG is zig, its directory, and the options of the target;
# BUILDTOOL_STL_SETTINGS are the settings of the library, BUILDTOOL_STL_HEADERS the options for headers
# of the C library, if they are not zig's own; BUILDTOOL_STL_UNWINDER are more options for the unwinder,
# BUILDTOOL_STL_MUSL names of C files of musl that are compiled too.
function(buildtool_compile_stl library)
  set(target ${BUILDTOOL_STL_OF_ZIG})
  list(POP_FRONT target zig zig_lib)
  cmake_path(GET library PARENT_PATH folder)
  cmake_path(GET library FILENAME name)
  file(REAL_PATH "${zig_lib}" zig_lib) # the path is part of the keys of zig's cache
  set(objects "")

  set(common ${target} -O2 -g0 -fPIC -fvisibility=hidden -fno-sanitize=undefined -w -DNDEBUG
    "-ffile-prefix-map=${zig_lib}=zig" -I "${zig_lib}/libunwind/include")
  # Not -isystem: zig's directories of the C library come before those.
  set(cxx -std=c++23 -fvisibility-inlines-hidden -nostdinc++ -fexceptions -frtti
    -I "${zig_lib}/libcxx/include" -I "${zig_lib}/libcxxabi/include" -I "${zig_lib}/libcxx/src"
    -I "${zig_lib}/libcxx/libc"
    -D_LIBCPP_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI -D_LIBCXXABI_BUILDING_LIBRARY
    ${BUILDTOOL_STL_SETTINGS} ${BUILDTOOL_STL_HEADERS})
  file(GLOB sources "${zig_lib}/libcxx/src/*.cpp" "${zig_lib}/libcxxabi/src/*.cpp"
    "${zig_lib}/libcxx/src/filesystem/*.cpp" "${zig_lib}/libcxx/src/ryu/*.cpp"
    "${zig_lib}/libcxx/src/experimental/*.cpp")
  # In place of exceptions; and for databases of time zones, if there are none.
  set(excluded "/cxa_noexception\\.cpp$")
  if("-D_LIBCPP_HAS_TIME_ZONE_DATABASE=0" IN_LIST BUILDTOOL_STL_SETTINGS)
    string(APPEND excluded "|/experimental/(time_zone|tzdb|tzdb_list)\\.cpp$")
  endif()
  list(FILTER sources EXCLUDE REGEX "${excluded}")
  foreach(source IN LISTS sources)
    _buildtool_compile_source("${source}" c++ ${common} ${cxx})
  endforeach()
  foreach(source libunwind.cpp UnwindLevel1.c UnwindLevel1-gcc-ext.c gcc_personality_v0.c
          UnwindRegistersRestore.S UnwindRegistersSave.S)
    _buildtool_compile_source("${zig_lib}/libunwind/src/${source}" cc ${common}
      -D_LIBUNWIND_IS_NATIVE_ONLY -fno-exceptions -funwind-tables ${BUILDTOOL_STL_UNWINDER}
      ${BUILDTOOL_STL_HEADERS})
  endforeach()
  foreach(source IN LISTS BUILDTOOL_STL_MUSL)
    _buildtool_compile_source("${zig_lib}/libc/musl/src/${source}" cc ${common} -fno-exceptions
      -I "${zig_lib}/libc/musl/src/include" ${BUILDTOOL_STL_HEADERS})
  endforeach()

  list(TRANSFORM objects PREPEND "${folder}/" OUTPUT_VARIABLE paths)
  if(NOT name MATCHES "[.]so$")
    add_custom_command(
      OUTPUT "${library}"
      COMMAND "${zig}" ar rcsD "${name}" ${objects}
      DEPENDS ${paths}
      WORKING_DIRECTORY "${folder}"
      COMMENT "Archiving ${name}"
      VERBATIM)
    return()
  endif()

  # A version of its own for all symbols: otherwise the device's libstdc++, which other libraries need,
  # would take these for its own, and the reverse.
  file(WRITE "${folder}/stl.map" "BUILDTOOL_LIBCXX_1 { global: *; };\n")
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

# Link the library, which a rule makes, into the C++ links of targets.
function(buildtool_link_cxx_library library)
  add_custom_target(buildtool_cxx_library DEPENDS "${library}")
  foreach(target IN LISTS ARGN)
    set_property(TARGET ${target} APPEND PROPERTY LINK_OPTIONS "$<$<LINK_LANGUAGE:CXX>:${library}>")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${library}")
    if(NOT CMAKE_GENERATOR MATCHES "Ninja") # with Ninja, sources are compiled meanwhile
      add_dependencies(${target} buildtool_cxx_library)
    endif()
  endforeach()
endfunction()

# The programs and shared libraries of the project with C++ in them, and the kind of each.
function(buildtool_cxx_targets linked_result kinds_result)
  _buildtool_targets("${CMAKE_SOURCE_DIR}" targets)
  set(linked "")
  set(kinds "")
  foreach(target IN LISTS targets)
    get_target_property(kind ${target} TYPE)
    if(kind MATCHES "^(EXECUTABLE|(SHARED|MODULE)_LIBRARY)$")
      _buildtool_has_cxx(${target})
      get_property(has_cxx GLOBAL PROPERTY "BUILDTOOL_CXX_${target}")
      if(has_cxx)
        list(APPEND linked ${target})
        list(APPEND kinds ${kind})
      endif()
    endif()
  endforeach()
  set(${linked_result} ${linked} PARENT_SCOPE)
  set(${kinds_result} ${kinds} PARENT_SCOPE)
endfunction()

# The targets of a directory and of those below it.
function(_buildtool_targets directory result)
  get_property(found DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS below)
    _buildtool_targets("${each}" more)
    list(APPEND found ${more})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Set the global property BUILDTOOL_CXX_<target>: whether there is C++ in the target, or in the static
# and object libraries that it links.
function(_buildtool_has_cxx target)
  get_property(is_known GLOBAL PROPERTY "BUILDTOOL_CXX_${target}" SET)
  if(is_known)
    return()
  endif()
  set_property(GLOBAL PROPERTY "BUILDTOOL_CXX_${target}" FALSE) # for libraries that need each other
  set(texts "")
  foreach(property SOURCES INTERFACE_SOURCES LINK_LIBRARIES INTERFACE_LINK_LIBRARIES LINKER_LANGUAGE)
    get_property(value TARGET ${target} PROPERTY ${property})
    list(APPEND texts ${value})
  endforeach()
  set(has_cxx FALSE)
  if("CXX" IN_LIST texts OR "${texts}" MATCHES "[.](C|CPP|c[+][+]|cc|cpp|cxx)([;>\"]|$)")
    set(has_cxx TRUE)
  else()
    # Names of targets, also in generator expressions.
    string(REGEX MATCHALL "[A-Za-z0-9_.+-]+(::[A-Za-z0-9_.+-]+)*" names "${texts}")
    foreach(name IN LISTS names)
      if(NOT has_cxx AND TARGET "${name}")
        get_property(kind TARGET ${name} PROPERTY TYPE)
        if(kind MATCHES "^(STATIC|OBJECT|INTERFACE)_LIBRARY$")
          _buildtool_has_cxx(${name})
          get_property(has_cxx GLOBAL PROPERTY "BUILDTOOL_CXX_${name}")
        endif()
      endif()
    endforeach()
  endif()
  set_property(GLOBAL PROPERTY "BUILDTOOL_CXX_${target}" ${has_cxx})
endfunction()
