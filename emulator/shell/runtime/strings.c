/* strings.c: functions on memory and text that the DSP's C library adds to the standard ones.
 *
 * memscpy and memsmove copy as much as fits and return its size. The suffix _v is for volatile
 * memory, _c for copies by the CPU; memset_v is a variable. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static size_t copy_fitting(void *to, size_t room, const void *from, size_t size)
{
    size_t copied = size < room ? size : room;
    memcpy(to, from, copied);
    return copied;
}

static size_t move_fitting(void *to, size_t room, const void *from, size_t size)
{
    size_t copied = size < room ? size : room;
    memmove(to, from, copied);
    return copied;
}

/* memset_s of C11, Annex K. */
static int set_checked(void *to, size_t room, int value, size_t size)
{
    if (to == NULL || size > room) {
        if (to != NULL) {
            memset(to, value, room);
        }
        return EINVAL;
    }
    memset(to, value, size);
    return 0;
}

static int number_as_text(long number, char *text, int room)
{
    const char *made = l64a(number);
    size_t size = strlen(made) + 1;
    if (room < 0 || size > (size_t)room) {
        errno = ERANGE;
        return -1;
    }
    memcpy(text, made, size);
    return 0;
}

/* Dinkumware's function behind strerror: the text goes to `text`, if it is not NULL. */
static char *error_text(int code, char *text)
{
    char *message = strerror(code);
    return text == NULL ? message : memcpy(text, message, strlen(message) + 1);
}

/* A variable, through which skels clear memory so that no compiler leaves it out. */
static void *(*volatile volatile_memset)(void *, int, size_t) = memset;

const struct shell_symbol strings_symbols[] = {
    EXPORT_AS("memscpy", copy_fitting),
    EXPORT_AS("memsmove", move_fitting),
    EXPORT_AS("std_memscpy", copy_fitting),
    EXPORT_AS("std_memsmove", move_fitting),
    EXPORT_AS("memcpy_v", memcpy),
    EXPORT_AS("memmove_v", memmove),
    {"memset_v", (void *)&volatile_memset},
    EXPORT_AS("memcpy_c", memcpy),
    EXPORT_AS("memmove_c", memmove),
    EXPORT_AS("memset_c", memset),
    EXPORT_AS("strcmp_c", strcmp),
    EXPORT_AS("memset_s", set_checked),
    EXPORT_AS("l64a_r", number_as_text),
    EXPORT_AS("_Strerror", error_text),
    EXPORT(ecvt),
    EXPORT(fcvt),
    EXPORT(gcvt),
    EXPORT_END,
};
