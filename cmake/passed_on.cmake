# Cache entries that buildtool passes to every project of a target.  They are read here so that
# CMake does not warn about unused ones.
foreach(_entry
        BUILDTOOL_IDL_COMPILER BUILDTOOL_QAIC BUILDTOOL_QAIC_INCLUDES
        DSP_VERSION HEXAGON_SDK_ROOT HEXAGON_TOOLS_ROOT PREBUILT_LIB_DIR)
  set(_passed_on "${${_entry}}")
endforeach()
unset(_passed_on)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BUILDTOOL_DSP_PROGRAMS)
