/* calls.c: opening, calling, closing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static uint64_t handle_of(const char *name)
{
    return (uint64_t)(uintptr_t)recall(name);
}

int do_unsigned_pd(char **words, char *more)
{
    struct remote_rpc_control_unsigned_module request = {atoi(words[1]), atoi(words[2])};
    (void)more;
    return remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &request, sizeof request);
}

/* open NAME FILE [OPTIONS]: the 64-bit interface of lib<FILE>_skel.so */
int do_open(char **words, char *more)
{
    char uri[300];
    remote_handle64 handle = 0;
    (void)more;
    snprintf(uri, sizeof uri, "file:///lib%s_skel.so?probe_skel_handle_invoke&_modver=1.0%s",
             words[2], words[3] == NULL ? "&_dom=cdsp" : words[3]);
    int code = remote_handle64_open(uri, &handle);
    remember(words[1], (void *)(uintptr_t)handle);
    return code;
}

int do_open_uri(char **words, char *more)
{
    remote_handle64 handle = 0;
    (void)more;
    int code = remote_handle64_open(words[2], &handle);
    remember(words[1], (void *)(uintptr_t)handle);
    return code;
}

int do_open32(char **words, char *more)
{
    remote_handle handle = 0;
    (void)more;
    int code = remote_handle_open(words[2], &handle);
    remember(words[1], (void *)(uintptr_t)handle);
    return code;
}

int do_close(char **words, char *more)
{
    (void)more;
    return remote_handle64_close(handle_of(words[1]));
}

int do_close32(char **words, char *more)
{
    (void)more;
    return remote_handle_close((remote_handle)handle_of(words[1]));
}

int do_opens(char **words, char *more)
{
    int code = 0;
    for (int i = 0; i < atoi(words[2]) && code == 0; i++) {
        char *open_words[] = {"open", "many", words[1], NULL};
        code = do_open(open_words, more);
        code = code == 0 ? remote_handle64_close(handle_of("many")) : code;
    }
    return code;
}

int do_call(char **words, char *more)
{
    (void)more;
    return remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(atoi(words[2]), 0, 0),
                                  NULL);
}

int do_call32(char **words, char *more)
{
    (void)more;
    return remote_handle_invoke((remote_handle)handle_of(words[1]),
                                REMOTE_SCALARS_MAKE(atoi(words[2]), 0, 0), NULL);
}

/* twice NAME COUNT heap|rpcmem: method 2 on COUNT ints, checked. */
int do_twice(char **words, char *more)
{
    int count = atoi(words[2]);
    int shared = strcmp(words[3], "rpcmem") == 0;
    size_t size = (size_t)count * 4;
    int *in = shared ? rpcmem_alloc(25, 1, (int)size + 4) : malloc(size + 4);
    int *out = shared ? rpcmem_alloc(25, 1, (int)size + 4) : malloc(size + 4);
    int good = 0;
    for (int i = 0; i < count; i++) {
        in[i] = i + 7;
    }
    out[count] = 31;
    remote_arg arguments[2] = {{.buf = {in, size}}, {.buf = {out, size}}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1), arguments);
    for (int i = 0; code == 0 && i < count; i++) {
        good += out[i] == 2 * (i + 7);
    }
    snprintf(more, 256, "%d right%s", good, out[count] == 31 ? "" : " and the end overwritten");
    if (shared) {
        rpcmem_free(in);
        rpcmem_free(out);
    } else {
        free(in);
        free(out);
    }
    return code;
}

/* number NAME METHOD [VALUE]: one int in, eight ints out. */
int do_number(char **words, char *more)
{
    int in = words[3] == NULL ? 0 : atoi(words[3]);
    int out[8] = {0};
    remote_arg arguments[2] = {{.buf = {&in, sizeof in}}, {.buf = {out, sizeof out}}};
    int code = remote_handle64_invoke(handle_of(words[1]),
                                      REMOTE_SCALARS_MAKE(atoi(words[2]), 1, 1), arguments);
    snprintf(more, 256, "%d %d", out[0], out[1]);
    return code;
}

int do_again(char **words, char *more)
{
    int code = 0;
    for (int i = 0; i < atoi(words[2]) && code == 0; i++) {
        code = do_number((char *[]){"number", words[1], "9", NULL}, more);
    }
    return code;
}

int do_failing(char **words, char *more)
{
    return do_number((char *[]){"number", words[1], "12", NULL}, more);
}

int do_places(char **words, char *more)
{
    int out[4] = {-1, -1, -1, -1};
    char bytes[300];
    memset(bytes, 1, sizeof bytes);
    remote_arg arguments[5] = {{.buf = {bytes + 1, 3}},
                               {.buf = {bytes + 5, 131}},
                               {.buf = {bytes, 0}},
                               {.buf = {bytes + 2, 1}},
                               {.buf = {out, sizeof out}}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(13, 4, 1),
                                      arguments);
    snprintf(more, 256, "%d %d %d %d", out[0], out[1], out[2], out[3]);
    return code;
}

int do_handles(char **words, char *more)
{
    remote_arg arguments[2] = {{.h64 = 0x0102030405060708u}, {.h64 = 0}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKEX(0, 14, 0, 0, 1, 1),
                                      arguments);
    snprintf(more, 256, "%llx", (unsigned long long)arguments[1].h64);
    return code;
}

/* The maximum number of arguments of a call; every other buffer is shared memory. */
int do_most(char **words, char *more)
{
    static remote_arg arguments[540];
    static int in[255], out[255];
    int *shared = rpcmem_alloc(25, 1, 255 * 2 * 4);
    int right = 0;
    for (int i = 0; i < 255; i++) {
        int *from = i % 2 == 0 ? &in[i] : &shared[i];
        *from = 1000 + i;
        out[i] = shared[255 + i] = 0;
        arguments[i].buf.pv = from;
        arguments[i].buf.nLen = 4;
        arguments[255 + i].buf.pv = i % 3 == 0 ? &out[i] : &shared[255 + i];
        arguments[255 + i].buf.nLen = 4;
    }
    for (unsigned i = 0; i < 15; i++) {
        arguments[510 + i].h64 = 0xabcdef0000000000u + i;
    }
    int code = remote_handle64_invoke(handle_of(words[1]),
                                      REMOTE_SCALARS_MAKEX(0, 17, 255, 255, 15, 15), arguments);
    for (int i = 0; i < 255; i++) {
        right += (i % 3 == 0 ? out[i] : shared[255 + i]) == 1001 + i;
    }
    for (unsigned i = 0; i < 15; i++) {
        right += arguments[525 + i].h64 == 0xabcdef0000000001u + i;
    }
    snprintf(more, 256, "%d right", right);
    rpcmem_free(shared);
    return code;
}

/* An invalid pointer, and NULL with a length. */
int do_wild(char **words, char *more)
{
    int out[8];
    remote_arg arguments[2] = {{.buf = {(void *)0x10, 64}}, {.buf = {out, sizeof out}}};
    (void)more;
    return remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1), arguments);
}

int do_null(char **words, char *more)
{
    int out[8];
    remote_arg arguments[2] = {{.buf = {NULL, 64}}, {.buf = {out, sizeof out}}};
    (void)more;
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1), arguments);
    return code == AEE_EBADPARM
               ? remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1), NULL)
               : code;
}

/* ---- processes ---- */

/* A forked child has no handles of its parent, and may open new ones. */
int do_forked(char **words, char *more)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        remote_arg arguments[1];
        remote_handle64 handle = 0;
        int stale = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(3, 0, 0),
                                           arguments);
        int code = remote_handle64_open(
            "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0&_dom=cdsp", &handle);
        code = code == 0 ? remote_handle64_invoke(handle, REMOTE_SCALARS_MAKE(3, 0, 0), arguments)
                         : code;
        exit(stale == AEE_EINVHANDLE && code == 0 ? 7 : 8);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    snprintf(more, 256, "%d", WEXITSTATUS(status));
    return remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(3, 0, 0), NULL);
}

/* wait() does not see the DSP process. */
int do_children(char **words, char *more)
{
    int status;
    (void)words;
    snprintf(more, 256, "%d", (int)waitpid(-1, &status, WNOHANG));
    return 0;
}

int do_pause_here(char **words, char *more)
{
    (void)words;
    (void)more;
    printf("paused\n");
    for (;;) {
        pause();
    }
}
