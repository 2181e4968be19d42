/* numbers.c: Dinkumware's functions that read numbers from text: _Stod, _Stoul, _Stoflt and others.
 *
 * The macros of its headers call them: strtod(s, end) is _Stod(s, end, 0), where the last argument is
 * a power of ten, and strtol is _Stol. Names that begin with _W read wide characters, and those that
 * end in x report an error through a pointer. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "runtime.h"

#define NUMBER_MAX 512 /* characters of a number, and the white space before it */

/* Copies the start of a wide text, so that each wide character becomes one byte. */
static const char *narrow(char bytes[NUMBER_MAX], const wchar_t *text)
{
    size_t length = 0;
    while (length < NUMBER_MAX - 1 && text[length] > 0 && text[length] < 128) {
        bytes[length] = (char)text[length];
        length++;
    }
    bytes[length] = '\0';
    return bytes;
}

static void end_at(wchar_t **end, const wchar_t *text, const char *bytes, const char *rest)
{
    if (end != NULL) {
        *end = (wchar_t *)(uintptr_t)(text + (rest - bytes));
    }
}

/* Moves the decimal point of a number in a text, so that it is rounded once. */
static double read_scaled(const char *text, char **end, long power, bool single)
{
    char *rest;
    char copy[NUMBER_MAX];
    double value = single ? (double)strtof(text, &rest) : strtod(text, &rest);
    size_t length = (size_t)(rest - text);
    if (end != NULL) {
        *end = rest;
    }
    if (power == 0 || length == 0 || length > sizeof copy - 24 || value != value) {
        return value;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (strpbrk(copy, "xXnN") != NULL) { /* not decimal: hexadecimal or infinite */
        for (; power > 0; power--) {
            value *= 10;
        }
        for (; power < 0; power++) {
            value /= 10;
        }
        return value;
    }
    char *exponent = strpbrk(copy, "eE");
    long total = power + (exponent == NULL ? 0 : strtol(exponent + 1, NULL, 10));
    exponent = exponent == NULL ? copy + length : exponent;
    *exponent++ = 'e';
    if (total < 0) {
        *exponent++ = '-';
    }
    unsigned long size = total < 0 ? 0ul - (unsigned long)total : (unsigned long)total;
    for (unsigned long unit = 1000000000; unit > 0; unit /= 10) {
        *exponent++ = (char)('0' + size / unit % 10);
    }
    *exponent = '\0';
    return single ? (double)strtof(copy, NULL) : strtod(copy, NULL);
}

/* Defines the functions of a type: for text and wide text, with and without `error`. `call` is an
 * expression of `text`, `rest` and `argument`. */
#define CHECKED_READER(name, type, argument_type, call)                                           \
    static type name##_checked(const char *text, char **rest, argument_type argument, int *error) \
    {                                                                                             \
        int before = errno;                                                                       \
        errno = 0;                                                                                \
        type value = (type)(call);                                                                \
        int failed = errno == ERANGE ? ERANGE : 0;                                                \
        errno = failed != 0 ? failed : before;                                                    \
        if (error != NULL) {                                                                      \
            *error = failed;                                                                      \
        }                                                                                         \
        return value;                                                                             \
    }

#define READERS(name, type, argument_type, call)                            \
    CHECKED_READER(name, type, argument_type, call)                         \
    static type name(const char *text, char **rest, argument_type argument) \
    {                                                                       \
        return name##_checked(text, rest, argument, NULL);                  \
    }

#define WIDE_READERS(name, type, argument_type)                                                   \
    static type wide_##name##_checked(const wchar_t *text, wchar_t **end, argument_type argument, \
                                      int *error)                                                 \
    {                                                                                             \
        char bytes[NUMBER_MAX];                                                                   \
        char *rest;                                                                               \
        type value = name##_checked(narrow(bytes, text), &rest, argument, error);                 \
        end_at(end, text, bytes, rest);                                                           \
        return value;                                                                             \
    }                                                                                             \
    static type wide_##name(const wchar_t *text, wchar_t **end, argument_type argument)           \
    {                                                                                             \
        return wide_##name##_checked(text, end, argument, NULL);                                  \
    }

READERS(read_double, double, long, read_scaled(text, rest, argument, false))
READERS(read_float, float, long, read_scaled(text, rest, argument, true))
CHECKED_READER(read_long, long, int, strtol(text, rest, argument))
READERS(read_unsigned, unsigned long, int, strtoul(text, rest, argument))
READERS(read_long_long, long long, int, strtoll(text, rest, argument))
READERS(read_unsigned_long_long, unsigned long long, int, strtoull(text, rest, argument))
WIDE_READERS(read_double, double, long)
WIDE_READERS(read_float, float, long)
WIDE_READERS(read_unsigned, unsigned long, int)
WIDE_READERS(read_long_long, long long, int)
WIDE_READERS(read_unsigned_long_long, unsigned long long, int)

/* ---- the parts of a number ---- */

/* The results of _Stopfx. */
enum { IS_NOTHING = 0, IS_DECIMAL = 1, IS_HEX = 2, IS_INFINITE = 3, IS_NAN = 4, IS_NEGATIVE = 8 };

static bool digit_follows(const char *text, bool hex)
{
    text += *text == '.';
    return (*text >= '0' && *text <= '9') ||
           (hex && strchr("abcdefABCDEF", *text) != NULL && *text != '\0');
}

/* Says what kind of number a text begins with, and moves *text to its digits. */
static int read_prefix(const char **text, char **end)
{
    const char *start = *text;
    const char *at = start + strspn(start, " \t\n\v\f\r");
    int sign = *at == '-' ? IS_NEGATIVE : 0;
    int kind = IS_NOTHING;
    at += *at == '-' || *at == '+';
    if (strncasecmp(at, "nan", 3) == 0) {
        kind = IS_NAN;
        at += 3;
    } else if (strncasecmp(at, "inf", 3) == 0) {
        kind = IS_INFINITE;
        at += strncasecmp(at, "infinity", 8) == 0 ? 8 : 3;
    } else if (at[0] == '0' && (at[1] | 0x20) == 'x' && digit_follows(at + 2, true)) {
        kind = IS_HEX;
        at += 2;
    } else if (digit_follows(at, false)) {
        kind = IS_DECIMAL;
    }
    *text = kind == IS_NOTHING ? start : at;
    if (end != NULL) {
        *end = (char *)(uintptr_t)*text;
    }
    return kind == IS_NOTHING ? IS_NOTHING : kind | sign;
}

static int digit_value(char digit)
{
    return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

/* Reads the exponent after `letter`, or returns 0. */
static long read_exponent(const char **text, char letter)
{
    const char *at = *text + 1;
    if ((**text | 0x20) != letter) {
        return 0;
    }
    at += *at == '-' || *at == '+';
    if (*at < '0' || *at > '9') {
        return 0;
    }
    char *rest;
    long value = strtol(*text + 1, &rest, 10);
    *text = rest;
    return value < -100000 ? -100000 : value > 100000 ? 100000 : value;
}

/* Splits a number into its digits, `group` of them in each long, and an exponent in parts[0]: a power
 * of ten, or of two for hexadecimal digits. Returns the number of longs, at most `longs`. */
static int read_digits(const char *start, const char *text, char **end, long parts[], int longs,
                       bool hex)
{
    const int group = hex ? 7 : 9, base = hex ? 16 : 10, bits = hex ? 4 : 1;
    long exponent = 0;
    int digits = 0;
    bool seen = false, in_fraction = false;
    for (;; text++) {
        if (*text == '.' && !in_fraction) {
            in_fraction = true;
            continue;
        }
        if (*text == '\0' || *text == '.' || !digit_follows(text, hex)) {
            break;
        }
        seen = true;
        exponent -= in_fraction ? bits : 0;
        if (digits == 0 && *text == '0') {
            continue; /* a leading zero */
        }
        if (digits == longs * group) {
            exponent += bits; /* more digits than fit are dropped */
            continue;
        }
        if (digits % group == 0) {
            parts[digits / group + 1] = 0;
        }
        long *part = &parts[digits++ / group + 1];
        *part = *part * base + digit_value(*text);
    }
    if (seen) {
        exponent += read_exponent(&text, hex ? 'p' : 'e');
    }
    /* The last long is filled up with zeros. */
    for (; digits % group != 0; digits++, exponent -= bits) {
        parts[digits / group + 1] *= base;
    }
    parts[0] = exponent;
    if (end != NULL) {
        *end = (char *)(uintptr_t)(seen ? text : start);
    }
    return digits / group;
}

static int read_decimal(const char *start, const char *text, char **end, long parts[], int longs)
{
    return read_digits(start, text, end, parts, longs, false);
}

static int read_hex(const char *start, const char *text, char **end, long parts[], int longs)
{
    return read_digits(start, text, end, parts, longs, true);
}

static int wide_read_prefix(const wchar_t **text, wchar_t **end)
{
    char bytes[NUMBER_MAX];
    const char *at = narrow(bytes, *text);
    int kind = read_prefix(&at, NULL);
    *text += at - bytes;
    end_at(end, *text, bytes, bytes);
    return kind;
}

static int wide_read_digits(const wchar_t *start, const wchar_t *text, wchar_t **end, long parts[],
                            int longs, bool hex)
{
    char bytes[NUMBER_MAX];
    char *rest;
    narrow(bytes, text);
    int count = read_digits(NULL, bytes, &rest, parts, longs, hex);
    if (rest == NULL) {
        end_at(end, start, bytes, bytes);
    } else {
        end_at(end, text, bytes, rest);
    }
    return count;
}

static int wide_read_decimal(const wchar_t *start, const wchar_t *text, wchar_t **end, long parts[],
                             int longs)
{
    return wide_read_digits(start, text, end, parts, longs, false);
}

static int wide_read_hex(const wchar_t *start, const wchar_t *text, wchar_t **end, long parts[],
                         int longs)
{
    return wide_read_digits(start, text, end, parts, longs, true);
}

#define EXPORT_READERS(prefix, reader, suffix)                                                   \
    EXPORT_AS(prefix "Sto" suffix, reader), EXPORT_AS(prefix "Sto" suffix "x", reader##_checked)

const struct shell_symbol numbers_symbols[] = {
    EXPORT_READERS("_", read_double, "d"),
    EXPORT_READERS("_", read_float, "f"),
    EXPORT_READERS("_", read_double, "ld"),
    EXPORT_AS("_Stolx", read_long_checked),
    EXPORT_READERS("_", read_unsigned, "ul"),
    EXPORT_READERS("_", read_long_long, "ll"),
    EXPORT_READERS("_", read_unsigned_long_long, "ull"),
    EXPORT_READERS("_W", wide_read_double, "d"),
    EXPORT_READERS("_W", wide_read_float, "f"),
    EXPORT_READERS("_W", wide_read_double, "ld"),
    EXPORT_AS("_WStoul", wide_read_unsigned),
    EXPORT_AS("_WStoll", wide_read_long_long),
    EXPORT_AS("_WStoull", wide_read_unsigned_long_long),
    EXPORT_AS("_Stopfx", read_prefix),
    EXPORT_AS("_Stoflt", read_decimal),
    EXPORT_AS("_Stoxflt", read_hex),
    EXPORT_AS("_WStopfx", wide_read_prefix),
    EXPORT_AS("_WStoflt", wide_read_decimal),
    EXPORT_AS("_WStoxflt", wide_read_hex),
    EXPORT_END,
};
