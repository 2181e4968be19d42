# QuRT, the Hexagon DSP's operating system, as a CMake platform: ELF shared objects.
set(CMAKE_DL_LIBS "")
set(CMAKE_SHARED_LIBRARY_SONAME_C_FLAG "-Wl,-soname,")
set(CMAKE_SHARED_LIBRARY_SONAME_CXX_FLAG "-Wl,-soname,")
if(BUILDTOOL_DSP_PROGRAMS)
  set(CMAKE_EXECUTABLE_SUFFIX .so) # the DSP loads programs as libraries
endif()
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS TRUE)
