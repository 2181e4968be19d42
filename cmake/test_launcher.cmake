# The test launcher, buildtool/testing/launch.py, runs programs of the target.  `buildtool test` runs
# tests on the device that it selects; otherwise they and custom commands run under QEMU.
#
# CMAKE_CROSSCOMPILING_EMULATOR would be the variable for it.  But with it, try_run() and
# check_*_source_runs() run their programs here, and take the answers of another system for those of
# the device; without it, CMake asks for cache entries.  So the property that the variable is the
# default of gets another default.  A project that sets the variable itself has its own emulator.
set(_test_launcher "${BUILDTOOL_PYTHON}" -I -S -X utf8 "${BUILDTOOL_PACKAGE}/testing/ctest/launch.py")
if(BUILDTOOL_NATIVE)
  # Only tests are for another machine: custom commands and try_run() do not need it.
  if(NOT DEFINED CMAKE_TEST_LAUNCHER)
    set(CMAKE_TEST_LAUNCHER ${_test_launcher} native)
  endif()
else()
  if(CMAKE_SYSTEM_NAME STREQUAL "Android")
    list(APPEND _test_launcher android)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "QURT")
    list(APPEND _test_launcher hexagon)
  else()
    list(APPEND _test_launcher linux)
  endif()
  define_property(TARGET PROPERTY CROSSCOMPILING_EMULATOR INHERITED)
  set_property(GLOBAL PROPERTY CROSSCOMPILING_EMULATOR "${_test_launcher}")
  if(BUILDTOOL_EMULATOR_VARIABLE)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${_test_launcher}) # for projects that read it
  endif()
endif()
unset(_test_launcher)

# Test programs are asked for the names of their tests when tests run, on the device, and not while
# they are built.
foreach(_framework GTEST CATCH)
  if(NOT DEFINED CMAKE_${_framework}_DISCOVER_TESTS_DISCOVERY_MODE)
    set(CMAKE_${_framework}_DISCOVER_TESTS_DISCOVERY_MODE PRE_TEST)
  endif()
endforeach()
unset(_framework)
