/* streams.h: what the files have in common that stand for the standard streams of the C library.
 *
 * A DSP shell writes what its printf gets to the log of the DSP, and has no input.  Functions of
 * streams that programs open, of wide characters, and of text in memory are the shell's.  The linker
 * calls the __wrap_ functions in their place (--wrap), and the shell's __real_ in those of other files;
 * cmake/dsp_programs.cmake lists them. */
#ifndef BUILDTOOL_STREAMS_H
#define BUILDTOOL_STREAMS_H

#include "runtime.h"

#define END_OF_FILE (-1)

struct file; /* FILE */

extern void *const stderr;

/* The standard stream that a FILE is; -1 for other files. */
int buildtool_stream(const void *file);

/* Writes a character; those of standard output are kept until the end of the line. */
int buildtool_put(int stream, int character);
/* Writes what is kept of a line. */
void buildtool_end_line(void);

/* The file that a standard stream goes to after dup2(file, stream), plus 1. */
extern int buildtool_redirected[3];

int __real_write(int descriptor, const void *from, size_t size);

#endif
