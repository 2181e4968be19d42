/* sys/syscall.h: empty, since the DSP has no system calls of Linux.  libc++abi uses those that it finds. */
