"""Messages of CMake and compilers, explained."""
