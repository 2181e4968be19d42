/* library.c: a host library with traits of the libraries around FastRPC's test programs.
 *
 * It registers a notifier when it is loaded, and calls the skel in use(). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "remote.h"
#include "rpcmem.h"

static int ups, downs, closer;

int close_at_unload(remote_handle64 handle); /* of the library in the RUNPATH */

static int notified(void *context, int domain, int session, remote_rpc_status_flags_t status)
{
    (void)context;
    (void)domain;
    (void)session;
    ups += status == FASTRPC_USER_PD_UP;
    if (status != FASTRPC_USER_PD_UP) {
        usleep(20000); /* the library is not unloaded in the meantime */
        downs++;
    }
    return 0;
}

__attribute__((constructor)) static void loaded(void)
{
    closer = close_at_unload(0);
    remote_rpc_notif_register_t registration = {
        .context = &ups, .domain = CDSP_DOMAIN_ID, .notifier_fn = notified};
    int code = remote_session_control(FASTRPC_REGISTER_STATUS_NOTIFICATIONS, &registration,
                                      sizeof registration);
    if (code != 0) {
        printf("the notifier is refused: 0x%x\n", (unsigned)code);
    }
}

static void call(remote_handle64 handle, unsigned method, int value)
{
    int out[12] = {0};
    remote_arg arguments[2];
    arguments[0].buf.pv = &value;
    arguments[0].buf.nLen = sizeof value;
    arguments[1].buf.pv = out;
    arguments[1].buf.nLen = sizeof out;
    int code = remote_handle64_invoke(handle, REMOTE_SCALARS_MAKE(method, 1, 1), arguments);
    char line[200];
    int used = sprintf(line, "method %u = %x:", method, (unsigned)code);
    for (unsigned i = 0; i < 12; i++) {
        used += sprintf(line + used, " %d", out[i]);
    }
    puts(line);
    fflush(stdout);
}

static int open_skel(remote_handle64 *handle)
{
    struct remote_rpc_control_unsigned_module request = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &request, sizeof request);
    return remote_handle64_open("file:///libsdkstyle_skel.so?sdkstyle_skel_handle_invoke"
                                "&_modver=1.0&_dom=cdsp",
                                handle);
}

/* Opens the skel and calls method 2. Does not close it, but lets the library in the RUNPATH do so if
 * `close` is not 0. */
int leave_open(int close);

int leave_open(int close)
{
    remote_handle64 handle;
    int code = open_skel(&handle);
    if (code == 0) {
        call(handle, 2, 0);
        close_at_unload(close ? handle : 0);
    }
    return code;
}

/* Opens the skel, calls methods 2 to `last`, or only `last` if it is above 6, and closes it. */
int use(int last);

int use(int last)
{
    struct remote_dsp_capability hmx = {.domain = CDSP_DOMAIN_ID, .attribute_ID = 7};
    remote_handle64 handle;
    int code = open_skel(&handle);
    if (code != 0) {
        return code;
    }
    int *buffer = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, 4096);
    int fd = rpcmem_to_fd(buffer);
    buffer[0] = 30;
    code = fastrpc_mmap(CDSP_DOMAIN_ID, fd, buffer, 0, 4096, FASTRPC_MAP_FD_DELAYED);
    for (int method = last > 6 ? last : 2; method <= last; method++) {
        call(handle, (unsigned)method, fd);
    }
    if (last == 6) {
        remote_handle_control(DSPRPC_GET_DSP_INFO, &hmx, sizeof hmx);
        printf("buffer = %d, HMX = %u, ups = %d, closer = %d\n", buffer[1],
               (unsigned)hmx.capability, ups, closer);
    }
    code = code != 0 ? code : fastrpc_munmap(CDSP_DOMAIN_ID, fd, buffer, 4096);
    rpcmem_free(buffer);
    return code != 0 ? code : remote_handle64_close(handle);
}
