/* wide.c: wide and multibyte characters.
 *
 * wchar_t has 32 bits in both C libraries, and mbstate_t 8 bytes. The locale is always "C". */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

#include "runtime.h"

_Static_assert(sizeof(wchar_t) == 4 && sizeof(mbstate_t) == 8, "the types of the DSP's C library");

/* Dinkumware's functions behind those of the standard have an additional argument for a table of
 * states, which describes an encoding; that of the "C" locale is implied here. */
static int to_wide(wchar_t *to, const char *from, size_t count, mbstate_t *state)
{
    return (int)mbrtowc(to, from, count, state);
}

static int to_bytes(char *to, wchar_t from, mbstate_t *state)
{
    return (int)wcrtomb(to, from, state);
}

static int collate(const wchar_t *left, const wchar_t *right)
{
    return wcscoll(left, right);
}

static size_t transform(wchar_t *to, const wchar_t *from, size_t room)
{
    return wcsxfrm(to, from, room);
}

/* wcsftime is in time.c, because of struct tm. */

/* clang-format off */
const struct shell_symbol wide_symbols[] = {
    /* wchar.h */
    EXPORT(wcscat), EXPORT(wcschr), EXPORT(wcscmp), EXPORT(wcscoll), EXPORT(wcscpy), EXPORT(wcscspn),
    EXPORT(wcslen), EXPORT(wcsncat), EXPORT(wcsncmp), EXPORT(wcsncpy), EXPORT(wcspbrk),
    EXPORT(wcsrchr), EXPORT(wcsspn), EXPORT(wcsstr), EXPORT(wcstok), EXPORT(wcsxfrm), EXPORT(wmemchr),
    EXPORT(wmemcmp), EXPORT(wmemcpy), EXPORT(wmemmove), EXPORT(wmemset),
    EXPORT(wcstod), EXPORT(wcstof), EXPORT(wcstold), EXPORT(wcstol), EXPORT(wcstoll), EXPORT(wcstoul),
    EXPORT(wcstoull), EXPORT(wcstoimax), EXPORT(wcstoumax),
    EXPORT(btowc), EXPORT(wctob), EXPORT(mbsinit), EXPORT(mbrlen), EXPORT(mbrtowc), EXPORT(wcrtomb),
    EXPORT(mbsrtowcs), EXPORT(mbsnrtowcs), EXPORT(wcsrtombs), EXPORT(wcsnrtombs),
    /* stdlib.h, uchar.h */
    EXPORT(mblen), EXPORT(mbtowc), EXPORT(wctomb), EXPORT(mbstowcs), EXPORT(wcstombs),
    EXPORT(mbrtoc16), EXPORT(mbrtoc32), EXPORT(c16rtomb), EXPORT(c32rtomb),
    /* wctype.h */
    EXPORT(iswalnum), EXPORT(iswalpha), EXPORT(iswblank), EXPORT(iswcntrl), EXPORT(iswctype),
    EXPORT(iswdigit), EXPORT(iswgraph), EXPORT(iswlower), EXPORT(iswprint), EXPORT(iswpunct),
    EXPORT(iswspace), EXPORT(iswupper), EXPORT(iswxdigit), EXPORT(towctrans), EXPORT(towlower),
    EXPORT(towupper), EXPORT(wctrans), EXPORT(wctype),
    EXPORT_AS("_Iswctype", iswctype), EXPORT_AS("_Towctrans", towctrans),
    EXPORT_AS("_Btowc", btowc), EXPORT_AS("_Wctob", wctob),
    EXPORT_AS("_Mbtowc", to_wide), EXPORT_AS("_Mbtowcx", to_wide),
    EXPORT_AS("_Wctomb", to_bytes), EXPORT_AS("_Wctombx", to_bytes),
    EXPORT_AS("_Wcscollx", collate), EXPORT_AS("_Wcsxfrmx", transform),
    EXPORT_END,
};
/* clang-format on */
