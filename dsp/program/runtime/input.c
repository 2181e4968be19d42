/* input.c: functions that read from standard input. */
#include "streams.h"

static struct {
    unsigned char bytes[4096];
    size_t at, used;
    int back; /* a character that was put back, plus 1 */
    bool ended;
} in;

static int get_character(void)
{
    if (in.back != 0) {
        const int character = in.back - 1;
        in.back = 0;
        return character;
    }
    if (in.at == in.used && !in.ended) {
        in.at = 0;
        in.used = buildtool_read(in.bytes, sizeof in.bytes);
        in.ended = in.used == 0;
    }
    return in.at < in.used ? in.bytes[in.at++] : END_OF_FILE;
}

static int put_back(int character)
{
    in.back = character == END_OF_FILE ? in.back : (unsigned char)character + 1;
    return character;
}

static char *get_line(char *line, int room)
{
    int length = 0, character = 0;

    while (length + 1 < room && character != '\n' && (character = get_character()) >= 0)
        line[length++] = (char)character;
    if (length == 0)
        return NULL;
    line[length] = '\0';
    return line;
}

OWN int getchar(void)
{
    return get_character();
}

OWN int getchar_unlocked(void)
{
    return get_character();
}

#define GET(name)                                                                           \
    int __real_##name(struct file *file);                                                   \
    OWN int __wrap_##name(struct file *file)                                                \
    {                                                                                       \
        return buildtool_stream(file) == STREAM_IN ? get_character() : __real_##name(file); \
    }
GET(fgetc)
GET(getc)
GET(getc_unlocked)

int __real_ungetc(int character, struct file *file);

OWN int __wrap_ungetc(int character, struct file *file)
{
    return buildtool_stream(file) == STREAM_IN ? put_back(character)
                                               : __real_ungetc(character, file);
}

char *__real_fgets(char *line, int room, struct file *file);

OWN char *__wrap_fgets(char *line, int room, struct file *file)
{
    return buildtool_stream(file) == STREAM_IN ? get_line(line, room)
                                               : __real_fgets(line, room, file);
}

size_t __real_fread(void *to, size_t size, size_t count, struct file *file);

OWN size_t __wrap_fread(void *to, size_t size, size_t count, struct file *file)
{
    unsigned char *bytes = to;
    size_t got = 0;
    int character;

    if (buildtool_stream(file) != STREAM_IN)
        return __real_fread(to, size, count, file);
    while (got < size * count && (character = get_character()) >= 0)
        bytes[got++] = (unsigned char)character;
    return size == 0 ? 0 : got / size;
}

/* The function behind scanf of the DSP's C library (Dinkumware): `get` returns the next character for
 * EOF - 1, and takes others back; older ones have no last argument. */
int _Scanf(int (*get)(void *, int, int), void *argument, const char *format, va_list arguments);

static int get_scanned(void *unused, int character, int wanted)
{
    (void)unused;
    (void)wanted;
    return character == END_OF_FILE - 1 ? get_character() : put_back(character);
}

OWN int vscanf(const char *format, va_list arguments)
{
    return _Scanf(get_scanned, NULL, format, arguments);
}

OWN int scanf(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int count = vscanf(format, arguments);
    va_end(arguments);
    return count;
}

int __real_vfscanf(struct file *file, const char *format, va_list arguments);

OWN int __wrap_vfscanf(struct file *file, const char *format, va_list arguments)
{
    return buildtool_stream(file) == STREAM_IN ? vscanf(format, arguments)
                                               : __real_vfscanf(file, format, arguments);
}

OWN int __wrap_fscanf(struct file *file, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int count = __wrap_vfscanf(file, format, arguments);
    va_end(arguments);
    return count;
}

int __real_feof(struct file *file);

OWN int __wrap_feof(struct file *file)
{
    const int stream = buildtool_stream(file);

    return stream < 0 ? __real_feof(file) : stream == STREAM_IN && in.ended && in.back == 0;
}
