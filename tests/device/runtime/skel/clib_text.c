/* clib_text.c: text, wide characters, numbers, time and locale of the DSP's C library. The types that
 * differ from those of the open headers are declared as in the DSP's headers. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "cases.h"
#include "show.h"

typedef int32_t time32;
struct lconv32 {
    char *money[7], small[14], *decimal_point, *grouping;
};
size_t memscpy(void *, size_t, const void *, size_t),
    memsmove(void *, size_t, const void *, size_t);
extern void *(*volatile memset_v)(void *, int, size_t);
int memset_s(void *, size_t, int, size_t), strcmp_c(const char *, const char *),
    l64a_r(long, char *, int);
char *gcvt(double, int, char *);
void *memcpy_v(void *, const void *, size_t);
double _Stod(const char *, char **, long), _Stodx(const char *, char **, long, int *);
float _Stof(const char *, char **, long);
unsigned long _Stoul(const char *, char **, int), _Stoulx(const char *, char **, int, int *);
long _Stolx(const char *, char **, int, int *);
long long _Stoll(const char *, char **, int);
double _WStod(const wchar_t *, wchar_t **, long);
unsigned long _WStoul(const wchar_t *, wchar_t **, int);
int _Stopfx(const char **, char **);
int _Stoflt(const char *, const char *, char **, long *, int),
    _Stoxflt(const char *, const char *, char **, long *, int);
const short *_Getpctype(void), *_Getptolower(void), *_Getptoupper(void);
extern const short *_tolower_tab_, _C_toupper_[];
char _Getmbcurmax(void);
int _Mbtowc(wchar_t *, const char *, size_t, mbstate_t *), _Wctomb(char *, wchar_t, mbstate_t *);
int _Daysto(int, int), *_Geterrno(void);
const char *_Gettime(const char *, int, int *), *const *_Getptimes(void);
void *dsp_gmtime_r(const time32 *, int *) __asm__("gmtime_r");
int *dsp_localtime(const time32 *) __asm__("localtime");
time32 dsp_mktime(int *) __asm__("mktime"), dsp_time(time32 *) __asm__("time");
size_t dsp_strftime(char *, size_t, const char *, const int *) __asm__("strftime");
size_t dsp_wcsftime(wchar_t *, size_t, const wchar_t *, const int *) __asm__("wcsftime");
char *dsp_strptime(const char *, const char *, int *) __asm__("strptime");
char *dsp_asctime(const int *) __asm__("asctime"), *dsp_ctime(const time32 *) __asm__("ctime");
int dsp_clock_gettime(int, int32_t *) __asm__("clock_gettime");
int dsp_nanosleep(const int32_t *, int32_t *) __asm__("nanosleep");
struct lconv32 *dsp_localeconv(void) __asm__("localeconv");
char *dsp_setlocale(int, const char *) __asm__("setlocale");
int dsp_sscanf(const char *, const char *, ...) __asm__("sscanf");

static int print_with(const char *format, ...)
{
    char text[128];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    SHOW("vsnprintf = %d \"%s\"\n", length, text);
    return 0;
}

/* Each printed text is one result; the test formats the same values with glibc. */
#define FORMAT(...)                                               \
    do {                                                          \
        char text_[256];                                          \
        int length_ = snprintf(text_, sizeof text_, __VA_ARGS__); \
        SHOW("snprintf = %d \"%s\"\n", length_, text_);           \
    } while (0)

static int formats(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    FORMAT("%d %5.3d|%-6u|%+i %x %#o %X", -7, 42, 17u, 5, 0xbeefu, 8u, 0xcafeu);
    FORMAT("%d %lld %d %llu %hhd %hd", 1, -1234567890123ll, 2, 18446744073709551615ull, 300, 70000);
    FORMAT("%s|%10s|%-10s|%.2s|%c%c", "abc", "right", "left", "cut", 'x', 'y');
    FORMAT("%f %.0f %10.3e %g %G %a", 3.14159, 2.5, 12345.678, 1e-7, 1e20, 0.5);
    FORMAT("%d %f %d %f %d %Lf", 1, 1.5, 2, 2.5, 3, 4.5L);
    FORMAT("%*d|%-*d|%.*f|%%", 6, 42, 6, 42, 2, 3.14159);
    FORMAT("%zu %jd %td %ls %lc", (size_t)5, (intmax_t)-5, (ptrdiff_t)6, L"wide", L'w');
    FORMAT("%f %e %g", (double)INFINITY, -(double)INFINITY, 0.0);
    print_with("%d %lld %s %.3f", 1, 2ll, "three", 4.0);
    return 0;
}

static int scans(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    int a = 0, b = 0, used = 0;
    long long wide = 0;
    double real = 0;
    float single = 0;
    char word[16] = "", set[16] = "";
    wchar_t wide_word[16] = L"";
    int count = dsp_sscanf("12 0x1f word 3.25 -4.5 9876543210 abc123!",
                           "%d %i %15s %lf %f %lld %15[a-c]%n", &a, &b, word, &real, &single, &wide,
                           set, &used);
    SHOW("sscanf = %d %d %d \"%s\" " DOUBLE " " FLOAT " %lld \"%s\" %d\n", count, a, b, word,
         D(real), F(single), wide, set, used);
    count = swscanf(L"7 eight 9.5", L"%d %ls %lf", &a, wide_word, &real);
    SHOW("swscanf = %d %d \"%ls\" " DOUBLE "\n", count, a, wide_word, D(real));
    wchar_t text[32];
    count = swprintf(text, 32, L"%d %ls %.2f %s", 5, L"six", 7.0, "eight");
    SHOW("swprintf = %d \"%ls\"\n", count, text);
    return 0;
}

static int strings(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    char text[8] = "abcdefg", name[16];
    EQUAL(memscpy(text, 3, "XYZW", 4), 3);
    CHECK(strcmp_c(text, "XYZdefg") == 0);
    EQUAL(memsmove(text + 1, 7, text, 3), 3);
    CHECK(strcmp(text, "XXYZefg") == 0);
    CHECK(memcpy_v(text, "12", 2) == text && text[1] == '2');
    CHECK(memset_s(text, 4, '-', 9) != 0 && memcmp(text, "----", 4) == 0 && text[4] == 'e');
    EQUAL(memset_s(text, 8, 0, 8), 0);
    CHECK(memset_v(text, '+', 3) == text && memcmp(text, "+++\0", 4) == 0);
    EQUAL(l64a_r(123456789, name, 16), 0);
    SHOW("l64a = \"%s\" %ld\n", name, a64l(name));
    CHECK(l64a_r(123456789, name, 2) == -1);
    SHOW("ecvt = \"%s\"\n", gcvt(1234.5, 6, name));
    CHECK(hcreate(16));
    CHECK(hsearch((ENTRY){"key", "value"}, ENTER) != NULL);
    ENTRY *found = hsearch((ENTRY){"key", NULL}, FIND);
    CHECK(found != NULL && strcmp(found->data, "value") == 0);
    hdestroy();
    return 0;
}

static void show_number(const char *text)
{
    char *rest;
    long parts[8] = {0};
    const char *digits = text;
    int kind = _Stopfx(&digits, NULL), error = 0;
    SHOW("_Stod \"%s\" = " DOUBLE " %d", text, D(_Stod(text, &rest, 0)), (int)(rest - text));
    SHOW(" " DOUBLE " " FLOAT, D(_Stodx(text, NULL, -3, &error)), F(_Stof(text, NULL, 2)));
    SHOW(" %d %d\n", kind, error != 0);
    int count = (kind & 7) == 2 ? _Stoxflt(text, digits, &rest, parts, 4)
                                : _Stoflt(text, digits, &rest, parts, 4);
    SHOW("_Stoflt \"%s\" = %d %ld %ld %ld %ld %ld %d\n", text, count, parts[0], parts[1], parts[2],
         parts[3], parts[4], (int)(rest - text));
}

static int numbers(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    static const char *const texts[] = {"1",
                                        "-2.5",
                                        "  123.456e10xyz",
                                        "0.000125",
                                        "1234567890123456789.5e-30",
                                        "0x1.8p3",
                                        "1e400",
                                        "1e-400",
                                        "inf",
                                        "none",
                                        ".5.",
                                        "9e",
                                        "0.1"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        show_number(texts[i]);
    }
    char *rest;
    wchar_t *wide_rest;
    int error = 0;
    const wchar_t *wide = L" 42.5e1 after";
    SHOW("integers = %lu %lld %lu", _Stoul("-1", &rest, 0), _Stoll("-9000000000 ", &rest, 10),
         _Stoulx("99999999999", &rest, 10, &error));
    SHOW(" %d %ld %d\n", error != 0, _Stolx("0x7f", &rest, 16, &error), error);
    double value = _WStod(wide, &wide_rest, 0);
    SHOW("wide = " DOUBLE " %d %lu\n", D(value), (int)(wide_rest - wide), _WStoul(L"077", NULL, 0));
    return 0;
}

/* The bits of the DSP's <ctype.h>. */
enum {
    XD = 1,
    UP = 2,
    SP = 4,
    PU = 8,
    LO = 16,
    DI = 32,
    CN = 64,
    BB = 128,
    XS = 0x100,
    XA = 0x200,
    XB = 0x400
};

static int tables(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    const short *class = _Getpctype(), *lower = _Getptolower(), *upper = _Getptoupper();
    for (int c = -1; c < 256; c++) {
        int bits = class[c];
        CHECK(((bits & (DI | LO | UP | XA)) != 0) == (isalnum(c) != 0));
        CHECK(((bits & (LO | UP | XA)) != 0) == (isalpha(c) != 0));
        CHECK(((bits & (BB | CN)) != 0) == (iscntrl(c) != 0));
        CHECK(((bits & (DI | LO | PU | UP | XA)) != 0) == (isgraph(c) != 0));
        CHECK(((bits & (DI | LO | PU | SP | UP | XA)) != 0) == (isprint(c) != 0));
        CHECK(((bits & (CN | SP | XS)) != 0) == (isspace(c) != 0));
        CHECK(((bits & (SP | XB)) != 0) == (isblank(c) != 0));
        CHECK(((bits & XD) != 0) == (isxdigit(c) != 0));
        CHECK(((bits & PU) != 0) == (ispunct(c) != 0));
        EQUAL(lower[c], tolower(c));
        EQUAL(upper[c], toupper(c));
        EQUAL(_tolower_tab_[c + 1], tolower(c));
        EQUAL(_C_toupper_[c + 1], toupper(c));
    }
    return 0;
}

static int wide(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    wchar_t text[32] = L"one", token[] = L"a,b", *rest;
    wcscat(text, L" two");
    EQUAL(wcslen(text), 7);
    CHECK(wcsstr(text, L"two") == text + 4 && wcschr(text, L'e') == text + 2);
    CHECK(wcscmp(wcstok(token, L",", &rest), L"a") == 0 && wmemcmp(text, L"one", 3) == 0);
    EQUAL(wcstol(L"-0x10", NULL, 16), -16);
    CHECK(wcstod(L"2.5e2", NULL) == 250.0);
    CHECK(iswalpha(L'q') && !iswdigit(L'q') && towupper(L'q') == L'Q');
    CHECK(iswctype(L'7', wctype("digit")) && towctrans(L'A', wctrans("tolower")) == L'a');
    char bytes[8];
    mbstate_t state = {0};
    wchar_t one = 0;
    EQUAL(_Mbtowc(&one, "x", 1, &state), 1);
    EQUAL(one, L'x');
    EQUAL(_Wctomb(bytes, L'y', &state), 1);
    EQUAL(bytes[0], 'y');
    EQUAL(_Getmbcurmax(), 1);
    EQUAL(mbstowcs(text, "bytes", 32), 5);
    EQUAL(wcstombs(bytes, text, 8), 5);
    CHECK(strcmp(bytes, "bytes") == 0 && btowc('z') == L'z' && wctob(L'z') == 'z');
    return 0;
}

static int times(const int32_t *in, int32_t *out)
{
    (void)out;
    (void)in;
    static const time32 moments[] = {0, 86399, 951782400, 1709210096, 2147483647, -1, -2147483647};
    for (unsigned i = 0; i < sizeof moments / sizeof *moments; i++) {
        int f[10] = {0}, *local = dsp_localtime(&moments[i]);
        char text[64];
        wchar_t wide_text[64];
        f[9] = 12345;
        CHECK(dsp_gmtime_r(&moments[i], f) == f && memcmp(local, f, 36) == 0 && f[9] == 12345);
        SHOW("tm %d = %d %d %d %d %d %d %d %d\n", moments[i], f[0], f[1], f[2], f[3], f[4], f[5],
             f[6], f[7]);
        EQUAL(dsp_mktime(f), moments[i]);
        CHECK(dsp_strftime(text, 64, "%Y-%m-%d %H:%M:%S %a %b %j %U %p %Z", f) > 0);
        CHECK(dsp_wcsftime(wide_text, 64, L"%Y", f) >= 4);
        SHOW("strftime %d = \"%s\" \"%.24s\" \"%.24s\" \"%ls\"\n", moments[i], text, dsp_asctime(f),
             dsp_ctime(&moments[i]), wide_text);
        SHOW("_Daysto %d %d = %d\n", f[5], f[4], _Daysto(f[5], f[4]));
    }
    int f[9] = {0}, length;
    CHECK(dsp_strptime("2024-02-29 12:34:56", "%Y-%m-%d %H:%M:%S", f) != NULL);
    EQUAL(dsp_mktime(f), 1709210096);
    int32_t before[2], after[2], wait[2] = {0, 30000000};
    time32 now;
    EQUAL(dsp_clock_gettime(1, before), 0);
    EQUAL(dsp_nanosleep(wait, NULL), 0);
    EQUAL(dsp_clock_gettime(1, after), 0);
    CHECK((after[0] - before[0]) * 1000000000ll + after[1] - before[1] >= 30000000);
    CHECK(dsp_time(&now) == now);
    SHOW("time = %d\n", now);
    SHOW("times = \"%.*s\" \"%s\"\n", 7, _Gettime(_Getptimes()[1], 3, &length),
         dsp_setlocale(0, ""));
    EQUAL(length, 6);
    CHECK(dsp_setlocale(0, "de_DE") == NULL);
    CHECK(strcmp(dsp_localeconv()->decimal_point, ".") == 0 &&
          dsp_localeconv()->small[0] == (char)255);
    *_Geterrno() = 0;
    CHECK(strtol("99999999999", NULL, 10) == 2147483647 && *_Geterrno() == ERANGE);
    return 0;
}

const struct named_case cases[] = {CASE(formats), CASE(scans), CASE(strings), CASE(numbers),
                                   CASE(tables),  CASE(wide),  CASE(times),   {NULL, NULL}};
