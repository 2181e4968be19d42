/* log.c: writes messages of the library and FARF messages of the ARM side to standard error. */
#include "log.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cdsprpc.h"
#include "text.h"

#define LINE_MAX_BYTES 8192
#define LEVEL_ERROR 3

EXPORT void HAP_debug(const char *text, int level, const char *file, int line);
EXPORT void HAP_debug_v2(int level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
EXPORT void HAP_debug_runtime(int level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes the line with one write, so that lines of several programs do not mix. */
static void put_line(struct text *text)
{
    while (text->used > 0 && text->bytes[text->used - 1] == '\n') {
        text->used--;
    }
    text->bytes[text->used] = '\n'; /* replaces the terminator */
    if (write(STDERR_FILENO, text->bytes, text->used + 1) < 0) {
        return;
    }
}

void log_message(const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    struct text text = text_start(line, sizeof line);
    va_list arguments;
    text_add(&text, "libcdsprpc: ");
    va_start(arguments, format);
    text_add_list(&text, format, arguments);
    va_end(arguments);
    put_line(&text);
}

static struct {
    pthread_once_t once;
    unsigned int mask;
} levels = {.once = PTHREAD_ONCE_INIT, .mask = UINT_MAX};

static void read_levels(void)
{
    const char *text = getenv("BUILDTOOL_SIM_FARF");
    char *rest = NULL;
    if (text == NULL || text[0] == 0) {
        return;
    }
    unsigned long mask = strtoul(text, &rest, 0);
    if (*rest == 0 && mask <= UINT_MAX && strchr(text, '-') == NULL) {
        levels.mask = (unsigned int)mask;
    } else {
        log_message(
            "BUILDTOOL_SIM_FARF is no mask of levels, so all messages are shown: \"%.40s\"; "
            "0x18 shows errors only, 0 nothing",
            text);
    }
}

unsigned int log_levels(void)
{
    pthread_once(&levels.once, read_levels);
    return levels.mask;
}

static void put_farf(int level, const char *file, int number, const char *format, va_list arguments)
{
    static const char *const names[] = {"LOW", "MEDIUM", "HIGH", "ERROR", "FATAL"};
    char line[LINE_MAX_BYTES];
    struct text text = text_start(line, sizeof line);
    if (level >= 0 && level <= 4 && (log_levels() >> level & 1u) == 0) {
        return;
    }
    text_add(&text, "[arm] %s %s:%d: ", level >= 0 && level <= 4 ? names[level] : "LOG", file,
             number);
    text_add_list(&text, format, arguments);
    put_line(&text);
}

void HAP_debug_v2(int level, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_farf(level, file, line, format, arguments);
    va_end(arguments);
}

void HAP_debug(const char *text, int level, const char *file, int line)
{
    HAP_debug_v2(level, file, line, "%s", text);
}

/* A runtime message is written only when a mask enables its level. Masks are not emulated: as with
 * the default mask of devices, errors are written. */
void HAP_debug_runtime(int level, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    if (level < LEVEL_ERROR) {
        return;
    }
    va_start(arguments, format);
    put_farf(level, file, line, format, arguments);
    va_end(arguments);
}
