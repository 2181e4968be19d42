/* invoke.c: handles INVOKE: reads the arguments from the channel, calls the skel, replies. */
#include <stdlib.h>
#include <string.h>

#include "AEEStdErr.h"
#include "arguments.h"
#include "core.h"
#include "counts.h"
#include "in_arguments.h"
#include "regions.h"

struct counts {
    uint32_t in, out, in_handles, out_handles, all;
};

static struct counts counts_of(uint32_t scalars)
{
    struct counts counts = {.in = (scalars >> 16) & 0xff,
                            .out = (scalars >> 8) & 0xff,
                            .in_handles = (scalars >> 4) & 0xf,
                            .out_handles = scalars & 0xf};
    counts.all = counts.in + counts.out + counts.in_handles + counts.out_handles;
    return counts;
}

static uint64_t aligned(uint64_t size)
{
    return (size + ARGUMENT_ALIGN - 1) & ~(uint64_t)(ARGUMENT_ALIGN - 1);
}

/* Sets the address of each buffer argument, and acquires shared buffers. *acquired is the number of
 * arguments that have been handled, for release_shared(). */
static int place(const struct counts *counts, const struct wire_argument *wire,
                 struct argument_area *area, shell_argument *arguments, uint32_t *acquired)
{
    uint64_t total = 0;
    uint32_t buffers = counts->in + counts->out;
    for (uint32_t i = 0; i < buffers; i++) {
        total += wire[i].transfer == WIRE_COPIED ? aligned(wire[i].length) : 0;
    }
    if (!area_open(area, total, buffers)) {
        return AEE_ENOMEMORY;
    }
    for (uint32_t i = 0; i < buffers; i++) {
        arguments[i].buf.nLen = wire[i].length;
        arguments[i].buf.pv = NULL;
        if (wire[i].transfer == WIRE_SHARED) {
            int code = buffer_acquire(wire[i].id, wire[i].offset, wire[i].length,
                                      &arguments[i].buf.pv);
            if (code != AEE_SUCCESS) {
                return code;
            }
        } else if (wire[i].length > 0) {
            arguments[i].buf.pv = area_take(area, wire[i].length);
            if (arguments[i].buf.pv == NULL) {
                return AEE_ENOMEMORY;
            }
        }
        *acquired = i + 1;
    }
    for (uint32_t i = buffers; i < counts->all; i++) {
        arguments[i].raw = wire[i].id;
    }
    return AEE_SUCCESS;
}

/* Fills the out arguments. An argument that shares memory with an in argument, as the two halves of
 * an inrout parameter do, keeps its content. */
static void poison_out(const struct counts *counts, const struct wire_argument *wire,
                       const shell_argument *arguments)
{
    for (uint32_t out = counts->in; out < counts->in + counts->out; out++) {
        bool is_input = false;
        for (uint32_t in = 0; in < counts->in && wire[out].transfer == WIRE_SHARED; in++) {
            is_input |= wire[in].transfer == WIRE_SHARED && wire[in].id == wire[out].id &&
                        wire[in].offset < wire[out].offset + wire[out].length &&
                        wire[out].offset < wire[in].offset + wire[in].length;
        }
        if (!is_input && wire[out].length > 0) {
            argument_poison(arguments[out].buf.pv, wire[out].length);
        }
    }
}

/* Adds the arguments to the regions that reports name, or removes them. */
static void note_arguments(const struct counts *counts, uint32_t scalars,
                           const shell_argument *arguments, bool add)
{
    for (uint32_t i = 0; i < counts->in + counts->out; i++) {
        enum region_kind kind = i < counts->in ? REGION_IN : REGION_OUT;
        if (arguments[i].buf.nLen == 0) {
            continue;
        }
        if (add) {
            region_add(kind, arguments[i].buf.pv, arguments[i].buf.nLen, i, (scalars >> 24) & 0x1f);
        } else {
            region_remove(kind, arguments[i].buf.pv, NULL);
        }
    }
}

static void release_shared(const struct wire_argument *wire, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (wire[i].transfer == WIRE_SHARED) {
            buffer_release(wire[i].id);
        }
    }
}

static void note_bytes(const struct counts *counts, const struct wire_argument *wire)
{
    struct counted_bytes bytes = {0};
    for (uint32_t i = 0; i < counts->in + counts->out; i++) {
        *(i < counts->in ? &bytes.in : &bytes.out) += wire[i].length;
        bytes.copied += wire[i].transfer == WIRE_COPIED ? wire[i].length : 0;
    }
    counts_buffers(&bytes);
}

static uint64_t copied_in(const struct counts *counts, const struct wire_argument *wire)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < counts->in; i++) {
        total += wire[i].transfer == WIRE_COPIED ? wire[i].length : 0;
    }
    return total;
}

static int read_in(int socket, const struct counts *counts, const struct wire_argument *wire,
                   const shell_argument *arguments)
{
    struct iovec parts[255];
    int used = 0;
    for (uint32_t i = 0; i < counts->in; i++) {
        if (wire[i].transfer == WIRE_COPIED && wire[i].length > 0) {
            parts[used++] = (struct iovec){.iov_base = arguments[i].buf.pv,
                                           .iov_len = wire[i].length};
        }
    }
    return wire_read_parts(socket, parts, used);
}

/* Sends the reply. It contains out handles and copied out buffers only when the method
 * succeeded. */
static bool answer(int socket, int result, const struct counts *counts,
                   const struct wire_argument *wire, const shell_argument *arguments)
{
    struct wire_header header = {.magic = WIRE_MAGIC, .kind = WIRE_REPLY, .result = result};
    uint64_t handles[15];
    struct iovec parts[2 + 255];
    int used = 0;
    parts[used++] = (struct iovec){.iov_base = &header, .iov_len = sizeof header};
    if (result == AEE_SUCCESS) {
        uint32_t first_handle = counts->all - counts->out_handles;
        for (uint32_t i = 0; i < counts->out_handles; i++) {
            handles[i] = arguments[first_handle + i].raw;
        }
        header.size = counts->out_handles * (uint32_t)sizeof handles[0];
        parts[used++] = (struct iovec){.iov_base = handles, .iov_len = header.size};
        for (uint32_t i = counts->in; i < counts->in + counts->out; i++) {
            if (wire[i].transfer == WIRE_COPIED && wire[i].length > 0) {
                header.size += wire[i].length;
                parts[used++] = (struct iovec){.iov_base = arguments[i].buf.pv,
                                               .iov_len = wire[i].length};
            }
        }
    }
    return wire_send_parts(socket, parts, used, -1) == 0;
}

struct returned {
    const struct call_buffers *call;
    const struct argument_area *area;
};

static void check_returned(const void *context)
{
    const struct returned *returned = context;
    in_arguments_check(returned->call);
    area_check(returned->area);
}

bool request_invoke(int socket, const struct wire_header *request)
{
    const struct counts counts = counts_of(request->value);
    struct wire_argument wire[WIRE_ARGUMENTS_MAX];
    size_t wire_size = counts.all * sizeof wire[0];
    if (request->size < wire_size || wire_read(socket, wire, wire_size) != 0) {
        return false;
    }
    uint64_t data = copied_in(&counts, wire);
    if (data != request->size - wire_size) {
        return false;
    }
    shell_argument placed[WIRE_ARGUMENTS_MAX];
    uint32_t acquired = 0;
    struct argument_area area;
    int result = place(&counts, wire, &area, placed, &acquired);
    if (result != AEE_SUCCESS) {
        release_shared(wire, acquired);
        area_close(&area);
        return wire_skip(socket, (size_t)data) == 0 && reply(socket, result, 0, NULL, 0);
    }
    bool usable = read_in(socket, &counts, wire, placed) == 0;
    if (usable) {
        /* The skel gets a copy, because it can change pointers that are needed for the reply. */
        shell_argument arguments[WIRE_ARGUMENTS_MAX];
        memcpy(arguments, placed, counts.all * sizeof arguments[0]);
        note_arguments(&counts, request->value, placed, true);
        note_bytes(&counts, wire);
        struct call_buffers call = {
            .wire = wire, .arguments = placed, .in = counts.in, .out = counts.out};
        in_arguments_begin(&call);
        if (shell_facts()->fills_outputs) {
            poison_out(&counts, wire, placed); /* the out buffers are writable since begin */
        }
        const struct returned returned = {&call, &area};
        const struct call_check check = {check_returned, &returned};
        result = handle_invoke(request->handle, request->value, arguments, &check);
        counts_buffers(&(struct counted_bytes){0}); /* also if there was no call */
        in_arguments_end(&call);
        uint32_t first = counts.all - counts.out_handles;
        memcpy(placed + first, arguments + first, counts.out_handles * sizeof placed[0]);
        usable = answer(socket, result, &counts, wire, placed);
        note_arguments(&counts, request->value, placed, false);
    }
    release_shared(wire, acquired);
    area_close(&area);
    return usable;
}
