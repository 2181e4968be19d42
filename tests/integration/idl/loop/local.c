/* The functions of libcdsprpc: call the skel, which is linked into the same library. */
#include <string.h>

#include "remote.h"

int loop_skel_handle_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra);

/* The requests so far, which the tests read. */
int unsigned_requests[8];

int remote_session_control(uint32_t req, void *data, uint32_t datalen)
{
    struct remote_rpc_control_unsigned_module request;

    if (req != DSPRPC_CONTROL_UNSIGNED_MODULE || datalen != sizeof(request)) {
        return 0x0e;
    }
    memcpy(&request, data, sizeof(request));
    unsigned_requests[request.domain] += request.enable;
    return 0;
}

int remote_handle64_open(const char *name, remote_handle64 *ph)
{
    if (strstr(name, "&_dom=") == NULL) {
        return 0x0e;
    }
    *ph = 1;
    return 0;
}

int remote_handle64_close(remote_handle64 h)
{
    return h == 1 ? 0 : 0x2c;
}

int remote_handle64_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra)
{
    return loop_skel_handle_invoke(h, sc, pra);
}

int remote_register_dma_handle(int fd, uint32_t len)
{
    return fd >= 0 && len > 0 ? 0 : 0x0e;
}
