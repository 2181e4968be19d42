/* program.h: what the loader of DSP programs and the library that is linked into each of them
 * know of each other, and the events that the host program gets. */
#ifndef BUILDTOOL_PROGRAM_H
#define BUILDTOOL_PROGRAM_H

#include <stddef.h>

enum { STREAM_IN, STREAM_OUT, STREAM_ERROR };

enum dsp_event {
    EVENT_INPUT,  /* it waits for input */
    EVENT_OUTPUT, /* it has written to standard output */
    EVENT_ERROR,  /* it has written to standard error */
    EVENT_NONE,   /* nothing has happened for some seconds */
    EVENT_END,    /* it has ended */
    EVENT_LEFT,   /* a thread other than that of main has ended it */
};

/* What the loader does for a program; all functions may be called in any thread. */
struct dsp_streams {
    /* Returns when the bytes are buffered. */
    void (*write)(int stream, const void *bytes, size_t size);
    /* Returns when the host program has all that was written. */
    void (*flush)(void);
    /* The number of bytes read; 0 at the end of the input. */
    size_t (*read)(void *bytes, size_t room);
    /* Ends the program from a thread other than that of main. */
    void (*leave)(int status) __attribute__((noreturn));
};

/* The symbol by which the loader finds the function of a program; without it, it calls main. */
#define PROGRAM_ENTRY "buildtool_dsp_program"
typedef int program_entry(const struct dsp_streams *streams, int count, char **arguments,
                          char **environment);

#endif
