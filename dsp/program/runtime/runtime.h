/* runtime.h: what is linked into each DSP program, because a DSP shell has no streams, environment
 * and exit for it.
 *
 * The functions are weak: a program may have its own.  No header of the C library is included here,
 * as those of zig and of the Hexagon SDK declare streams, errno and assert() differently. */
#ifndef BUILDTOOL_RUNTIME_H
#define BUILDTOOL_RUNTIME_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program.h"

#define OWN __attribute__((weak))

/* Of DSP shells. */
int *_Geterrno(void);
char *strerror(int number);
int vsnprintf(char *out, size_t room, const char *format, va_list arguments);
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
void *memcpy(void *to, const void *from, size_t size);
int strncmp(const char *one, const char *other, size_t size);
size_t strlen(const char *text);

/* Before main is called, output of constructors is kept, and there is no input. */
void buildtool_write(int stream, const void *bytes, size_t size);
void buildtool_flush(void);
size_t buildtool_read(void *bytes, size_t room);

/* Destroys the thread-local objects of the calling thread, if there may be any. */
extern void (*buildtool_end_thread)(void *unused);

/* From now on the streams are those of the loader. */
void buildtool_attach(const struct dsp_streams *streams);

#endif
