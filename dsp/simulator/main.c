/* main.c: the library whose main the SDK's run_main_on_hexagon_sim calls: NAME=VALUE...
 * PROGRAM.so ARGUMENT...
 *
 * It runs the program as loader.c does on a DSP.  What the program writes is in lines that begin with
 * MARK, as the simulator prints lines of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define MARK "buildtool "
#define RTLD_NOW 2

void *dlopen(const char *library, int flags);
void *dlsym(void *library, const char *name);
char *dlerror(void);
unsigned long long qurt_get_core_pcycles(void);

static struct {
    char bytes[160];
    size_t used;
} lines[STREAM_ERROR + 1];

/* `end` is '|' at the end of a line, '.' if the line goes on. */
static void put(int stream, char end)
{
    printf(MARK "%d%c%.*s\n", stream, end, (int)lines[stream].used, lines[stream].bytes);
    lines[stream].used = 0;
}

static void stream_write(int stream, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0; size--, at++) {
        if (*at == '\n') {
            put(stream, '|');
            continue;
        }
        lines[stream].bytes[lines[stream].used++] = *at;
        if (lines[stream].used == sizeof lines[stream].bytes)
            put(stream, '.');
    }
}

static void stream_flush(void)
{
    for (int stream = STREAM_OUT; stream <= STREAM_ERROR; stream++)
        if (lines[stream].used > 0)
            put(stream, '.');
}

static size_t stream_read(void *bytes, size_t room)
{
    (void)bytes;
    (void)room;
    return 0;
}

static unsigned long long begin;

static int end(int status)
{
    const unsigned long long cycles = qurt_get_core_pcycles() - begin;

    stream_flush();
    printf(MARK "end %d %llu\n", status, cycles);
    return status;
}

static __attribute__((noreturn)) void stream_leave(int status)
{
    exit(end(status));
}

static const struct dsp_streams streams = {stream_write, stream_flush, stream_read, stream_leave};

int main(int count, char **arguments)
{
    program_entry *entry;
    int (*plain)(int, char **);
    int at = 1;

    /* The variables go into the place of the name of this library, before a NULL. */
    for (; at < count && strchr(arguments[at], '=') != NULL; at++)
        arguments[at - 1] = arguments[at];
    arguments[at - 1] = NULL;
    printf(MARK "begin\n");
    void *library = at < count ? dlopen(arguments[at], RTLD_NOW) : NULL;
    if (library == NULL) {
        const char *reason = at < count ? dlerror() : NULL;
        printf(MARK "%d|%s\n", STREAM_ERROR, reason == NULL ? "it cannot be loaded" : reason);
        return end(127);
    }
    *(void **)&entry = dlsym(library, PROGRAM_ENTRY);
    *(void **)&plain = dlsym(library, "main");
    begin = qurt_get_core_pcycles();
    if (entry != NULL)
        return end(entry(&streams, count - at, arguments + at, arguments));
    return end(plain == NULL ? 127 : plain(count - at, arguments + at));
}
