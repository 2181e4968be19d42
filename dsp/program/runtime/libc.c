/* libc.c: functions of POSIX that tests call and no DSP shell exports. */
#include "runtime.h"

int rand_r(unsigned int *seed);
char *strcpy(char *to, const char *from);
int vasprintf(char **out, const char *format, va_list arguments);
void qurt_sleep(unsigned long long microseconds);

static unsigned int seed = 1;

/* Numbers of 31 bits; rand_r gives at least 15. */
OWN long random(void)
{
    const unsigned int high = (unsigned int)rand_r(&seed), low = (unsigned int)rand_r(&seed);

    return (long)((high << 16 ^ low) & 0x7fffffffu);
}

OWN void srandom(unsigned int start)
{
    seed = start;
}

OWN size_t strnlen(const char *text, size_t room)
{
    size_t length = 0;

    while (length < room && text[length] != '\0')
        length++;
    return length;
}

OWN char *strndup(const char *text, size_t room)
{
    const size_t length = strnlen(text, room);
    char *copy = malloc(length + 1);

    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

OWN char *stpcpy(char *to, const char *from)
{
    const size_t length = strlen(from);

    memcpy(to, from, length + 1);
    return to + length;
}

OWN int asprintf(char **out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(out, format, arguments);
    va_end(arguments);
    return length;
}

OWN int usleep(unsigned int microseconds)
{
    qurt_sleep(microseconds);
    return 0;
}

/* ---- signals: a DSP has none, so a handler cannot be installed ---- */

static int unsupported(void)
{
    *_Geterrno() = 38; /* ENOSYS of zig's headers */
    return -1;
}

OWN int sigaction(int number, const void *action, void *former)
{
    (void)number;
    (void)action;
    (void)former;
    return unsupported();
}

OWN int sigaltstack(const void *stack, void *former)
{
    (void)stack;
    (void)former;
    return unsupported();
}
