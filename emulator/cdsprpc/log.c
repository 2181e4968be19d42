/* log.c: lines to standard error: the library's own, and FARF of the ARM side. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define LINE_MAX_BYTES 8192
#define LEVEL_ERROR 3

EXPORT void HAP_debug(const char *text, int level, const char *file, int line);
EXPORT void HAP_debug_v2(int level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
EXPORT void HAP_debug_runtime(int level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* One write a line, so that lines of several programs do not mix. */
static void put_line(char *text, size_t room, int used)
{
    size_t length = used < 0 ? 0 : (size_t)used;
    length = length < room - 1 ? length : room - 2;
    while (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    text[length] = '\n';
    if (write(STDERR_FILENO, text, length + 1) < 0) {
        return;
    }
}

void say(const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    int used = snprintf(text, sizeof text, "libcdsprpc: ");
    va_list arguments;
    va_start(arguments, format);
    used += vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    put_line(text, sizeof text, used);
}

static void put_farf(int level, const char *file, int line, const char *format, va_list arguments)
{
    static const char *const names[] = {"LOW", "MEDIUM", "HIGH", "ERROR", "FATAL"};
    char text[LINE_MAX_BYTES];
    const char *name = level >= 0 && level <= 4 ? names[level] : "LOG";
    int used = snprintf(text, sizeof text, "[arm] %s %s:%d: ", name, file, line);
    if (used < 0 || (size_t)used >= sizeof text) {
        return;
    }
    used += vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    put_line(text, sizeof text, used);
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

/* Runtime messages are off until a mask turns them on; a device's default mask lets
 * errors through. */
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
