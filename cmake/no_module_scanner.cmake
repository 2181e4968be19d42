# Read by CMake after its own rules for C++ compilers, in place of the project's file, if it has one.
if(BUILDTOOL_PROJECT_RULES_CXX)
  include("${BUILDTOOL_PROJECT_RULES_CXX}")
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # GCC scans by itself
  unset(CMAKE_CXX_SCANDEP_SOURCE)
endif()
