/* text.c: text in a buffer of fixed size. */
#include "text.h"

#include <stdio.h>

struct text text_start(char *bytes, size_t room)
{
    bytes[0] = 0;
    return (struct text){.bytes = bytes, .room = room};
}

void text_add_list(struct text *text, const char *format, va_list arguments)
{
    size_t left = text->room - text->used;
    int length = vsnprintf(text->bytes + text->used, left, format, arguments);
    if (length > 0) {
        text->used += (size_t)length < left ? (size_t)length : left - 1;
    }
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_add_list(text, format, arguments);
    va_end(arguments);
}
