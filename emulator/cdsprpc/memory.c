/* memory.c: memory for buffers. A memfd replaces a dma-buf. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int memory_file(size_t size)
{
    int fd = (int)syscall(SYS_memfd_create, "rpcmem", 1u /* MFD_CLOEXEC */);
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

const char *strict_mode(void)
{
    const char *mode = getenv("BUILDTOOL_SIM_STRICT");
    return mode != NULL && (strcmp(mode, "back") == 0 || strcmp(mode, "front") == 0) ? mode : "";
}
