/* Runs the plain interface's stub against its own skel in one program, and an async method. */
#include <stdio.h>
#include <string.h>

#include "plain.h"
#include "tasks.h"

int plain_skel_invoke(uint32_t sc, remote_arg *pra);
int tasks_skel_handle_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra);

static int opened, closed, refuse = 1;

int remote_handle_open(const char *name, remote_handle *ph)
{
    printf("open %s\n", name);
    *ph = (remote_handle)++opened;
    return refuse ? 0x39 : 0;
}

int remote_handle_close(remote_handle h)
{
    (void)h;
    closed++;
    return 0;
}

int remote_handle_invoke(remote_handle h, uint32_t sc, remote_arg *pra)
{
    printf("invoke %u %08x\n", (unsigned)h, (unsigned)sc);
    return plain_skel_invoke(sc, pra);
}

int remote_handle64_open(const char *name, remote_handle64 *ph)
{
    (void)name;
    *ph = 1;
    return 0;
}

int remote_handle64_close(remote_handle64 h)
{
    (void)h;
    return 0;
}

int remote_handle64_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra)
{
    return tasks_skel_handle_invoke(h, sc, pra);
}

#ifdef WITH_ASYNC
int remote_handle64_invoke_async(remote_handle64 h, fastrpc_async_descriptor_t *desc, uint32_t sc,
                                 remote_arg *pra)
{
    printf("async %d %d\n", (int)h, desc->type == FASTRPC_ASYNC_NO_SYNC);
    return tasks_skel_handle_invoke(h, sc, pra);
}
#endif

int __QAIC_IMPL(plain_low)(int a, short *r)
{
    *r = (short)(a + 1);
    return 0;
}

int __QAIC_IMPL(plain_text)(const char *s)
{
    printf("text %s\n", s);
    return 0;
}

unsigned int __QAIC_IMPL(plain_fails)(int *r)
{
    *r = 5;
    return 0x80000442u;
}

int __QAIC_IMPL(tasks_open)(const char *uri, remote_handle64 *h)
{
    (void)uri;
    *h = 1;
    return 0;
}

int __QAIC_IMPL(tasks_close)(remote_handle64 h)
{
    (void)h;
    return 0;
}

int __QAIC_IMPL(tasks_later)(remote_handle64 h, fastrpc_async_descriptor_t *desc, const int *v,
                             int vLen, int *r, int rLen)
{
    printf("later %d %d\n", (int)h, desc == NULL);
    memcpy(r, v, sizeof(*v) * (size_t)(vLen < rLen ? vLen : rLen));
    return 0;
}

int main(void)
{
    fastrpc_async_descriptor_t desc;
    int v[2] = {3, 4}, r[2] = {0, 0}, kept = 7;
    short low = 0;

    printf("status %x\n", (unsigned)plain_low(1, &low));
    refuse = 0;
    printf("status %x", (unsigned)plain_low(1, &low));
    printf(" low %d\n", low);
    printf("status %x\n", (unsigned)plain_text("hey"));
    printf("status %x", plain_fails(&kept));
    printf(" kept %d\n", kept);

    memset(&desc, 0, sizeof(desc));
    desc.type = FASTRPC_ASYNC_NO_SYNC;
    printf("status %x", (unsigned)tasks_later(5, &desc, v, 2, r, 2));
    printf(" r %d %d\n", r[0], r[1]);
    return 0;
}
