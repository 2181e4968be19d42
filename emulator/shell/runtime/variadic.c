/* variadic.c: formats text from arguments that are passed as in QuRT's calling convention.
 *
 * Each conversion is one call of musl's snprintf, with the argument read from the stack. */
#include "variadic.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SPECIFICATION_MAX 48

struct output {
    char *to;
    size_t room; /* including the terminator */
    size_t length;
};

enum size { SIZE_INT, SIZE_CHAR, SIZE_SHORT, SIZE_LONG, SIZE_LONG_LONG };

/* One conversion: "%-8.3ld" is flags "-", width 8, precision 3, SIZE_LONG, 'd'. */
struct conversion {
    char flags[8];
    int width;
    int precision; /* -1: none */
    enum size size;
    char kind;
};

static uint32_t next_word(const char **arguments)
{
    uint32_t word;
    memcpy(&word, *arguments, sizeof word);
    *arguments += sizeof word;
    return word;
}

static uint64_t next_double_word(const char **arguments)
{
    uint64_t word;
    *arguments = (const char *)(((uintptr_t)*arguments + 7u) & ~(uintptr_t)7u);
    memcpy(&word, *arguments, sizeof word);
    *arguments += sizeof word;
    return word;
}

static void append(struct output *output, const char *text, size_t length)
{
    if (output->length < output->room) {
        size_t left = output->room - output->length;
        memcpy(output->to + output->length, text, length < left ? length : left);
    }
    output->length += length;
}

static int number(const char **format, const char **arguments)
{
    int value = 0;
    if (**format == '*') {
        (*format)++;
        return (int)next_word(arguments);
    }
    while (**format >= '0' && **format <= '9' && value < 100000) {
        value = value * 10 + (*(*format)++ - '0');
    }
    return value;
}

static enum size size_of(const char **format)
{
    enum size size = SIZE_INT;
    for (;; (*format)++) {
        switch (**format) {
        case 'h':
            size = size == SIZE_SHORT ? SIZE_CHAR : SIZE_SHORT;
            break;
        case 'l':
            size = size == SIZE_LONG ? SIZE_LONG_LONG : SIZE_LONG;
            break;
        case 'j':
        case 'q':
            size = SIZE_LONG_LONG;
            break;
        case 'z':
        case 't':
        case 'L': /* long double is double */
            size = SIZE_LONG;
            break;
        default:
            return size;
        }
    }
}

/* Parses one conversion. *format points to the character after the '%'. */
static struct conversion parse(const char **format, const char **arguments)
{
    struct conversion conversion = {.precision = -1};
    size_t flags = 0;
    while (**format != '\0' && strchr("-+ #0", **format) != NULL) {
        if (flags < sizeof conversion.flags - 2) {
            conversion.flags[flags++] = **format;
        }
        (*format)++;
    }
    conversion.width = number(format, arguments);
    if (conversion.width < 0) {
        conversion.flags[flags] = '-';
        conversion.width = -conversion.width;
    }
    if (**format == '.') {
        (*format)++;
        conversion.precision = number(format, arguments);
    }
    conversion.size = size_of(format);
    conversion.kind = **format;
    if (**format != '\0') {
        (*format)++;
    }
    return conversion;
}

/* Writes the conversion specification for musl, with width and precision as digits. `size` is the
 * length modifier of the value that is passed to musl: "ll" for integers. */
static void specify(char specification[SPECIFICATION_MAX], const struct conversion *conversion,
                    const char *size)
{
    char width[16] = "";
    char precision[16] = "";
    if (conversion->width > 0) {
        snprintf(width, sizeof width, "%d", conversion->width);
    }
    if (conversion->precision >= 0) {
        snprintf(precision, sizeof precision, ".%d", conversion->precision);
    }
    snprintf(specification, SPECIFICATION_MAX, "%%%s%s%s%s%c", conversion->flags, width, precision,
             size, conversion->kind);
}

static long long integer(const struct conversion *conversion, const char **arguments)
{
    bool is_signed = conversion->kind == 'd' || conversion->kind == 'i';
    if (conversion->size == SIZE_LONG_LONG) {
        return (long long)next_double_word(arguments);
    }
    uint32_t word = next_word(arguments);
    switch (conversion->size) {
    case SIZE_CHAR:
        return is_signed ? (long long)(signed char)word : (long long)(unsigned char)word;
    case SIZE_SHORT:
        return is_signed ? (long long)(short)word : (long long)(unsigned short)word;
    default:
        return is_signed ? (long long)(int32_t)word : (long long)word;
    }
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"

/* Prints directly to the output if it has space, so that long strings need no buffer. */
#define PRINT(output, specification, value)                                                       \
    do {                                                                                          \
        size_t left_ = (output)->length < (output)->room ? (output)->room - (output)->length : 0; \
        int printed_ = snprintf(left_ > 0 ? (output)->to + (output)->length : NULL, left_,        \
                                specification, value);                                            \
        (output)->length += printed_ > 0 ? (size_t)printed_ : 0;                                  \
    } while (0)

static void convert(struct output *output, const struct conversion *conversion,
                    const char **arguments)
{
    char specification[SPECIFICATION_MAX];
    switch (conversion->kind) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        specify(specification, conversion, "ll");
        PRINT(output, specification, integer(conversion, arguments));
        break;
    case 'c':
        specify(specification, conversion, "");
        PRINT(output, specification, (int)next_word(arguments));
        break;
    case 's': {
        const char *text = (const char *)(uintptr_t)next_word(arguments);
        specify(specification, conversion, "");
        PRINT(output, specification, text == NULL ? "(null)" : text);
        break;
    }
    case 'p':
        specify(specification, conversion, "");
        PRINT(output, specification, (void *)(uintptr_t)next_word(arguments));
        break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
        uint64_t bits = next_double_word(arguments);
        double value;
        memcpy(&value, &bits, sizeof value);
        specify(specification, conversion, "");
        PRINT(output, specification, value);
        break;
    }
    case 'n':
        *(int *)(uintptr_t)next_word(arguments) = (int)output->length;
        break;
    case '%':
        append(output, "%", 1);
        break;
    default: /* unknown, or the format ends: the size of the argument is unknown */
        append(output, "%?", 2);
        break;
    }
}

#pragma clang diagnostic pop

int variadic_format(char *out, size_t room, const char *format, const char *arguments)
{
    struct output output = {.to = out, .room = room};
    while (*format != '\0') {
        size_t plain = strcspn(format, "%");
        append(&output, format, plain);
        format += plain;
        if (*format == '%') {
            format++;
            struct conversion conversion = parse(&format, &arguments);
            convert(&output, &conversion, &arguments);
        }
    }
    if (room > 0) {
        out[output.length < room ? output.length : room - 1] = '\0';
    }
    return (int)output.length;
}

VARIADIC_ENTRY(variadic_snprintf, r3, variadic_format);
