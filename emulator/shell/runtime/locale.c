/* locale.c: the "C" locale, which is the only one.
 *
 * struct lconv has the order of Dinkumware's <locale.h>, which differs from musl's. */
#define _GNU_SOURCE
#include <limits.h>
#include <string.h>

#include "runtime.h"

#define CATEGORIES 7

struct dsp_lconv {
    const char *currency_symbol, *int_curr_symbol, *mon_decimal_point, *mon_grouping;
    const char *mon_thousands_sep, *negative_sign, *positive_sign;
    char digits_and_signs[14]; /* from frac_digits to int_p_sign_posn */
    const char *decimal_point, *grouping, *thousands_sep;
    const char *fraction_grouping, *fraction_separator, *no_name, *yes_name, *no, *yes;
};

static const struct dsp_lconv conventions = {
    .currency_symbol = "",
    .int_curr_symbol = "",
    .mon_decimal_point = "",
    .mon_grouping = "",
    .mon_thousands_sep = "",
    .negative_sign = "",
    .positive_sign = "",
    .digits_and_signs = {CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX,
                         CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX},
    .decimal_point = ".",
    .grouping = "",
    .thousands_sep = "",
    .fraction_grouping = "",
    .fraction_separator = "",
    .no_name = "false",
    .yes_name = "true",
    .no = "no",
    .yes = "yes",
};

static const struct dsp_lconv *get_conventions(void)
{
    return &conventions;
}

/* Dinkumware's names for times: each string begins with its separator. (P. J. Plauger, "The Standard
 * C Library", 1992, <time.h>.) */
static const char months[] =
    ":Jan:January:Feb:February:Mar:March:Apr:April:May:May:Jun:June"
    ":Jul:July:Aug:August:Sep:September:Oct:October:Nov:November:Dec:December";

static const char *const times[] = {
    ":AM:PM",
    ":Sun:Sunday:Mon:Monday:Tue:Tuesday:Wed:Wednesday:Thu:Thursday:Fri:Friday:Sat:Saturday",
    "|%a %b %e %T %Y|%m/%d/%y|%T|%I:%M:%S %p",
    "",
    months,
    ":UTC:UTC:+0000",
    NULL,
};

static const void *get_times(void)
{
    return times;
}

static const char *get_zone(void)
{
    return times[5];
}

/* Returns field `number` of such a string, and its length; an empty field when it has fewer. */
static const char *get_field(const char *fields, int number, int *length)
{
    const char separator = *fields;
    const char *start = fields + (separator != '\0');
    for (;; number--) {
        const char *end = strchrnul(start, separator);
        if (number <= 0 || *end == '\0') {
            *length = number <= 0 ? (int)(end - start) : 0;
            return number <= 0 ? start : end;
        }
        start = end + 1;
    }
}

/* The names of <time.h> in the BSD libraries, which strptime uses there: struct _TimeLocale. */
static const char *const bsd_times[] = {
    "Sun",
    "Mon",
    "Tue",
    "Wed",
    "Thu",
    "Fri",
    "Sat",
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "AM",
    "PM",
    "%a %b %e %H:%M:%S %Y",
    "%m/%d/%y",
    "%H:%M:%S",
    "%I:%M:%S %p",
};

static const char *const *bsd_times_pointer = bsd_times;

/* Dinkumware's description of a locale begins with its name and the next locale. */
static const void *c_locale[64] = {"C"};

static const void *get_c_locale(void)
{
    return c_locale;
}

static bool is_c(const char *name)
{
    return *name == '\0' || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
}

static const char *set_locale(int category, const char *name)
{
    return category >= 0 && category < CATEGORIES && (name == NULL || is_c(name)) ? "C" : NULL;
}

static const char *default_locale(void)
{
    return "C";
}

/* Dinkumware's function that finds a locale by its name, in memory or in a file. */
static const void *find_locale(const char *categories, const char *name)
{
    (void)categories;
    return is_c(name) ? c_locale : NULL;
}

/* Dinkumware's function behind setlocale. There is no other locale to set. */
static const void *set_found(int categories, const void *wanted)
{
    (void)categories;
    (void)wanted;
    return c_locale;
}

static void nothing(void)
{
}

/* strcoll and strxfrm with a table of states, which is empty for the "C" locale. */
static int collate(const char *left, const char *right)
{
    return strcmp(left, right);
}

static size_t transform(char *to, const char *from, size_t room)
{
    return strxfrm(to, from, room);
}

const struct shell_symbol locale_symbols[] = {
    EXPORT_AS("setlocale", set_locale),
    EXPORT_AS("localeconv", get_conventions),
    EXPORT_AS("_Getptimes", get_times),
    {"_CTinfo", (void *)times},
    EXPORT_AS("_Getzone", get_zone),
    EXPORT_AS("_Gettime", get_field),
    {"_DefaultTimeLocale", (void *)bsd_times},
    {"_CurrentTimeLocale", (void *)&bsd_times_pointer},
    {"_Clocale", (void *)c_locale},
    EXPORT_AS("_Getcloc", get_c_locale),
    EXPORT_AS("_Defloc", default_locale),
    EXPORT_AS("_Getloc", find_locale),
    EXPORT_AS("_Findloc", find_locale),
    EXPORT_AS("_Setloc", set_found),
    EXPORT_AS("_Freeloc", nothing),
    EXPORT_AS("_Strcollx", collate),
    EXPORT_AS("_Strxfrmx", transform),
    EXPORT_END,
};
