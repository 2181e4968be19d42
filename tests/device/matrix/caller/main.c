#include <stdio.h>

#include "answer.h"
#include "remote.h"

int main(void)
{
    struct remote_rpc_control_unsigned_module unsigned_pd = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &unsigned_pd, sizeof unsigned_pd);
    remote_handle64 handle;
    int error = answer_open(answer_URI "&_dom=cdsp", &handle);
    if (error) {
        fprintf(stderr, "open: 0x%x\n", (unsigned)error);
        return 1;
    }
    int32_t value = 0;
    error = answer_get(handle, 6, &value);
    answer_close(handle);
    if (error) {
        fprintf(stderr, "get: 0x%x\n", (unsigned)error);
        return 1;
    }
    printf("%d\n", (int)value);
    return 0;
}
