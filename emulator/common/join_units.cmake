# Compiles files together: each process of zig, and each reading of the headers, costs as much as half
# a file.  Files of one unit define no name twice, and no macro that another one uses as a name.  A file
# that is in no unit, such as a new one, is compiled by itself.
#
# join_units(SOURCES PREFIX): in the list SOURCES, replaces the files of the lists PREFIX_1, PREFIX_2 ...
# by a file for each list, which includes them.
macro(join_units sources prefix)
  set(_number 1)
  while(DEFINED ${prefix}_${_number})
    set(_text "#define _GNU_SOURCE\n")
    foreach(_name IN LISTS ${prefix}_${_number})
      get_filename_component(_file "${_name}.c" ABSOLUTE)
      list(REMOVE_ITEM ${sources} "${_file}")
      string(APPEND _text "#include \"${_file}\"\n")
    endforeach()
    set(_unit "${CMAKE_CURRENT_BINARY_DIR}/units/${prefix}_${_number}.c")
    file(CONFIGURE OUTPUT "${_unit}" CONTENT "${_text}" @ONLY)
    list(APPEND ${sources} "${_unit}")
    math(EXPR _number "${_number} + 1")
  endwhile()
endmacro()
