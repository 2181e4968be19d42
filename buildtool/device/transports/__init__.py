"""How shell scripts are run on devices: over ssh, over adb, and on the emulated device."""
