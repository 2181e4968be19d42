/* Double buffering in VTCM, with copies by user DMA. */
#include "staging.h"

#include "HAP_compute_res.h"

#if defined(__hexagon__)

#include <hexagon_types.h>
#include <hexagon_protos.h>

static void start_copy(struct dma_copy *copy, const uint8_t *from, uint8_t *to, size_t bytes)
{
    *copy = (struct dma_copy){0, (uint32_t)bytes, (uint32_t)(uintptr_t)from,
                              (uint32_t)(uintptr_t)to};
    /* The descriptor must be in memory before, and the copy made before what is read after. */
    __asm__ volatile("dmstart(%0)" ::"r"(copy) : "memory");
}

static void finish_copy(void)
{
    int status;

    __asm__ volatile("%0 = dmwait" : "=r"(status)::"memory");
}

static void prefetch(const uint8_t *from, size_t bytes)
{
    const uint64_t line = 128, lines = bytes / line < 0xffff ? bytes / line : 0xffff;

    if (lines > 0)
        Q6_l2fetch_AP((void *)(uintptr_t)from, (long long)(line << 32 | line << 16 | lines));
}

#else /* machines without VTCM */

static void start_copy(struct dma_copy *copy, const uint8_t *from, uint8_t *to, size_t bytes)
{
    (void)copy, (void)from, (void)to, (void)bytes;
}

static void finish_copy(void)
{
}

static void prefetch(const uint8_t *from, size_t bytes)
{
    (void)from, (void)bytes;
}

#endif

static size_t next_bytes(const struct staging *staging)
{
    return staging->left < staging->chunk ? staging->left : staging->chunk;
}

/* Starts to bring the next chunk. */
static void bring(struct staging *staging)
{
    const size_t bytes = next_bytes(staging);

    if (staging->vtcm == NULL)
        prefetch(staging->from, bytes);
    else if (bytes > 0)
        start_copy(&staging->copy, staging->from, staging->vtcm + staging->turn * staging->chunk,
                   bytes);
}

void staging_begin(struct staging *staging, const uint8_t *from, size_t bytes, size_t chunk,
                   uint8_t *vtcm)
{
    *staging = (struct staging){.from = from, .left = bytes, .chunk = chunk, .vtcm = vtcm};
    bring(staging);
}

const uint8_t *staging_next(struct staging *staging)
{
    const size_t bytes = next_bytes(staging);
    const uint8_t *chunk = staging->from;

    if (staging->vtcm != NULL) {
        finish_copy();
        chunk = staging->vtcm + staging->turn * staging->chunk;
    }
    staging->from += bytes;
    staging->left -= bytes;
    staging->turn ^= 1;
    bring(staging);
    return chunk;
}

uint8_t *vtcm_acquire(size_t bytes, unsigned *context)
{
    compute_res_attr_t attributes;

    *context = 0;
    if (HAP_compute_res_attr_init(&attributes) == 0 &&
        HAP_compute_res_attr_set_vtcm_param(&attributes, (unsigned)bytes, 0) == 0)
        *context = HAP_compute_res_acquire(&attributes, 0);
    return *context == 0 ? NULL : HAP_compute_res_attr_get_vtcm_ptr(&attributes);
}

void vtcm_release(unsigned context)
{
    if (context != 0)
        HAP_compute_res_release(context);
}
