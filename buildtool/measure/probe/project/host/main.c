/* device-probe CHECK: checks one thing that a DSP does.
 *
 * A check has a process of its own, so that it neither depends on others nor disturbs them. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"

#define LIMIT_SECONDS 20u /* of a step, which may never return: SIGALRM ends the program */

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const struct {
    const char *name;
    int (*run)(remote_handle64 handle);
} checks[] = {
    {"arch", check_arch},
    {"hvx-integer", check_hvx_integer},
    {"hvx-float", check_hvx_float},
    {"vtcm", check_vtcm},
    {"hmx", check_hmx},
    {"zero-copy", check_zero_copy},
    {"unmap", check_unmap},
    {"map-size", check_map_size},
    {"dspqueue", check_dspqueue},
    {"sessions", check_sessions},
    {"latency", check_latency},
    {"bandwidth", check_bandwidth},
    {"clock", check_clock},
};

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

int open_skel(remote_handle64 *handle)
{
    struct remote_rpc_control_unsigned_module request = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    int code;

    begin_step("remote_session_control");
    code = remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &request, sizeof request);
    if (code != 0)
        return code;
    begin_step("remote_handle64_open");
    return device_probe_open(device_probe_URI CDSP_DOMAIN, handle);
}

static int run(const char *name, int (*check)(remote_handle64 handle))
{
    remote_handle64 handle = 0;
    int code = open_skel(&handle);

    if (code != 0)
        return code;
    begin_step(name);
    code = check(handle);
    if (code != 0)
        return code;
    begin_step("remote_handle64_close");
    return device_probe_close(handle);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; argc == 2 && i < sizeof checks / sizeof checks[0]; i++) {
        if (strcmp(argv[1], checks[i].name) == 0) {
            const int code = run(checks[i].name, checks[i].run);

            if (code != 0)
                printf("failed %s 0x%08x\n", step, (unsigned)code);
            return code == 0 ? 0 : EXIT_FAILED;
        }
    }
    fputs("usage: device-probe CHECK\n", stderr);
    return EXIT_USAGE;
}
