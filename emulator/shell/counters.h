/* counters.h: lets time pass for code that reads the DSP's counters from registers.
 *
 * In qemu's user emulation, the registers UTIMER (c31:30) and UPCYCLE (c15:14) read as 0. So each
 * packet that reads one of them is replaced by a jump to a trampoline. The trampoline writes the
 * counter to c19:18, executes a copy of the packet that reads c19:18, and jumps back. */
#ifndef BUILDTOOL_SHELL_COUNTERS_H
#define BUILDTOOL_SHELL_COUNTERS_H

#include "link.h"

/* Returns the bytes that the trampolines of an image need before it, in whole pages. */
size_t counters_room(const struct image *image);

/* Writes the trampolines to memory->trampolines and changes the packets. The memory is writable. Logs the packets that cannot be changed. */
void counters_patch(const struct image *image, const struct link_memory *memory, const char *name);

/* If the address is in a trampoline of the image, returns the address of the packet that it stands for.
 * Otherwise, returns the address itself. Signal handlers can call it. */
uintptr_t counters_origin(const struct link_memory *memory, uintptr_t address);

#endif
