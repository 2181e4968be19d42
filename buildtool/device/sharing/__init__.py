"""One user of a device at a time: the lock of the device, and who holds it."""
