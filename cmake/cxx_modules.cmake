# C++ modules are not supported: CMake 3.28 and newer scan the sources of C++20 for them with
# clang-scan-deps, which zig does not have, and CMake would take that of the build machine, which
# belongs to another compiler.  Without a scanner CMake scans only what must be scanned, and rejects
# that with the name of the target.
set(CMAKE_CXX_COMPILER_CLANG_SCAN_DEPS "") # not NOTFOUND: CMake would search
set(_rules "${CMAKE_CURRENT_LIST_DIR}/no_module_scanner.cmake")
# CMake reads toolchain files more than once.
if(NOT CMAKE_USER_MAKE_RULES_OVERRIDE_CXX STREQUAL _rules)
  set(BUILDTOOL_PROJECT_RULES_CXX "${CMAKE_USER_MAKE_RULES_OVERRIDE_CXX}")
endif()
set(CMAKE_USER_MAKE_RULES_OVERRIDE_CXX "${_rules}")
unset(_rules)
