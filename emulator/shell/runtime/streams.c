/* streams.c: creates and closes the FILEs of skels. */
#define _GNU_SOURCE
#include "streams.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

#define MAGIC 0x46494c45u
#define LOG_BUFFER 1024

/* The fields before `magic` stand for those of Dinkumware's FILE: the mode, the handle, and pointers
 * into the buffer. */
struct stream {
    unsigned short mode;
    unsigned char index;
    int handle;
    const void *pointers[30];
    uint32_t magic;
    FILE *host; /* NULL for a standard stream until its first use */
};

static struct stream in = {.magic = MAGIC, .handle = 0};
static struct stream out = {.magic = MAGIC, .handle = 1};
static struct stream error = {.magic = MAGIC, .handle = 2};

struct stream *stream_files[STREAMS_MAX] = {&in, &out, &error};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static ssize_t write_log(void *unused, const char *text, size_t length)
{
    (void)unused;
    shell_print(text, length);
    return (ssize_t)length;
}

/* A DSP has no standard input. stdout and stderr go to the log; their buffer keeps the output of
 * one call together. */
static void open_standard(void)
{
    static char buffers[2][LOG_BUFFER];
    static const cookie_io_functions_t log = {.write = write_log};
    in.host = fopen("/dev/null", "re");
    out.host = fopencookie(NULL, "w", log);
    error.host = fopencookie(NULL, "w", log);
    if (in.host == NULL || out.host == NULL || error.host == NULL) {
        die("no memory for the standard streams");
    }
    setvbuf(out.host, buffers[0], _IOFBF, LOG_BUFFER);
    setvbuf(error.host, buffers[1], _IOFBF, LOG_BUFFER);
}

static bool is_standard(const struct stream *stream)
{
    return stream == &in || stream == &out || stream == &error;
}

struct stream *stream_in(void)
{
    return &in;
}

struct stream *stream_out(void)
{
    return &out;
}

struct stream *stream_error(void)
{
    return &error;
}

FILE *stream_host(struct stream *stream)
{
    if (stream == NULL || stream->magic != MAGIC) {
        die("the skel passed %p as a FILE, which it is not (closed already?)", (void *)stream);
    }
    if (stream->host == NULL && is_standard(stream)) {
        pthread_once(&opened, open_standard);
    }
    if (stream->host == NULL) {
        die("the skel uses a FILE of _Fofind that _Foprep has not opened");
    }
    return stream->host;
}

int stream_wrote(struct stream *stream, int result)
{
    if (stream == &out || stream == &error) {
        fflush(stream->host);
    }
    return result;
}

/* Dinkumware's functions behind fopen: find a FILE that is free, free it, and open it, by the path or
 * by a descriptor that is not negative. find_free returns NULL, with EMFILE, when STREAMS_MAX are
 * open. */
static struct stream *find_free(void)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    stream->magic = MAGIC;
    pthread_mutex_lock(&lock);
    for (unsigned char i = 3; i < STREAMS_MAX; i++) {
        if (stream_files[i] == NULL) {
            stream_files[i] = stream;
            stream->index = i;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (stream->index == 0) {
        free(stream);
        errno = EMFILE;
        return NULL;
    }
    return stream;
}

static void release(struct stream *stream)
{
    pthread_mutex_lock(&lock);
    stream_files[stream->index] = NULL;
    pthread_mutex_unlock(&lock);
    stream->magic = 0;
    free(stream);
}

static struct stream *open_found(const char *path, const char *mode, struct stream *stream, int fd)
{
    FILE *host = stream == NULL ? NULL : fd >= 0 ? fdopen(fd, mode) : fopen(path, mode);
    if (host == NULL) {
        if (stream != NULL) {
            release(stream);
        }
        return NULL;
    }
    stream->host = host;
    stream->handle = fileno(host);
    return stream;
}

struct stream *stream_open(const char *path, const char *mode, int fd)
{
    return open_found(path, mode, find_free(), fd);
}

struct stream *stream_make(FILE *host)
{
    struct stream *stream = host == NULL ? NULL : find_free();
    if (stream == NULL) {
        if (host != NULL) {
            fclose(host);
        }
        return NULL;
    }
    stream->host = host;
    stream->handle = fileno(host);
    return stream;
}

int stream_close(struct stream *stream)
{
    FILE *host = stream_host(stream);
    if (is_standard(stream)) {
        return fflush(host); /* the shell keeps these open */
    }
    release(stream);
    return fclose(host);
}

/* Closes all files that skels opened. */
static void close_all(void)
{
    for (int i = 3; i < STREAMS_MAX; i++) {
        if (stream_files[i] != NULL && stream_files[i]->host != NULL) {
            stream_close(stream_files[i]);
        }
    }
}

const struct shell_symbol streams_symbols[] = {
    {"_Stdin", &in},
    {"_Stdout", &out},
    {"_Stderr", &error},
    {"_Files", stream_files},
    EXPORT_AS("_Closreg", close_all),
    EXPORT_AS("_Fofind", find_free),
    EXPORT_AS("_Fofree", release),
    EXPORT_AS("_Foprep", open_found),
    EXPORT_END,
};
