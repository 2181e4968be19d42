/* streams.h: the FILE of skels, and the stream of the shell that is behind it.
 *
 * The C library of the DSP is Dinkumware's. Its FILE is public: stdin, stdout and stderr are objects
 * of the library (_Stdin, _Stdout, _Stderr) whose address a skel takes, and the macros of its
 * headers may read characters from the pointers in it, as long as these differ. Here they are all
 * NULL, so that a macro calls the function. */
#ifndef BUILDTOOL_RUNTIME_STREAMS_H
#define BUILDTOOL_RUNTIME_STREAMS_H

#include <stdio.h>

#define STREAMS_MAX 20 /* FOPEN_MAX of the library */

struct stream;

extern struct stream *stream_files[STREAMS_MAX];

/* Returns the shell's stream. Ends the process if the skel passes something else than a FILE. */
FILE *stream_host(struct stream *stream);

/* Writes what was printed to stdout or stderr to the log. Returns `result`. */
int stream_wrote(struct stream *stream, int result);

/* Opens a path, or a descriptor that is not negative. Returns NULL and sets errno on an error, which
 * is EMFILE when STREAMS_MAX files are open. */
struct stream *stream_open(const char *path, const char *mode, int fd);

/* Returns a FILE for a stream of the shell, or NULL if `host` is. With STREAMS_MAX open files, it
 * closes the stream, sets errno to EMFILE and returns NULL. */
struct stream *stream_make(FILE *host);

/* The standard streams. */
struct stream *stream_in(void);
struct stream *stream_out(void);
struct stream *stream_error(void);

/* fclose. */
int stream_close(struct stream *stream);

#endif
