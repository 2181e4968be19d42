/* faults.c: fails on the DSP in the way that its argument names. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "demo_dsp.h"
#include "remote.h"

static int failed(const char *function, int code)
{
    fprintf(stderr, "demo: %s failed: 0x%08x\n", function, (unsigned)code);
    return 3;
}

static int open_unsigned(const char *uri, remote_handle64 *handle)
{
    struct remote_rpc_control_unsigned_module module = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    int code = remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module);

    return code != 0 ? code : remote_handle64_open(uri, handle);
}

static int call(void)
{
    remote_handle64 handle;
    int16_t a[] = {1, 2}, result[2];
    int code = open_unsigned(demo_dsp_URI CDSP_DOMAIN, &handle);

    if (code != 0)
        return failed("remote_handle64_open", code);
    code = demo_dsp_scale_add(handle, 3, a, 2, a, 2, result, 2);
    return code != 0 ? failed("remote_handle64_invoke: demo_dsp_scale_add", code) : 0;
}

static int write_to_full_disk(void)
{
    FILE *file = fopen("/dev/full", "w");

    fputs("result", file);
    if (fflush(file) != 0)
        perror("demo: result.bin");
    return 3;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *uri;
    } uris[] = {
        {"uri-without-domain", demo_dsp_URI},
        {"other-dsp", demo_dsp_URI SDSP_DOMAIN},
        {"other-entry",
         "file:///libdemo_dsp_skel.so?demo_skel_handle_invoke&_modver=1.0" CDSP_DOMAIN},
        {"other-skel", "file:///libother_skel.so?other_skel_handle_invoke&_modver=1.0" CDSP_DOMAIN},
    };
    const char *fault = argc > 1 ? argv[1] : "";
    remote_handle64 handle;

    for (unsigned i = 0; i < sizeof uris / sizeof *uris; i++)
        if (strcmp(fault, uris[i].name) == 0)
            return failed("remote_handle64_open", open_unsigned(uris[i].uri, &handle));
    if (strcmp(fault, "signed-process") == 0)
        return failed("open", demo_dsp_open(demo_dsp_URI CDSP_DOMAIN, &handle));
    if (strcmp(fault, "full-disk") == 0)
        return write_to_full_disk();
    if (strcmp(fault, "own-fault") == 0)
        return fputs("demo: 3 of 4 values are wrong\n", stderr), 3;
    if (strcmp(fault, "hang") == 0)
        for (failed("remote_handle64_open", open_unsigned(uris[3].uri, &handle));;)
            ;
    return call();
}
