/* log.c: writes lines to WIRE_FD_LOG, the standard error of the client. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "text.h"
#include "trace.h"

#define LINE_MAX_BYTES 1024

static const char *level_name(int level)
{
    static const char *const names[] = {"LOW", "MEDIUM", "HIGH", "ERROR", "FATAL"};
    return level >= SHELL_LOW && level <= SHELL_FATAL ? names[level] : "LOG";
}

/* Writes the line with one write, so that lines of several threads and programs do not mix. A trace
 * has also those that are not shown. */
static void put(int level, const char *file, int number, const char *message, bool is_shown)
{
    char line[LINE_MAX_BYTES];
    struct text text = text_start(line, sizeof line);
    size_t length = strlen(message);
    while (length > 0 && message[length - 1] == '\n') {
        length--;
    }
    text_add(&text, "[dsp] %s", level_name(level));
    if (file != NULL) {
        text_add(&text, " %s:%d", file, number);
    }
    text_add(&text, ": %.*s", (int)length, message);
    trace_event(BT_TRACE_DSP_LOG, line);
    line[text.used] = '\n'; /* replaces the terminator */
    if (is_shown && write(WIRE_FD_LOG, line, text.used + 1) < 0) {
        return; /* the log has no reader; the line is lost */
    }
}

void shell_log(int level, const char *file, int number, const char *message)
{
    put(level, file, number, message, true);
}

void skel_log(int level, const char *file, int number, const char *message)
{
    const uint32_t levels = shell_facts()->levels;
    bool is_known = level >= 0 && level < 32;
    put(level, file, number, message, is_known ? (levels >> level & 1u) != 0 : levels != 0);
}

static struct {
    pthread_mutex_t lock;
    size_t length;
    char text[LINE_MAX_BYTES];
} printed = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The caller holds the lock. */
static void write_printed(void)
{
    printed.text[printed.length] = '\0';
    printed.length = 0;
    skel_log(SHELL_HIGH, NULL, 0, printed.text);
}

void shell_print(const char *text, size_t length)
{
    pthread_mutex_lock(&printed.lock);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || printed.length == sizeof printed.text - 1) {
            write_printed();
        }
        if (text[i] != '\n') {
            printed.text[printed.length++] = text[i];
        }
    }
    pthread_mutex_unlock(&printed.lock);
}

void log_end_line(void)
{
    pthread_mutex_lock(&printed.lock);
    if (printed.length > 0) {
        write_printed();
    }
    pthread_mutex_unlock(&printed.lock);
}

void shell_logf(int level, const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    shell_log(level, NULL, 0, text);
}

void die(const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    shell_log(SHELL_FATAL, NULL, 0, text);
    abort();
}
