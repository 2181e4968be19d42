find_package(Git)
set(BEAM_REVISION unknown)
if(GIT_FOUND)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} describe --tags --always
    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
    RESULT_VARIABLE failed
    OUTPUT_VARIABLE said
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(BEAM_REVISION ${said})
  endif()
endif()
