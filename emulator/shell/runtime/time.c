/* time.c: <time.h> with the types of the DSP's C library, and the clocks of POSIX.
 *
 * time_t, time_t in a timespec and clock_t have 32 bits, and struct tm has the nine fields of the
 * standard. musl's time_t has 64 bits, and its struct tm two more fields. The DSP's time zone is UTC.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/times.h>
#include <time.h>
#include <wchar.h>

#include "runtime.h"

#define TM_BYTES (9 * sizeof(int))

typedef int32_t dsp_time;

struct dsp_timespec {
    int32_t seconds;
    int32_t nanoseconds;
};

static char utc[] = "UTC";
static char *zone_names[2] = {utc, utc};
static long zone_offset;
static int zone_has_dst;

/* strftime accepts only musl's own pointer as the name of the zone. */
static struct tm from_dsp(const void *fields)
{
    struct tm tm;
    time_t start = 0;
    gmtime_r(&start, &tm);
    memcpy(&tm, fields, TM_BYTES);
    return tm;
}

/* ---- conversions ---- */

static void *to_fields(const dsp_time *seconds, void *fields)
{
    struct tm tm;
    time_t wide = *seconds;
    gmtime_r(&wide, &tm);
    return memcpy(fields, &tm, TM_BYTES);
}

static void *to_static_fields(const dsp_time *seconds)
{
    static _Thread_local int fields[9];
    return to_fields(seconds, fields);
}

/* Dinkumware's function behind gmtime and localtime. */
static void *to_fields_with_dst(void *fields, dsp_time seconds, int is_dst)
{
    int *values = fields == NULL ? to_static_fields(&seconds) : to_fields(&seconds, fields);
    values[8] = is_dst < 0 ? 0 : is_dst;
    return values;
}

static dsp_time from_fields(void *fields)
{
    struct tm tm = from_dsp(fields);
    tm.tm_isdst = 0;
    time_t seconds = timegm(&tm);
    if (seconds != (dsp_time)seconds) {
        errno = EOVERFLOW;
        return -1;
    }
    memcpy(fields, &tm, TM_BYTES);
    return (dsp_time)seconds;
}

static char *as_text(const void *fields, char *text)
{
    struct tm tm = from_dsp(fields);
    return asctime_r(&tm, text);
}

static char *as_static_text(const void *fields)
{
    static _Thread_local char text[32];
    return as_text(fields, text);
}

static char *time_as_text(const dsp_time *seconds, char *text)
{
    return as_text(to_static_fields(seconds), text);
}

static char *time_as_static_text(const dsp_time *seconds)
{
    return as_static_text(to_static_fields(seconds));
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"

static size_t format_time(char *out, size_t room, const char *format, const void *fields)
{
    struct tm tm = from_dsp(fields);
    return strftime(out, room, format, &tm);
}

static size_t format_wide_time(wchar_t *out, size_t room, const wchar_t *format, const void *fields)
{
    struct tm tm = from_dsp(fields);
    return wcsftime(out, room, format, &tm);
}

static char *parse_time(const char *text, const char *format, void *fields)
{
    struct tm tm = from_dsp(fields);
    char *rest = strptime(text, format, &tm);
    memcpy(fields, &tm, TM_BYTES);
    return rest;
}

#pragma clang diagnostic pop

/* Dinkumware's functions for the zone: the offset in seconds, and whether daylight saving applies. */
static long no_offset(void)
{
    return 0;
}

static int no_dst(const void *fields)
{
    (void)fields;
    return 0;
}

static int leap_days_before(int year)
{
    year += 1899; /* years up to here are complete */
    return year / 4 - year / 100 + year / 400 - (1899 / 4 - 1899 / 100 + 1899 / 400);
}

/* Dinkumware's function behind mktime: the days from the start of the year to a month, and the leap
 * days from 1900 to the year. (P. J. Plauger, "The Standard C Library", 1992, <time.h>.) */
static int days_to(int year, int month)
{
    static const short start[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int full = year + 1900;
    int leap = full % 4 == 0 && (full % 100 != 0 || full % 400 == 0);
    return leap_days_before(year) + start[month % 12] + (leap && month > 1);
}

static void nothing(void)
{
}

/* ---- clocks ---- */

static dsp_time now(dsp_time *seconds)
{
    dsp_time value = (dsp_time)time(NULL);
    if (seconds != NULL) {
        *seconds = value;
    }
    return value;
}

static double difference(dsp_time late, dsp_time early)
{
    return (double)late - (double)early;
}

static int read_clock(clockid_t clock, struct dsp_timespec *to)
{
    struct timespec value;
    int code = clock_gettime(clock, &value);
    if (code == 0) {
        *to = (struct dsp_timespec){(int32_t)value.tv_sec, (int32_t)value.tv_nsec};
    }
    return code;
}

static int time_of_day(struct dsp_timespec *to, void *zone)
{
    (void)zone;
    int code = read_clock(CLOCK_REALTIME, to);
    to->nanoseconds /= 1000; /* a timeval has microseconds */
    return code;
}

static unsigned int sleep_seconds(unsigned int seconds)
{
    clock_sleep_us(seconds * UINT64_C(1000000));
    return 0;
}

static int sleep_time(const struct dsp_timespec *wanted, struct dsp_timespec *left)
{
    if (wanted->seconds < 0 || wanted->nanoseconds < 0 || wanted->nanoseconds >= 1000000000) {
        errno = EINVAL;
        return -1;
    }
    clock_sleep_us((uint64_t)wanted->seconds * 1000000u +
                   ((uint64_t)wanted->nanoseconds + 999u) / 1000u);
    if (left != NULL) {
        *left = (struct dsp_timespec){0, 0};
    }
    return 0;
}

/* clang-format off */
const struct shell_symbol time_symbols[] = {
    EXPORT_AS("gmtime", to_static_fields), EXPORT_AS("gmtime_r", to_fields),
    EXPORT_AS("localtime", to_static_fields), EXPORT_AS("localtime_r", to_fields),
    EXPORT_AS("_Ttotm", to_fields_with_dst), EXPORT_AS("mktime", from_fields),
    EXPORT_AS("asctime", as_static_text), EXPORT_AS("asctime_r", as_text),
    EXPORT_AS("ctime", time_as_static_text), EXPORT_AS("ctime_r", time_as_text),
    EXPORT_AS("strftime", format_time), EXPORT_AS("_CStrftime", format_time),
    EXPORT_AS("wcsftime", format_wide_time), EXPORT_AS("_Wcsftime", format_wide_time),
    EXPORT_AS("strptime", parse_time),
    EXPORT_AS("_Tzoff", no_offset), EXPORT_AS("_Isdst", no_dst), EXPORT_AS("_Daysto", days_to),
    EXPORT_AS("tzset", nothing), {"tzname", (void *)zone_names}, {"timezone", &zone_offset},
    {"daylight", &zone_has_dst},
    EXPORT_AS("time", now), EXPORT_AS("difftime", difference), EXPORT(clock), EXPORT(times),
    EXPORT_AS("clock_gettime", read_clock), EXPORT_AS("gettimeofday", time_of_day),
    EXPORT_AS("sleep", sleep_seconds), EXPORT_AS("nanosleep", sleep_time),
    EXPORT_END,
};
/* clang-format on */
