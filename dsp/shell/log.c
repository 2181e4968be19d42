/* log.c: lines to the standard error of the client, which is open as WIRE_FD_LOG. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core.h"

#define LINE_MAX_BYTES 1024

static const char *level_name(int level)
{
    static const char *const names[] = {"LOW", "MEDIUM", "HIGH", "ERROR", "FATAL"};
    return level >= SHELL_LOW && level <= SHELL_FATAL ? names[level] : "LOG";
}

/* One write a line: lines of threads and of programs do not mix. */
void shell_log(int level, const char *file, int line, const char *text)
{
    char buffer[LINE_MAX_BYTES];
    int used = file == NULL
                   ? snprintf(buffer, sizeof buffer, "[dsp] %s: ", level_name(level))
                   : snprintf(buffer, sizeof buffer, "[dsp] %s %s:%d: ", level_name(level), file,
                              line);
    size_t at = used < 0 ? 0 : (size_t)used;
    at = at < sizeof buffer - 2 ? at : sizeof buffer - 2;
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    length = length < sizeof buffer - 1 - at ? length : sizeof buffer - 1 - at;
    memcpy(buffer + at, text, length);
    buffer[at + length] = '\n';
    if (write(WIRE_FD_LOG, buffer, at + length + 1) < 0) {
        return; /* nobody reads */
    }
}

void shell_say(int level, const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    shell_log(level, NULL, 0, text);
}
