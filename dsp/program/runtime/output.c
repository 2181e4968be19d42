/* output.c: functions that write to standard output and errors. */
#include "streams.h"

static int print(int stream, const char *format, va_list arguments)
{
    char few[512], *text = few;
    va_list again;

    va_copy(again, arguments);
    int length = vsnprintf(few, sizeof few, format, arguments);
    if (length >= (int)sizeof few) {
        text = malloc((size_t)length + 1);
        if (text == NULL)
            length = -1;
        else
            vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length > 0)
        buildtool_write(stream, text, (size_t)length);
    if (text != few)
        free(text);
    return length;
}

OWN int vprintf(const char *format, va_list arguments)
{
    return print(STREAM_OUT, format, arguments);
}

OWN int printf(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = print(STREAM_OUT, format, arguments);
    va_end(arguments);
    return length;
}

int __real_vfprintf(struct file *file, const char *format, va_list arguments);

OWN int __wrap_vfprintf(struct file *file, const char *format, va_list arguments)
{
    const int stream = buildtool_stream(file);

    return stream > 0 ? print(stream, format, arguments) : __real_vfprintf(file, format, arguments);
}

OWN int __wrap_fprintf(struct file *file, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = __wrap_vfprintf(file, format, arguments);
    va_end(arguments);
    return length;
}

OWN int putchar(int character)
{
    return buildtool_put(STREAM_OUT, character);
}

OWN int putchar_unlocked(int character)
{
    return buildtool_put(STREAM_OUT, character);
}

int __real_fputc(int character, struct file *file);

OWN int __wrap_fputc(int character, struct file *file)
{
    const int stream = buildtool_stream(file);

    return stream > 0 ? buildtool_put(stream, character) : __real_fputc(character, file);
}

OWN int __wrap_putc(int character, struct file *file)
{
    return __wrap_fputc(character, file);
}

OWN int __wrap_putc_unlocked(int character, struct file *file)
{
    return __wrap_fputc(character, file);
}

int __real_fputs(const char *text, struct file *file);

OWN int __wrap_fputs(const char *text, struct file *file)
{
    const int stream = buildtool_stream(file);

    if (stream <= 0)
        return __real_fputs(text, file);
    buildtool_write(stream, text, strlen(text));
    return 0;
}

OWN int puts(const char *text)
{
    /* One call, so that the lines of threads are not mixed. */
    int printed = printf("%s\n", text);
    return printed < 0 ? END_OF_FILE : 0;
}

size_t __real_fwrite(const void *from, size_t size, size_t count, struct file *file);

OWN size_t __wrap_fwrite(const void *from, size_t size, size_t count, struct file *file)
{
    const int stream = buildtool_stream(file);

    if (stream <= 0)
        return __real_fwrite(from, size, count, file);
    buildtool_write(stream, from, size * count);
    return count;
}

OWN void perror(const char *text)
{
    const char *reason = strerror(*_Geterrno());
    const bool named = text != NULL && *text != '\0';

    __wrap_fprintf((struct file *)stderr, "%s%s%s\n", named ? text : "", named ? ": " : "", reason);
}

int __real_fflush(struct file *file);

OWN int __wrap_fflush(struct file *file)
{
    if (file == NULL || buildtool_stream(file) > 0)
        buildtool_flush();
    return file == NULL || buildtool_stream(file) < 0 ? __real_fflush(file) : 0;
}
