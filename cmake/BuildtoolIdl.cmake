# CMake targets for IDL files; BuildtoolConfig.cmake documents the functions.

function(buildtool_idl prefix)
  cmake_parse_arguments(PARSE_ARGV 1 arg
    "STANDARD_TYPES" "IDL;DIRECTORY" "INCLUDE_DIRECTORIES;DEFINITIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "buildtool: ${prefix}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_IDL)
    message(FATAL_ERROR "buildtool: ${prefix} needs IDL <file.idl>")
  endif()
  get_filename_component(idl "${arg_IDL}" ABSOLUTE)
  get_filename_component(stem "${idl}" NAME_WLE)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/idl/${prefix}")
  if(arg_DIRECTORY) # where the SDK's build_idl() writes, in the SDK-shaped root
    set(out "${arg_DIRECTORY}")
  endif()
  set(arguments "${idl}")
  foreach(directory IN LISTS arg_INCLUDE_DIRECTORIES)
    get_filename_component(directory "${directory}" ABSOLUTE)
    list(APPEND arguments -I "${directory}")
  endforeach()
  foreach(definition IN LISTS arg_DEFINITIONS)
    list(APPEND arguments -D "${definition}")
  endforeach()

  set(written_by "")
  if(BUILDTOOL_IDL_COMPILER STREQUAL "qaic")
    if(NOT BUILDTOOL_QAIC)
      message(FATAL_ERROR "buildtool: BUILDTOOL_IDL_COMPILER is qaic: set BUILDTOOL_QAIC to the Hexagon SDK's qaic, and BUILDTOOL_QAIC_INCLUDES to its incs and incs/stddef")
    endif()
    set(written_by --qaic "${BUILDTOOL_QAIC}")
    foreach(directory IN LISTS BUILDTOOL_QAIC_INCLUDES)
      list(APPEND written_by --system-include "${directory}")
    endforeach()
  elseif(BUILDTOOL_IDL_COMPILER AND NOT BUILDTOOL_IDL_COMPILER STREQUAL "buildtool")
    message(FATAL_ERROR "buildtool: BUILDTOOL_IDL_COMPILER is ${BUILDTOOL_IDL_COMPILER}: set it to buildtool or qaic")
  endif()
  list(APPEND arguments ${written_by})
  if(arg_STANDARD_TYPES OR BUILDTOOL_IDL_STANDARD_TYPES)
    list(APPEND arguments --standard-types)
  endif()
  if(BUILDTOOL_IDL_TRACE)
    list(APPEND arguments --trace)
  endif()

  # Only the IDL compiler knows the names of the interfaces, which name the files.
  execute_process(
    COMMAND ${BUILDTOOL_COMMAND} idl ${arguments} -o "${out}" --with-includes --list
    OUTPUT_VARIABLE listing ERROR_VARIABLE error RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(NOTICE "${error}") # by itself: CMake would wrap its lines
    message(FATAL_ERROR "buildtool: ${arg_IDL} cannot be compiled, see above")
  endif()
  string(REGEX REPLACE "\n$" "" listing "${listing}")
  string(REPLACE "\n" ";" outputs "${listing}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${idl}")

  set(depfile "${out}/${stem}.d")
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${BUILDTOOL_COMMAND} idl ${arguments} -o "${out}" --with-includes --depfile "${depfile}"
    DEPENDS "${idl}"
    DEPFILE "${depfile}"
    COMMENT "IDL ${stem}.idl"
    VERBATIM)

  set(stubs "${outputs}")
  list(FILTER stubs INCLUDE REGEX "_stub\\.c$")
  set(skels "${outputs}")
  list(FILTER skels INCLUDE REGEX "_skel\\.c$")
  set(${prefix}_HEADER "${out}/${stem}.h" PARENT_SCOPE)
  set(${prefix}_STUBS "${stubs}" PARENT_SCOPE)
  set(${prefix}_SKELS "${skels}" PARENT_SCOPE)
  set(${prefix}_DIRECTORY "${out}" PARENT_SCOPE)
endfunction()

function(buildtool_add_stub target)
  buildtool_idl(${target} ${ARGN})
  add_library(${target} OBJECT "${${target}_HEADER}" ${${target}_STUBS})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE C)
  target_include_directories(${target} PUBLIC "${${target}_DIRECTORY}")
  target_link_libraries(${target} PUBLIC Buildtool::cdsprpc)
endfunction()

function(buildtool_add_skel target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STANDARD_TYPES" "IDL" "SOURCES;INCLUDE_DIRECTORIES;DEFINITIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "buildtool_add_skel(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "buildtool_add_skel(${target}): needs SOURCES, the implementation of the interface")
  endif()
  set(standard_types "")
  if(arg_STANDARD_TYPES)
    set(standard_types STANDARD_TYPES)
  endif()
  buildtool_idl(${target} ${standard_types} IDL "${arg_IDL}"
                INCLUDE_DIRECTORIES ${arg_INCLUDE_DIRECTORIES} DEFINITIONS ${arg_DEFINITIONS})
  get_filename_component(stem "${arg_IDL}" NAME_WLE)
  add_library(${target} SHARED "${${target}_HEADER}" ${${target}_SKELS} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME "${stem}_skel")
  target_include_directories(${target} PRIVATE "${${target}_DIRECTORY}")
  if(NOT BUILDTOOL_HEXAGON_SDK)
    # The SDK's profile has the headers, and a C++ library for C++ sources.
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    target_include_directories(
      ${target} PRIVATE "${BUILDTOOL_DSP_DIR}/include" "${BUILDTOOL_HOST_DIR}/include/fastrpc")
  endif()
  # Builds by buildtool set a prefix map; they check skels against the target's device later.
  if(BUILDTOOL_HEXAGON_ARCH AND NOT BUILDTOOL_PREFIX_MAP)
    set(check --skel ${BUILDTOOL_HEXAGON_ARCH} --quiet)
    if(BUILDTOOL_SYSROOT)
      list(APPEND check --sysroot "${BUILDTOOL_SYSROOT}")
    endif()
    add_custom_command(
      TARGET ${target} POST_BUILD
      COMMAND ${BUILDTOOL_COMMAND} inspect "$<TARGET_FILE:${target}>" ${check}
      VERBATIM)
  endif()
endfunction()
