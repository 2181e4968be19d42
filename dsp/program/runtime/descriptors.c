/* descriptors.c: what else programs do with the standard streams, as files and by their numbers. */
#include "streams.h"

/* Functions with one parameter, a FILE, and what they return for a standard stream. */
#define OF_FILE(name, result)                               \
    int __real_##name(struct file *file);                   \
    OWN int __wrap_##name(struct file *file)                \
    {                                                       \
        const int stream = buildtool_stream(file);          \
        return stream < 0 ? __real_##name(file) : (result); \
    }
OF_FILE(fclose, 0)
OF_FILE(ferror, 0)
OF_FILE(fileno, stream)
OF_FILE(ftell, -1)
OF_FILE(clearerr, 0) /* returns nothing, in a register that nobody reads */
OF_FILE(rewind, 0)

int __real_fseek(struct file *file, long offset, int from);

OWN int __wrap_fseek(struct file *file, long offset, int from)
{
    return buildtool_stream(file) < 0 ? __real_fseek(file, offset, from) : -1;
}

int __real_setvbuf(struct file *file, char *buffer, int mode, size_t size);

OWN int __wrap_setvbuf(struct file *file, char *buffer, int mode, size_t size)
{
    return buildtool_stream(file) < 0 ? __real_setvbuf(file, buffer, mode, size) : 0;
}

void __real_setbuf(struct file *file, char *buffer);

OWN void __wrap_setbuf(struct file *file, char *buffer)
{
    if (buildtool_stream(file) < 0)
        __real_setbuf(file, buffer);
}

/* ---- descriptors ---- */

int __real_read(int descriptor, void *to, size_t room);

OWN int __wrap_read(int descriptor, void *to, size_t room)
{
    return descriptor == STREAM_IN ? (int)buildtool_read(to, room)
                                   : __real_read(descriptor, to, room);
}

OWN int __wrap_write(int descriptor, const void *from, size_t size)
{
    if (descriptor != STREAM_OUT && descriptor != STREAM_ERROR)
        return __real_write(descriptor, from, size);
    buildtool_write(descriptor, from, size);
    return (int)size;
}

/* Standard output and errors can go to a file and back, as tests of output need it: a copy of one is
 * COPY_OF and its number.  No shell exports dup and dup2. */
#define COPY_OF 0x10000

static int bad_descriptor(void)
{
    *_Geterrno() = 9; /* EBADF */
    return -1;
}

OWN int dup(int descriptor)
{
    const bool is_output = descriptor == STREAM_OUT || descriptor == STREAM_ERROR;

    return is_output ? COPY_OF + descriptor : bad_descriptor();
}

int __real_close(int descriptor);

static bool is_closed[3]; /* the program has closed the file that the stream still goes to */

OWN int dup2(int from, int to)
{
    const bool is_back = from == to || from == COPY_OF + to;

    if ((to != STREAM_OUT && to != STREAM_ERROR) || (!is_back && (from < 3 || from >= COPY_OF)))
        return bad_descriptor();
    buildtool_end_line();
    if (is_closed[to])
        __real_close(buildtool_redirected[to] - 1);
    is_closed[to] = false;
    buildtool_redirected[to] = is_back ? 0 : from + 1;
    return to;
}

OWN int __wrap_close(int descriptor)
{
    bool is_used = false;

    for (int stream = STREAM_OUT; stream <= STREAM_ERROR; stream++) {
        if (buildtool_redirected[stream] != 0 && buildtool_redirected[stream] == descriptor + 1)
            is_used = is_closed[stream] = true;
    }
    return is_used || descriptor >= COPY_OF ? 0 : __real_close(descriptor);
}

int __real_isatty(int descriptor);

OWN int __wrap_isatty(int descriptor)
{
    return descriptor > STREAM_ERROR && __real_isatty(descriptor);
}
