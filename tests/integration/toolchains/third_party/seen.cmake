# Writes the variables of the SDK on this side to a file.
file(WRITE "${CMAKE_BINARY_DIR}/seen-${seen}.json" "{
  \"cache\": [\"${HEXAGON_SDK_ROOT}\", \"${HEXAGON_TOOLS_ROOT}\"],
  \"environment\": [\"$ENV{HEXAGON_SDK_ROOT}\", \"$ENV{HEXAGON_TOOLS_ROOT}\"],
  \"default_tools\": \"$ENV{DEFAULT_HEXAGON_TOOLS_ROOT}\",
  \"variant\": \"$ENV{DEFAULT_TOOLS_VARIANT}\",
  \"prebuilt\": \"${PREBUILT_LIB_DIR}\"
}")
