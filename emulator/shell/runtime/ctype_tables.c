/* ctype_tables.c: upper and lower case, and the tables that the macros of the DSP's <ctype.h> read.
 *
 * Two kinds: Dinkumware's, which functions return and which are indexed by the character, -1 for
 * EOF; and those of the BSD libraries, which have the element of EOF first. */
#include <ctype.h>
#include <wctype.h>

#include "runtime.h"

/* The bits of Dinkumware's <ctype.h>, which its macros test. */
enum {
    HEX_DIGIT = 0x001,
    UPPER = 0x002,
    SPACE = 0x004, /* ' ' only; the other spaces have WHITE_CONTROL */
    PUNCTUATION = 0x008,
    LOWER = 0x010,
    DIGIT = 0x020,
    WHITE_CONTROL = 0x040, /* \t \n \v \f \r */
    OTHER_CONTROL = 0x080,
    EXTRA_BLANK = 0x400
};

static short classes[257], lower[257], upper[257];
static const short *lower_pointer = lower;
static const short *upper_pointer = upper;

/* EOF is unchanged. The library that the shell is linked with makes it 255. */
static int to_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static int to_upper(int c)
{
    return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c;
}

static int class_of(int c)
{
    int bits = (isxdigit(c) ? HEX_DIGIT : 0) | (isupper(c) ? UPPER : 0) | (islower(c) ? LOWER : 0) |
               (ispunct(c) ? PUNCTUATION : 0) | (isdigit(c) ? DIGIT : 0);
    if (c == ' ') {
        bits |= SPACE;
    } else if (isspace(c)) {
        bits |= WHITE_CONTROL | (c == '\t' ? EXTRA_BLANK : 0);
    } else if (iscntrl(c)) {
        bits |= OTHER_CONTROL;
    }
    return bits;
}

__attribute__((constructor)) static void fill(void)
{
    lower[0] = upper[0] = -1;
    for (int c = 0; c < 256; c++) {
        classes[c + 1] = (short)class_of(c);
        lower[c + 1] = (short)to_lower(c);
        upper[c + 1] = (short)to_upper(c);
    }
}

static const short *get_classes(void)
{
    return &classes[1];
}

static const short *get_lower(void)
{
    return &lower[1];
}

static const short *get_upper(void)
{
    return &upper[1];
}

/* The rows of Dinkumware's tables for encodings and collation: 16 pointers, which are NULL in the
 * "C" locale. */
static const void *no_states[16];

static const void *get_states(void)
{
    return no_states;
}

/* Names for wctype() and wctrans(), each with the value that these return. The last name is NULL. */
struct named_type {
    const char *name;
    size_t value;
};

static struct named_type types[] = {{"alnum", 0}, {"alpha", 0}, {"blank", 0}, {"cntrl", 0},
                                    {"digit", 0}, {"graph", 0}, {"lower", 0}, {"print", 0},
                                    {"punct", 0}, {"space", 0}, {"upper", 0}, {"xdigit", 0},
                                    {NULL, 0}};
static struct named_type transforms[] = {{"tolower", 0}, {"toupper", 0}, {NULL, 0}};

static const struct named_type *get_types(void)
{
    for (struct named_type *type = types; type->name != NULL; type++) {
        type->value = (size_t)wctype(type->name);
    }
    return types;
}

static const struct named_type *get_transforms(void)
{
    for (struct named_type *type = transforms; type->name != NULL; type++) {
        type->value = (size_t)wctrans(type->name);
    }
    return transforms;
}

static char bytes_of_a_character(void)
{
    return 1;
}

const struct shell_symbol ctype_tables_symbols[] = {
    EXPORT_AS("_Getpctype", get_classes),
    EXPORT_AS("_Getptolower", get_lower),
    EXPORT_AS("_Getptoupper", get_upper),
    {"_C_tolower_", lower},
    {"_C_toupper_", upper},
    {"_tolower_tab_", (void *)&lower_pointer},
    {"_toupper_tab_", (void *)&upper_pointer},
    EXPORT_AS("tolower", to_lower),
    EXPORT_AS("toupper", to_upper),
    EXPORT_AS("_tolower", to_lower),
    EXPORT_AS("_toupper", to_upper),
    EXPORT_AS("_Getpmbstate", get_states),
    EXPORT_AS("_Getpwcstate", get_states),
    EXPORT_AS("_Getpcostate", get_states),
    EXPORT_AS("_Getpwcostate", get_states),
    EXPORT_AS("_Getpwctytab", get_types),
    EXPORT_AS("_Getpwctrtab", get_transforms),
    EXPORT_AS("_Getmbcurmax", bytes_of_a_character),
    EXPORT_END,
};
