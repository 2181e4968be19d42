/* user_dma.c: user DMA, which copies memory while the thread goes on.
 *
 * Descriptors and their bits are those that public DMA code of skels uses. A copy is made when it
 * is started. With --strict it is made when the thread asks for it, with dmpoll or dmwait, so that
 * code that does not wait reads old bytes. */
#include "user_dma.h"

#include <string.h>

#include "counts.h"
#include "runtime/runtime.h"

#define DONE 0x80000000u
#define CHAIN_MAX (1 << 20)

/* ---- copies ---- */

enum { DESCRIPTOR_1D = 0, DESCRIPTOR_2D = 1, STRIDES_24_BITS = 9 };

/* Words 4 to 6 exist for two dimensions only. Two layouts have them: with numbers of 16 bits, and,
 * from v75 on, of 24 bits. */
struct descriptor {
    uint32_t next;
    uint32_t control; /* length or a stride, type in bits 24 and 25, done in bit 31 */
    uint32_t source, destination;
    uint32_t layout, size, strides;
};

struct copy {
    uint32_t width, rows, source_stride, destination_stride; /* bytes */
};

static struct copy copy_of(const volatile struct descriptor *descriptor)
{
    const uint32_t control = descriptor->control, type = control >> 24 & 3u;
    if (type == DESCRIPTOR_1D) {
        return (struct copy){.width = control & 0xffffffu, .rows = 1};
    }
    if (type != DESCRIPTOR_2D) {
        die("the DMA descriptor at %p has the type %u, which is unknown", (const void *)descriptor,
            (unsigned)type);
    }
    const uint32_t size = descriptor->size, strides = descriptor->strides;
    if ((descriptor->layout & 0xffu) == STRIDES_24_BITS) {
        return (struct copy){.width = size & 0xffffffu,
                             .rows = size >> 24 | (strides & 0xffu) << 8,
                             .source_stride = strides >> 8,
                             .destination_stride = control & 0xffffffu};
    }
    return (struct copy){.width = size & 0xffffu,
                         .rows = size >> 16,
                         .source_stride = strides & 0xffffu,
                         .destination_stride = strides >> 16};
}

/* Makes the copies of a chain that are not done yet. They do not count: the DMA engine makes them. */
static void run_chain(uint32_t address)
{
    counts_pause();
    for (int i = 0; address != 0; i++) {
        volatile struct descriptor *descriptor = (void *)(uintptr_t)address;
        if (i == CHAIN_MAX) {
            die("a chain of DMA descriptors has no end: it comes back to 0x%x", (unsigned)address);
        }
        if ((descriptor->control & DONE) == 0) {
            const struct copy copy = copy_of(descriptor);
            const char *from = (const char *)(uintptr_t)descriptor->source;
            char *to = (char *)(uintptr_t)descriptor->destination;
            for (uint32_t row = 0; row < copy.rows; row++) {
                memmove(to, from, copy.width);
                from += copy.source_stride;
                to += copy.destination_stride;
            }
            descriptor->control |= DONE;
        }
        address = descriptor->next;
    }
    counts_resume();
}

/* ---- instructions ---- */

static _Thread_local uint32_t pending; /* the first descriptor of a chain to copy */

void user_dma_start(uint32_t first)
{
    if (shell_facts()->strict == STRICT_OFF) {
        run_chain(first);
    } else if (pending == 0) {
        pending = first;
    }
}

void user_dma_link(uint32_t last, uint32_t first)
{
    if (last != 0) {
        ((volatile struct descriptor *)(uintptr_t)last)->next = first;
    }
    user_dma_start(first);
}

uint64_t user_dma_finish(void)
{
    const uint32_t first = pending;
    pending = 0;
    run_chain(first);
    return 0; /* idle */
}
