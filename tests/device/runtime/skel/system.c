/* system.c: logging, the C library, time, power, and unsupported functions. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FARF_LOW 0
#define FARF_MEDIUM 1
#include "cases.h"
#include "HAP_etm_config.h"
#include "HAP_perf.h"
#include "HAP_power.h"
#include "HAP_ps.h"
#include "qurt.h"

static int levels(const int32_t *in, int32_t *out)
{
    static const char *files[] = {"some/dir/system.c"};
    static const char *others[] = {"other.c"};
    (void)in;
    (void)out;
    FARF(LOW, "compiled out");
    FARF(MEDIUM, "no arguments");
    FARF(HIGH, "int %d long long %lld string %s char %c", -5, 1ll << 40, "text", 'x');
    FARF(ERROR, "double %.3f width %6d|%-6d|%06d", 2.5, 42, 42, 42);
    FARF(ALWAYS, "mixed %d %lld %d %f %s %u%%", 1, 2ll, 3, 4.0, "five", 6u);
    FARF(RUNTIME_HIGH, "not asked for");
    HAP_setFARFRuntimeLoggingParams(1u << HAP_LEVEL_HIGH, NULL, 0);
    FARF(RUNTIME_HIGH, "asked for %d", 1);
    FARF(RUNTIME_LOW, "not this level");
    HAP_setFARFRuntimeLoggingParams(0xff, others, 1);
    FARF(RUNTIME_HIGH, "not this file");
    HAP_setFARFRuntimeLoggingParams(0xff, files, 1);
    FARF(RUNTIME_HIGH, "this file");
    FARF(FATAL, "%s", "");
    return 0;
}

static int long_message(const int32_t *in, int32_t *out)
{
    char text[600];
    (void)in;
    (void)out;
    memset(text, 'a', sizeof text);
    text[599] = 0;
    FARF(ALWAYS, "%s", text);
    return 0;
}

/* Uses snprintf, which works only in skels compiled for QuRT's calling convention. */
static int formatting(const int32_t *in, int32_t *out)
{
    char text[200];
    (void)in;
    EQUAL(snprintf(text, sizeof text, "%d|%5s|%-5s|%.2s|%x|%#o|%+d|% d|%c", 7, "ab", "cd", "efg",
                   255, 8, 9, 10, 'z'),
          32);
    CHECK(strcmp(text, "7|   ab|cd   |ef|ff|010|+9| 10|z") == 0);
    snprintf(text, sizeof text, "%lld %llu %hhd %hd %zu %ld %p", -1ll, ~0ull, 0x1ff, 0x1ffff,
             (size_t)3, 4l, (void *)16);
    CHECK(strcmp(text, "-1 18446744073709551615 -1 -1 3 4 0x10") == 0);
    snprintf(text, sizeof text, "%.2f %e %g %5.1f|%d", 1.005, 12345.678, 0.0001, 2.25, 3);
    CHECK(strcmp(text, "1.00 1.234568e+04 0.0001   2.2|3") == 0);
    snprintf(text, sizeof text, "%*d|%-*d|%.*f", 4, 1, 4, 2, 1, 3.14159);
    CHECK(strcmp(text, "   1|2   |3.1") == 0);
    EQUAL(snprintf(text, 4, "%s", "abcdef"), 6);
    CHECK(strcmp(text, "abc") == 0);
    EQUAL(snprintf(NULL, 0, "%d%s", 12, "34"), 4);
    snprintf(text, sizeof text, "%s %d%%", (char *)NULL, 5);
    CHECK(strcmp(text, "(null) 5%") == 0);
    out[0] = 1;
    return 0;
}

static int by_list(char *text, size_t room, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, room, format, list);
    va_end(list);
    return length;
}

static int formatting_by_list(const int32_t *in, int32_t *out)
{
    char text[64];
    (void)in;
    (void)out;
    EQUAL(by_list(text, sizeof text, "%d %s %.1f %lld %c", 1, "two", 3.0, 4ll, '5'), 13);
    CHECK(strcmp(text, "1 two 3.0 4 5") == 0);
    return 0;
}

void __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(void *, const void *, unsigned);

/* Operations without an instruction, for which the compiler calls the shell's helpers. */
static int arithmetic(const int32_t *in, int32_t *out)
{
    volatile long long wide = 0x123456789abcdefll, by = in[0];
    volatile unsigned long long unsigned_wide = 0xfedcba9876543210ull;
    volatile double x = 7.5, y = -2.0;
    volatile float f = 10.0f, g = 4.0f;
    volatile int small = -100;
    volatile unsigned large = 4000000000u;
    static long long from[8] __attribute__((aligned(8))), to[8] __attribute__((aligned(8)));
    (void)out;
    EQUAL(wide / by, 11712218459498ll);
    EQUAL(wide % by, 895);
    EQUAL(unsigned_wide / (unsigned long long)by, 2623536934927580ull);
    EQUAL(unsigned_wide % (unsigned long long)by, 4720);
    EQUAL(small / (int)by, 0);
    EQUAL(small % 7, -2);
    EQUAL(large / (unsigned)by, 571428);
    EQUAL(large % (unsigned)by, 4000000000u - 571428u * 7000u);
    CHECK(x / y == -3.75 && x * y == -15.0 && x + y == 5.5 && x - y == 9.5);
    CHECK(f / g == 2.5f);
    for (int i = 0; i < 8; i++) {
        from[i] = i * 0x101010101ll;
    }
    __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(to, from, sizeof from);
    CHECK(memcmp(to, from, sizeof from) == 0);
    return 0;
}

float __extendhfsf2(unsigned short);
unsigned short __truncsfhf2(float);

static int half_floats(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    CHECK(__extendhfsf2(0x3c00) == 1.0f && __extendhfsf2(0xc200) == -3.0f);
    EQUAL(__truncsfhf2(1.0f), 0x3c00);
    EQUAL(__truncsfhf2(-0.1f), 0xae66);
    EQUAL(__truncsfhf2(1e9f), 0x7c00);
    return 0;
}

float sqrtf(float), expf(float), powf(float, float), floorf(float), exp2f(float);
double pow(double, double), atan2(double, double);
long lround(double);

static int mathematics(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    CHECK(sqrtf(2.25f) == 1.5f && powf(2.0f, 10.0f) == 1024.0f && floorf(-1.5f) == -2.0f);
    CHECK(exp2f(3.0f) == 8.0f && expf(0.0f) == 1.0f);
    CHECK(pow(2.0, 0.5) > 1.414213 && pow(2.0, 0.5) < 1.414214);
    CHECK(atan2(1.0, 1.0) > 0.785398 && atan2(1.0, 1.0) < 0.785399);
    EQUAL(lround(-2.5), -3);
    return 0;
}

double _Log(double, int);

static int c_library(const int32_t *in, int32_t *out)
{
    char text[32], copy[8], *rest = NULL;
    (void)in;
    (void)out;
    strncpy(text, "one,two;three", sizeof text);
    CHECK(strcmp(strtok_r(text, ",;", &rest), "one") == 0);
    CHECK(strcmp(strtok_r(NULL, ",;", &rest), "two") == 0);
    EQUAL(strlcpy(copy, "much too long", sizeof copy), 13);
    EQUAL(strlen(copy), 7);
    EQUAL(strtoul("ff", NULL, 16), 255);
    EQUAL(atoi("-12"), -12);
    CHECK(strstr("haystack", "st") != NULL && strchr("abc", 'c') != NULL);
    CHECK(getenv("HOME") == NULL);
    CHECK(_Log(1.0, 0) == 0.0 && _Log(1000.0, 1) > 2.999 && _Log(1000.0, 1) < 3.001);
    return 0;
}

static int time_passes(const int32_t *in, int32_t *out)
{
    (void)in;
    uint64 ticks = HAP_perf_get_qtimer_count(), us = HAP_perf_get_time_us();
    uint64 cycles = HAP_perf_get_pcycles();
    EQUAL(HAP_timer_sleep(20000), 0);
    uint64 later = HAP_perf_get_qtimer_count();
    uint64 between = HAP_perf_qtimer_count_to_us(later - ticks);
    CHECK(between >= 20000 && between < 5000000);
    CHECK(HAP_perf_get_time_us() - us >= 20000);
    CHECK(HAP_perf_get_pcycles() > cycles);
    EQUAL(HAP_perf_qtimer_count_to_us(19200000), 1000000);
    out[0] = (int)between;
    return 0;
}

static int power(const int32_t *in, int32_t *out)
{
    HAP_power_request_t request;
    HAP_power_response_t response;
    int one, two;
    (void)in;
    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_apptype;
    request.apptype = HAP_POWER_COMPUTE_CLIENT_CLASS;
    EQUAL(HAP_power_set(&one, &request), 0);
    HAP_power_set_dcvs_v3_init(&request);
    EQUAL(HAP_power_set(&one, &request), 0);
    EQUAL(HAP_power_set_core_corner(&one, HAP_DCVS_VCORNER_MAX, 0, HAP_DCVS_VCORNER_MAX), 0);
    EQUAL(HAP_power_set_sleep_latency(&one, 100), 0);
    response.type = HAP_power_get_client_class;
    EQUAL(HAP_power_get(&one, &response), 0);
    EQUAL(response.client_class, HAP_POWER_COMPUTE_CLIENT_CLASS);
    EQUAL(HAP_power_get(&two, &response), 0);
    EQUAL(response.client_class, HAP_POWER_UNKNOWN_CLIENT_CLASS);
    response.type = HAP_power_get_dcvsEnabled;
    EQUAL(HAP_power_get(NULL, &response), 0);
    EQUAL(response.dcvsEnabled, 1);
    EQUAL(HAP_power_set_dcvs_option(&two, FALSE, HAP_DCVS_V2_PERFORMANCE_MODE), 0);
    EQUAL(HAP_power_get(NULL, &response), 0);
    EQUAL(response.dcvsEnabled, 0);
    EQUAL(HAP_power_destroy(&two), 0);
    EQUAL(HAP_power_destroy(&two), AEE_ENOSUCHCLIENT);
    EQUAL(HAP_power_get(NULL, &response), 0);
    EQUAL(response.dcvsEnabled, 1);
    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = TRUE;
    EQUAL(HAP_power_set(&one, &request), 0);
    request.type = HAP_power_set_HMX;
    request.hmx.power_up = TRUE;
    out[0] = HAP_power_set(&one, &request);
    request.type = (HAP_Power_request_type)99;
    out[1] = HAP_power_set(&one, &request);
    EQUAL(sizeof request, 120);
    return 0;
}

static int monitor(const int32_t *in, int32_t *out)
{
    (void)in;
    qurt_pmu_enable(1);
    qurt_pmu_set(QURT_PMUEVTCFG, 0x03);
    out[0] = (int)qurt_pmu_get(QURT_PMUCNT0);
    out[1] = HAP_user_etm_enable();
    return 0;
}

static int facts(const int32_t *in, int32_t *out)
{
    qurt_arch_version_t arch;
    qurt_sysenv_max_hthreads_t threads;
    qurt_sysenv_procname_t name;
    HAP_req_userpd_params_t request = {.type = HAP_req_get_orig_apps_pid};
    (void)in;
    EQUAL(qurt_sysenv_get_arch_version(&arch), QURT_EOK);
    EQUAL(qurt_sysenv_get_max_hw_threads(&threads), QURT_EOK);
    EQUAL(qurt_sysenv_get_max_hw_threads(NULL), QURT_EVAL);
    EQUAL(HAP_set_process_name("mine"), 0);
    EQUAL(qurt_sysenv_get_process_name(&name), QURT_EOK);
    CHECK(strcmp(name.name, "mine") == 0);
    CHECK(HAP_get_userpd_params != NULL);
    EQUAL(HAP_get_userpd_params(&request), 0);
    out[0] = (int)(arch.arch_version & 0xff);
    out[1] = (int)threads.max_hthreads;
    out[2] = request.orig_apps_pid;
    out[3] = HAP_get_thread_priority_ceiling();
    return 0;
}

struct heap_range { /* qurt_sysenv_app_heap_t */
    unsigned int base, limit;
};
int qurt_sysenv_get_app_heap(struct heap_range *range);

static int heap_size(const int32_t *in, int32_t *out)
{
    struct heap_range range;
    (void)in;
    EQUAL(qurt_sysenv_get_app_heap(&range), QURT_EOK);
    EQUAL(qurt_sysenv_get_app_heap(NULL), QURT_EVAL);
    out[0] = (int)((range.limit - range.base) >> 20);
    return 0;
}

void _Assert(const char *);

static int fail_assertion(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    _Assert("kernel.c:12 n > 0");
    return 0;
}

void exit(int);

static int leave(const int32_t *in, int32_t *out)
{
    (void)out;
    exit(in[0]);
}

__attribute__((noinline)) static int smash(int n, volatile char *keep)
{
    volatile char array[16];
    for (int i = 0; i < n; i++) {
        array[i] = (char)i;
    }
    *keep = array[n & 15];
    return *keep;
}

static int smash_stack(const int32_t *in, int32_t *out)
{
    volatile char keep;
    out[0] = smash(in[0], &keep);
    return 0;
}

const struct named_case cases[] = {
    CASE(levels),         CASE(long_message), CASE(formatting),
    CASE(c_library),      CASE(time_passes),  CASE(formatting_by_list),
    CASE(arithmetic),     CASE(half_floats),  CASE(mathematics),
    CASE(power),          CASE(monitor),      CASE(facts),
    CASE(fail_assertion), CASE(leave),        CASE(smash_stack),
    CASE(heap_size),      {NULL, NULL},
};
