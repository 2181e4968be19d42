/* streams.c: the standard streams of a DSP program, which are those of the host program. */
#include "streams.h"

#include "qurt.h"

static char own[3]; /* their addresses are the FILEs of the standard streams */
OWN void *const stdin = &own[STREAM_IN];
OWN void *const stdout = &own[STREAM_OUT];
OWN void *const stderr = &own[STREAM_ERROR];
/* Those of the SDK's headers are the shell's. */
extern char _Stdin[] __attribute__((weak)), _Stdout[] __attribute__((weak)),
    _Stderr[] __attribute__((weak));

static const struct dsp_streams *streams;

int buildtool_stream(const void *file)
{
    if (file == stdin || file == _Stdin)
        return STREAM_IN;
    if (file == stdout || file == _Stdout)
        return STREAM_OUT;
    return file == stderr || file == _Stderr ? STREAM_ERROR : -1;
}

/* What constructors write: the stream and the length of each part come before its bytes. */
static struct {
    char *bytes;
    size_t used;
} early;

static void write_early(int stream, const void *bytes, size_t size)
{
    const size_t head[] = {(size_t)stream, size};
    char *more = realloc(early.bytes, early.used + sizeof head + size);

    if (more == NULL)
        return;
    early.bytes = more;
    memcpy(more + early.used, head, sizeof head);
    memcpy(more + early.used + sizeof head, bytes, size);
    early.used += sizeof head + size;
}

/* Single characters of standard output, until the end of the line. */
static struct {
    qurt_mutex_t lock;
    unsigned char bytes[1024];
    size_t used;
} line;

/* Writes after the characters of `line`. */
static void write_after_line(int stream, const void *bytes, size_t size)
{
    qurt_mutex_lock(&line.lock);
    streams->write(STREAM_OUT, line.bytes, line.used);
    line.used = 0;
    streams->write(stream, bytes, size);
    qurt_mutex_unlock(&line.lock);
}

void buildtool_end_line(void)
{
    if (streams != NULL)
        write_after_line(STREAM_OUT, NULL, 0);
}

int buildtool_redirected[3];

void buildtool_write(int stream, const void *bytes, size_t size)
{
    if (buildtool_redirected[stream] != 0) {
        __real_write(buildtool_redirected[stream] - 1, bytes, size);
        return;
    }
    if (streams == NULL) {
        write_early(stream, bytes, size);
        return;
    }
    write_after_line(stream, bytes, size);
    if (stream == STREAM_ERROR)
        streams->flush(); /* so that it is not lost when the program crashes */
}

void buildtool_flush(void)
{
    if (streams == NULL)
        return;
    buildtool_end_line();
    streams->flush();
}

void buildtool_attach(const struct dsp_streams *of_loader)
{
    size_t head[2];

    qurt_mutex_init(&line.lock);
    streams = of_loader;
    for (size_t at = 0; at < early.used; at += sizeof head + head[1]) {
        memcpy(head, early.bytes + at, sizeof head);
        streams->write((int)head[0], early.bytes + at + sizeof head, head[1]);
    }
    free(early.bytes);
}

int buildtool_put(int stream, int character)
{
    const unsigned char byte = (unsigned char)character;

    if (stream != STREAM_OUT || streams == NULL || buildtool_redirected[stream] != 0 ||
        byte == '\n') {
        buildtool_write(stream, &byte, 1);
        return byte;
    }
    qurt_mutex_lock(&line.lock);
    line.bytes[line.used++] = byte;
    if (line.used == sizeof line.bytes) {
        streams->write(STREAM_OUT, line.bytes, line.used);
        line.used = 0;
    }
    qurt_mutex_unlock(&line.lock);
    return byte;
}

size_t buildtool_read(void *bytes, size_t room)
{
    if (streams == NULL)
        return 0;
    buildtool_end_line(); /* a prompt */
    return streams->read(bytes, room);
}
