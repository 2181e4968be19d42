#include "answer.h"

int answer_open(const char *uri, remote_handle64 *handle)
{
    (void)uri;
    *handle = 1;
    return 0;
}

int answer_close(remote_handle64 handle)
{
    (void)handle;
    return 0;
}

AEEResult answer_get(remote_handle64 handle, int32_t six, int32_t *value)
{
    (void)handle;
    *value = six * 7;
    return 0;
}
