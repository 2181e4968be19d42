# Read with -C.  CMake warns about policies that a project leaves unset only on request, but --trace
# counts as one.
foreach(_number RANGE 10000 10400)
  string(SUBSTRING ${_number} 1 4 _policy)
  set(CMAKE_POLICY_WARNING_CMP${_policy} OFF CACHE INTERNAL "")
endforeach()
