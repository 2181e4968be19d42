/* stdio.c: functions that print to the DSP's log or to a buffer of the skel.
 *
 * A device writes the standard output of a skel to its log, with the level HIGH (Hexagon SDK,
 * "Messaging resources"). Streams are not available, because the FILE of the DSP's C library is not
 * documented. */
#include <limits.h>
#include <string.h>

#include "heap.h"
#include "runtime.h"
#include "variadic.h"

#define PRINTED_MAX 1024 /* bytes of one call; longer than a line of the log */

/* The functions that the VARIADIC_ENTRY entries call. */
int stdio_print(const char *format, const char *arguments);
int stdio_format(char *out, const char *format, const char *arguments);

int stdio_print(const char *format, const char *arguments)
{
    char text[PRINTED_MAX];
    int length = variadic_format(text, sizeof text, format, arguments);
    shell_print(text, strlen(text));
    return length;
}

int stdio_format(char *out, const char *format, const char *arguments)
{
    return variadic_format(out, INT_MAX, format, arguments);
}

VARIADIC_ENTRY(variadic_printf, r1, stdio_print);
VARIADIC_ENTRY(variadic_sprintf, r2, stdio_format);

static int format_anew(char **out, const char *format, const char *arguments)
{
    int length = variadic_format(NULL, 0, format, arguments);
    *out = heap_malloc((size_t)length + 1);
    return *out == NULL ? -1 : variadic_format(*out, (size_t)length + 1, format, arguments);
}

static int print_line(const char *text)
{
    shell_print(text, strlen(text));
    shell_print("\n", 1);
    return 0;
}

static int print_character(int character)
{
    char byte = (char)character;
    shell_print(&byte, 1);
    return (unsigned char)character;
}

const struct shell_symbol stdio_symbols[] = {
    EXPORT_AS("printf", variadic_printf),
    EXPORT_AS("vprintf", stdio_print),
    EXPORT_AS("puts", print_line),
    EXPORT_AS("putchar", print_character),
    EXPORT_AS("putchar_unlocked", print_character),
    EXPORT_AS("sprintf", variadic_sprintf),
    EXPORT_AS("vsprintf", stdio_format),
    EXPORT_AS("vasprintf", format_anew),
    EXPORT_AS("snprintf", variadic_snprintf),
    EXPORT_AS("vsnprintf", variadic_format),
    EXPORT_END,
};
