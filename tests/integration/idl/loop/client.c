/* The functions of libcdsprpc: starts the program in LOOP_SERVER and sends it the calls. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipe.h"
#include "remote.h"

static FILE *to, *from;

static void start(void)
{
    int call[2], answer[2];

    if (pipe(call) != 0 || pipe(answer) != 0) {
        exit(3);
    }
    if (fork() == 0) {
        dup2(call[0], 0);
        dup2(answer[1], 1);
        close(call[1]);
        close(answer[0]);
        execl("/bin/sh", "sh", "-c", getenv("LOOP_SERVER"), (char *)NULL);
        _exit(127);
    }
    close(call[0]);
    close(answer[1]);
    to = fdopen(call[1], "wb");
    from = fdopen(answer[0], "rb");
}

int remote_handle64_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra)
{
    uint32_t n_in = REMOTE_SCALARS_INBUFS(sc), n_out = REMOTE_SCALARS_OUTBUFS(sc);
    uint32_t n_handles = REMOTE_SCALARS_INHANDLES(sc) + REMOTE_SCALARS_OUTHANDLES(sc);
    int32_t result;

    put(to, &sc, sizeof(sc));
    put(to, &h, sizeof(h));
    for (uint32_t i = 0; i < n_in + n_out; i++) {
        uint32_t size = (uint32_t)pra[i].buf.nLen;
        put(to, &size, sizeof(size));
        put(to, pra[i].buf.pv, i < n_in ? size : 0);
    }
    for (uint32_t i = 0; i < n_handles; i++) {
        put(to, &pra[n_in + n_out + i].h64, 8);
    }
    fflush(to);
    if (!get(from, &result, sizeof(result))) {
        fprintf(stderr, "no answer to %08x\n", (unsigned)sc);
        exit(3);
    }
    for (uint32_t i = 0; i < n_out; i++) {
        get(from, pra[n_in + i].buf.pv, pra[n_in + i].buf.nLen);
    }
    for (uint32_t i = REMOTE_SCALARS_INHANDLES(sc); i < n_handles; i++) {
        get(from, &pra[n_in + n_out + i].h64, 8);
    }
    return result;
}

int remote_handle64_open(const char *name, remote_handle64 *ph)
{
    uint32_t length = (uint32_t)strlen(name) + 1;
    remote_arg pra[3];
    int result;

    start();
    pra[0].buf.pv = &length;
    pra[0].buf.nLen = sizeof(length);
    pra[1].buf.pv = (char *)(uintptr_t)name;
    pra[1].buf.nLen = length;
    pra[2].h64 = 0;
    result = remote_handle64_invoke(0, REMOTE_SCALARS_MAKEX(0, 0, 2, 0, 0, 1), pra);
    *ph = pra[2].h64;
    return result;
}

int remote_handle64_close(remote_handle64 h)
{
    remote_arg pra[1];

    pra[0].h64 = h;
    return remote_handle64_invoke(h, REMOTE_SCALARS_MAKEX(0, 1, 0, 0, 1, 0), pra);
}
