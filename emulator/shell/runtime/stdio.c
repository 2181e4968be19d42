/* stdio.c: functions that print and scan, with QuRT's convention for variadic functions.
 *
 * A device writes the standard output of a skel to its log, with the level HIGH (Hexagon SDK,
 * "Messaging resources"). */
#define _GNU_SOURCE
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <wchar.h>

#include "heap.h"
#include "runtime.h"
#include "streams.h"
#include "variadic.h"

#pragma clang diagnostic ignored "-Wformat-nonliteral"

typedef struct stream FILE_;

/* The functions that the VARIADIC_ENTRY entries call. */
int stdio_print(const char *format, const char *arguments);
int stdio_file_print(FILE_ *file, const char *format, const char *arguments);
int stdio_format(char *out, const char *format, const char *arguments);
int stdio_scan(const char *format, const char *arguments);
int stdio_file_scan(FILE_ *file, const char *format, const char *arguments);
int stdio_text_scan(const char *text, const char *format, const char *arguments);
int stdio_wide_print(const wchar_t *format, const char *arguments);
int stdio_wide_file_print(FILE_ *file, const wchar_t *format, const char *arguments);
int stdio_wide_format(wchar_t *out, size_t room, const wchar_t *format, const char *arguments);
int stdio_wide_scan(const wchar_t *format, const char *arguments);
int stdio_wide_file_scan(FILE_ *file, const wchar_t *format, const char *arguments);
int stdio_wide_text_scan(const wchar_t *text, const wchar_t *format, const char *arguments);

int variadic_format(char *out, size_t room, const char *format, const char *arguments)
{
    int length = vsnprintf(out, room, format, VARIADIC_LIST(arguments));
    if (length < 0) { /* not a valid format; the reader of the log wants to see it */
        return snprintf(out, room, "%s", format);
    }
    return length;
}

int stdio_file_print(FILE_ *file, const char *format, const char *arguments)
{
    return stream_wrote(file, vfprintf(stream_host(file), format, VARIADIC_LIST(arguments)));
}

int stdio_print(const char *format, const char *arguments)
{
    return stdio_file_print(stream_out(), format, arguments);
}

int stdio_format(char *out, const char *format, const char *arguments)
{
    return variadic_format(out, INT_MAX, format, arguments);
}

int stdio_file_scan(FILE_ *file, const char *format, const char *arguments)
{
    return vfscanf(stream_host(file), format, VARIADIC_LIST(arguments));
}

int stdio_scan(const char *format, const char *arguments)
{
    return stdio_file_scan(stream_in(), format, arguments);
}

int stdio_text_scan(const char *text, const char *format, const char *arguments)
{
    return vsscanf(text, format, VARIADIC_LIST(arguments));
}

int stdio_wide_file_print(FILE_ *file, const wchar_t *format, const char *arguments)
{
    return stream_wrote(file, vfwprintf(stream_host(file), format, VARIADIC_LIST(arguments)));
}

int stdio_wide_print(const wchar_t *format, const char *arguments)
{
    return stdio_wide_file_print(stream_out(), format, arguments);
}

int stdio_wide_format(wchar_t *out, size_t room, const wchar_t *format, const char *arguments)
{
    return vswprintf(out, room, format, VARIADIC_LIST(arguments));
}

int stdio_wide_file_scan(FILE_ *file, const wchar_t *format, const char *arguments)
{
    return vfwscanf(stream_host(file), format, VARIADIC_LIST(arguments));
}

int stdio_wide_scan(const wchar_t *format, const char *arguments)
{
    return stdio_wide_file_scan(stream_in(), format, arguments);
}

int stdio_wide_text_scan(const wchar_t *text, const wchar_t *format, const char *arguments)
{
    return vswscanf(text, format, VARIADIC_LIST(arguments));
}

VARIADIC_ENTRY(variadic_snprintf, r3, variadic_format);
VARIADIC_ENTRY(variadic_printf, r1, stdio_print);
VARIADIC_ENTRY(variadic_fprintf, r2, stdio_file_print);
VARIADIC_ENTRY(variadic_sprintf, r2, stdio_format);
VARIADIC_ENTRY(variadic_scanf, r1, stdio_scan);
VARIADIC_ENTRY(variadic_fscanf, r2, stdio_file_scan);
VARIADIC_ENTRY(variadic_sscanf, r2, stdio_text_scan);
VARIADIC_ENTRY(variadic_wprintf, r1, stdio_wide_print);
VARIADIC_ENTRY(variadic_fwprintf, r2, stdio_wide_file_print);
VARIADIC_ENTRY(variadic_swprintf, r3, stdio_wide_format);
VARIADIC_ENTRY(variadic_wscanf, r1, stdio_wide_scan);
VARIADIC_ENTRY(variadic_fwscanf, r2, stdio_wide_file_scan);
VARIADIC_ENTRY(variadic_swscanf, r2, stdio_wide_text_scan);

void variadic_fprintf(void), variadic_scanf(void), variadic_fscanf(void), variadic_sscanf(void);
void variadic_wprintf(void), variadic_fwprintf(void), variadic_swprintf(void);
void variadic_wscanf(void), variadic_fwscanf(void), variadic_swscanf(void);

static int format_anew(char **out, const char *format, const char *arguments)
{
    int length = variadic_format(NULL, 0, format, arguments);
    *out = heap_malloc((size_t)length + 1);
    return *out == NULL ? -1 : variadic_format(*out, (size_t)length + 1, format, arguments);
}

/* Dinkumware's functions behind the printf family: `put` receives `argument` and the text, and
 * returns the `argument` of its next call, or NULL on an error. (P. J. Plauger, "The Standard C
 * Library", 1992, <stdio.h>.) */
static int print_with(void *(*put)(void *, const char *, size_t), void *argument,
                      const char *format, const char *arguments)
{
    char *text;
    int length = format_anew(&text, format, arguments);
    if (length > 0 && put(argument, text, (size_t)length) == NULL) {
        length = -1;
    }
    heap_free(text);
    return length;
}

static int wide_print_with(void *(*put)(void *, const wchar_t *, size_t), void *argument,
                           const wchar_t *format, const char *arguments)
{
    for (size_t room = 256; room <= (1u << 20); room *= 4) {
        wchar_t *text = heap_calloc(room, sizeof *text);
        int length = text == NULL ? -1 : stdio_wide_format(text, room, format, arguments);
        if (length > 0 && put(argument, text, (size_t)length) == NULL) {
            room = 1u << 20;
            length = -1;
        }
        heap_free(text);
        if (text == NULL || length >= 0) {
            return length;
        }
    }
    return -1;
}

/* Dinkumware's function behind the scanf family: `get` returns the next character, or takes one back
 * when its last argument is 0. Older ones have no last argument, and return the next character for
 * EOF - 1. */
struct source {
    int (*get)(void *, int, int);
    void *argument;
};

static ssize_t read_source(void *cookie, char *to, size_t room)
{
    struct source *source = cookie;
    int character = room == 0 ? EOF : source->get(source->argument, EOF - 1, 1);
    if (character == EOF) {
        return 0;
    }
    *to = (char)character;
    return 1;
}

static int scan_with(int (*get)(void *, int, int), void *argument, const char *format,
                     const char *arguments)
{
    struct source source = {get, argument};
    FILE *file = fopencookie(&source, "r", (cookie_io_functions_t){.read = read_source});
    if (file == NULL) {
        return EOF;
    }
    int count = vfscanf(file, format, VARIADIC_LIST(arguments));
    while (__freadahead(file) > 0) {
        get(argument, fgetc(file), 0);
    }
    fclose(file);
    return count;
}

/* The same for wide characters, which reach musl as UTF-8. Both read one byte at a time, so that no
 * more than what is scanned is taken from the source. */
struct wide_source {
    int (*get)(void *, int, int);
    void *argument;
    char bytes[MB_LEN_MAX];
    size_t used, length;
};

static ssize_t read_wide_source(void *cookie, char *to, size_t room)
{
    struct wide_source *source = cookie;
    if (source->used == source->length && room > 0) {
        mbstate_t state = {0};
        int character = source->get(source->argument, EOF - 1, 1);
        size_t length = character == EOF ? 0 : wcrtomb(source->bytes, (wchar_t)character, &state);
        source->used = 0;
        source->length = length == (size_t)-1 ? 0 : length;
    }
    if (room == 0 || source->used == source->length) {
        return 0;
    }
    *to = source->bytes[source->used++];
    return 1;
}

static int wide_scan_with(int (*get)(void *, int, int), void *argument, const wchar_t *format,
                          const char *arguments)
{
    struct wide_source source = {.get = get, .argument = argument};
    FILE *file = fopencookie(&source, "r", (cookie_io_functions_t){.read = read_wide_source});
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
    if (file == NULL || utf8 == NULL) {
        die("no memory to scan text");
    }
    locale_t before = uselocale(utf8);
    int count = vfwscanf(file, format, VARIADIC_LIST(arguments));
    while (__freadahead(file) > 0) {
        get(argument, (int)fgetwc(file), 0);
    }
    uselocale(before);
    fclose(file);
    freelocale(utf8);
    return count;
}

const struct shell_symbol stdio_symbols[] = {
    EXPORT_AS("printf", variadic_printf),
    EXPORT_AS("vprintf", stdio_print),
    EXPORT_AS("fprintf", variadic_fprintf),
    EXPORT_AS("vfprintf", stdio_file_print),
    EXPORT_AS("sprintf", variadic_sprintf),
    EXPORT_AS("vsprintf", stdio_format),
    EXPORT_AS("vasprintf", format_anew),
    EXPORT_AS("snprintf", variadic_snprintf),
    EXPORT_AS("vsnprintf", variadic_format),
    EXPORT_AS("scanf", variadic_scanf),
    EXPORT_AS("vscanf", stdio_scan),
    EXPORT_AS("fscanf", variadic_fscanf),
    EXPORT_AS("vfscanf", stdio_file_scan),
    EXPORT_AS("sscanf", variadic_sscanf),
    EXPORT_AS("vsscanf", stdio_text_scan),
    EXPORT_AS("wprintf", variadic_wprintf),
    EXPORT_AS("vwprintf", stdio_wide_print),
    EXPORT_AS("fwprintf", variadic_fwprintf),
    EXPORT_AS("vfwprintf", stdio_wide_file_print),
    EXPORT_AS("swprintf", variadic_swprintf),
    EXPORT_AS("vswprintf", stdio_wide_format),
    EXPORT_AS("wscanf", variadic_wscanf),
    EXPORT_AS("vwscanf", stdio_wide_scan),
    EXPORT_AS("fwscanf", variadic_fwscanf),
    EXPORT_AS("vfwscanf", stdio_wide_file_scan),
    EXPORT_AS("swscanf", variadic_swscanf),
    EXPORT_AS("vswscanf", stdio_wide_text_scan),
    EXPORT_AS("_Printf", print_with),
    EXPORT_AS("_WPrintf", wide_print_with),
    EXPORT_AS("_Scanf", scan_with),
    EXPORT_AS("_WScanf", wide_scan_with),
    EXPORT_END,
};
