/* text.h: text in a buffer of fixed size. */
#ifndef BUILDTOOL_TEXT_H
#define BUILDTOOL_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* bytes[0, used) and a terminator behind it: used < room. */
struct text {
    char *bytes;
    size_t room;
    size_t used;
};

/* An empty text. */
struct text text_start(char *bytes, size_t room);

/* Appends what printf would print; what does not fit is cut off. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif
