/* user_dma.h: what the instructions of user DMA do, which qemu lacks. */
#ifndef BUILDTOOL_SHELL_USER_DMA_H
#define BUILDTOOL_SHELL_USER_DMA_H

#include <stdint.h>

/* dmstart: starts a chain of descriptors, of which this is the address of the first one. */
void user_dma_start(uint32_t first);

/* dmlink: starts a chain behind a descriptor, if there is one. */
void user_dma_link(uint32_t last, uint32_t first);

/* dmpoll, dmwait and dmpause: ends what this thread has started, and returns the state: 0, idle. */
uint64_t user_dma_finish(void);

#endif
