/* stops.h: stops a skel at instructions that qemu does not execute: floating point of HVX.
 *
 * qemu ends itself when it translates such an instruction, or takes it for another one. So each
 * packet that contains one is replaced by a jump to code that faults. */
#ifndef BUILDTOOL_SHELL_STOPS_H
#define BUILDTOOL_SHELL_STOPS_H

#include "link.h"

/* Whether a word is such an instruction. */
bool stops_word(uint32_t word);

/* Returns the bytes that the stops of an image need before it, in whole pages. */
size_t stops_room(const struct image *image);

/* Writes the stops to memory->stops and changes the packets. The memory is writable. */
void stops_patch(const struct image *image, const struct link_memory *memory);

/* If the address is in a stop of the image, returns the address of the packet that it stands for
 * and stores the instruction. Otherwise, returns the address itself. Signal handlers can call it. */
uintptr_t stops_origin(const struct link_memory *memory, uintptr_t address,
                       const char **instruction);

#endif
