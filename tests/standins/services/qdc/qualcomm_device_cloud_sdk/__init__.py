"""A stand-in for Qualcomm's SDK: what scripts/snapdragon/qdc of ggml-org/llama.cpp uses of it.

The variable QDC_STAND_IN names a directory with `device.json`: the `command` that runs others on
the device, the `environment` for it, and the `data` directory of the device.  The artifact is
unpacked there as `artifact`, or on the device; the logs are stored in `logs`.
"""
