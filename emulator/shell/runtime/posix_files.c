/* posix_files.c: file descriptors, directories, and the hash table of <search.h>.
 *
 * The structures (stat, statvfs, dirent) and the constants (O_CREAT, _SC_PAGESIZE) are musl's. Paths
 * are those of the program on the ARM64 side, as in files.c. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "runtime.h"
#include "variadic.h"

/* The functions that the VARIADIC_ENTRY entries call. */
int posix_open(const char *path, int flags, const char *arguments);
int posix_fcntl(int fd, int command, const char *arguments);

int posix_open(const char *path, int flags, const char *arguments)
{
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        memcpy(&mode, arguments, sizeof mode);
    }
    return open(path, flags | O_CLOEXEC, mode);
}

int posix_fcntl(int fd, int command, const char *arguments)
{
    int argument = 0;
    if (command != F_GETFD && command != F_GETFL) {
        memcpy(&argument, arguments, sizeof argument);
    }
    return fcntl(fd, command, argument);
}

VARIADIC_ENTRY(variadic_open, r2, posix_open);
VARIADIC_ENTRY(variadic_fcntl, r2, posix_fcntl);

void variadic_open(void), variadic_fcntl(void);

/* Whether a descriptor is one of the skel's files. The lower ones connect the shell to its client. */
static bool is_file(int fd)
{
    if (fd <= WIRE_FD_LOG) {
        errno = EBADF;
        return false;
    }
    return true;
}

static ssize_t read_file(int fd, void *to, size_t size)
{
    return fd == 0 ? 0 : is_file(fd) ? read(fd, to, size) : -1;
}

/* Standard output and standard error are the log. */
static ssize_t write_file(int fd, const void *from, size_t size)
{
    if (fd == 1 || fd == 2) {
        shell_print(from, size);
        return (ssize_t)size;
    }
    return is_file(fd) ? write(fd, from, size) : -1;
}

static int close_file(int fd)
{
    return is_file(fd) ? close(fd) : -1;
}

/* off_t has 32 bits on the DSP. */
static long seek(int fd, long offset, int whence)
{
    return is_file(fd) ? (long)lseek(fd, offset, whence) : -1;
}

static int set_length(int fd, long length)
{
    return is_file(fd) ? ftruncate(fd, length) : -1;
}

/* sbrk: a heap of its own, because a skel expects that nobody else moves its end. */
static void *move_break(intptr_t increment)
{
    static char *start, *end;
    const intptr_t room = 16 << 20;
    if (start == NULL) {
        start = end = malloc((size_t)room);
    }
    intptr_t used = end - start;
    if (start == NULL || increment > room - used || increment < -used) {
        errno = ENOMEM;
        return (void *)-1;
    }
    char *before = end;
    end += increment;
    return before;
}

/* Dinkumware's function that gets memory for malloc: NULL when there is none. */
static void *get_memory(size_t size)
{
    void *block = size > INT32_MAX ? (void *)-1 : move_break((intptr_t)size);
    return block == (void *)-1 ? NULL : block;
}

/* clang-format off */
const struct shell_symbol posix_files_symbols[] = {
    EXPORT_AS("open", variadic_open), EXPORT_AS("fcntl", variadic_fcntl),
    EXPORT_AS("read", read_file), EXPORT_AS("write", write_file), EXPORT_AS("close", close_file),
    EXPORT_AS("lseek", seek), EXPORT_AS("ftruncate", set_length),
    EXPORT(access), EXPORT(stat), EXPORT(fstat), EXPORT(statvfs), EXPORT(isatty),
    EXPORT(unlink), EXPORT(mkdir), EXPORT(rmdir), EXPORT(getcwd), EXPORT(mkstemp), EXPORT(mktemp),
    EXPORT(opendir), EXPORT(readdir), EXPORT(closedir), EXPORT(getpid), EXPORT(sysconf),
    EXPORT(hcreate), EXPORT(hsearch), EXPORT(hdestroy),
    EXPORT_AS("sbrk", move_break), EXPORT_AS("_Getmem", get_memory),
    EXPORT_END,
};
/* clang-format on */
