/* user_dma.h: executes the instructions of user DMA, which qemu lacks: dmstart, dmlink, dmpoll,
 * dmwait, dmpause and dmresume. A packet with one of them is replaced by a jump to a stub, which
 * calls a function and jumps back. */
#ifndef BUILDTOOL_SHELL_USER_DMA_H
#define BUILDTOOL_SHELL_USER_DMA_H

#include "link.h"
#include "translate/functions.h"

bool is_user_dma(uint32_t word);

/* Returns the bytes that the stubs of an image need before it, in whole pages. */
size_t user_dma_room(const struct image *image, const struct functions *functions);

/* Writes the stubs to memory->user_dma and changes the packets. The memory is writable. */
void user_dma_patch(const struct image *image, const struct functions *functions,
                    const struct link_memory *memory);

/* If the address is in a stub of the image, returns the address of the packet that it stands for.
 * Otherwise, returns the address itself. Signal handlers can call it. */
uintptr_t user_dma_origin(const struct link_memory *memory, uintptr_t address);

#endif
