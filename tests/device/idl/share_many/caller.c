/* Passes sequences of shared buffers to the DSP, and requests that no stub makes. */
#include <stdio.h>

#include "many.h"
#include "rpcmem.h"

enum { MOST = 16, OFFSET = 64 };

#ifdef many_URI
#define H h,
#define FIRST_METHOD 2
static remote_handle64 h;
#else
#define H
#define FIRST_METHOD 0
static remote_handle h;
#endif

static _dmahandle1_t in[MOST], out[MOST];
static char *in_memory[MOST], *out_memory[MOST];

static int *number(char *memory)
{
    return (int *)(void *)(memory + OFFSET);
}

/* A buffer of one to three pages with a number at OFFSET. */
static _dmahandle1_t buffer(char **memory, int at, int value)
{
    _dmahandle1_t made = {-1, OFFSET, 4096u * (uint32_t)(at % 3 + 1)};

    *memory = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, (int)made.len);
    if (*memory != NULL) {
        made.fd = rpcmem_to_fd(*memory);
        *number(*memory) = value;
    }
    return made;
}

static void add(int count)
{
    int64_t sum = -1;
    int status = many_add(H in, count, &sum);

    printf("add %d: %x %d\n", count, (unsigned)status, (int)sum);
}

static void spread(int n_in, int n_out)
{
    unsigned lengths[2 * MOST + 1] = {0};
    int wrong = 0, all = n_in + n_out + 1, base = *number(in_memory[MOST - 1]);
    int status = many_spread(H in, n_in, out, n_out, in[MOST - 1].fd, OFFSET, in[MOST - 1].len,
                             lengths, all);

    for (int i = 0; i < n_in; i++) {
        base += *number(in_memory[i]);
        wrong += lengths[i] != in[i].len;
    }
    for (int i = 0; i < n_out; i++) {
        wrong += *number(out_memory[i]) != base + i;
        wrong += lengths[n_in + i] != out[i].len;
        *number(out_memory[i]) = -1;
    }
    wrong += lengths[all - 1] != in[MOST - 1].len;
    printf("spread %d %d: %x %d wrong\n", n_in, n_out, (unsigned)status, wrong);
}

/* Calls `add` with a length and handles that need not agree; all handles have one descriptor. */
static void raw(uint32_t length, uint32_t n_in, uint32_t n_out, int fd)
{
    uint64_t sum = 0;
    remote_arg args[2 + 15 + 15] = {{{0}}};
    uint32_t sc = REMOTE_SCALARS_MAKEX(0, FIRST_METHOD, 1, 1, n_in, n_out);
    int status;

    args[0].buf.pv = &length;
    args[0].buf.nLen = sizeof(length);
    args[1].buf.pv = &sum;
    args[1].buf.nLen = sizeof(sum);
    for (uint32_t i = 0; i < n_in + n_out; i++) {
        args[2 + i].dma.fd = fd;
        args[2 + i].dma.offset = OFFSET;
    }
#ifdef many_URI
    status = remote_handle64_invoke(h, sc, args);
#else
    status = remote_handle_invoke(h, sc, args);
#endif
    printf("raw %x %u %u: %x %d\n", (unsigned)length, (unsigned)n_in, (unsigned)n_out,
           (unsigned)status, (int)sum);
}

int main(void)
{
    struct remote_rpc_control_unsigned_module unsigned_module = {CDSP_DOMAIN_ID, 1};
    int status;

    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &unsigned_module,
                           sizeof(unsigned_module));
#ifdef many_URI
    status = many_open(many_URI "&_dom=cdsp", &h);
#else
    status = remote_handle_open("many", &h);
#endif
    if (status != 0) {
        printf("open: %x\n", (unsigned)status);
        return 1;
    }
    for (int i = 0; i < MOST; i++) {
        in[i] = buffer(&in_memory[i], i, 1 << i);
        out[i] = buffer(&out_memory[i], i + 1, -1);
    }
    add(0);
    add(1);
    add(5);
    add(15);
    add(16);
    spread(0, 0);
    spread(1, 1);
    spread(4, 3);
    spread(14, 15);
    printf("too many in: %x\n",
           (unsigned)many_spread(H in, 15, out, 0, in[0].fd, 0, in[0].len, NULL, 0));
    printf("too many out: %x\n",
           (unsigned)many_spread(H in, 0, out, 16, in[0].fd, 0, in[0].len, NULL, 0));
    raw(2, 2, 0, in[1].fd);
    raw(3, 2, 0, in[1].fd);
    raw(1, 2, 0, in[1].fd);
    raw(1, 1, 1, in[1].fd);
    raw(16, 15, 15, in[1].fd);
    raw(0xffffffff, 15, 0, in[1].fd);
    raw(0x80000000, 0, 0, in[1].fd);
    raw(1, 1, 0, 1000);
    raw(1, 1, 0, -1);
    add(5);
    return 0;
}
