/* text.h: text in a buffer of fixed size. */
#ifndef BUILDTOOL_TEXT_H
#define BUILDTOOL_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* The text is bytes[0, used), followed by a terminator; used < room. */
struct text {
    char *bytes;
    size_t room;
    size_t used;
};

/* Returns an empty text in a buffer of `room` bytes. */
struct text text_start(char *bytes, size_t room);

/* Append formatted text, as printf does. Text that does not fit is truncated. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif
