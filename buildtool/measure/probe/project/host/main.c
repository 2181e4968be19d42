/* device-probe CHECK [DOMAIN [signed]]: checks one thing that a DSP does, by default the compute DSP in
 * an unsigned process.
 *
 * A check has a process of its own, so that it neither depends on others nor disturbs them. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"

#define LIMIT_SECONDS 20u /* of a step, which may never return: SIGALRM ends the program */

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const struct {
    const char *name;
    int (*run)(remote_handle64 handle);
    int (*prepare)(void);
} checks[] = {
    {"arch", check_arch, NULL},
    {"hvx-integer", check_hvx_integer, NULL},
    {"hvx-float", check_hvx_float, NULL},
    {"vtcm", check_vtcm, NULL},
    {"hmx", check_hmx, NULL},
    {"zero-copy", check_zero_copy, NULL},
    {"unmap", check_unmap, NULL},
    {"map-size", check_map_size, NULL},
    {"dspqueue", check_dspqueue, NULL},
    {"sessions", check_sessions, NULL},
    {"latency", check_latency, NULL},
    {"bandwidth", check_bandwidth, NULL},
    {"clock", check_clock, NULL},
    {"restart", check_restart, prepare_restart},
    {"search", check_search, prepare_search},
    {"parallel", check_parallel, NULL},
};
static char *const domains[] = {"adsp", "mdsp", "sdsp", "cdsp", "cdsp1", "gdsp0", "gdsp1"};

int probed_domain = CDSP_DOMAIN_ID;
const char *skel_file = "libdevice_probe_skel.so";
static bool is_signed;
static const char *step;

void begin_step(const char *name)
{
    step = name;
    alarm(LIMIT_SECONDS);
    printf("step %s\n", name);
}

void *library_function(const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);

    if (function == NULL)
        printf("missing %s\n", name);
    return function;
}

const char *skel_uri(void)
{
    static char uri[256];

    snprintf(uri, sizeof uri, "file:///%s%s&_dom=%s", skel_file, strchr(device_probe_URI, '?'),
             domain_name());
    return uri;
}

char *domain_name(void)
{
    return domains[probed_domain];
}

int choose_process(int domain)
{
    struct remote_rpc_control_unsigned_module request = {.domain = domain, .enable = 1};

    if (is_signed)
        return 0;
    begin_step("remote_session_control");
    return remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &request, sizeof request);
}

int open_skel(remote_handle64 *handle)
{
    const int code = choose_process(probed_domain);

    if (code != 0)
        return code;
    begin_step("remote_handle64_open");
    return device_probe_open(skel_uri(), handle);
}

static int64_t now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int run(const char *name, int (*check)(remote_handle64 handle))
{
    remote_handle64 handle = 0;
    const int64_t start = now_ns();
    int code = open_skel(&handle);

    if (code != 0)
        return code;
    printf("opening %" PRId64 "\n", now_ns() - start);
    begin_step(name);
    code = check(handle);
    if (code != 0)
        return code;
    begin_step("remote_handle64_close");
    return device_probe_close(handle);
}

/* Whether the arguments after CHECK are right. */
static bool choose_dsp(int argc, char **argv)
{
    is_signed = argc == 4 && strcmp(argv[3], "signed") == 0;
    for (int i = 0; argc >= 3 && i < (int)(sizeof domains / sizeof domains[0]); i++)
        probed_domain = strcmp(argv[2], domains[i]) == 0 ? i : probed_domain;
    return argc == 2 || (argc <= 3 + is_signed && strcmp(argv[2], domain_name()) == 0);
}

int main(int argc, char **argv)
{
    const bool right = argc >= 2 && choose_dsp(argc, argv);

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; right && i < sizeof checks / sizeof checks[0]; i++) {
        if (strcmp(argv[1], checks[i].name) == 0) {
            int code = checks[i].prepare == NULL ? 0 : checks[i].prepare();

            code = code != 0 ? code : run(checks[i].name, checks[i].run);
            if (code != 0)
                printf("failed %s 0x%08x\n", step, (unsigned)code);
            return code == 0 ? 0 : EXIT_FAILED;
        }
    }
    fputs("usage: device-probe CHECK [DOMAIN [signed]]\n", stderr);
    return EXIT_USAGE;
}
