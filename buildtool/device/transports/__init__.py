"""How shell scripts are run on devices: over ssh, over adb, on this machine, and on the
emulated device."""
