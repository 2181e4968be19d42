/* farf.c: the functions that FARF calls. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "HAP_debug.h"
#include "runtime.h"
#include "variadic.h"

#define FILES_MAX 32
#define FILE_NAME_MAX 64

/* The parameters of HAP_setFARFRuntimeLoggingParams; at first those of the client's file. */
static struct {
    pthread_once_t once;
    unsigned int mask;       /* bit n: level n is logged */
    unsigned int file_count; /* 0: all files */
    char files[FILES_MAX][FILE_NAME_MAX];
} runtime_logging = {.once = PTHREAD_ONCE_INIT};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *backslash = strrchr(path, '\\');
    slash = backslash != NULL && (slash == NULL || backslash > slash) ? backslash : slash;
    return slash == NULL ? path : slash + 1;
}

static void set_file(unsigned int number, const char *name, size_t length)
{
    snprintf(runtime_logging.files[number], FILE_NAME_MAX, "%.*s", (int)length, name);
}

static void read_client_file(void)
{
    char *rest;
    runtime_logging.mask = (unsigned int)strtoull(shell_facts()->farf, &rest, 0);
    rest += strspn(rest, " \t");
    while (*rest != 0 && runtime_logging.file_count < FILES_MAX) {
        size_t length = strcspn(rest, ",");
        set_file(runtime_logging.file_count++, rest, length);
        rest += length + (rest[length] == ',');
    }
}

static bool shown(int level, const char *file)
{
    pthread_once(&runtime_logging.once, read_client_file);
    if (level < 0 || level > 31 || (runtime_logging.mask >> level & 1u) == 0) {
        return false;
    }
    for (unsigned int i = 0; i < runtime_logging.file_count; i++) {
        if (strcmp(runtime_logging.files[i], base_name(file)) == 0) {
            return true;
        }
    }
    return runtime_logging.file_count == 0;
}

static void print(int level, const char *file, int line, const char *format, const char *arguments)
{
    char text[MAX_FARF_LEN];
    variadic_format(text, sizeof text, format, arguments);
    skel_log(level, file == NULL ? NULL : base_name(file), line, text);
}

static void debug_message(const char *message, int level, const char *file, int line)
{
    skel_log(level, file == NULL ? NULL : base_name(file), line, message);
}

/* The functions that the VARIADIC_ENTRY entries call. */
void farf_debug(int level, const char *file, int line, const char *format, const char *arguments);
void farf_runtime(int level, const char *file, int line, const char *format, const char *arguments);

void farf_debug(int level, const char *file, int line, const char *format, const char *arguments)
{
    print(level, file, line, format, arguments);
}

void farf_runtime(int level, const char *file, int line, const char *format, const char *arguments)
{
    if (shown(level, file == NULL ? "" : file)) {
        print(level, file, line, format, arguments);
    }
}

VARIADIC_ENTRY(variadic_HAP_debug_v2, r4, farf_debug);
VARIADIC_ENTRY(variadic_HAP_debug_runtime, r4, farf_runtime);

int HAP_setFARFRuntimeLoggingParams(unsigned int mask, const char *files[],
                                    unsigned short numberOfFiles)
{
    unsigned int count = files == NULL ? 0 : numberOfFiles;
    count = count > FILES_MAX ? FILES_MAX : count;
    pthread_once(&runtime_logging.once, read_client_file);
    for (unsigned int i = 0; i < count; i++) {
        set_file(i, base_name(files[i]), FILE_NAME_MAX);
    }
    runtime_logging.file_count = count;
    runtime_logging.mask = mask;
    return 0;
}

const struct shell_symbol farf_symbols[] = {
    EXPORT_AS("HAP_debug", debug_message),
    EXPORT_AS("HAP_debug_v2", variadic_HAP_debug_v2),
    EXPORT_AS("HAP_debug_runtime", variadic_HAP_debug_runtime),
    EXPORT(HAP_setFARFRuntimeLoggingParams),
    EXPORT_END,
};
